// Described tables: what their statements do on every engine.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Engine } from '../../src/store/engine.ts';
import { sql } from '../../src/store/statement.ts';
import { addColumn, createTable } from '../../src/store/table-creation.ts';
import {
  countRows,
  insert,
  insertMissing,
  remove,
  selectRows,
  update,
  upsert,
  type Where,
} from '../../src/store/table-statements.ts';
import {
  activity,
  boolean,
  instant,
  integer,
  oneOf,
  optional,
  type RowOf,
  table,
  tableShape,
  text,
  texts,
} from '../../src/store/table.ts';
import { engines } from '../contract/engines.ts';

const thingTable = table('thing', {
  columns: {
    activity,
    thingId: text,
    state: oneOf('new', 'old'),
    count: integer,
    isGood: boolean,
    codes: optional(texts),
    endedAt: optional(instant),
  },
  key: ['activity', 'thingId'],
  unique: [['activity', 'count']],
  indexes: [['endedAt']],
});
type Thing = RowOf<typeof thingTable>;

const thing: Thing = {
  activity: 'ACM',
  thingId: `it's "quoted" é 😀`,
  state: 'new',
  count: 2 ** 52,
  isGood: true,
  codes: ['a', 'b"'],
  endedAt: null,
};

for (const engineUnderTest of engines) {
  describe(`described tables on ${engineUnderTest.name}`, { skip: engineUnderTest.skip }, () => {
    let database: Awaited<ReturnType<typeof engineUnderTest.createEmpty>>;
    let engine: Engine;
    const run = (...[statement]: Parameters<Engine['read']>): Promise<readonly unknown[]> =>
      engine.write((transaction) => transaction.query(statement));

    before(async () => {
      database = await engineUnderTest.createEmpty();
      engine = await database.open();
      for (const statement of createTable(tableShape(thingTable))) await run(statement);
    });
    after(async () => {
      await engine.close();
      await database.remove();
    });
    beforeEach(() => run(remove(thingTable, {})));

    it('give back rows as they were written', async () => {
      await run(insert(thingTable, thing));
      const ended: Thing = { ...thing, thingId: '2', count: 0, isGood: false, codes: null, endedAt: 1 };
      await run(insert(thingTable, ended));
      assert.deepEqual(await engine.read(selectRows(thingTable, { count: thing.count })), [thing]);
      assert.deepEqual(await engine.read(selectRows(thingTable, {}, { by: ['count'] })), [ended, thing]);
      const one = { by: ['count'], descending: true, limit: 1 } as const;
      assert.deepEqual(await engine.read(selectRows(thingTable, {}, one)), [thing]);
    });

    it('find rows by values, lists of values, null, and conditions', async () => {
      for (const count of [1, 2, 3]) await run(insert(thingTable, { ...thing, thingId: `t${count}`, count }));
      await run(update(thingTable, { endedAt: 5 }, { count: 3 }));
      const counts = async (where: Where<typeof thingTable.columns>): Promise<number[]> =>
        (await engine.read(selectRows(thingTable, where, { by: ['count'] }))).map(({ count }) => count);
      assert.deepEqual(await counts({ thingId: ['t1', 't3', 't9'], activity: 'ACM' }), [1, 3]);
      assert.deepEqual(await counts({ thingId: [] }), []);
      assert.deepEqual(await counts({ endedAt: null, isGood: true }), [1, 2]);
      assert.deepEqual(await counts({ codes: ['a', 'b"'], state: 'old' }), []);
      assert.deepEqual(await counts(sql`${thingTable.column.endedAt} > ${4}`), [3]);
      assert.deepEqual(await engine.read(countRows(thingTable, { activity: ['ACM'] })), [3]);
    });

    it('replace a row by its key, wholly or in some columns', async () => {
      await run(upsert(thingTable, thing));
      await run(upsert(thingTable, { ...thing, state: 'old', count: 7 }));
      await run(upsert(thingTable, { ...thing, endedAt: 9, count: 8 }, ['endedAt']));
      assert.deepEqual(await engine.read(selectRows(thingTable)), [{ ...thing, state: 'old', count: 7, endedAt: 9 }]);
    });

    it('leave a row alone that is there already, and tell so', async () => {
      assert.equal((await run(insertMissing(thingTable, thing))).length, 1);
      assert.equal((await run(insertMissing(thingTable, { ...thing, state: 'old' }))).length, 0, 'the same key');
      assert.equal((await run(insertMissing(thingTable, { ...thing, thingId: 'x' }))).length, 0, 'the same count');
      assert.deepEqual(await engine.read(selectRows(thingTable)), [thing]);
    });

    it('tell how many rows were changed or removed', async () => {
      for (const count of [1, 2, 3]) await run(insert(thingTable, { ...thing, thingId: `t${count}`, count }));
      const more = { state: 'old', count: sql`${thingTable.column.count} + ${10}` } as const;
      assert.equal((await run(update(thingTable, more, { count: [1, 2, 20] }))).length, 2);
      assert.equal((await run(remove(thingTable, { state: 'old' }))).length, 2);
      assert.equal((await run(remove(thingTable, { state: 'old' }))).length, 0);
    });

    it('gain columns, which rows of before have empty or with their default', async () => {
      await run(insert(thingTable, thing));
      await run(addColumn({ table: 'thing', name: 'note', type: 'text' }));
      await run(addColumn({ table: 'thing', name: 'roles', type: 'text', default: `["it's"]` }));
      assert.deepEqual(await engine.read(sql`select note, roles from thing`), [[null, `["it's"]`]]);
      await assert.rejects(run(sql`update thing set roles = ${null}`), /null/i);
    });

    it('refuse what a column cannot hold, before anything is run', async () => {
      for (const wrong of [
        { count: 1.5 },
        { count: Number.NaN },
        { count: 2 ** 53 },
        { count: '1' },
        { count: null },
        { isGood: 1 },
        { state: 'other' },
        { codes: [1] },
        { endedAt: new Date() },
      ])
        assert.throws(() => insert(thingTable, { ...thing, ...wrong } as Thing), /^Error: thing\.\w+ cannot hold/);
      assert.deepEqual(await engine.read(selectRows(thingTable)), []);
    });

    it('refuse to give out what should not be there', async () => {
      await run(insert(thingTable, thing));
      await run(sql`update thing set state = 'gone'`);
      await assert.rejects(engine.read(selectRows(thingTable)), /thing\.state holds what is not expected there/);
    });
  });
}
