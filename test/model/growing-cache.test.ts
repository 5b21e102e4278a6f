// A cache for many entries: bounded, the ones used last kept, and small while it holds few.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { LRUCache } from 'lru-cache';
import { createGrowingCache } from '../../src/model/growing-cache.ts';

it('keeps the entries that were used last', () => {
  const cache = createGrowingCache<string, number>(3);
  for (const [key, value] of Object.entries({ a: 1, b: 2, c: 3, b2: 4 })) {
    cache.set(key, value);
    cache.get('b');
  }
  assert.deepEqual([...cache.keys()], ['b', 'b2', 'c']);
  cache.set('c', 5);
  cache.set('d', 6);
  assert.deepEqual(
    [...cache.entries()],
    [
      ['d', 6],
      ['c', 5],
      ['b', 2],
    ],
  );
  cache.delete('c');
  cache.set('e', 7);
  assert.deepEqual([...cache.keys()], ['e', 'd', 'b']);
});

it('takes room only for what it holds', () => {
  const cache = createGrowingCache<string, number>(10_000);
  const places = (): number => LRUCache.unsafeExposeInternals(cache).keyList.length;
  assert.equal(places(), 0);
  for (let round = 0; round < 3; round += 1) {
    for (let entry = 0; entry < 15_000; entry += 1) cache.set(String(entry), entry);
    assert.equal(cache.size, 10_000);
    assert.ok(places() <= 10_001);
  }
});
