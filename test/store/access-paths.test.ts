// How the rows of a plan are found: reads that an index serves do not wait among the long ones, look at few rows, and
// give what the others would.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { planList, type ListRequest } from '../../src/model/list.ts';
import type { QueryPair } from '../../src/model/cursor.ts';
import { nextCursor } from '../contract/continuation.ts';
import { articleStockMovement as movement, definitions } from '../../src/resources/index.ts';
import type { Engine, Row, Spending } from '../../src/store/engine.ts';
import { sql, type Statement } from '../../src/store/statement.ts';
import { createStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { type EngineUnderTest, allEngines } from '../contract/engines.ts';
import { plain } from '../contract/database.ts';
import { statementText } from '../contract/statement-text.ts';

const rows = 30_000;
/** Every second record is of one article, every tenth of one instant; others share theirs with nine or none. */
const hotInstant = 5_000_000;
const instantOf = (n: number): number => (n % 10 === 0 ? hotInstant : Math.floor(n / 10) * 1000);
const articleOf = (n: number): string => (n % 2 === 0 ? 'HOT' : `R${n % 1000}`);
const dateTime = (milliseconds: number): string => new Date(milliseconds).toISOString();

interface Asked {
  readonly statement: Statement<unknown>;
  readonly long: boolean;
  readonly spending?: Spending | undefined;
}

interface Case {
  readonly name: string;
  readonly query: readonly QueryPair[];
  readonly fits: (n: number) => boolean;
  readonly long: boolean;
}

const cases: readonly Case[] = [
  {
    name: 'a few values of an indexed field, as a repeated parameter',
    query: [
      ['articleReference', 'HOT'],
      ['articleReference', 'R1'],
      ['articleReference', 'R3'],
    ],
    fits: (n) => ['HOT', 'R1', 'R3'].includes(articleOf(n)),
    long: false,
  },
  {
    name: 'the same as alternatives of a filter',
    query: [['filter', 'articleReference==HOT,articleReference==R1']],
    fits: (n) => ['HOT', 'R1'].includes(articleOf(n)),
    long: false,
  },
  {
    name: 'one instant of a field that only has an index for sorting',
    query: [['movementTimestamp', dateTime(7000)]],
    fits: (n) => instantOf(n) === 7000,
    long: false,
  },
  {
    name: 'a value of an indexed field that few records have, and another condition',
    query: [
      ['articleReference', 'R1'],
      ['movementTimestamp', dateTime(1_100_000)],
    ],
    fits: (n) => articleOf(n) === 'R1' && instantOf(n) === 1_100_000,
    long: false,
  },
  {
    name: 'an instant that many records have',
    query: [['movementTimestamp', dateTime(hotInstant)]],
    fits: (n) => instantOf(n) === hotInstant,
    long: true,
  },
  {
    name: 'values of a field without an index',
    query: [
      ['movementCode', 'A'],
      ['movementCode', 'B'],
    ],
    fits: () => false,
    long: true,
  },
];

for (const engine of allEngines) {
  describe(`access paths on ${engine.name}`, { skip: engine.skip, timeout: 900_000 }, () => accessPaths(engine));
}

function accessPaths(engineUnderTest: EngineUnderTest): void {
  let database: Awaited<ReturnType<EngineUnderTest['create']>>;
  let engine: Engine;
  let store: Store;
  const asked: Asked[] = [];

  before(async () => {
    database = await engineUnderTest.create();
    engine = await database.open();
    store = await createStore(watched(engine, asked), definitions);
    await store.activities.add('ACM', 'Acme');
    await plant(engine);
  });
  after(async () => {
    await store.close();
    await database.remove();
  });

  for (const { name, query, fits, long } of cases) {
    it(`${long ? 'wait for' : 'serve'} ${name}`, async () => {
      const expected = Array.from({ length: rows }, (_none, index) => index + 1).filter(fits);
      asked.length = 0;
      const found = await firstPages(store, query, 3);
      assert.deepEqual(found, expected.slice(0, 300));
      const reads = asked.filter(({ statement }) => statementText(statement).includes('article_stock_movement'));
      assert.ok(reads.length > 0);
      assert.equal(
        reads.some((read) => read.long),
        long,
      );
      if (long) return;
      // PGlite explains in another form; what it is told to do is what the server is told.
      if (engineUnderTest.parallel) for (const { statement } of reads) await looksAtFew(engine, statement);
    });
  }

  it('serves a sort among the records of one value', async () => {
    asked.length = 0;
    const found = await firstPages(
      store,
      [
        ['articleReference', 'R7'],
        ['sort', '-movementTimestamp'],
      ],
      1,
    );
    assert.deepEqual(
      found.map(instantOf),
      found.map(instantOf).toSorted((a, b) => b - a),
    );
    assert.equal(found.length, rows / 1000);
    assert.ok(asked.every(({ long }) => !long));
  });

  it('waits with more values than are asked one by one, where they have many records', async () => {
    asked.length = 0;
    const values = Array.from({ length: 30 }, (_none, index): QueryPair => ['articleReference', `R${2 * index + 1}`]);
    const found = await firstPages(store, [...values, ['articleReference', 'HOT']], 2);
    assert.equal(found.length, 200);
    assert.ok(asked.some(({ long }) => long));
  });

  it('have one time limit for all statements of a page', async () => {
    asked.length = 0;
    await firstPages(store, [['sort', 'movementCode']], 1);
    const spendings = asked.flatMap(({ spending }) => spending ?? []);
    assert.equal(spendings.length, 2, 'records with a value, and those without');
    assert.equal(new Set(spendings).size, 1);
    assert.ok((spendings[0]?.workedMs ?? 0) > 0);
  });
}

function watched(engine: Engine, asked: Asked[]): Engine {
  return {
    ...engine,
    read: (statement) => {
      asked.push({ statement, long: false });
      return engine.read(statement);
    },
    readShort: (statement) => {
      asked.push({ statement, long: false });
      return engine.readShort(statement);
    },
    readLong: (statement, reader) => {
      asked.push({ statement, long: true, spending: reader.spending });
      return engine.readLong(statement, reader);
    },
  };
}

/** The numbers of the records on the first pages. */
async function firstPages(store: Store, query: readonly QueryPair[], pages: number): Promise<readonly number[]> {
  const found: number[] = [];
  let request: ListRequest = {
    resource: movement,
    endpoint: 'test',
    activities: ['ACM'],
    fixed: [],
    query,
    now: Date.now(),
    secret: 'secret',
    history: store.history,
  };
  for (let page = 0; page < pages; page += 1) {
    const planned = planList(request);
    const { bytes, next, more } = await store.lists.page(planned.plan, await store.lists.revision(movement, ['ACM']), {
      client: 'test',
    });
    for (const record of JSON.parse(bytes.toString())) found.push(record.n);
    if (!more) break;
    request = { ...request, query: [['cursor', nextCursor(planned, next)]] };
  }
  return found;
}

/** By a value of an indexed field, or from it to itself. */
const byValue = /^SEARCH [tr] USING (?:COVERING )?INDEX .*\(owner=\? AND "?(\w+)"?(?:=\?|>\? AND "?\1"?<\?)/;

/** Rows that are looked at, on PostgreSQL; on SQLite what the plan says of each table. */
async function looksAtFew(engine: Engine, statement: Statement<unknown>): Promise<void> {
  if (engine.dialect === 'sqlite') {
    const steps = (await engine.read(sql`explain query plan ${statement}`)).map((row) => String(row[3]));
    // What an index found is passed on row by row under the name of the table.
    const passedOn = steps.includes('CO-ROUTINE t') ? 'SCAN t' : '';
    for (const step of steps.filter((each) => /^(?:SCAN|SEARCH) [tr]\b/.test(each) && each !== passedOn))
      assert.match(step, byValue, steps.join('\n'));
    return;
  }
  const plan = await engine.read(sql`explain (analyze, format json) ${statement}`);
  const seen = rowsSeen(JSON.parse(String(plan[0]?.[0]))[0].Plan);
  assert.ok(seen <= 4000, `${seen} of ${rows} rows were looked at: ${statementText(statement)}`);
}

function rowsSeen(node: Readonly<Record<string, unknown>>): number {
  const removed = Number(node['Rows Removed by Filter'] ?? 0) + Number(node['Rows Removed by Index Recheck'] ?? 0);
  const own = node['Relation Name'] === undefined ? 0 : Number(node['Actual Rows']) + removed;
  const below: unknown = node.Plans ?? [];
  assert.ok(Array.isArray(below));
  return own * Number(node['Actual Loops']) + below.reduce((sum: number, child) => sum + rowsSeen(child), 0);
}

/** The columns that matter here, as an import leaves them. */
async function plant(engine: Engine): Promise<void> {
  const run = (text: string): Promise<readonly Row[]> => engine.write((transaction) => transaction.query(plain(text)));
  const hot = `case when n % 2 = 0 then 'HOT' else 'R' || (n % 1000) end`;
  const at = `case when n % 10 = 0 then ${hotInstant} else n / 10 * 1000 end`;
  const numbers = `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${rows})`;
  await run(
    `${numbers} insert into article_stock_movement
     (owner, natural_key, change_number, content_hash, body, "id", "articleReference", "movementTimestamp")
     select 'ACM', 'K' || n, n, '', '{"n":' || n || '}', n, ${hot}, ${at} from numbers`,
  );
  await run(`update activity set last_change = ${rows}, last_id = ${rows} where code = 'ACM'`);
  await run(`insert into revision (owner, resource, last_change) values ('ACM', '${movement.name}', ${rows})`);
  await engine.optimize();
}
