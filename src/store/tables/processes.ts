// The tables of what the processes of a database share: its secrets, their quotas, their background work.
import { instant, integer, optional, table, text } from '../table.ts';

/** Random secrets of this database: `cursor`, `cookie`, `throttle`; its `epoch`, and its `history`. */
export const secretTable = table('secret', {
  columns: { name: text, value: text, createdAt: instant },
  key: ['name'],
});

/** What the processes have taken of somebody's quota in a window; one that is over begins anew in place. */
export const quotaWindowTable = table('quota_window', {
  columns: {
    kind: text,
    /** Of a client, a key or an address, under a secret of the database. */
    whoHash: text,
    /** Given to all processes. */
    used: integer,
    /** Given by the last statement: how that learns what it got. */
    granted: integer,
    quota: integer,
    windowEnd: instant,
  },
  key: ['kind', 'whoHash'],
  indexes: [['windowEnd']],
});

/** Background work that one process at a time does. */
export const jobLeaseTable = table('job_lease', {
  columns: {
    name: text,
    /** Name of the process that is at it; '' for none. */
    holder: text,
    endsAt: instant,
    /** When a round was last ended; null: never yet. */
    doneAt: optional(instant),
  },
  key: ['name'],
});

/** Requests of known clients and keys, the last ones of each: what they asked for, and what they heard. */
export const requestLogTable = table('request_log', {
  columns: {
    /** UUIDv7: its order is that of time. */
    id: text,
    requestId: text,
    /** When it was answered. */
    at: instant,
    /** Id of the client or platform key, or of the user who asked as an operator. */
    clientId: text,
    /** User on whose behalf the client asked, or name of the key. */
    subject: optional(text),
    method: text,
    /** Path and query as they came, cut to their first 1000 characters. */
    target: text,
    /** Pattern of the route; null: the path is unknown. */
    route: optional(text),
    status: integer,
    /** Slug of the problem that was answered. */
    problem: optional(text),
    /** Its sentences, cut to their first 1000 characters. */
    detail: optional(text),
    milliseconds: integer,
    /** Length of the answer. */
    bytes: integer,
    /** Requests of the same client since its row before that have none of their own. */
    further: integer,
  },
  key: ['id'],
  indexes: [['clientId', 'id'], ['requestId'], ['at']],
});
