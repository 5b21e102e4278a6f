// Steps of the database that rebuild what is there lose nothing of it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listPlatformKeys } from '../../src/auth/platform-keys.ts';
import { listUsers } from '../../src/auth/users.ts';
import { definitions } from '../../src/resources/index.ts';
import { createStore } from '../../src/store/open.ts';
import { migrations } from '../../src/store/migrations/index.ts';
import type { Engine } from '../../src/store/engine.ts';
import { allEngines } from '../contract/engines.ts';

for (const engineUnderTest of allEngines) {
  describe(`migrations on ${engineUnderTest.name}`, { skip: engineUnderTest.skip }, () => {
    it('keep the entries of an outbox that had its own texts, and their order', async (t) => {
      const database = await engineUnderTest.createEmpty();
      t.after(() => database.remove());
      const engine = await database.open();
      await migrateBefore(engine, '0007-outbox-text');
      await engine.write((transaction) =>
        transaction.query({
          text: "insert into outbox_entry values ('ACM', 1, 'article', '{\"a\":1}', 'op', 5), ('ACM', 2, 'document', '{\"b\":2}', 'op', 6)",
          values: [],
        }),
      );
      await engine.write((transaction) =>
        transaction.query({ text: "insert into revision values ('ACM', 'outbox', 2)", values: [] }),
      );
      const store = await createStore(engine, definitions);
      const { entries } = await store.outbox.read(['ACM'], {}, 10);
      assert.deepEqual(
        entries.map(({ changeNumber, kind, body, createdAt }) => [changeNumber, kind, body, createdAt]),
        [
          [1, 'article', '{"a":1}', 5],
          [2, 'document', '{"b":2}', 6],
        ],
      );
      await assert.rejects(
        engine.write((transaction) =>
          transaction.query({
            text: "insert into outbox_entry values ('ACM', 2, 'article', null, 'op', 7)",
            values: [],
          }),
        ),
        /unique/i,
      );
      await store.close();
    });

    it('leave to platform keys what they opened, and to users their sign-ins', async (t) => {
      const database = await engineUnderTest.createEmpty();
      t.after(() => database.remove());
      const engine = await database.open();
      await migrateBefore(engine, '0008-access');
      for (const text of [
        "insert into platform_key (id, name, secret_hash, activity_codes, created_at) values ('k', 'WMS', 'h', null, 1)",
        "insert into user_account (id, login, password_hash, activity_codes, operator, created_at) values ('u', 'mia', 'h', '[]', 1, 1)",
        "insert into outbox_consumer (owner, consumer, delivered, acknowledged, created_at, updated_at) values ('ACM', 'wms', 3, 2, 1, 1)",
      ])
        await engine.write((transaction) => transaction.query({ text, values: [] }));
      const store = await createStore(engine, definitions);
      t.after(() => store.close());
      assert.deepEqual(
        (await listPlatformKeys(store)).map(({ id, roles }) => [id, roles]),
        [['k', ['outbox', 'audit']]],
      );
      assert.equal((await listUsers(store))[0]?.signedOutAt, null);
      assert.deepEqual(
        (await store.outbox.consumers()).map(({ consumer, acknowledged }) => [consumer, acknowledged]),
        [['wms', 2]],
      );
    });
  });
}

/** Brings an empty database to the step before one. */
async function migrateBefore(engine: Engine, last: string): Promise<void> {
  await engine.db.transaction().execute(async (db) => {
    await db.schema
      .createTable('migration')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('applied_at', 'bigint', (column) => column.notNull())
      .execute();
    for (const { name, up } of migrations.slice(
      0,
      migrations.findIndex(({ name }) => name === last),
    )) {
      await db.insertInto('migration').values({ name, applied_at: 0 }).execute();
      await up(db, engine.dialect);
    }
  });
}
