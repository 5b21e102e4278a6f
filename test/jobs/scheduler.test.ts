// Background work of several processes: one does a round at a time, as often as it is due, and what a dead one was at
// is taken over.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { startScheduler, type Task } from '../../src/jobs/scheduler.ts';
import type { Engine } from '../../src/store/engine.ts';
import { createJobLeases, jobLeaseMs, type JobLeases } from '../../src/store/job-leases.ts';
import { enginesAboveStorage, type EngineUnderTest, provenWithoutServer, storeOn } from '../contract/engines.ts';
import { changeRows, rowsIn } from '../contract/database.ts';
import { jobLeaseTable } from '../../src/store/tables/processes.ts';

const hour = 3_600_000;

for (const engine of enginesAboveStorage) {
  describe(`background work on ${engine.name}`, { skip: engine.skip }, () => schedulerTests(engine));
}

describe('a round that fails', { skip: provenWithoutServer }, () => {
  it('is tried again after ten seconds, twice as long after each failure, no later than it comes anyway', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
    const given: string[] = [];
    const leases: Pick<JobLeases, 'take'> = {
      take: async () => ({
        renew: async () => undefined,
        end: async () => void given.push('ended'),
        release: async () => void given.push('given up'),
      }),
    };
    let rounds = 0;
    const failing = new Set([1, 2, 3, 5]);
    const failures: string[] = [];
    const stop = startScheduler(
      [
        {
          name: 'sweep',
          failure: 'sweep',
          everyMs: 90_000,
          run: async () => {
            rounds += 1;
            if (failing.has(rounds)) throw new Error(`round ${rounds}`);
          },
        },
      ],
      leases,
      (_failure, error) => failures.push(String(error)),
    );
    // The first after a minute; then what is waited after each.
    const waits = [60_000, 10_000, 20_000, 40_000, 90_000, 10_000, 90_000];
    for (const [index, milliseconds] of waits.entries()) {
      t.mock.timers.tick(milliseconds - 1);
      await settled();
      assert.equal(rounds, index, `${milliseconds} ms before round ${index + 1}`);
      t.mock.timers.tick(1);
      await settled();
      assert.equal(rounds, index + 1);
    }
    assert.deepEqual(failures, ['Error: round 1', 'Error: round 2', 'Error: round 3', 'Error: round 5']);
    assert.equal(given.join(), 'given up,given up,given up,ended,given up,ended,ended');
    await stop();
  });
});

async function settled(): Promise<void> {
  for (let count = 0; count < 5; count += 1) await new Promise((resolve) => setImmediate(resolve));
}

function schedulerTests(engineUnderTest: EngineUnderTest): void {
  /** Engines on one database, as of so many processes. */
  const opened = async (t: TestContext, count: number): Promise<readonly Engine[]> => {
    const database = await engineUnderTest.create();
    t.after(() => database.remove());
    return Promise.all(
      Array.from({ length: count }, async () => {
        const engine = await database.open();
        const store = await storeOn(engine);
        t.after(() => store.close());
        return engine;
      }),
    );
  };

  it('is given to one of many that ask at once, and to nobody until it is due again', async (t) => {
    const processes = await opened(t, engineUnderTest.parallel ? 4 : 1);
    const leases = processes.flatMap((engine, index) =>
      [1, 2].map((half) => createJobLeases(engine, `${index}-${half}`)),
    );
    const taken = await Promise.all(leases.map((own) => own.take('sweep', hour)));
    const [held, ...others] = taken.flatMap((each) => (typeof each === 'number' ? [] : [each]));
    assert.ok(held !== undefined && others.length === 0);
    // Whoever looked at the clock before the holder did, and then waited for the row, is told a moment more.
    for (const wait of taken) assert.ok(typeof wait !== 'number' || (wait > 0 && wait <= 2 * jobLeaseMs));
    assert.equal(typeof (await leases[0]?.take('another', hour)), 'object');
    await held.renew();
    await held.end();
    for (const own of leases) {
      const wait = await own.take('sweep', hour);
      assert.ok(typeof wait === 'number' && wait > hour - 60_000 && wait <= hour);
    }
    assert.equal(typeof (await leases[1]?.take('sweep', 0)), 'object', 'it is due');
  });

  it('that was given up undone is due at once, for whoever asks', async (t) => {
    const [engine] = await opened(t, 1);
    assert.ok(engine !== undefined);
    const [first, second] = ['first', 'second'].map((name) => createJobLeases(engine, name));
    const held = await first?.take('sweep', hour);
    assert.ok(typeof held === 'object');
    await held.release();
    const next = await second?.take('sweep', hour);
    assert.ok(typeof next === 'object');
    // Who has given it up has no part in it any more.
    await held.release();
    assert.equal(typeof (await first?.take('sweep', hour)), 'number');
    await next.end();
    assert.equal(typeof (await first?.take('sweep', hour)), 'number');
  });

  it('is taken over from one that died, which then can neither hold on to it nor end it', async (t) => {
    const [engine] = await opened(t, 1);
    assert.ok(engine !== undefined);
    const [dead, next, third] = ['dead', 'next', 'third'].map((name) => createJobLeases(engine, name));
    const lost = await dead?.take('sweep', hour);
    assert.ok(typeof lost === 'object');
    assert.equal(typeof (await next?.take('sweep', hour)), 'number');
    await changeRows(engine, jobLeaseTable, { endsAt: 1 });
    const held = await next?.take('sweep', hour);
    assert.ok(typeof held === 'object');
    await lost.renew();
    await lost.end();
    assert.equal(typeof (await third?.take('sweep', hour)), 'number', 'the second one still holds it');
    await held.end();
    // A clock that was set back holds nothing up.
    await changeRows(engine, jobLeaseTable, { doneAt: Date.now() + 100 * hour, endsAt: Date.now() + 100 * hour });
    assert.equal(typeof (await third?.take('sweep', hour)), 'object');
  });

  it('is done by one process at a time and as often as by one alone; its own work each does for itself', {
    timeout: 60_000,
  }, async (t) => {
    const processes = await opened(t, engineUnderTest.parallel ? 3 : 1);
    const counts = { shared: 0, at: 0, most: 0, own: processes.map(() => 0), failed: 0 };
    const stops = processes.map((engine, index) => {
      const tasks: readonly Task[] = [
        {
          name: 'sweep',
          failure: 'sweep',
          everyMs: 50,
          run: async () => {
            counts.shared += 1;
            counts.at += 1;
            counts.most = Math.max(counts.most, counts.at);
            await new Promise((resolve) => setTimeout(resolve, 20));
            counts.at -= 1;
            if (counts.shared === 1) throw new Error('the first one');
          },
        },
        {
          name: null,
          failure: 'own',
          everyMs: 20,
          run: async () => {
            counts.own[index] = (counts.own[index] ?? 0) + 1;
          },
        },
      ];
      return startScheduler(
        tasks,
        createJobLeases(engine, `process ${index}`),
        () => {
          counts.failed += 1;
        },
        10,
      );
    });
    while (counts.shared < 3 || counts.own.some((each) => each < 3))
      await new Promise((resolve) => setTimeout(resolve, 20));
    await Promise.all(stops.map((stop) => stop()));
    assert.equal(counts.most, 1);
    assert.equal(counts.failed, 1);
    const [row] = await rowsIn(processes[0] ?? assert.fail(), jobLeaseTable);
    assert.deepEqual([row?.holder, row?.endsAt], ['', 0], 'what ran was given back');
  });
}
