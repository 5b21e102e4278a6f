// Work that is done by one at a time.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createMutex } from '../../src/store/mutex.ts';

describe('pieces of work under a mutex', () => {
  it('run one after another in the order in which they were given, also after one that failed', async () => {
    const turn = createMutex();
    const order: number[] = [];
    const piece = (number: number) =>
      turn(async () => {
        order.push(number);
        await nextTurn();
        order.push(number);
        if (number === 2) throw new Error('no');
        return number;
      });
    const results = await Promise.allSettled([piece(1), piece(2), piece(3)]);
    assert.deepEqual(order, [1, 1, 2, 2, 3, 3]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
  });
});
