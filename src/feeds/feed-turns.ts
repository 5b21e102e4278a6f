// In charge of what feeds may cost: their batches take turns by feed, one at a time, in one process or in all workers
// of a server.
import { createFairQueue, type QueueLimits } from '../model/fair-queue.ts';
import type { TurnQueue } from '../model/worker-link.ts';

export interface FeedTurns {
  /**
   * Waits for the turn of a feed: who has just had one comes after all others.
   * @returns what gives it back
   */
  readonly enter: (feed: string) => Promise<() => void>;
  /** Whether another feed waits. */
  readonly isAwaited: () => boolean;
}

/** Whoever holds messages bounds their number; a turn is waited for as long as it takes. */
export const feedTurnLimits: QueueLimits = {
  places: 1,
  maxPerClient: 1,
  maxWaiting: Number.MAX_SAFE_INTEGER,
  maxWaitingPerClient: Number.MAX_SAFE_INTEGER,
  maxWaitMs: 2 ** 31 - 1,
};

/**
 * One for all feeds of a process.
 * @param queue the one of all workers, where there are several
 */
export function createFeedTurns(queue: TurnQueue = createFairQueue(feedTurnLimits)): FeedTurns {
  return {
    enter: (feed) => queue.enter(feed),
    isAwaited: () => queue.isAwaited(),
  };
}
