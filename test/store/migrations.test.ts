// The steps of the database: what they make is what definitions and descriptions say, and who has some of them already
// goes on or is told why not.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { OperatorError } from '../../src/model/operator-error.ts';
import { definitions, resources } from '../../src/resources/index.ts';
import type { Engine } from '../../src/store/engine.ts';
import { type Migration, migrate } from '../../src/store/migrate.ts';
import { migrations } from '../../src/store/migrations/index.ts';
import { createStore } from '../../src/store/open.ts';
import { recordTables } from '../../src/store/record-tables.ts';
import { sql } from '../../src/store/statement.ts';
import { createTable } from '../../src/store/table-creation.ts';
import { insert } from '../../src/store/table-statements.ts';
import { administrationTables } from '../../src/store/tables/index.ts';
import { outboxEntryTable } from '../../src/store/tables/writes.ts';
import { allEngines, type TestDatabase } from '../contract/engines.ts';
import { type Schema, schemaOf } from '../contract/schema.ts';

const names = migrations.map(({ name }) => name);
const thirteen = [
  '0001-records',
  '0002-administration',
  '0003-sign-in',
  '0004-writes',
  '0005-shipping',
  '0006-parcel-numbers',
  '0007-outbox-text',
  '0008-access',
  '0009-quota-windows',
  '0010-job-leases',
  '0011-audit-by-activity',
  '0012-value-order',
  '0013-text-form',
];

for (const engineUnderTest of allEngines) {
  describe(`migrations on ${engineUnderTest.name}`, { skip: engineUnderTest.skip }, () => {
    const opened = async (t: TestContext, database: TestDatabase): Promise<Engine> => {
      const engine = await database.open();
      t.after(async () => {
        await engine.close();
        await database.remove();
      });
      return engine;
    };
    const empty = async (t: TestContext) => opened(t, await engineUnderTest.createEmpty());
    const migrated = async (t: TestContext) => opened(t, await engineUnderTest.create());
    /** As the first version left it. */
    const baselined = async (t: TestContext) => {
      const engine = await empty(t);
      await migrate(engine, migrations.slice(0, 1));
      return engine;
    };

    it('make the tables that definitions and descriptions say, and their indexes', async (t) => {
      const [made, wanted] = [await empty(t), await empty(t)];
      assert.deepEqual(await migrate(made), names);
      assert.deepEqual(await migrate(made), [], 'once');
      await wanted.write(async ({ query }) => {
        const shapes = [...administrationTables, ...resources.flatMap(recordTables)];
        for (const statement of shapes.flatMap(createTable)) await query(statement);
        await query(sql`create table migration (name text primary key, applied_at bigint not null)`);
      });
      const schema = comparable(await schemaOf(made));
      assert.deepEqual(schema, comparable(await schemaOf(wanted)));
      assert.ok(Object.keys(schema).length > 30, 'not two empty ones');
    });

    it('are not done again on a database that the thirteen steps of before made', async (t) => {
      const engine = await baselined(t);
      await noted(engine, thirteen);
      const entry = {
        activity: 'ACM',
        changeNumber: 1,
        kind: 'document',
        body: '{}',
        operationId: 'op',
        createdAt: 5,
      } as const;
      await engine.write(({ query }) => query(insert(outboxEntryTable, entry)));
      const before = await schemaOf(engine);
      assert.deepEqual(await migrate(engine), names.slice(1), 'what came later is');
      assert.deepEqual((await engine.read(sql`select name from migration order by name`)).flat(), names);
      if (names.length === 1) assert.deepEqual(await schemaOf(engine), before);
      const store = await createStore({ ...engine, close: async () => undefined }, definitions);
      assert.deepEqual((await engine.read(sql`select change_number from outbox_entry`)).flat(), [1]);
      await store.close();
    });

    it('refuse a database of before that has only some of the thirteen steps, and leave it alone', async (t) => {
      const engine = await migrated(t);
      for (const some of [thirteen.slice(0, 9), thirteen.slice(1), thirteen.slice(0, 1)]) {
        await noted(engine, some);
        const last = some.at(-1) ?? '';
        await assert.rejects(
          migrate(engine),
          (error) =>
            error instanceof OperatorError && error.message.includes(last) && /0013-text-form/.test(error.remedy ?? ''),
        );
        assert.deepEqual((await engine.read(sql`select name from migration order by name`)).flat(), some);
      }
    });

    it('go on with the steps that came after', async (t) => {
      const later: Migration = {
        name: '9000-later',
        change: {
          tables: [],
          columns: [{ table: 'shipping_label', name: 'colour', type: 'text' }],
          indexes: [{ table: 'shipping_label', fields: ['owner', 'colour'] }],
          droppedIndexes: [],
        },
      };
      for (const [steps, made, missing] of [
        [names, migrated, []],
        [thirteen, baselined, names.slice(1)],
      ] as const) {
        const engine = await made(t);
        await noted(engine, steps);
        assert.deepEqual(await migrate(engine, [...migrations, later]), [...missing, later.name]);
        assert.deepEqual(await migrate(engine, [...migrations, later]), [], 'once');
        assert.deepEqual(await engine.read(sql`select colour from shipping_label`), []);
        await assert.rejects(migrate(engine), /newer than this program: it has the step 9000-later/);
      }
    });

    it('refuse a database that is newer', async (t) => {
      const engine = await migrated(t);
      for (const more of [
        [...names, '9999-tomorrow'],
        [...thirteen, '9999-tomorrow'],
      ]) {
        await noted(engine, more);
        await assert.rejects(migrate(engine), /newer than this program: it has the step 9999-tomorrow/);
      }
    });

    it('are all undone where one of them fails', async (t) => {
      const engine = await empty(t);
      await engine.write(({ query }) => query(sql`create table stock_image (owner integer)`));
      await assert.rejects(migrate(engine));
      assert.deepEqual(Object.keys(await schemaOf(engine)), ['stock_image']);
    });

    it('are done by one of several programs that start at once', { skip: !engineUnderTest.parallel }, async (t) => {
      const database = await engineUnderTest.createEmpty();
      const programs = await Promise.all([1, 2, 3].map(() => database.open()));
      t.after(async () => {
        for (const engine of programs) await engine.close();
        await database.remove();
      });
      const done = await Promise.all(programs.map((engine) => migrate(engine)));
      assert.deepEqual(done.flat(), names);
    });
  });
}

/** Pretends that other steps have been done. */
async function noted(engine: Engine, steps: readonly string[]): Promise<void> {
  await engine.write(async ({ query }) => {
    await query(sql`delete from migration`);
    for (const name of steps) await query(sql`insert into migration (name, applied_at) values (${name}, ${1})`);
  });
}

/**
 * Without the index that is written by hand for one engine, and with columns in any order: those that a later step adds
 * come last.
 */
function comparable(schema: Schema): Schema {
  return Object.fromEntries(
    Object.entries(schema)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([table, { columns, indexes }]) => [
        table,
        {
          columns: columns.map((column) => (table === 'migration' ? column.replace(/ C$/, ' ') : column)).toSorted(),
          indexes: indexes.filter((index) => !/ using gin /i.test(index)),
        },
      ]),
  );
}
