// Whose turn it is when several have much to do in one thread.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createTurn, turnsOf } from '../../src/store/turns.ts';

describe('long pieces of work', () => {
  it('let short ones be done in between, and those in a transaction go first', async () => {
    const order: string[] = [];
    const work = async (name: string, where: 'inTransaction' | 'outside'): Promise<void> => {
      const turn = turnsOf(where);
      for (let stretch = 1; stretch <= 3; stretch += 1) {
        busyFor(12);
        order.push(`${name}${stretch}`);
        await turn();
      }
    };
    const short = async (): Promise<void> => {
      for (let step = 1; step <= 3; step += 1) {
        await nextTurn();
        order.push(`short${step}`);
      }
    };
    await Promise.all([work('a', 'outside'), work('b', 'outside'), work('t', 'inTransaction'), short()]);
    const long = order.filter((each) => !each.startsWith('short'));
    assert.deepEqual(long, ['a1', 'b1', 't1', 't2', 't3', 'a2', 'b2', 'a3', 'b3']);
    assert.ok(order.indexOf('short3') < order.indexOf('a2'), order.join(' '));
  });

  it('go on at once while their stretch lasts', () => {
    const turn = turnsOf('inTransaction');
    assert.equal(turn(), undefined);
  });
});

describe('pieces of work in turn', () => {
  it('run one after another in the order in which they were given, also after one that failed', async () => {
    const turn = createTurn();
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

function busyFor(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}
