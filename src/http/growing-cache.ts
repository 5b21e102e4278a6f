// A cache for many entries, which takes memory for those that it has.
import { LRUCache } from 'lru-cache';

/**
 * Keeps the entries that were used last. `LRUCache` with `max` makes room for all of them at once: a millisecond and
 * 200 kB for 10,000, of which most servers ever have a few.
 * @param maxEntries how many are kept
 */
export function createGrowingCache<K extends {}, V extends {}>(maxEntries: number): LRUCache<K, V> {
  return new LRUCache({ maxSize: maxEntries, maxEntrySize: 1, sizeCalculation: () => 1 });
}
