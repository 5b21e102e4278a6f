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
