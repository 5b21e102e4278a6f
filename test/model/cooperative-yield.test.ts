// Whose turn it is when several have much to do in one thread.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { cooperativeYield, requestUnderWay } from '../../src/model/cooperative-yield.ts';

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

  it('of feeds have a quarter of the time while somebody reads, all of it before and after', async () => {
    const during = await sharesOfFeed(async (isOver) => {
      while (!isOver()) {
        const end = requestUnderWay('read');
        // A request that does little by itself and waits for something in between.
        await pause(20);
        end();
      }
    });
    assert.ok(during.transaction + during.outside < 0.4, JSON.stringify(during));
    assert.ok(during.transaction + during.outside > 0.02, `it is not held up for ever: ${JSON.stringify(during)}`);
    // Work and time of the clock are told apart badly on a busy machine, hence the distance.
    const alone = await sharesOfFeed(async () => undefined);
    assert.ok(alone.transaction + alone.outside > 0.6, JSON.stringify(alone));
  });

  it('of feeds come to their end however closely reads follow each other', async () => {
    let isOver = false;
    const readers = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const end = requestUnderWay('read');
        await nextTurn();
        end();
        end();
      }
    });
    const turn = cooperativeYield('ofFeed');
    for (let stretch = 0; stretch < 20; stretch += 1) {
      busyFor(1);
      await turn();
    }
    isOver = true;
    await Promise.all(readers);
  });

  it('of feeds are not held up within a transaction for which a write waits, nor by what takes long', async () => {
    const order: string[] = [];
    const ends = [requestUnderWay('read'), requestUnderWay('write')];
    const feed = async (where: 'ofFeed' | 'ofFeedInTransaction'): Promise<void> => {
      const turn = cooperativeYield(where);
      for (let stretch = 1; stretch <= 4; stretch += 1) {
        busyFor(3);
        await turn();
      }
      order.push(where);
    };
    await Promise.all([feed('ofFeed'), feed('ofFeedInTransaction')]);
    assert.deepEqual(order, ['ofFeedInTransaction', 'ofFeed']);
    await pause(110);
    // The request still goes on, and waits for something that the feed does not hold up.
    const share = await sharesOfFeed(async () => undefined);
    for (const end of ends) end();
    assert.ok(share.outside + share.transaction > 0.6, JSON.stringify(share));
  });

  it('go on at once while their stretch lasts', () => {
    const turn = cooperativeYield('inTransaction');
    assert.equal(turn(), undefined);
  });
});

/** What a feed works of the time, in stretches of half a millisecond, while something else goes on. */
async function sharesOfFeed(
  beside: (isOver: () => boolean) => Promise<void>,
): Promise<{ readonly outside: number; readonly transaction: number }> {
  const until = performance.now() + 300;
  const isOver = (): boolean => performance.now() > until;
  const started = performance.now();
  const work = async (where: 'ofFeed' | 'ofFeedInTransaction'): Promise<number> => {
    const turn = cooperativeYield(where);
    let worked = 0;
    while (!isOver()) {
      const since = performance.now();
      busyFor(0.1);
      worked += performance.now() - since;
      await turn();
    }
    return worked;
  };
  const [outside, transaction] = await Promise.all([work('ofFeed'), work('ofFeedInTransaction'), beside(isOver)]);
  const tookMs = performance.now() - started;
  return { outside: outside / tookMs, transaction: transaction / tookMs };
}

function busyFor(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}
