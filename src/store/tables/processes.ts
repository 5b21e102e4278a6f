// The tables that the processes of a database share: its secrets, their quotas, their background work.
import { instant, integer, optional, table, text } from '../table.ts';

/** Random secrets of this database: `cursor`, `cookie`, `throttle`; its `epoch`, and its `history`. */
export const secretTable = table('secret', {
  columns: { name: text, value: text, createdAt: instant },
  key: ['name'],
});

/** What the processes have taken of a quota in a window; a window that has ended is replaced by the next one. */
export const quotaWindowTable = table('quota_window', {
  columns: {
    kind: text,
    /** Hash of a client, key or address, under a secret of the database. */
    whoHash: text,
    /** Given to all processes together. */
    used: integer,
    /** Given by the last statement, which reads its share from here. */
    granted: integer,
    quota: integer,
    windowEnd: instant,
  },
  key: ['kind', 'whoHash'],
  indexes: [['windowEnd']],
});

/** Background work that one process does at a time. */
export const jobLeaseTable = table('job_lease', {
  columns: {
    name: text,
    /** Name of the process doing it; '' for none. */
    holder: text,
    endsAt: instant,
    /** When the last round ended; null: never yet. */
    doneAt: optional(instant),
  },
  key: ['name'],
});

/** The last requests of each known client and key: what they asked, and how they were answered. */
export const requestLogTable = table('request_log', {
  columns: {
    /** UUIDv7: sorts by time. */
    id: text,
    requestId: text,
    /** When it was answered. */
    at: instant,
    /** Id of the client or platform key, or of the user who acted as an operator. */
    clientId: text,
    /** User on whose behalf the client acted, or name of the key. */
    subject: optional(text),
    method: text,
    /** Path and query as received, cut to their first 1000 characters. */
    target: text,
    /** Pattern of the route; null: the path is unknown. */
    route: optional(text),
    status: integer,
    /** Slug of the problem in the answer. */
    problem: optional(text),
    /** Its text, cut to the first 1000 characters. */
    detail: optional(text),
    milliseconds: integer,
    /** Length of the answer. */
    bytes: integer,
    /** Further requests of the same client since its previous row that have no row of their own. */
    further: integer,
  },
  key: ['id'],
  indexes: [['clientId', 'id'], ['requestId'], ['at']],
});
