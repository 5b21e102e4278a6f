// The tables of data from the warehouse system: feeds, their messages, and refused lines.
import { activity, boolean, instant, integer, oneOf, optional, table, text } from '../table.ts';

/** What one warehouse system sends of one resource: how far it has come, and which numbers are missing. */
export const feedTable = table('feed', {
  columns: {
    activity,
    resource: text,
    /** Its name; `main` if the source gives none. */
    feed: text,
    createdAt: instant,
    /** Id of the last message begun, and when that was. */
    lastMessage: integer,
    receivedAt: instant,
    /** Highest sequence number of a processed message; null: its messages are not numbered. */
    lastSequence: optional(integer),
    /** JSON text: ranges `[from, to]` of lower numbers that did not come, in ascending order. */
    missing: text,
  },
  key: ['activity', 'resource', 'feed'],
});

/** One file, request or run that contained records (decision 49). */
export const feedMessageTable = table('feed_message', {
  columns: {
    activity,
    /** 1, 2, 3, … within the activity: the order in which messages were begun. */
    id: integer,
    resource: text,
    /** Name of the feed; `main` if the source gives none. */
    feed: text,
    channel: oneOf('http', 'folder', 'command', 'replay', 'demo'),
    /** Its source: a file name, `-` for standard input; null: a request. */
    source: optional(text),
    /** Id given by the source. */
    messageId: optional(text),
    /** Its number in the feed, if the source numbers its messages. */
    sequence: optional(integer),
    /** Hash of the `Idempotency-Key` of the request that began it, and of the requester. */
    requestKey: optional(text),
    /** Name of the mapping that made records of its lines; null: the lines were records. */
    mapping: optional(text),
    /** The message whose refused lines are replayed. */
    replayOf: optional(integer),
    /**
     * `open`: being read, or interrupted and to be resumed; `interrupted`: it ended before all its lines were
     * processed, and cannot be resumed; what was written stays; `done`: all its lines were processed; `refused`:
     * nothing of it was written; `duplicate`: it had been sent before, and nothing was done.
     */
    state: oneOf('open', 'interrupted', 'done', 'refused', 'duplicate'),
    /** Why it was refused, or ended before all its lines were processed; JSON text of code and detail. */
    fault: optional(text),
    /** Physical lines processed, and how many of them a rule of the mapping left out. */
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
    /** Of the accepted records: those with a warning; those that withdrew something. */
    warned: integer,
    withdrawn: integer,
    /** JSON text: the first warnings, with their lines. */
    warnings: optional(text),
    /** Natural keys of the first and the last accepted record. */
    firstKey: optional(text),
    lastKey: optional(text),
    bytes: integer,
    /** Digest of the text of all processed records, by which a resumed message is recognized. */
    digest: text,
    /** JSON text: what a mapping made of the lines, by number. */
    lineCounts: optional(text),
    /** It is past its retention: only its counts are kept, and what they count. */
    countsOnly: { ...boolean, default: '0' },
    /** JSON text: the note on its sequence number. */
    notes: optional(text),
    /** Id of the platform key, or name of the machine's login or of the background task. */
    actor: text,
    receivedAt: instant,
    /** Name of the process working on it; null: none. */
    holder: optional(text),
    /** Its last sign of life: after some seconds without one, another process may resume the message. */
    touchedAt: instant,
    finishedAt: optional(instant),
  },
  key: ['activity', 'id'],
  indexes: [
    ['activity', 'resource', 'feed', 'messageId'],
    ['activity', 'resource', 'feed', 'sequence'],
    ['activity', 'requestKey'],
    ['state', 'receivedAt'],
    ['activity', 'state', 'id'],
    ['activity', 'countsOnly', 'id'],
    ['activity', 'receivedAt', 'id'],
    ['activity', 'resource', 'feed', 'receivedAt', 'id'],
    ['activity', 'resource', 'feed', 'state', 'receivedAt', 'id'],
  ],
});

/** A refused line, or the refused lines of one record. */
export const feedLineTable = table('feed_line', {
  columns: {
    activity,
    /** Id of the message. */
    message: integer,
    /** Number of the record in the message, from 1: one line may contain several. */
    record: integer,
    /** The resource of the message. */
    resource: { ...text, default: '' },
    /** Number of its first line in the message, from 1. */
    line: integer,
    /** Number of its element in a JSON array, from 1; null: it was sent on lines of its own. */
    element: optional(integer),
    state: oneOf('refused', 'dropped', 'replayed'),
    /** JSON text: all reasons. */
    reasons: text,
    /** Natural key of its record, edited or as received; null: it has none that can be read. */
    naturalKey: optional(text),
    /** `record`: `content` is the JSON text of the record; `text`: it could not be read as one. */
    kind: oneOf('record', 'text'),
    /** As received; null if it was too long to keep. Packed if long (`packed-text.ts`). */
    content: optional(text),
    /** JSON text of the record as corrected by an operator. */
    edited: optional(text),
    /** Id of the message that replayed it. */
    replayedBy: optional(integer),
    /** Who last edited, dropped or replayed it. */
    actor: optional(text),
    changedAt: instant,
  },
  key: ['activity', 'message', 'record'],
  indexes: [
    ['activity', 'state', 'message', 'record'],
    ['activity', 'state', 'resource', 'message', 'record'],
    ['activity', 'resource', 'naturalKey'],
  ],
});

/**
 * A message withdrew a record that was not there, or was withdrawn already, and something that was said before may
 * still come: a message with a lower number, or a refused line that is replayed.
 */
export const feedWithdrawalTable = table('feed_withdrawal', {
  columns: {
    activity,
    naturalKey: text,
    resource: text,
    feed: text,
    /** Id of the message, and the place where it says so. */
    message: integer,
    line: optional(integer),
    element: optional(integer),
    notedAt: instant,
  },
  key: ['activity', 'naturalKey', 'resource', 'feed'],
  indexes: [['activity', 'message', 'naturalKey']],
});
