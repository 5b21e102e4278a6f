// An activity's counters: the locked row from which every write takes its numbers, ids and time.
import { NoSuchActivity, OperatorError } from '../model/operator-error.ts';
import { textBlock } from '../model/text-block.ts';
import { Problem } from '../model/problem.ts';
import type { WriteTransaction } from './engine.ts';
import { forUpdate } from './sql-dialects.ts';
import { sql } from './statement.ts';
import { revisionTable } from './tables/activities.ts';

/**
 * Ids of activity n are n * 10^10 + 1, 2, 3, …: unique over all activities, readable, below 2^53 for 900,000
 * activities.
 */
const idsPerActivity = 10_000_000_000;
/** A write that takes longer is rolled back: `coveredUntil` relies on it. */
export const maxWriteMs = 30_000;

/** The counters that one write transaction holds while the activity's row is locked. */
export interface Counters {
  /** Last change number given out so far, including this transaction's. */
  readonly lastChange: () => number;
  /** Takes the next change number. */
  readonly takeChange: () => number;
  /** Takes the next id for a record or one of its parts. */
  readonly takeId: () => number;
  /** Time of this write in milliseconds: later than that of every earlier write of the activity. */
  readonly now: number;
  /** True for an id that this activity gave out before this write. */
  readonly isOwnId: (id: number) => boolean;
  /** Takes `count` change numbers at once; returns the number before the first of them. */
  readonly takeChanges: (count: number) => number;
  /** @throws Problem `unavailable` if the transaction has taken too long: further work would be lost */
  readonly requireTime: () => void;
  /** Writes the counters back once all numbers are taken; fails if the transaction has taken too long. */
  readonly save: () => Promise<void>;
}

/**
 * Locks the activity's row until the transaction ends, so that the order of numbers is the order of commits.
 * @throws NoSuchActivity
 */
export async function lockCounters(transaction: WriteTransaction, activity: string): Promise<Counters> {
  const lock = sql`
    select number, last_change, last_id, last_write_at from activity where code = ${activity}${forUpdate}
  `;
  // Sent after the lock, without waiting for it: the time is read once the lock is held.
  const [[row], time] = await Promise.all([transaction.query(lock), transaction.now()]);
  if (row === undefined) throw new NoSuchActivity(activity);
  const [number, lastChange, lastId, lastWriteAt] = row.map(Number);
  if (number === undefined || lastChange === undefined || lastId === undefined || lastWriteAt === undefined)
    throw new Error('an activity row is incomplete');
  const started = performance.now();
  const now = Math.max(time, lastWriteAt + 1);
  const requireTime = (): void => {
    if (performance.now() - started > maxWriteMs) throw tooLong();
  };
  let change = lastChange;
  let id = lastId;
  return {
    now,
    lastChange: () => change,
    takeChange: () => {
      change += 1;
      return change;
    },
    takeId: () => {
      id += 1;
      return number * idsPerActivity + id;
    },
    isOwnId: (given) => given > number * idsPerActivity && given <= number * idsPerActivity + lastId,
    takeChanges: (count) => {
      change += count;
      return change - count;
    },
    requireTime,
    save: async () => {
      await transaction.query(
        sql`
          update activity set last_change = ${change}, last_id = ${id}, last_write_at = ${now} where code = ${activity}
        `,
      );
      // Everything sent before has completed by now.
      requireTime();
    },
  };
}

/**
 * Locks the activity's row until the transaction ends, for what is written without its counters: a removal either waits
 * for it and takes it along, or has come before.
 * @returns false: there is no such activity, and nothing may be written of it
 */
export async function lockActivity({ query }: WriteTransaction, activity: string): Promise<boolean> {
  return (await query(sql`select 1 from activity where code = ${activity}${forUpdate}`)).length > 0;
}

/** Records the revision of a resource: the change number of its last write. */
export async function saveRevision(
  transaction: WriteTransaction,
  activity: string,
  resource: string,
  lastChange: number,
): Promise<void> {
  await transaction.putRows(revisionTable.target, [[activity, resource, lastChange]]);
}

function tooLong(): Problem {
  const detail =
    'The write took longer than 30 seconds and was undone. Send fewer records, or shorter ones, at a time.';
  const told = new OperatorError(
    'A write took longer than 30 seconds and was undone.',
    textBlock`
      Look for what the machine, its disk or the database server is busy with. Then run the command again: an import
      completes itself.
    `,
  );
  return new Problem('unavailable', detail, {}, { 'Retry-After': '30' }, told);
}
