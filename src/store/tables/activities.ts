// The tables of activities: their counters, the revisions of their lists, their stock images, the form of their bodies.
import { activity, boolean, instant, integer, oneOf, optional, table, text } from '../table.ts';

/** A tenant, its counters, and the time of its last write (strictly increasing per activity). */
export const activityTable = table('activity', {
  columns: {
    code: text,
    name: text,
    /** 1, 2, 3, …: the leading part of every numeric id that the activity's records get. */
    number: integer,
    lastChange: integer,
    lastId: integer,
    lastWriteAt: instant,
    createdAt: instant,
  },
  key: ['code'],
  unique: [['number']],
});

/**
 * A removed activity with its last counters, so that an activity under the same code gives out no change number or id a
 * second time.
 */
export const removedActivityTable = table('removed_activity', {
  columns: {
    code: text,
    name: text,
    number: integer,
    lastChange: integer,
    lastId: integer,
    lastWriteAt: instant,
    removedAt: instant,
    /** When everything of it had been removed; null: not yet. */
    emptiedAt: optional(instant),
  },
  key: ['code'],
  unique: [['number']],
});

/** Change number of the last write of one resource in one activity. */
export const revisionTable = table('revision', {
  columns: { activity, resource: text, lastChange: integer },
  key: ['activity', 'resource'],
});

/** One stock image; its rows become visible when it is published. */
export const stockImageTable = table('stock_image', {
  columns: {
    activity,
    /** UUIDv7; of a note, its state, feed and instant. */
    imageId: text,
    extractedAt: instant,
    /**
     * `withdrawn` and `repeated`: no image, but a note that a message with a sequence number withdrew that of this
     * instant, or sent it unchanged.
     */
    state: oneOf('draft', 'published', 'withdrawn', 'repeated'),
    /** Change number before that of its first row; row n of the image has base + n. Of a note: the last one. */
    base: integer,
    rowCount: integer,
    contentHash: text,
    /** 0 unless it is published. */
    publishedAt: instant,
    /** Last sign of life of its writer; of a note, when it was said. */
    touchedAt: instant,
    /** Id of the message that contained it, or that the note is of (decision 49). */
    feedMessage: optional(integer),
  },
  key: ['activity', 'imageId'],
  indexes: [['activity', 'state', 'extractedAt', 'base']],
});

/** How long an activity keeps something, if it differs from the settings (decision 53). */
export const retentionRuleTable = table('retention_rule', {
  columns: {
    activity,
    /** Name of a resource, or `feeds`. */
    subject: text,
    /** Null: for ever. */
    days: optional(integer),
  },
  key: ['activity', 'subject'],
});

/** The form in which the bodies of a resource are stored, and how far they have been rewritten. */
export const bodyFormTable = table('text_form', {
  columns: { resource: text, form: integer, activity, key: text, done: boolean },
  key: ['resource'],
});
