// What happens when a PostgreSQL server closes connections that are in use: an error each, and no more than that.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { after, before, describe, it, type TestContext } from 'node:test';
import postgres from 'postgres';
import { Problem } from '../../src/model/problem.ts';
import type { Engine, Statement } from '../../src/store/engine.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import type { Store } from '../../src/store/store.ts';
import { type EngineUnderTest, engines, storeOn } from '../contract/engines.ts';

const server = engines.find(({ name }) => name === 'PostgreSQL server');

describe('a PostgreSQL server that closes connections', { skip: server?.skip }, () => {
  let database: Awaited<ReturnType<EngineUnderTest['create']>>;
  let engine: Engine;
  let store: Store;
  let administration: postgres.Sql;
  let name: string;
  before(async () => {
    assert.ok(server);
    database = await server.create();
    engine = await database.open();
    store = await storeOn(engine);
    administration = postgres(process.env.TEST_DATABASE_URL ?? '', { max: 1 });
    name = String((await engine.read({ text: 'select current_database()', values: [] }))[0]?.[0]);
  });
  after(async () => {
    await store.close();
    await administration.end();
    await database.remove();
  });

  const closeAll = async (): Promise<void> => {
    const rows = await administration<{ pid: number }[]>`select pid, pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
    const pids = rows.map(({ pid }) => pid);
    while ((await administration`select 1 from pg_stat_activity where pid = any(${pids})`).length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    // Until the program has heard of it.
    await new Promise((resolve) => setTimeout(resolve, 100));
  };
  const unavailable = (error: unknown): boolean => error instanceof Problem && error.slug === 'unavailable';
  const works = async (): Promise<void> => {
    await store.addActivity('AAA', 'Some name');
    assert.deepEqual(await store.activities(), [{ code: 'AAA', name: 'Some name' }]);
    assert.equal(await engine.write(async (transaction) => (await transaction.query({ text: 'select 1', values: [] })).length), 1);
  };

  it('is told to clients as 503 when it happens within a read, and passes', async () => {
    const read = assert.rejects(engine.readLong({ text: 'select pg_sleep(20)::text', values: [] }), unavailable);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await closeAll();
    await read;
    await works();
  });

  it('undoes a write whose connection is lost between two statements, or while one runs', async () => {
    await assert.rejects(engine.write(async (transaction) => {
      await transaction.query({ text: 'select 1', values: [] });
      await closeAll();
      await transaction.query({ text: 'select 2', values: [] });
    }), unavailable);
    await works();
    const lasting = assert.rejects(engine.write((transaction) => transaction.query({ text: 'select pg_sleep(20)::text', values: [] })), unavailable);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await closeAll();
    await lasting;
    await works();
  });

  it('undoes a transaction of the administration, whose end comes after the loss', async () => {
    await assert.rejects(store.db.transaction().execute(async (db) => {
      await db.insertInto('secret').values({ name: 'lost', value: 'x', created_at: 0 }).execute();
      await closeAll();
    }), unavailable);
    await assert.rejects(store.db.transaction().execute(async (db) => {
      await db.insertInto('secret').values({ name: 'lost', value: 'x', created_at: 0 }).execute();
      await closeAll();
      await db.selectFrom('secret').selectAll().execute();
    }), unavailable);
    await works();
    assert.equal((await store.db.selectFrom('secret').selectAll().where('name', '=', 'lost').execute()).length, 0);
  });

  it('troubles nobody afterwards: what comes next is carried out, on every connection that was lost while it worked', { timeout: 60_000 }, async () => {
    const all = <T>(work: () => Promise<T>): Promise<readonly T[]> => Promise.all(Array.from({ length: 10 }, work));
    const next: readonly (() => Promise<unknown>)[] = [
      () => engine.read({ text: 'select 1', values: [] }),
      () => engine.write((transaction) => transaction.query({ text: 'select 1', values: [] })),
      () => store.activities(),
      () => store.db.transaction().execute((db) => db.selectFrom('secret').selectAll().execute()),
    ];
    for (const work of next) {
      const lost = all(() => assert.rejects(engine.read({ text: 'select pg_sleep(20)::text', values: [] }), unavailable));
      await new Promise((resolve) => setTimeout(resolve, 300));
      await closeAll();
      await lost;
      await all(work);
    }
  });

  it('carries out no write twice where the connection is lost at its end', async () => {
    let times = 0;
    const closed = Promise.withResolvers<void>();
    await assert.rejects(engine.write(async () => {
      times += 1;
      await closeAll().then(closed.resolve);
    }), unavailable);
    await closed.promise;
    assert.equal(times, 1);
    await works();
  });

  it('leaves transactions of the administration that fail for another reason as they were', async () => {
    await assert.rejects(store.db.transaction().execute(async (db) => {
      await db.insertInto('secret').values({ name: 'undone', value: 'x', created_at: 0 }).execute();
      throw new Error('changed my mind');
    }), /changed my mind/);
    assert.equal((await store.db.selectFrom('secret').selectAll().where('name', '=', 'undone').execute()).length, 0);
    const { numUpdatedRows } = await store.db.updateTable('secret').set({ created_at: 1 }).where('name', '=', 'epoch').executeTakeFirstOrThrow();
    assert.equal(numUpdatedRows, 1n);
  });
});

describe('a PostgreSQL server behind a line that', { skip: server?.skip }, () => {
  /** An engine behind a line of the test's own making, and the way past it. */
  const throughLine = async (t: TestContext, silence?: number): Promise<{ readonly engine: Engine; readonly line: Line; readonly store: Store }> => {
    assert.ok(server);
    const database = await server.create();
    const direct = await database.open();
    const url = new URL(process.env.TEST_DATABASE_URL ?? '');
    url.pathname = `/${String((await direct.read({ text: 'select current_database()', values: [] }))[0]?.[0])}`;
    const line = await startLine(Number(url.port));
    url.host = `127.0.0.1:${line.port}`;
    const engine = await openPostgres(url.href, silence);
    const store = await storeOn(engine);
    t.after(async () => {
      await store.close();
      await direct.close();
      line.close();
      await database.remove();
    });
    return { engine, line, store };
  };
  const select: Statement = { text: 'select 1', values: [] };
  const unavailable = (error: unknown): boolean => error instanceof Problem && error.slug === 'unavailable';

  it('breaks again and again is used again as soon as it is whole, by all who wait', { timeout: 30_000 }, async (t) => {
    const { engine, line } = await throughLine(t);
    for (let round = 0; round < 8; round += 1) {
      const broken = Promise.all(Array.from({ length: 10 }, () => assert.rejects(engine.readLong({ text: 'select pg_sleep(20)::text', values: [] }), unavailable)));
      const breaking = setInterval(line.breakOff, 50);
      await broken.finally(() => clearInterval(breaking));
    }
    // The driver alone would let each of them wait for twenty seconds by now.
    for (let round = 0; round < 5; round += 1) await Promise.all(Array.from({ length: 10 }, () => engine.read(select)));
  });

  it('falls silent is not waited for without end, and another is opened', { timeout: 30_000 }, async (t) => {
    const { engine, line, store } = await throughLine(t, 1000);
    await store.addActivity('AAA', 'Some name');
    const works: readonly (() => Promise<unknown>)[] = [
      () => engine.read(select),
      () => engine.write((transaction) => transaction.query(select)),
      () => engine.write(async (transaction) => {
        await transaction.query(select);
        line.fallSilent();
        await transaction.query(select);
      }),
      () => engine.write(async () => line.fallSilent()),
      () => store.activities(),
      () => store.db.transaction().execute((db) => db.selectFrom('secret').selectAll().execute()),
    ];
    for (const work of works) {
      await engine.read(select);
      if (works.indexOf(work) !== 2 && works.indexOf(work) !== 3) line.fallSilent();
      await assert.rejects(work, unavailable);
      line.speak();
      await engine.write((transaction) => transaction.query(select));
      assert.deepEqual(await store.activities(), [{ code: 'AAA', name: 'Some name' }]);
    }
  });
});

interface Line {
  readonly port: number;
  /** Ends all connections, as a server that crashes does. */
  readonly breakOff: () => void;
  /** Lets nothing through any more on the connections that there are. */
  readonly fallSilent: () => void;
  /** Lets everything through on new connections; those that fell silent stay so. */
  readonly speak: () => void;
  readonly close: () => void;
}

/** A line to a port of this machine. */
async function startLine(to: number): Promise<Line> {
  const ends = new Set<Socket>();
  let silent = false;
  const line = createServer((client) => {
    const far = connect(to, '127.0.0.1');
    for (const [end, other] of [[client, far], [far, client]] as const) {
      ends.add(end);
      end.on('error', () => undefined).on('close', () => {
        ends.delete(end);
        other.destroy();
      });
      if (!silent) end.pipe(other);
    }
  }).listen(0, '127.0.0.1');
  await once(line, 'listening');
  const address = line.address();
  assert.ok(typeof address === 'object' && address !== null);
  const breakOff = (): void => {
    for (const end of ends) end.resetAndDestroy();
  };
  return {
    port: address.port,
    breakOff,
    fallSilent: () => {
      silent = true;
      for (const end of ends) end.unpipe().pause();
    },
    speak: () => { silent = false; },
    close: () => {
      breakOff();
      line.close();
    },
  };
}
