// Reads that may have to look at many rows, on every engine that can do several things at a time: whom they hold up,
// and how they end.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Problem } from '../../src/model/problem.ts';
import type { Engine, Row } from '../../src/store/engine.ts';
import {
  defaultLongReads,
  type LongReadSettings,
  maxWaitingPerClient,
  newSpending,
} from '../../src/store/long-reads.ts';
import { type EngineUnderTest, allEngines } from '../contract/engines.ts';
import { endReaderProcesses, readerProcesses } from '../contract/reader-processes.ts';
import { until } from '../contract/until.ts';
import { type Statement, sql } from '../../src/store/statement.ts';
import { plain } from '../contract/database.ts';

/** Work for hours. */
const endless: Readonly<Record<Engine['dialect'], string>> = {
  sqlite: 'with recursive c(n) as (select 1 union all select n + 1 from c) select count(*) from c',
  postgres: 'select count(*) from generate_series(1, 100000) a, generate_series(1, 10000000) b where a % 7 = b % 11',
};
const quick: Statement = sql`select 1`;

for (const engine of allEngines) {
  if (engine.parallel)
    describe(`long reads on ${engine.name}`, { skip: engine.skip, timeout: 900_000 }, () => longReadTests(engine));
}

function longReadTests(engineUnderTest: EngineUnderTest): void {
  let database: Awaited<ReturnType<EngineUnderTest['create']>>;
  let watching: Engine;
  before(async () => {
    database = await engineUnderTest.create();
    watching = await database.open();
  });
  after(async () => {
    await watching.close();
    await database.remove();
  });

  const withEngine = async (
    settings: Partial<LongReadSettings>,
    work: (engine: Engine) => Promise<void>,
  ): Promise<void> => {
    const opened = await database.open({ ...defaultLongReads, ...settings });
    let closed: Promise<void> | undefined;
    const close = (): Promise<void> => (closed ??= opened.close());
    try {
      await work({ ...opened, close });
    } finally {
      await close();
      // Those that wait for another database would be counted by the next test.
      await endReaderProcesses();
    }
  };
  const long = (engine: Engine, client: string, gone?: AbortSignal): Promise<readonly Row[]> =>
    engine.readLong(plain(endless[engine.dialect]), {
      client,
      advice: 'Ask for less.',
      ...(gone !== undefined && { gone }),
    });
  /** Endless statements that are being worked on: by the server, or each by a process of ours. */
  const atWork = async (): Promise<number> => {
    if (watching.dialect === 'sqlite') return readerProcesses().length;
    const text =
      "select 1 from pg_stat_activity where datname = current_database() and state = 'active' and query like " +
      "'select count(*) from generate_series%'";
    return (await watching.read(plain(text))).length;
  };

  it("hold up neither a read that an index serves, nor a write, nor another client's long read", async () => {
    await withEngine({ maxLongReadSeconds: 60 }, async (engine) => {
      const flood = Array.from({ length: 15 }, () => long(engine, 'flood').catch((error: unknown) => error));
      await until(async () => (await atWork()) === 1);
      for (let count = 0; count < 200; count += 1) await engine.read(quick);
      await engine.write((transaction) => transaction.query(quick));
      for (let count = 0; count < 20; count += 1)
        assert.equal((await engine.readLong(quick, { client: 'quiet' })).length, 1);
      // All the while the first of the fifteen was at work, alone of its client.
      assert.deepEqual(engine.longReads(), { running: 1, waiting: 14, ended: 0 });
      await engine.close();
      assert.ok((await Promise.all(flood)).every(isUnavailable));
    });
  });

  it("give each client its turn: another one's comes after at most one that was there before", async () => {
    await withEngine({ maxLongReadSeconds: 600 }, async (engine) => {
      const hangUp = new AbortController();
      const flood = ['one', 'two'].flatMap((client) => [
        long(engine, client, client === 'one' ? hangUp.signal : undefined).catch((error: unknown) => error),
        ...Array.from({ length: 9 }, () => long(engine, client).catch((error: unknown) => error)),
      ]);
      await until(() => engine.longReads().running === 2);
      const quiet = engine.readLong(quick, { client: 'quiet' });
      hangUp.abort();
      assert.equal((await quiet).length, 1);
      await engine.close();
      assert.ok((await Promise.all(flood)).every(isUnavailable));
    });
  });

  it('end when they take too long, themselves and not their answer alone, and say why', async () => {
    await withEngine({ maxLongReadSeconds: 1 }, async (engine) => {
      for (const result of await Promise.allSettled([long(engine, 'a'), long(engine, 'b')])) {
        assert.ok(result.status === 'rejected' && isUnavailable(result.reason));
        assert.equal(result.reason.detail, 'The query took longer than 1 s and was ended. Ask for less.');
        assert.deepEqual(result.reason.headers, { 'Retry-After': '30' });
      }
      await until(async () => (await atWork()) === 0);
      assert.deepEqual(engine.longReads(), { running: 0, waiting: 0, ended: 2 });
      // Where the machine stands still for a second, this one is ended too: not each time.
      await until(() => isAnswered(engine.readLong(quick, { client: 'a' })));
    });
  });

  it('say what to do also where they are of no list, and can be narrowed by no field', async () => {
    await withEngine({ maxLongReadSeconds: 1 }, async (engine) => {
      const read = engine.readLong(plain(endless[engine.dialect]), { client: 'operator' });
      const detail = 'The query took longer than 1 s and was ended. Ask for less, such as a shorter time.';
      await assert.rejects(read, (error) => isUnavailable(error) && error.detail === detail);
    });
  });

  it('have a time limit that begins with their start, not with their wait', async () => {
    await withEngine({ maxLongReadSeconds: 3 }, async (engine) => {
      // It waits for as long as it may take, and then takes some more.
      const lasting = engine.dialect === 'sqlite' ? countingFor(300) : sql`select pg_sleep(0.3)::text`;
      // Where the machine stands still, the second one may be ended too: not each time.
      await until(async () => {
        const first = long(engine, 'a').catch((error: unknown) => error);
        const answered = await isAnswered(engine.readLong(lasting, { client: 'a' }));
        assert.ok(isUnavailable(await first));
        return answered;
      });
    });
  });

  it('have one limit for all statements of a request', async () => {
    await withEngine({ maxLongReadSeconds: 600 }, async (engine) => {
      const spending = newSpending();
      await engine.readLong(quick, { client: 'a', spending });
      assert.ok(spending.workedMs > 0);
      // As if the statements before had taken so long.
      spending.workedMs = 599_700;
      const statement = plain(endless[engine.dialect]);
      const ended = await engine.readLong(statement, { client: 'a', spending }).catch((error: unknown) => error);
      assert.ok(isUnavailable(ended) && ended.detail.startsWith('The query took longer than 600 s'), String(ended));
      assert.ok(isUnavailable(await engine.readLong(quick, { client: 'a', spending }).catch((error) => error)));
      assert.deepEqual(engine.longReads(), { running: 0, waiting: 0, ended: 2 });
      await until(async () => (await atWork()) === 0);
      // Another request has its own time.
      assert.equal((await engine.readLong(quick, { client: 'a' })).length, 1);
    });
  });

  it('have one limit for all waits of a request', async () => {
    await withEngine({ maxLongReadSeconds: 600 }, async (engine) => {
      const hangUp = new AbortController();
      const first = long(engine, 'a', hangUp.signal).catch((error: unknown) => error);
      const spending = { waitedMs: 1_199_900, workedMs: 0 };
      const refused = await engine.readLong(quick, { client: 'a', spending }).catch((error: unknown) => error);
      assert.ok(refused instanceof Problem && refused.slug === 'quota-exceeded');
      hangUp.abort();
      await first;
    });
  });

  it('are refused at once with 429 where a client has too many waiting, before anything of it has ended', async () => {
    await withEngine({ maxLongReadSeconds: 60 }, async (engine) => {
      const all = Array.from({ length: 60 }, () =>
        long(engine, 'flood').then(
          () => null,
          (error: unknown) => error,
        ),
      );
      const refused: unknown[] = [];
      for (const one of all) void one.then((error) => refused.push(error));
      await until(() => refused.length === 60 - 1 - maxWaitingPerClient);
      assert.deepEqual(engine.longReads(), { running: 1, waiting: maxWaitingPerClient, ended: 0 });
      for (const error of refused) {
        assert.ok(error instanceof Problem && error.slug === 'quota-exceeded');
        assert.match(error.headers['Retry-After'] ?? '', /^\d+$/);
      }
      await engine.close();
      await Promise.all(all);
    });
  });

  it('give their place back when nobody waits for them any more, and end', async () => {
    await withEngine({ maxLongReadSeconds: 600 }, async (engine) => {
      const hangUp = new AbortController();
      const all = Array.from({ length: 10 }, () => long(engine, 'a', hangUp.signal).catch((error: unknown) => error));
      await until(async () => (await atWork()) === 1 && engine.longReads().waiting === 9);
      hangUp.abort();
      assert.equal(engine.longReads().waiting, 0);
      assert.ok((await Promise.all(all)).every(isUnavailable));
      await until(async () => (await atWork()) === 0);
      assert.deepEqual(engine.longReads(), { running: 0, waiting: 0, ended: 0 });
      assert.equal((await engine.readLong(quick, { client: 'a' })).length, 1);
    });
  });

  it('end also when their client hangs up at the very moment at which they begin', async () => {
    await withEngine({ maxLongReadSeconds: 600 }, async (engine) => {
      for (let count = 0; count < 8; count += 1) {
        const hangUp = new AbortController();
        const one = long(engine, 'a', hangUp.signal).catch((error: unknown) => error);
        await new Promise((resolve) => setTimeout(resolve, count % 5));
        hangUp.abort();
        assert.ok(isUnavailable(await one));
      }
      await until(async () => (await atWork()) === 0);
    });
  });

  it('end with the engine, those who wait too', async () => {
    await withEngine({ maxLongReadSeconds: 600 }, async (engine) => {
      const all = ['a', 'a', 'b', 'c'].map((client) => long(engine, client).catch((error: unknown) => error));
      await until(async () => (await atWork()) === 2);
      await engine.close();
      assert.ok((await Promise.all(all)).every(isUnavailable));
      await until(async () => (await atWork()) === 0);
      await assert.rejects(engine.readLong(quick, { client: 'a' }), isUnavailable);
    });
  });
}

function isUnavailable(error: unknown): error is Problem {
  return error instanceof Problem && error.slug === 'unavailable';
}

/** With one row, or not at all: it took too long, or waited too long. */
async function isAnswered(read: Promise<readonly Row[]>): Promise<boolean> {
  try {
    return (await read).length === 1;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

/** A statement that takes about so long here, milliseconds. */
function countingFor(milliseconds: number): Statement {
  const last = milliseconds * 2000;
  return sql`
    with recursive c(n) as (select 1 union all select n + 1 from c where n < ${last}) select count(*) from c
  `;
}
