// Bounds how many feeds and replays come in at a time: each holds a connection for as long as it lasts, and a batch in
// memory.
import { Problem } from '../model/problem.ts';

export interface FeedPlaces {
  /**
   * Takes a place for a request of a key.
   * @returns what gives it back
   * @throws Problem `quota-exceeded` where the key has as many as it may, `unavailable` where all are taken
   */
  readonly take: (keyId: string) => () => void;
}

/** @param most of the process; half of them for one key */
export function createFeedPlaces(most: number): FeedPlaces {
  const held = new Map<string, number>();
  const maxOfKey = Math.ceil(most / 2);
  let total = 0;
  return {
    take: (keyId) => {
      const own = held.get(keyId) ?? 0;
      if (own >= maxOfKey)
        throw new Problem(
          'quota-exceeded',
          `This key sends ${own} feeds at the moment, as many as it may. Send them one after another.`,
          { 'violated-policies': ['feeds'] },
          { 'Retry-After': '10' },
        );
      if (total >= most)
        throw new Problem(
          'unavailable',
          `The service takes in ${most} feeds at the moment, as many as it can. Try again later.`,
          {},
          { 'Retry-After': '10' },
        );
      held.set(keyId, own + 1);
      total += 1;
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        total -= 1;
        const left = (held.get(keyId) ?? 1) - 1;
        if (left > 0) held.set(keyId, left);
        else held.delete(keyId);
      };
    },
  };
}
