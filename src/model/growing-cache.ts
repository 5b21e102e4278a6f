// A cache for many entries that allocates memory as it grows.
import { LRUCache } from 'lru-cache';

/**
 * Keeps the most recently used entries. `LRUCache` with `max` allocates space for all of them at once: a millisecond
 * and 200 kB for 10,000, of which most servers ever have a few.
 * @param maxEntries how many are kept
 */
export function createGrowingCache<K extends {}, V extends {}>(maxEntries: number): LRUCache<K, V> {
  return new LRUCache({ maxSize: maxEntries, maxEntrySize: 1, sizeCalculation: () => 1 });
}
