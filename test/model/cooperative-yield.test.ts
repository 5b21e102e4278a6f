// Whose turn it is when several have much to do in one thread, by a clock that goes on by what is worked and waited for
// alone: how busy the machine is makes no difference.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { cooperativeYield, requestUnderWay, Turns } from '../../src/model/cooperative-yield.ts';
import type { Clock } from '../../src/model/thread-clock.ts';

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

  it('are left alone by short ones, which go first however much there is to do in transactions', async () => {
    const clock = new CountingClock();
    const turns = new Turns(clock);
    const order: string[] = [];
    const work = async (name: string, where: 'short' | 'inTransaction', stretches: number): Promise<void> => {
      const turn = turns.yieldFor(where);
      for (let stretch = 1; stretch <= stretches; stretch += 1) {
        clock.work(2);
        order.push(`${name}${stretch}`);
        await turn();
      }
    };
    const end = turns.requestUnderWay('shortWrite');
    await clock.run([work('t', 'inTransaction', 4), work('u', 'inTransaction', 4), work('short', 'short', 3)]);
    end();
    assert.deepEqual(order.slice(0, 5), ['t1', 'u1', 'short1', 'short2', 'short3']);
  });

  it('are divided as finely beside a short write as beside a read', () => {
    for (const kind of ['read', 'shortWrite', 'longWrite'] as const) {
      const clock = new CountingClock();
      const turns = new Turns(clock);
      turns.requestUnderWay(kind)();
      const turn = turns.yieldFor('inTransaction');
      clock.work(1);
      assert.equal(turn() !== undefined, kind !== 'longWrite', kind);
    }
  });

  it('leave time to short writes for ten seconds after one, not after reads', () => {
    const clock = new CountingClock();
    const turns = new Turns(clock);
    turns.requestUnderWay('read')();
    turns.requestUnderWay('longWrite')();
    assert.equal(turns.areShortWritesExpected(), false);
    turns.requestUnderWay('shortWrite')();
    clock.work(9000);
    assert.equal(turns.areShortWritesExpected(), true);
    clock.work(1500);
    assert.equal(turns.areShortWritesExpected(), false);
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

  it('of writes give way to a read that comes, and have half of the time beside reads without a break', async () => {
    const clock = new CountingClock();
    const turns = new Turns(clock);
    const reading =
      (readMs: number, pauseMs: number) =>
      async (isOver: () => boolean): Promise<void> => {
        while (!isOver()) {
          const end = turns.requestUnderWay('read');
          await clock.pause(readMs);
          end();
          await clock.pause(pauseMs);
        }
      };
    const outside = ['outside', 'outside'] as const;
    const share = (...beside: readonly Beside[]): Promise<number> => shareOf(outside, clock, turns, ...beside);
    assert.equal(await share(), 1, 'nobody reads');
    const now = await share(reading(3, 22));
    assert.ok(now > 0.85 && now < 0.9, `all but the three milliseconds of each read in twenty-five, not ${now}`);
    const always = await share(reading(3, 0));
    assert.ok(always > 0.45 && always < 0.65, `half, not ${always}`);
    assert.equal(await shareOf(['inTransaction'], clock, turns, reading(3, 0)), 1, 'other writes wait for it');
  });

  for (const where of ['ofFeed', 'outside'] as const)
    it(`come to their end however closely reads follow each other: ${where}`, () => endBesideReads(where));

  async function endBesideReads(where: 'ofFeed' | 'outside'): Promise<void> {
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
    const work = async (): Promise<void> => {
      const turn = turns.yieldFor(where);
      for (let stretch = 0; stretch < 20; stretch += 1) {
        clock.work(1);
        await turn();
      }
      isOver = true;
    };
    await clock.run([reader(), reader(), reader(), reader(), work()]);
  }

  it('of feeds are not held up within a transaction for which a write waits, nor by what takes long', async () => {
    const clock = new CountingClock();
    const turns = new Turns(clock);
    const order: string[] = [];
    const ends = [turns.requestUnderWay('read'), turns.requestUnderWay('longWrite')];
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

  it('of feeds that another process does have half of the time while somebody reads, all of it otherwise', async () => {
    const clock = new CountingClock();
    const turns = new Turns(clock);
    assert.equal(await shareOfWorkElsewhere(clock, turns), 1, 'nobody reads');
    const asking =
      (...kinds: readonly ('read' | 'longWrite')[]) =>
      async (isOver: () => boolean): Promise<void> => {
        while (!isOver()) {
          const ends = kinds.map((kind) => turns.requestUnderWay(kind));
          await clock.pause(20);
          for (const end of ends) end();
        }
      };
    const during = await shareOfWorkElsewhere(clock, turns, asking('read'));
    assert.ok(during > 0.4 && during < 0.6, `half, not ${during}`);
    assert.equal(await shareOfWorkElsewhere(clock, turns, asking('read', 'longWrite')), 1, 'a write waits for it');
  });

  it('of feeds that another process does begin after the read that came meanwhile', async () => {
    const clock = new CountingClock();
    const turns = new Turns(clock);
    const begun: number[] = [];
    const feed = async (): Promise<void> => {
      for (let piece = 0; piece < 3; piece += 1)
        await turns.workOfFeedElsewhere(() => {
          begun.push(clock.now());
          return clock.pause(10);
        });
    };
    const reader = async (): Promise<void> => {
      await clock.pause(8);
      const end = turns.requestUnderWay('read');
      await clock.pause(6);
      end();
    };
    await clock.run([feed(), reader()]);
    assert.deepEqual(begun, [0, 14, 24]);
  });

  it('of feeds that another process does fail as they fail, and pause then too', async () => {
    const clock = new CountingClock();
    const turns = new Turns(clock);
    const end = turns.requestUnderWay('read');
    const failed = turns.workOfFeedElsewhere(async () => {
      await clock.pause(10);
      throw new Error('refused');
    });
    await clock.run([assert.rejects(failed, /refused/)]);
    let at = 0;
    await clock.run([
      turns.workOfFeedElsewhere(async () => {
        at = clock.now();
      }),
    ]);
    // After the first three milliseconds of the read, ten of work and as many of the pause.
    assert.equal(at, 23);
    end();
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

  it('have short stretches while anybody reads in another process, which tells it once a second', () => {
    const clock = new CountingClock();
    const processes = [new Turns(clock), new Turns(clock), new Turns(clock)];
    const told = [0, 0, 0];
    const hear = processes.map((turns, from) =>
      turns.shareWaiting(() => {
        told[from] = (told[from] ?? 0) + 1;
        for (const [to, heard] of hear.entries()) if (to !== from) heard();
      }),
    );
    const reading = (): readonly boolean[] => processes.map((turns) => turns.isAnybodyWaiting());
    assert.deepEqual(reading(), [false, false, false], 'nobody has read');
    for (let read = 0; read < 100; read += 1) {
      processes[0]?.requestUnderWay('read')();
      processes[1]?.requestUnderWay('read')();
      assert.deepEqual(reading(), [true, true, true]);
      clock.work(99);
    }
    assert.deepEqual(told, [10, 0, 0], 'with every eleventh of a hundred reads of two processes');
    clock.work(800);
    assert.deepEqual(reading(), [true, true, true], 'within a second after the last read');
    clock.work(1300);
    assert.deepEqual(reading(), [false, false, false], 'long after the last read');
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

/** What two feeds, one within transactions, work of 300 ms, beside something else. */
function shareOfFeeds(clock: CountingClock, turns: Turns, beside?: Beside): Promise<number> {
  return shareOf(['ofFeed', 'ofFeedInTransaction'], clock, turns, beside);
}

type Beside = (isOver: () => boolean) => Promise<void>;

/** What some work of 300 ms, in pieces of a tenth of one, beside something else. */
async function shareOf(
  kinds: readonly Parameters<Turns['yieldFor']>[0][],
  clock: CountingClock,
  turns: Turns,
  beside: Beside = async () => undefined,
): Promise<number> {
  const started = clock.now();
  const isOver = (): boolean => clock.now() >= started + 300;
  let workedMs = 0;
  const work = async (where: (typeof kinds)[number]): Promise<void> => {
    const turn = turns.yieldFor(where);
    while (!isOver()) {
      clock.work(0.1);
      workedMs += 0.1;
      await turn();
    }
  };
  await clock.run([...kinds.map(work), beside(isOver)]);
  return Math.round((100 * workedMs) / (clock.now() - started)) / 100;
}

/** What a feed has another process work of 300 ms, in pieces of five, beside something else. */
async function shareOfWorkElsewhere(
  clock: CountingClock,
  turns: Turns,
  beside: Beside = async () => undefined,
): Promise<number> {
  const started = clock.now();
  const isOver = (): boolean => clock.now() >= started + 300;
  let workedMs = 0;
  const feed = async (): Promise<void> => {
    while (!isOver()) {
      await turns.workOfFeedElsewhere(() => clock.pause(5));
      workedMs += 5;
    }
  };
  await clock.run([feed(), beside(isOver)]);
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
