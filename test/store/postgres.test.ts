// What happens when connections to a PostgreSQL server are closed, broken or silent while they are in use: an error
// each, and no more than that.
import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { Client } from 'pg';
import { OperatorError } from '../../src/model/operator-error.ts';
import { Problem } from '../../src/model/problem.ts';
import type { Engine } from '../../src/store/engine.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import type { Store } from '../../src/store/store.ts';
import { type EngineUnderTest, allEngines, storeOn } from '../contract/engines.ts';
import { type Certificate, type Line, makeCertificate, startLine } from './breakable-line.ts';
import { turns, until } from '../contract/until.ts';
import { changeRows, plain, rowsIn, run } from '../contract/database.ts';
import { secretTable } from '../../src/store/tables/processes.ts';
import { sql } from '../../src/store/statement.ts';
import { insert, selectRows } from '../../src/store/table-statements.ts';

const server = allEngines.find(({ name }) => name === 'PostgreSQL server');

/** Until the program has heard that connections were closed. */
const hearOfBreaks = (): Promise<void> => turns(10);

describe('a PostgreSQL server that closes connections', { skip: server?.skip }, () => {
  let database: Awaited<ReturnType<EngineUnderTest['create']>>;
  let engine: Engine;
  let store: Store;
  let administration: Client;
  let name: string;
  before(async () => {
    assert.ok(server);
    database = await server.create();
    engine = await database.open();
    store = await storeOn(engine);
    administration = new Client(process.env.TEST_DATABASE_URL ?? '');
    await administration.connect();
    name = String((await engine.read(sql`select current_database()`))[0]?.[0]);
  });
  after(async () => {
    await store.close();
    await administration.end();
    await database.remove();
  });

  const closeAll = async (): Promise<void> => {
    const { rows } = await administration.query<{ pid: number }>(
      'select pid, pg_terminate_backend(pid) from pg_stat_activity where datname = $1',
      [name],
    );
    const pids = rows.map(({ pid }) => pid);
    const left = async (): Promise<number> =>
      (await administration.query('select 1 from pg_stat_activity where pid = any($1)', [pids])).rows.length;
    await until(async () => (await left()) === 0);
    await hearOfBreaks();
  };
  /** Waits until so many statements are at work that take long. */
  const asleep = (count: number): Promise<void> =>
    until(async () => {
      const { rows } = await administration.query(
        `select 1 from pg_stat_activity where datname = $1 and state = 'active' and wait_event = 'PgSleep'`,
        [name],
      );
      return rows.length === count;
    });
  const unavailable = (error: unknown): boolean => error instanceof Problem && error.slug === 'unavailable';
  const works = async (): Promise<void> => {
    await store.activities.add('AAA', 'Some name');
    assert.deepEqual(
      (await store.activities.list()).map(({ name }) => name),
      ['Some name'],
    );
    assert.equal(await engine.write(async (transaction) => (await transaction.query(sql`select 1`)).length), 1);
  };

  it('is told to clients as 503 when it happens within a read, and passes', async () => {
    const read = assert.rejects(engine.readLong(sql`select pg_sleep(20)::text`, { client: 'test' }), unavailable);
    await asleep(1);
    await closeAll();
    await read;
    await works();
  });

  it('undoes a write whose connection is lost between two statements, or while one runs', async () => {
    await assert.rejects(
      engine.write(async (transaction) => {
        await transaction.query(sql`select 1`);
        await closeAll();
        await transaction.query(sql`select 2`);
      }),
      unavailable,
    );
    await works();
    const lasting = assert.rejects(
      engine.write((transaction) => transaction.query(sql`select pg_sleep(20)::text`)),
      unavailable,
    );
    await asleep(1);
    await closeAll();
    await lasting;
    await works();
  });

  it('undoes a transaction whose end comes after the loss', async () => {
    await assert.rejects(
      engine.write(async (transaction) => {
        await transaction.query(insert(secretTable, { name: 'lost', value: 'x', createdAt: 0 }));
        await closeAll();
      }),
      unavailable,
    );
    await assert.rejects(
      engine.write(async (transaction) => {
        await transaction.query(insert(secretTable, { name: 'lost', value: 'x', createdAt: 0 }));
        await closeAll();
        await transaction.query(selectRows(secretTable));
      }),
      unavailable,
    );
    await works();
    assert.equal((await rowsIn(store, secretTable, { name: 'lost' })).length, 0);
  });

  it('troubles nobody afterwards: what comes next is carried out, on every connection that was lost while it worked', {
    timeout: 900_000,
  }, async () => {
    const all = <T>(work: () => Promise<T>): Promise<readonly T[]> => Promise.all(Array.from({ length: 10 }, work));
    const next: readonly (() => Promise<unknown>)[] = [
      () => engine.read(sql`select 1`),
      () => engine.write((transaction) => transaction.query(sql`select 1`)),
      () => store.activities.list(),
      () => run(store, sql`update secret set value = value where false`),
    ];
    for (const work of next) {
      const lost = all(() => assert.rejects(engine.read(sql`select pg_sleep(20)::text`), unavailable));
      await asleep(10);
      await closeAll();
      await lost;
      await all(work);
    }
  });

  it('carries out no write twice where the connection is lost at its end', async () => {
    let times = 0;
    const closed = Promise.withResolvers<void>();
    await assert.rejects(
      engine.write(async () => {
        times += 1;
        await closeAll().then(closed.resolve);
      }),
      unavailable,
    );
    await closed.promise;
    assert.equal(times, 1);
    await works();
  });

  it('undoes a transaction that fails for another reason, and goes on with the connection', async () => {
    await assert.rejects(
      engine.write(async (transaction) => {
        await transaction.query(insert(secretTable, { name: 'undone', value: 'x', createdAt: 0 }));
        throw new Error('changed my mind');
      }),
      /changed my mind/,
    );
    assert.equal((await rowsIn(store, secretTable, { name: 'undone' })).length, 0);
    assert.equal(await changeRows(store, secretTable, { createdAt: 1 }, { name: 'epoch' }), 1);
  });

  it('undoes a write that goes on after one of its statements failed, and uses the connection no more', async () => {
    const half = sql`insert into secret (name, value, created_at) values ('half', 'x', 0)`;
    await assert.rejects(
      engine.write(async (transaction) => {
        await transaction.query(half);
        await transaction.query(half).catch(() => undefined);
      }),
      /duplicate key/,
    );
    assert.equal((await rowsIn(store, secretTable, { name: 'half' })).length, 0);
    await works();
  });

  it('carries out nothing that is asked of a write after its end', async () => {
    let late: () => Promise<unknown> = async () => undefined;
    await engine.write(async (transaction) => {
      late = () => transaction.query(sql`insert into secret (name, value, created_at) values ('late', 'x', 0)`);
    });
    await assert.rejects(late(), /has ended/);
    assert.equal((await rowsIn(store, secretTable, { name: 'late' })).length, 0);
  });

  it('hands out numbers as numbers, bytes as bytes, and everything else as the text that the server sent', async () => {
    const text =
      `select 9007199254740991::bigint, 1::int, 2::smallint, 0.5::double precision, 'a'::text, '2026-01-01'::date, ` +
      `'{"b": 1}'::json, true, null, 'Ä'::text as bytes`;
    for (const rows of [await engine.read(plain(text)), await engine.readLong(plain(text), { client: 'test' })]) {
      assert.deepEqual(rows, [
        [9007199254740991, 1, 2, 0.5, 'a', '2026-01-01', '{"b": 1}', 't', null, Buffer.from('Ä')],
      ]);
    }
  });
});

describe('a PostgreSQL server behind a line that', { skip: server?.skip }, () => {
  /** An engine behind a line of the test's own making, and the way past it. */
  const throughLine = async (
    t: TestContext,
    { maxSilenceMs, secure = null }: { readonly maxSilenceMs?: number; readonly secure?: Certificate | null } = {},
  ): Promise<{ readonly engine: Engine; readonly line: Line; readonly store: Store }> => {
    assert.ok(server);
    const database = await server.create();
    const direct = await database.open();
    const url = new URL(process.env.TEST_DATABASE_URL ?? '');
    url.pathname = `/${String((await direct.read(sql`select current_database()`))[0]?.[0])}`;
    const line = await startLine(Number(url.port), secure);
    url.host = `127.0.0.1:${line.port}`;
    let opened: Store | null = null;
    t.after(async () => {
      await opened?.close();
      await direct.close();
      line.close();
      await database.remove();
    });
    if (secure !== null) {
      url.password = 's3cret';
      await assert.rejects(
        openPostgres(`${url.href}?sslmode=verify-full`),
        (error) => error instanceof OperatorError && /self-signed/.test(error.message) && !/s3cret/.test(error.message),
      );
      url.search = 'sslmode=no-verify';
    }
    const engine = await openPostgres(url.href, maxSilenceMs);
    const store = await storeOn(engine);
    opened = store;
    return { engine, line, store };
  };
  /** Longer than a busy machine stands still: nothing else may look like silence. */
  const maxSilenceMs = 4000;
  const select = sql`select 1`;
  const unavailable = (error: unknown): boolean => error instanceof Problem && error.slug === 'unavailable';

  it('breaks again and again is used again as soon as it is whole, by all who wait', {
    timeout: 900_000,
  }, async (t) => {
    const { engine, line } = await throughLine(t);
    for (let round = 0; round < 8; round += 1) {
      const broken = Promise.all(
        Array.from({ length: 10 }, () =>
          assert.rejects(engine.readLong(sql`select pg_sleep(20)::text`, { client: 'test' }), unavailable),
        ),
      );
      const breaking = setInterval(line.breakOff, 50);
      await broken.finally(() => clearInterval(breaking));
    }
    for (let round = 0; round < 5; round += 1) await Promise.all(Array.from({ length: 10 }, () => engine.read(select)));
  });

  for (const [way, isSecure] of [
    ['', false],
    [', also with TLS', true],
  ] as const) {
    it(`breaks while many ask mixes up no answers${way}`, { timeout: 900_000 }, async (t) => {
      const secure = isSecure ? makeCertificate() : null;
      if (secure === 'none') return t.skip('there is no openssl');
      const { engine, line } = await throughLine(t, { secure });
      const ask = async (number: number): Promise<void> => {
        const read = number % 2 === 0 ? engine.read : engine.readShort;
        const rows = await read(sql`select ${number}::int, pg_sleep(0.002)::text`);
        assert.deepEqual(rows, [[number, '']]);
      };
      const breaking = setInterval(line.breakOff, 40);
      await Promise.all(
        Array.from({ length: 20 }, async (_, asker) => {
          for (let count = 0; count < 50; count += 1)
            await ask(asker * 1000 + count).catch((error: unknown) => assert.ok(unavailable(error), String(error)));
        }),
      ).finally(() => clearInterval(breaking));
      // The last breaks may be heard of late.
      const areAllAnswered = (): Promise<boolean> =>
        Promise.all(Array.from({ length: 20 }, (_, asker) => ask(asker))).then(
          () => true,
          (error: unknown) => {
            assert.ok(unavailable(error), String(error));
            return false;
          },
        );
      await until(areAllAnswered);
    });
  }

  it('falls silent while nobody asks costs one answer, not one on each connection', { timeout: 900_000 }, async (t) => {
    const { engine, line } = await throughLine(t, { maxSilenceMs });
    await Promise.all(Array.from({ length: 10 }, () => engine.read(sql`select pg_sleep(0.2)::text`)));
    line.fallSilent();
    line.speak();
    await assert.rejects(engine.read(select), unavailable);
    await Promise.all(Array.from({ length: 10 }, () => engine.read(select)));
  });

  type Behind = Awaited<ReturnType<typeof throughLine>>;
  const silenced: Readonly<Record<string, (behind: Behind) => Promise<unknown>>> = {
    'before a read': ({ engine, line }) => {
      line.fallSilent();
      return engine.read(select);
    },
    'before a write': ({ engine, line }) => {
      line.fallSilent();
      return engine.write((transaction) => transaction.query(select));
    },
    'between two statements of a write': ({ engine, line }) =>
      engine.write(async (transaction) => {
        await transaction.query(select);
        line.fallSilent();
        await transaction.query(select);
      }),
    'before the end of a write': ({ engine, line }) => engine.write(async () => line.fallSilent()),
    'before a list is read': ({ store, line }) => {
      line.fallSilent();
      return store.activities.list();
    },
    'before a statement without rows': ({ store, line }) => {
      line.fallSilent();
      return run(store, sql`update secret set value = value where false`);
    },
  };
  describe('falls silent', { concurrency: true, timeout: 900_000 }, () => {
    for (const [when, work] of Object.entries(silenced))
      it(`${when} is not waited for without end, and another is opened`, async (t) => {
        const behind = await throughLine(t, { maxSilenceMs });
        const { engine, line, store } = behind;
        await store.activities.add('AAA', 'Some name');
        await engine.read(select);
        await assert.rejects(work(behind), unavailable);
        line.speak();
        await engine.write((transaction) => transaction.query(select));
        assert.deepEqual(
          (await store.activities.list()).map(({ name }) => name),
          ['Some name'],
        );
      });
  });
});
