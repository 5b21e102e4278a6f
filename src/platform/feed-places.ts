// Bounds how many feeds and replays are received at a time: each holds a connection for its whole duration, and a batch
// in memory.
import { createFairQueue, type QueueLimits, Refused } from '../model/fair-queue.ts';
import { Problem } from '../model/problem.ts';
import type { TurnQueue } from '../model/worker-link.ts';

export interface FeedPlaces {
  /**
   * Takes a place for a request of a key.
   * @returns a function that gives it back
   * @throws Problem `quota-exceeded` when the key has as many as it may, `unavailable` when all are taken
   */
  readonly take: (keyId: string) => Promise<() => void>;
}

/** @param most for the whole server; one key may take half of them, and nobody waits for a place */
export function feedPlaceLimits(most: number): QueueLimits {
  return { places: most, maxPerClient: Math.ceil(most / 2), maxWaiting: 0, maxWaitingPerClient: 1, maxWaitMs: 1000 };
}

/** @param queue shared by all workers, if there are several */
export function createFeedPlaces(
  most: number,
  queue: Pick<TurnQueue, 'enter'> = createFairQueue(feedPlaceLimits(most)),
): FeedPlaces {
  return {
    take: async (keyId) => {
      try {
        return await queue.enter(keyId);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        throw error.by === 'client' ? keyIsBusy(feedPlaceLimits(most).maxPerClient) : allAreTaken(most);
      }
    },
  };
}

function keyIsBusy(own: number): Problem {
  return new Problem(
    'quota-exceeded',
    `This key sends ${own} feeds at the moment, as many as it may. Send them one after another.`,
    { 'violated-policies': ['feeds'] },
    { 'Retry-After': '10' },
  );
}

function allAreTaken(most: number): Problem {
  return new Problem(
    'unavailable',
    `The service takes in ${most} feeds at the moment, as many as it can. Try again later.`,
    {},
    { 'Retry-After': '10' },
  );
}
