// Bounds the cost of feeds: their batches take turns by feed, one at a time, in one process or in all workers of a
// server.
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

/** The number of messages is bounded elsewhere; the wait for a turn has no limit. */
export const feedTurnLimits: QueueLimits = {
  places: 1,
  maxPerClient: 1,
  maxWaiting: Number.MAX_SAFE_INTEGER,
  maxWaitingPerClient: Number.MAX_SAFE_INTEGER,
  maxWaitMs: 2 ** 31 - 1,
};

/**
 * One for all feeds of a process.
 * @param queue shared by all workers, if there are several
 */
export function createFeedTurns(queue: TurnQueue = createFairQueue(feedTurnLimits)): FeedTurns {
  return {
    enter: (feed) => queue.enter(feed),
    isAwaited: () => queue.isAwaited(),
  };
}
