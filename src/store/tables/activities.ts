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
 * An activity that was removed: how far its counters had come, so that an activity under the same code gives out no
 * change number and no id a second time.
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
    /** When nothing of it was left; null: not yet. */
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
    /** UUIDv7. */
    imageId: text,
    extractedAt: instant,
    state: oneOf('draft', 'published'),
    /** Change number before that of its first row; row n of the image has base + n. */
    base: integer,
    rowCount: integer,
    contentHash: text,
    /** 0 while it is a draft. */
    publishedAt: instant,
    /** Last time that its writer gave a sign of life. */
    touchedAt: instant,
    /** Id of the message that brought it (decision 49). */
    feedMessage: optional(integer),
  },
  key: ['activity', 'imageId'],
  indexes: [['activity', 'state', 'extractedAt', 'base']],
});

/** For how long an activity keeps something, where it is not what the settings say (decision 53). */
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

/** In which form the bodies of a resource are stored, and how far they have been written anew. */
export const bodyFormTable = table('text_form', {
  columns: { resource: text, form: integer, activity, key: text, done: boolean },
  key: ['resource'],
});
