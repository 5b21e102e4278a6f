// Whose turn it is when several have much to do in one thread, by a clock that goes on by what is worked and waited for
// alone: how busy the machine is makes no difference.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, cooperativeYield, requestUnderWay, Turns } from '../../src/model/cooperative-yield.ts';

describe('long pieces of work', () => {
  it('let short ones be done in between, and those in a transaction go first', async () => {
    const clock = new CountingClock();
    const turns = new Turns(clock);
    const order: string[] = [];
    const work = async (name: string, where: 'inTransaction' | 'outside'): Promise<void> => {
      const turn = turns.yieldFor(where);
      for (let stretch = 1; stretch <= 3; stretch += 1) {
        clock.work(12);
        order.push(`${name}${stretch}`);
        await turn();
      }
    };
    const short = async (): Promise<void> => {
      for (let step = 1; step <= 3; step += 1) {
        await clock.turn();
        order.push(`short${step}`);
      }
    };
    await clock.run([work('a', 'outside'), work('b', 'outside'), work('t', 'inTransaction'), short()]);
    const long = order.filter((each) => !each.startsWith('short'));
    assert.deepEqual(long, ['a1', 'b1', 't1', 't2', 't3', 'a2', 'b2', 'a3', 'b3']);
    assert.ok(order.indexOf('short3') < order.indexOf('a2'), order.join(' '));
  });

  it('of feeds have a quarter of the time while somebody reads, all of it before and after', async () => {
    const clock = new CountingClock();
    const turns = new Turns(clock);
    assert.equal(await shareOfFeeds(clock, turns), 1, 'before');
    const during = await shareOfFeeds(clock, turns, async (isOver) => {
      while (!isOver()) {
        const end = turns.requestUnderWay('read');
        // A request that does little by itself and waits for something in between.
        await clock.pause(20);
        end();
      }
    });
    assert.ok(during > 0.2 && during < 0.3, `a quarter, not ${during}`);
    assert.equal(await shareOfFeeds(clock, turns), 1, 'after');
  });

  it('of feeds come to their end however closely reads follow each other', async () => {
    const clock = new CountingClock();
    const turns = new Turns(clock);
    let isOver = false;
    const reader = async (): Promise<void> => {
      while (!isOver) {
        const end = turns.requestUnderWay('read');
        clock.work(0.1);
        await clock.turn();
        end();
        end();
      }
    };
    const feed = async (): Promise<void> => {
      const turn = turns.yieldFor('ofFeed');
      for (let stretch = 0; stretch < 20; stretch += 1) {
        clock.work(1);
        await turn();
      }
      isOver = true;
    };
    await clock.run([reader(), reader(), reader(), reader(), feed()]);
  });

  it('of feeds are not held up within a transaction for which a write waits, nor by what takes long', async () => {
    const clock = new CountingClock();
    const turns = new Turns(clock);
    const order: string[] = [];
    const ends = [turns.requestUnderWay('read'), turns.requestUnderWay('write')];
    const feed = async (where: 'ofFeed' | 'ofFeedInTransaction'): Promise<void> => {
      const turn = turns.yieldFor(where);
      for (let stretch = 1; stretch <= 4; stretch += 1) {
        clock.work(3);
        await turn();
      }
      order.push(where);
    };
    await clock.run([feed('ofFeed'), feed('ofFeedInTransaction')]);
    assert.deepEqual(order, ['ofFeedInTransaction', 'ofFeed']);
    clock.work(110);
    assert.equal(await shareOfFeeds(clock, turns), 1, 'the request goes on, and waits for something else');
    for (const end of ends) end();
  });

  it('go on at once while their stretch lasts', () => {
    const clock = new CountingClock();
    const turn = new Turns(clock).yieldFor('inTransaction');
    clock.work(9.9);
    assert.equal(turn(), undefined);
  });

  it('have short stretches while anybody reads, and for a second after', async () => {
    const clock = new CountingClock();
    const turns = new Turns(clock);
    const isOver = (): boolean => {
      const turn = turns.yieldFor('inTransaction');
      clock.work(0.6);
      return turn() !== undefined;
    };
    assert.equal(isOver(), false, 'nobody has read');
    const end = turns.requestUnderWay('read');
    assert.equal(isOver(), true, 'somebody reads');
    end();
    clock.work(900);
    assert.equal(isOver(), true, 'somebody may read on');
    clock.work(200);
    assert.equal(isOver(), false, 'nobody reads any more');
  });

  it('come to their end by the clock of the process too', async () => {
    const end = requestUnderWay('read');
    const turn = cooperativeYield('ofFeed');
    const since = performance.now();
    while (performance.now() < since + 3);
    await turn();
    end();
  });
});

/** What two feeds, one within transactions, work of 300 ms, in pieces of a tenth of one, beside something else. */
async function shareOfFeeds(
  clock: CountingClock,
  turns: Turns,
  beside: (isOver: () => boolean) => Promise<void> = async () => undefined,
): Promise<number> {
  const started = clock.now();
  const isOver = (): boolean => clock.now() >= started + 300;
  let workedMs = 0;
  const feed = async (where: 'ofFeed' | 'ofFeedInTransaction'): Promise<void> => {
    const turn = turns.yieldFor(where);
    while (!isOver()) {
      clock.work(0.1);
      workedMs += 0.1;
      await turn();
    }
  };
  await clock.run([feed('ofFeed'), feed('ofFeedInTransaction'), beside(isOver)]);
  return Math.round((100 * workedMs) / (clock.now() - started)) / 100;
}

/** A clock that goes on by the work that it is told of, and, when nothing can be done, to what is due next. */
class CountingClock implements Clock {
  #now = 0;
  readonly #soon: (() => void)[] = [];
  readonly #timers = new Set<{ readonly dueAt: number; readonly run: () => void }>();

  now(): number {
    return this.#now;
  }

  work(milliseconds: number): void {
    this.#now += milliseconds;
  }

  afterShortWork(run: () => void): void {
    this.#soon.push(run);
  }

  later(run: () => void, milliseconds: number): () => void {
    const timer = { dueAt: this.#now + milliseconds, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  turn(): Promise<void> {
    return new Promise((resume) => this.afterShortWork(resume));
  }

  pause(milliseconds: number): Promise<void> {
    return new Promise((resume) => this.later(resume, milliseconds));
  }

  /** Until all is done, one after the other; throws where something waits for what never comes. */
  async run(work: readonly Promise<void>[]): Promise<void> {
    let isOver = false;
    const all = Promise.all(work).finally(() => {
      isOver = true;
    });
    for (;;) {
      await nextTurn();
      if (isOver) break;
      this.#next()();
    }
    await all;
  }

  #next(): () => void {
    const soon = this.#soon.shift();
    const [first] = [...this.#timers].sort((one, other) => one.dueAt - other.dueAt);
    if (first !== undefined && (soon === undefined || first.dueAt <= this.#now)) {
      if (soon !== undefined) this.#soon.unshift(soon);
      this.#timers.delete(first);
      this.#now = Math.max(this.#now, first.dueAt);
      return first.run;
    }
    return soon ?? assert.fail('something waits for what never comes');
  }
}
