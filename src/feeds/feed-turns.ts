// Bounds the cost of feeds: their batches take turns by feed, one at a time, in one process or in all workers of a
// server.
import { areOthersServed, endAfterPause } from '../model/turn-pause.ts';
import { createFairQueue, type QueueLimits } from '../model/fair-queue.ts';
import type { TurnQueue } from '../model/worker-link.ts';

export interface FeedTurns {
  /**
   * Waits for the turn of a feed: one that has just had a turn goes behind all others.
   * @returns a function that gives it back
   */
  readonly enter: (feed: string) => Promise<() => void>;
  /** Whether another feed is waiting. */
  readonly isAwaited: () => boolean;
}

/** A turn is followed by a pause as many times as long while others are served: feeds take a third of the time. */
const pausePerTurn = 2;

/** The number of messages is bounded elsewhere; the wait for a turn has no limit. */
export const feedTurnLimits: QueueLimits = {
  places: 1,
  maxPerClient: 1,
  maxWaiting: Number.MAX_SAFE_INTEGER,
  maxWaitingPerClient: Number.MAX_SAFE_INTEGER,
  maxWaitMs: 2 ** 31 - 1,
};

/**
 * One for all feeds of a process. While others are served, a turn ends only after a pause: whoever reads, or writes a
 * single record, usually finds no batch at work.
 * @param queue shared by all workers, if there are several
 * @param areOthers whether the pauses are of use to anybody
 */
export function createFeedTurns(
  queue: Pick<TurnQueue, 'enter' | 'isAwaited'> = createFairQueue(feedTurnLimits),
  areOthers: () => boolean = areOthersServed,
): FeedTurns {
  return {
    enter: async (feed) => {
      const endTurn = await queue.enter(feed);
      const since = performance.now();
      return () => {
        if (areOthers()) endAfterPause(endTurn, since, pausePerTurn);
        else endTurn();
      };
    },
    isAwaited: () => queue.isAwaited(),
  };
}
