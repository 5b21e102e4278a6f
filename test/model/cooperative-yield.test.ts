// Whose turn it is when several have much to do in one thread.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { cooperativeYield } from '../../src/model/cooperative-yield.ts';

describe('long pieces of work', () => {
  it('let short ones be done in between, and those in a transaction go first', async () => {
    const order: string[] = [];
    const work = async (name: string, where: 'inTransaction' | 'outside'): Promise<void> => {
      const turn = cooperativeYield(where);
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
    const turn = cooperativeYield('inTransaction');
    assert.equal(turn(), undefined);
  });
});

function busyFor(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}
