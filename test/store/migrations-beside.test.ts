// Migrations of a PostgreSQL server in use: others read and write while indexes are built and columns added, whoever
// holds a table is waited for, and what an interrupted run left is made whole.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { Client } from 'pg';
import type { Engine } from '../../src/store/engine.ts';
import { type Migration, migrate } from '../../src/store/migrate.ts';
import { migrations } from '../../src/store/migrations/index.ts';
import type { ShapeChange } from '../../src/store/shape-change.ts';
import { rowsAs, sql } from '../../src/store/statement.ts';
import { allEngines } from '../contract/engines.ts';
import { until } from '../contract/until.ts';

const server = allEngines.find(({ name }) => name === 'PostgreSQL server');
const none: ShapeChange = { tables: [], columns: [], indexes: [], droppedIndexes: [] };
const indexed = { ...none, indexes: [{ table: 'article', fields: ['owner', 'natural_key', 'change_number'] }] };
const index = 'article_by_natural_key_change_number';
const coloured = {
  ...none,
  columns: [{ table: 'article', name: 'colour', type: 'text' as const }],
  indexes: [{ table: 'article', fields: ['owner', 'colour'] }],
};

function programWith(change: ShapeChange, up?: Migration['up']): readonly Migration[] {
  return [...migrations, { name: '9000-later', change, ...(up && { up }) }];
}

/** Whether the server uses the index; null: there is none. */
async function isValid(engine: Engine, name: string): Promise<boolean | null> {
  const found = sql`select indisvalid::int from pg_index where indexrelid = to_regclass(${name})`;
  const [valid = null] = await engine.read(rowsAs(found, ([value]) => Number(value) === 1));
  return valid;
}

describe('migrations beside others', { skip: server?.skip ?? 'there is no server' }, () => {
  /** Two programs and two other users of one database. */
  const opened = async (t: TestContext) => {
    assert.ok(server);
    const database = await server.create();
    const [engine, other] = [await database.open(), await database.open()];
    const users = await Promise.all(
      [1, 2].map(async () => {
        const client = new Client({ connectionString: database.url ?? '' });
        await client.connect();
        await client.query(`set lock_timeout = '5s'`);
        return client;
      }),
    );
    t.after(async () => {
      for (const user of users) await user.end();
      for (const one of [engine, other]) await one.close();
      await database.remove();
    });
    const [holder, user] = users;
    assert.ok(holder && user);
    return { engine, other, holder, user };
  };

  it('build an index while others write, whichever of two programs does it', async (t) => {
    const { engine, other, holder, user } = await opened(t);
    await holder.query('begin');
    await holder.query('delete from article where false');
    const program = programWith(indexed);
    const [first, second] = [migrate(engine, program), migrate(other, program)];
    await until(async () => (await isValid(engine, index)) === false);
    await user.query('delete from article where false');
    await holder.query('commit');
    assert.deepEqual([...(await first), ...(await second)], ['9000-later'], 'once');
    assert.equal(await isValid(engine, index), true);
  });

  it('build an index anew whose building was interrupted', async (t) => {
    const { engine, holder, user } = await opened(t);
    await holder.query('begin');
    await holder.query('delete from article where false');
    await user.query(`set statement_timeout = '500ms'`);
    await assert.rejects(
      user.query(`create index concurrently ${index} on article (owner, natural_key, change_number)`),
      { code: '57014' },
    );
    await holder.query('commit');
    assert.equal(await isValid(engine, index), false, 'left over');
    assert.deepEqual(await migrate(engine, programWith(indexed)), ['9000-later']);
    assert.equal(await isValid(engine, index), true);
  });

  it('wait for whoever reads a table that gains a column, without keeping other readers out', async (t) => {
    const { engine, holder, user } = await opened(t);
    await holder.query('begin');
    await holder.query('select count(*) from article');
    const told: string[] = [];
    const migrated = migrate(engine, programWith(coloured), (sentence) => told.push(sentence));
    await until(async () => told.some((sentence) => /in use/.test(sentence)));
    for (let time = 0; time < 20; time += 1) await user.query('select count(*) from article');
    assert.equal((await isValid(engine, 'article_by_colour')) ?? false, false, 'the column is not there yet');
    await holder.query('commit');
    assert.deepEqual(await migrated, ['9000-later']);
    assert.deepEqual((await user.query('select colour from article')).rows, []);
    assert.equal(await isValid(engine, 'article_by_colour'), true);
  });

  it('go on with what was added before a step failed', async (t) => {
    const { engine } = await opened(t);
    const failing = programWith(coloured, async () => Promise.reject(new Error('no more room')));
    await assert.rejects(migrate(engine, failing), /no more room/);
    assert.equal(await isValid(engine, 'article_by_colour'), true, 'nothing that the program of before sees');
    assert.deepEqual(await migrate(engine), [], 'which goes on');
    assert.deepEqual(await migrate(engine, programWith(coloured)), ['9000-later']);
  });
});
