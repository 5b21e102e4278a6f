// Remembers briefly which parcels a carrier does not know, so that nobody can make us ask for them repeatedly.
import { CarrierError } from '../../carriers/carrier.ts';
import { createGrowingCache } from '../../model/growing-cache.ts';

/** How long a carrier is not asked again about a parcel that it does not know. */
const unknownForMs = 60_000;

/** The most parcels remembered by one process. */
const maxRemembered = 10_000;

/** Asks, unless the carrier has just said that it does not know the parcel: then its error is thrown again. */
export type NegativeCache = <T>(key: string, ask: () => Promise<T>) => Promise<T>;

/**
 * Makes the memory of one process.
 * @param now milliseconds
 * @returns function that throws what `ask` throws, and remembers a CarrierError `unknown` under the key
 */
export function createNegativeCache(now: () => number): NegativeCache {
  const known = createGrowingCache<string, { readonly error: CarrierError; readonly at: number }>(maxRemembered);
  return async (key, ask) => {
    const last = known.get(key);
    const age = last === undefined ? unknownForMs : now() - last.at;
    if (last !== undefined && age >= 0 && age < unknownForMs) throw last.error;
    known.delete(key);
    try {
      return await ask();
    } catch (error) {
      if (error instanceof CarrierError && error.kind === 'unknown') known.set(key, { error, at: now() });
      throw error;
    }
  };
}
