// Settings of a PostgreSQL database that an operator or a provider may have changed: writes and imports work all the
// same, or say why not.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { reportFailure } from '../../src/commands/failure.ts';
import { Problem } from '../../src/model/problem.ts';
import { article } from '../../src/resources/index.ts';
import { lockCounters } from '../../src/store/counters.ts';
import type { Engine } from '../../src/store/engine.ts';
import { takeProcessLock } from '../../src/store/process-lock.ts';
import type { Store } from '../../src/store/store.ts';
import { allEngines, storeOn } from '../contract/engines.ts';
import { articleRecord } from '../platform/export-fixture.ts';
import { changeRows, plain } from '../contract/database.ts';
import { sql } from '../../src/store/statement.ts';
import { activityTable } from '../../src/store/tables/activities.ts';

const server = allEngines.find(({ name }) => name === 'PostgreSQL server');

describe('a PostgreSQL database with other defaults', { skip: server?.skip }, () => {
  for (const level of ['repeatable read', 'serializable']) {
    it(`at isolation level ${level} takes the writes of many at once`, { timeout: 900_000 }, async (t) => {
      const { reopen } = await database(t, `default_transaction_isolation = '${level}'`);
      const stores = await Promise.all([reopen(), reopen()]);
      assert.deepEqual(await stores[0]?.engine.read(sql`show transaction_isolation`), [['read committed']]);
      const batch = (writer: number) => Array.from({ length: 20 }, (_, index) => articleRecord(`A${writer}-${index}`));
      await Promise.all(
        stores.flatMap(({ store }, at) =>
          [1, 2, 3, 4].map(async (writer) => {
            for (let time = 0; time < 5; time += 1)
              await store.records.write(
                article,
                'ACM',
                batch(10 * at + writer).map((record) => ({ ...record, contentHash: `${record.contentHash}${time}` })),
              );
            // A statement by itself, at the same row as all others.
            await changeRows(store, activityTable, { name: sql`name` }, { code: 'ACM' });
            const claims = await Promise.all(
              [1, 2, 3].map(() => store.idempotency.claim({ scope: 'same', key: 'same', fingerprint: 'same' })),
            );
            assert.ok(claims.every(({ state }) => state === 'claimed' || state === 'running'));
            await store.audit.append({
              actorKind: 'command',
              actor: 'x',
              subject: null,
              action: 'x',
              activityCodes: [],
              target: null,
              operationId: null,
              outcome: 'accepted',
              address: null,
              details: null,
            });
          }),
        ),
      );
      assert.deepEqual(await stores[0]?.store.lists.revision(article, ['ACM']), { ACM: 2 * 4 * 5 * 20 });
    });
  }

  it('that is read only tells clients to come back, and the operator why', async (t) => {
    const { reopen } = await database(t, 'default_transaction_read_only = on');
    const { store } = await reopen();
    assert.deepEqual(await store.lists.revision(article, ['ACM']), { ACM: 0 });
    const refused = await store.records.write(article, 'ACM', [articleRecord('A1')]).then(
      () => null,
      (error: unknown) => error,
    );
    assert.ok(refused instanceof Problem && refused.slug === 'unavailable' && refused.headers['Retry-After'] === '30');
    assert.match(toldByCommand(refused), /takes no writes.*default_transaction_read_only/);
  });

  it('that rounds numbers and knows no null in arrays keeps both as they are', async (t) => {
    const { reopen } = await database(t, 'extra_float_digits = 0', 'array_nulls = off');
    const { engine } = await reopen();
    await engine.writeOnce(plain('create table kept (id bigint primary key, amount double precision, remark text)'));
    const rows = [
      [1, 0.1 + 0.2, null],
      [2, null, 'null'],
    ];
    const into = {
      table: 'kept',
      columns: [
        { name: 'id', type: 'integer' },
        { name: 'amount', type: 'decimal' },
        { name: 'remark', type: 'text' },
      ],
      conflict: ['id'],
    } as const;
    await engine.write((transaction) => transaction.putRows(into, rows));
    assert.deepEqual(await engine.read(plain('select id, amount, remark from kept order by id')), rows);
    assert.deepEqual(await engine.readShort(plain('select amount from kept where id = 1')), [[0.1 + 0.2]]);
  });

  it('that ends waits for locks has its writers wait in line all the same', async (t) => {
    const { reopen } = await database(t, "lock_timeout = '100ms'");
    const { engine, store } = await reopen();
    const held = Promise.withResolvers<void>();
    const first = engine.write(async (transaction) => {
      await lockCounters(transaction, 'ACM');
      held.resolve();
      await pause(500);
    });
    await held.promise;
    const [written] = await store.records.write(article, 'ACM', [articleRecord('A1')]);
    assert.equal(written?.outcome, 'new');
    await first;
  });

  it('that ends idle sessions leaves a lock to its holder, and is read after any pause', async (t) => {
    const { reopen, url } = await database(t, "idle_session_timeout = '300ms'");
    const settings = { databaseUrl: url, dataDir: '/nowhere' };
    const lock = await takeProcessLock(settings, 'one');
    const { engine } = await reopen();
    await pause(1000);
    assert.equal(await takeProcessLock(settings, 'one'), null);
    assert.equal(await lock?.held(), true);
    assert.deepEqual(await engine.read(sql`show idle_session_timeout`), [['0']]);
    await lock?.release();
  });
});

describe('a statement that takes longer than it may', { skip: server?.skip }, () => {
  it('is told to a reader, a writer and an operator in words of their own', { timeout: 900_000 }, async (t) => {
    const { reopen } = await database(t, "work_mem = '4MB'");
    const { engine } = await reopen();
    const sleep = sql`select pg_sleep(20)::text`;
    const short = sql`set statement_timeout = 100`;
    const written = await engine
      .write(async (transaction) => {
        await transaction.query(short);
        return transaction.query(sleep);
      })
      .then(
        () => null,
        (error: unknown) => error,
      );
    assert.ok(
      written instanceof Problem &&
        written.slug === 'unavailable' &&
        written.detail?.startsWith('The write took longer than 30 seconds and was undone. Send fewer records') === true,
    );
    const told = toldByCommand(written);
    assert.match(told, /pg_stat_activity.*vacuum analyze.*run the command again/);
    assert.doesNotMatch(told, /filter/);
  });
});

describe("two statements in each other's way", { skip: server?.skip }, () => {
  it('are no fault of the service: one is undone and told to come again, one by itself is tried again', {
    timeout: 900_000,
  }, async (t) => {
    const { reopen } = await database(t, "deadlock_timeout = '500ms'");
    const { engine, store } = await reopen();
    await store.activities.add('BIO', 'Bio');
    const rename = (code: string) => sql`update activity set name = name where code = ${code}`;
    const gate = Promise.withResolvers<void>();
    let inside = 0;
    const crossing = (first: string, second: string): Promise<unknown> =>
      engine.write(async (transaction) => {
        await transaction.query(rename(first));
        inside += 1;
        if (inside === 2) gate.resolve();
        await gate.promise;
        await transaction.query(rename(second));
      });
    const outcomes = await Promise.allSettled([crossing('ACM', 'BIO'), crossing('BIO', 'ACM')]);
    assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    const [lost] = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    assert.ok(lost instanceof Problem && lost.slug === 'unavailable' && lost.headers['Retry-After'] === '1');

    // One statement that locks two rows, beside a transaction that holds the second and waits for the first.
    const held = Promise.withResolvers<void>();
    const other = engine.write(async (transaction) => {
      await transaction.query(sql`set local deadlock_timeout = '30s'`);
      await transaction.query(rename('BIO'));
      held.resolve();
      await new Promise((resolve) => setTimeout(resolve, 200));
      await transaction.query(rename('ACM'));
    });
    await held.promise;
    assert.equal(await changeRows(store, activityTable, { name: sql`name` }, { code: ['ACM', 'BIO'] }), 2);
    await other;
  });
});

interface Opened {
  readonly engine: Engine;
  readonly store: Store;
}

/** A database with an activity ACM and settings of its own. */
async function database(
  t: TestContext,
  ...settings: readonly string[]
): Promise<{ readonly reopen: () => Promise<Opened>; readonly url: string }> {
  assert.ok(server);
  const made = await server.create();
  t.after(() => made.remove());
  const first = await made.open();
  const store = await storeOn(first);
  await store.activities.add('ACM', 'Acme');
  const name = String((await first.read(sql`select current_database()`))[0]?.[0]);
  await store.close();
  const administration = new Client(process.env.TEST_DATABASE_URL ?? '');
  await administration.connect();
  for (const setting of settings) await administration.query(`alter database ${name} set ${setting}`);
  await administration.end();
  return {
    url: made.url ?? '',
    reopen: async () => {
      const engine = await made.open();
      const opened = await storeOn(engine);
      t.after(() => opened.close());
      return { engine, store: opened };
    },
  };
}

function toldByCommand(error: unknown): string {
  const stderr = new PassThrough();
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr };
  const environment = {
    ...streams,
    variables: {},
    folder: '/',
    now: Date.now,
    user: 'olga',
    nodeVersion: '24',
    interruption: () => new AbortController().signal,
  };
  assert.equal(reportFailure(error, environment, 'import', false), 1);
  return String(stderr.read());
}
