// The turns of bulk writes on an engine where one transaction runs at a time: those of one client leave most of the
// time to the transactions of others, where there are any.
import { areShortWritesExpected } from '../model/cooperative-yield.ts';
import { createFairQueue, type QueueLimits } from '../model/fair-queue.ts';
import type { TurnQueue } from '../model/worker-link.ts';

/** A client's bulk writes take a third of the time: with half of it, others' writes still waited 3.5 times as long. */
const pausePerWrite = 2;
/** The longest pause: a transaction that took longer probably waited for another process. */
const maxPauseMs = 500;

/**
 * Over all workers: each client has one bulk write at a time. The number of those that wait is bounded by the requests
 * that a client may have at work.
 */
export const bulkTurnLimits: QueueLimits = {
  places: Number.MAX_SAFE_INTEGER,
  maxPerClient: 1,
  maxWaiting: Number.MAX_SAFE_INTEGER,
  maxWaitingPerClient: Number.MAX_SAFE_INTEGER,
  maxWaitMs: 30_000,
};

/** Runs a bulk write of a client once its turn has come, where it needs one; any other write at once. */
type BulkTurns = <T>(bulkOf: string | undefined, write: () => Promise<T>) => Promise<T>;

/**
 * Makes the turns, which are taken while others write. A turn ends only after a pause twice as long as the write took:
 * whoever writes a single record usually finds no transaction of that client, whatever that client has waiting.
 * @param queue shared by all workers; default: one of this process
 * @param doOthersWrite whether the turns are of use to anybody
 */
export function createBulkTurns(
  queue: Pick<TurnQueue, 'enter'> = createFairQueue(bulkTurnLimits),
  doOthersWrite: () => boolean = areShortWritesExpected,
): BulkTurns {
  return async (bulkOf, write) => {
    if (bulkOf === undefined || !doOthersWrite()) return write();
    // The queue only provides fairness: without a turn, as when the server stops, the write goes on.
    const endTurn = await queue.enter(bulkOf).catch(() => () => undefined);
    const since = performance.now();
    try {
      return await write();
    } finally {
      setTimeout(endTurn, Math.min(maxPauseMs, pausePerWrite * (performance.now() - since))).unref();
    }
  };
}
