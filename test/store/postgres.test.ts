// What happens when a PostgreSQL server closes connections that are in use: an error each, and no more than that.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import postgres from 'postgres';
import { Problem } from '../../src/model/problem.ts';
import type { Engine } from '../../src/store/engine.ts';
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
    await administration`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
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
    }));
    await assert.rejects(store.db.transaction().execute(async (db) => {
      await db.insertInto('secret').values({ name: 'lost', value: 'x', created_at: 0 }).execute();
      await closeAll();
      await db.selectFrom('secret').selectAll().execute();
    }));
    await works();
    assert.equal((await store.db.selectFrom('secret').selectAll().where('name', '=', 'lost').execute()).length, 0);
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
