// The turns of long writes: those of one client leave most of the time to others, where there are any.
import { createFairQueue, type QueueLimits } from '../model/fair-queue.ts';
import { areOthersServed, endAfterPause } from '../model/turn-pause.ts';
import { waited } from '../model/work.ts';
import type { TurnQueue } from '../model/worker-link.ts';

/** A turn is followed by a pause as many times as long: a client's long writes take a third of the time. */
const pausePerTurn = 2;

/**
 * Over all workers: each client has one long write at a time. The number of those that wait is bounded by the requests
 * that a client may have at work.
 */
export const longWriteLimits: QueueLimits = {
  places: Number.MAX_SAFE_INTEGER,
  maxPerClient: 1,
  maxWaiting: Number.MAX_SAFE_INTEGER,
  maxWaitingPerClient: Number.MAX_SAFE_INTEGER,
  maxWaitMs: 30_000,
};

/** Does a long write of a client once its turn has come. */
export type LongWriteTurns = <T>(client: string, write: () => Promise<T>) => Promise<T>;

/**
 * Makes the turns, which are taken while others are served. A turn covers all of the work, since reading and checking
 * what was sent takes as much of a processor as writing it, and ends only after a pause: whoever reads, or writes a
 * single record, usually finds nothing of that client at work, whatever that client has waiting.
 * @param queue shared by all workers; default: one of this process
 * @param areOthers whether the turns are of use to anybody
 */
export function createLongWriteTurns(
  queue: Pick<TurnQueue, 'enter'> = createFairQueue(longWriteLimits),
  areOthers: () => boolean = areOthersServed,
): LongWriteTurns {
  return async (client, write) => {
    if (!areOthers()) return write();
    // The queue only provides fairness: without a turn, as when the server stops, the write goes on.
    const entered = queue.enter(client).catch(() => () => undefined);
    const endTurn = await waited('wait for a turn', entered);
    const since = performance.now();
    try {
      return await write();
    } finally {
      endAfterPause(endTurn, since, pausePerTurn);
    }
  };
}
