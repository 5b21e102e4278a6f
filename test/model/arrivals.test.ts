// A list of what has come and has not left yet.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createArrivals } from '../../src/model/arrivals.ts';

describe('a list of arrivals', () => {
  it('has nobody at first', () => {
    const list = createArrivals<string>();
    assert.deepEqual([list.count(), list.first(), list.all()], [0, null, []]);
  });

  it('keeps the order of arrival, whoever leaves', () => {
    const list = createArrivals<string>();
    const leave = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, list.add(name)]));
    for (const [name, left] of [
      ['b', ['a', 'c', 'd']],
      ['d', ['a', 'c']],
      ['a', ['c']],
      ['c', []],
    ] as const) {
      leave[name]?.();
      assert.deepEqual([list.all(), list.count(), list.first()], [left, left.length, left[0] ?? null]);
    }
    list.add('e');
    assert.deepEqual(list.all(), ['e']);
  });

  it('lets each leave once, even where it has come twice', () => {
    const list = createArrivals<string>();
    const leave = list.add('a');
    list.add('a');
    leave();
    leave();
    assert.deepEqual(list.all(), ['a']);
  });
});
