// Slow statements: which are told of, what is said of them, and that values are not.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { article } from '../../src/resources/index.ts';
import { inWork, workOf } from '../../src/model/work.ts';
import { observedEngine, type ObservedEngine } from '../../src/store/observed-engine.ts';
import { rowsAs, sql } from '../../src/store/statement.ts';
import { summaryOf } from '../../src/store/statement-summary.ts';
import type { SlowStatements } from '../../src/store/slow-statements.ts';
import { allEngines, type EngineUnderTest, provenWithoutServer, storeOn } from '../contract/engines.ts';
import { articleRecord } from '../platform/export-fixture.ts';

type Told = Parameters<SlowStatements['tell']>[0];

/** Takes long on its engine, and says so by itself. */
const slowStatement = (dialect: 'sqlite' | 'postgres', value: string) =>
  dialect === 'sqlite'
    ? sql`
        with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 300000)
        select count(*) from numbers where n > 42 and ${value} <> 'other'
      `
    : sql`
        select count(*) from generate_series(1, 300000) as numbers (n), activity
        where n > 42 and n::text <> ${value} and activity.name <> 'O''Hara'
      `;

const countTo300_000 = {
  sqlite: sql`
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 300000)
    select count(*) from numbers
  `,
  postgres: sql`select count(*) from generate_series(1, 300000) as numbers (n)`,
};

for (const under of allEngines) {
  describe(`slow statements on ${under.name}`, { skip: under.skip }, () => statementTests(under));
}

function statementTests(under: EngineUnderTest): void {
  async function open(t: TestContext, overMs: number): Promise<{ engine: ObservedEngine; told: Told[] }> {
    const database = await under.create();
    const engine = observedEngine(await database.open());
    t.after(async () => {
      await engine.close();
      await database.remove();
    });
    const told: Told[] = [];
    engine.tellSlow({ overMs, tell: (slow) => told.push(slow) });
    return { engine, told };
  }

  async function until(told: readonly Told[], count: number): Promise<void> {
    for (let times = 0; told.length < count && times < 1000; times += 1) await pause(10);
    assert.equal(told.length, count);
  }

  it('are told of with their plan and what asked, without any value', async (t) => {
    const { engine, told } = await open(t, 5);
    const secret = 'Camille Moreau, 6 place des Vosges';
    const work = workOf(() => ({ requestId: 'r-1', activities: ['ACM'] }));
    await inWork(work, () => engine.read(slowStatement(engine.dialect, secret)));
    await until(told, 1);
    const [slow] = told;
    assert.ok(slow !== undefined && slow.ms >= 5);
    assert.deepEqual(slow.facts, { requestId: 'r-1', activities: ['ACM'] });
    assert.deepEqual([slow.rows, slow.together, slow.untold], [1, 1, 0]);
    assert.match(slow.text, engine.dialect === 'sqlite' ? /\? <> 'other'/ : /n::text <> \$1/);
    assert.match(String(slow.plan), engine.dialect === 'sqlite' ? /SCAN numbers/ : /Function Scan on generate_series/);
    const shown = JSON.stringify(slow);
    assert.ok(!shown.includes('Camille') && !shown.includes('Vosges'), shown);
    if (engine.dialect === 'postgres') assert.ok(!String(slow.plan).includes("Hara'"), String(slow.plan));
  });

  it('are not told of where they are quick, nor where nobody wants to hear', async (t) => {
    const { engine, told } = await open(t, 60_000);
    await engine.read(slowStatement(engine.dialect, 'x'));
    engine.tellSlow({ overMs: 0, tell: (slow) => told.push(slow) });
    await engine.read(slowStatement(engine.dialect, 'x'));
    engine.tellSlow({ overMs: 0.000_001, tell: (slow) => told.push(slow) });
    await engine.read(sql`select 'the only one'`);
    await until(told, 1);
    assert.match(told[0]?.text ?? '', /the only one/);
  });

  it('are six a minute at most, each text once, and the others are counted', async (t) => {
    const { engine, told } = await open(t, 0.000_001);
    for (let index = 0; index < 10; index += 1) await engine.read(sql`select ${index} + 1`);
    await until(told, 1);
    for (let index = 0; index < 20; index += 1)
      await engine.read(rowsAs(sql`select 1 as ${sql.quoted(`c${index}`)}`, ([cell]) => cell));
    await until(told, 6);
    await pause(50);
    assert.deepEqual(
      told.map(({ untold }) => untold),
      [0, 9, 0, 0, 0, 0],
    );
  });

  it('are the ones that took the time, not those that were sent behind them in a transaction', async (t) => {
    const { engine, told } = await open(t, 0.000_001);
    let elapsedMs = 0;
    await engine.write(async (transaction) => {
      await transaction.query(sql`select 1`);
      const sentAt = performance.now();
      const slow = transaction.query(countTo300_000[engine.dialect]);
      const behind = transaction.query(sql`select 2`);
      await Promise.all([slow, behind]);
      elapsedMs = performance.now() - sentAt;
    });
    await until(told, 3);
    const [slowMs, behindMs] = [/numbers/, /select 2/].map((text) => told.find((each) => text.test(each.text))?.ms);
    assert.ok(slowMs !== undefined && behindMs !== undefined && slowMs > 2);
    // Each is rounded. Were the one behind it counted from when it was sent, they would be twice as much.
    assert.ok(slowMs + behindMs <= elapsedMs + 1, `${slowMs} + ${behindMs} of ${elapsedMs} ms`);
  });

  it('are told of where they fail, with their plan where there is one, and the failure is passed on', async (t) => {
    const { engine, told } = await open(t, 0.000_001);
    await assert.rejects(engine.writeOnce(sql`insert into activity (code) values (${'ACM'})`));
    await until(told, 1);
    assert.equal(told[0]?.rows, null);
    assert.match(String(told[0]?.text), /insert into activity/);
  });

  it('are told of by a store that was opened', async (t) => {
    const database = await under.create();
    const store = await storeOn(await database.open());
    t.after(async () => {
      await store.close();
      await database.remove();
    });
    const told: Told[] = [];
    store.tellSlowStatements({ overMs: 0.000_001, tell: (slow) => told.push(slow) });
    await store.activities.add('ACM', 'Acme');
    await store.records.submit(['ACM'], (unit) => unit.write(article, 'ACM', [articleRecord('SECRET-REF')], 'op'));
    await until(told, 6);
    assert.ok(!JSON.stringify(told).includes('SECRET-REF'));
    assert.ok(told.some(({ plan }) => plan !== null));
    assert.ok(told.every(({ plan }) => plan !== ''));
  });
}

describe('the summary of a statement', { skip: provenWithoutServer }, () => {
  const summaries: readonly (readonly [text: string, summary: string])[] = [
    ['select a, b from "movement" where owner = ?', 'SELECT movement'],
    ['insert into outbox (a) values (?)', 'INSERT outbox'],
    ['update "activity" set last_change = ? where code = ?', 'UPDATE activity'],
    ['delete from quota_window where ends <= $1', 'DELETE quota_window'],
    ['with few as (select 1 from feed_line) select count(*) from few', 'SELECT feed_line'],
    ['select 1', 'SELECT'],
    ['', 'QUERY'],
  ];
  for (const [text, summary] of summaries) it(`${text} → ${summary}`, () => assert.equal(summaryOf(text), summary));
});
