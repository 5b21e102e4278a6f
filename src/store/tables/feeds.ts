// The tables of what comes in from the warehouse system: feeds, their messages, and the lines that were refused.
import { activity, boolean, instant, integer, oneOf, optional, table, text } from '../table.ts';

/** What one warehouse system sends of one resource: how far it has come, and what is missing. */
export const feedTable = table('feed', {
  columns: {
    activity,
    resource: text,
    /** Its name; `main` where the source gives none. */
    feed: text,
    createdAt: instant,
    /** Id of the message that was begun last, and when that was. */
    lastMessage: integer,
    receivedAt: instant,
    /** Highest sequence number of a message that was dealt with; null: its messages are not numbered. */
    lastSequence: optional(integer),
    /** JSON text: ranges `[from, to]` of the numbers below that which did not come, in ascending order. */
    missing: text,
  },
  key: ['activity', 'resource', 'feed'],
});

/** One file, request or run by which records came in (decision 49). */
export const feedMessageTable = table('feed_message', {
  columns: {
    activity,
    /** 1, 2, 3, … within the activity: the order in which messages were begun. */
    id: integer,
    resource: text,
    /** Name of the feed; `main` where the source gives none. */
    feed: text,
    channel: oneOf('http', 'folder', 'command', 'replay', 'demo'),
    /** What it came from: a file name, `-` for standard input; null: a request. */
    source: optional(text),
    /** Id that the source gave it. */
    messageId: optional(text),
    /** Its number in the feed, where the source numbers its messages. */
    sequence: optional(integer),
    /** Hash of the `Idempotency-Key` of the request that began it, with whose it was. */
    requestKey: optional(text),
    /** Name of the mapping that made records of its lines; null: the lines were records. */
    mapping: optional(text),
    /** The message whose refused lines are replayed. */
    replayOf: optional(integer),
    /**
     * `open`: being read, or interrupted, to be resumed; `interrupted`: it ended before its lines did, and nothing can
     * resume it: what was written stays; `done`: all its lines were dealt with; `refused`: nothing of it was written;
     * `duplicate`: it had been there before, and nothing was done.
     */
    state: oneOf('open', 'interrupted', 'done', 'refused', 'duplicate'),
    /** Why it was refused, or ended before its lines did; JSON text of code and detail. */
    fault: optional(text),
    /** Physical lines that were dealt with, and how many of them a rule of the mapping left out. */
    lines: integer,
    skipped: integer,
    /** JSON text: lines left out, by the name of the rule. */
    skippedBy: optional(text),
    /** Records: read = new + changed + unchanged + refused. */
    read: integer,
    added: integer,
    changed: integer,
    unchanged: integer,
    refused: integer,
    /** Of those that were taken: with a warning; that withdrew something. */
    warned: integer,
    withdrawn: integer,
    /** JSON text: the first warnings, with their lines. */
    warnings: optional(text),
    /** Natural keys of the first and the last record that were taken. */
    firstKey: optional(text),
    lastKey: optional(text),
    bytes: integer,
    /** Digest of the text of all records that were dealt with: by it a message that is resumed is known. */
    digest: text,
    /** JSON text: what a mapping made of the lines, by number. */
    lineCounts: optional(text),
    /** It has had its time: its counts are kept, and what they are counts of. */
    countsOnly: { ...boolean, default: '0' },
    /** JSON text: what there is to say of its sequence number. */
    notes: optional(text),
    /** Id of the platform key, name of the login on the machine, or of the background task. */
    actor: text,
    receivedAt: instant,
    /** Name of who is at work on it; null: nobody is. */
    holder: optional(text),
    /** Last time that they gave a sign of life: after some seconds without one, another may resume it. */
    touchedAt: instant,
    finishedAt: optional(instant),
  },
  key: ['activity', 'id'],
  indexes: [
    ['activity', 'resource', 'feed', 'messageId'],
    ['activity', 'resource', 'feed', 'sequence'],
    ['activity', 'requestKey'],
    ['state', 'receivedAt'],
    ['activity', 'countsOnly', 'id'],
    ['activity', 'receivedAt', 'id'],
    ['activity', 'resource', 'feed', 'receivedAt', 'id'],
    ['activity', 'resource', 'feed', 'state', 'receivedAt', 'id'],
  ],
});

/** A line, or the lines of one record, that was refused. */
export const feedLineTable = table('feed_line', {
  columns: {
    activity,
    /** Id of the message. */
    message: integer,
    /** Number of the record in the message, from 1: several may stand on one line. */
    record: integer,
    /** The resource of the message. */
    resource: { ...text, default: '' },
    /** Number of its first line in the message, from 1. */
    line: integer,
    /** Number of the element of the JSON array that it came as, from 1; null: it came on lines of its own. */
    element: optional(integer),
    state: oneOf('refused', 'dropped', 'replayed'),
    /** JSON text: all reasons. */
    reasons: text,
    /** `record`: `content` is the JSON text of the record; `text`: it could not be read as one. */
    kind: oneOf('record', 'text'),
    /** As it came; null where it was too long to keep. Packed where it is long (`packed-text.ts`). */
    content: optional(text),
    /** JSON text of the record as somebody mended it. */
    edited: optional(text),
    /** Id of the message that replayed it. */
    replayedBy: optional(integer),
    /** Who edited, dropped or replayed it last. */
    actor: optional(text),
    changedAt: instant,
  },
  key: ['activity', 'message', 'record'],
  indexes: [
    ['activity', 'state', 'message', 'record'],
    ['activity', 'state', 'resource', 'message', 'record'],
  ],
});
