// In charge of what feeds may cost: their batches take turns by feed, one at a time, in one process.
import { createFairQueue } from '../model/fair-queue.ts';

export interface FeedTurns {
  /**
   * Waits for the turn of a feed: who has just had one comes after all others.
   * @returns what gives it back
   */
  readonly enter: (feed: string) => Promise<() => void>;
  /** Whether another feed waits. */
  readonly isAwaited: () => boolean;
}

/** One for all feeds of a process. */
export function createFeedTurns(): FeedTurns {
  const queue = createFairQueue({
    places: 1,
    maxPerClient: 1,
    // Whoever holds messages bounds their number; a turn is waited for as long as it takes.
    maxWaiting: Number.MAX_SAFE_INTEGER,
    maxWaitingPerClient: Number.MAX_SAFE_INTEGER,
    maxWaitMs: 2 ** 31 - 1,
  });
  return {
    enter: (feed) => queue.enter(feed),
    isAwaited: () => queue.counts().waiting > 0,
  };
}
