// Statements about many rows on a real PostgreSQL: they look at no more rows than they are about, whatever the server
// knows of the table.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { article, articleStock, order } from '../../src/resources/index.ts';
import { createChecker } from '../../src/model/check.ts';
import type { IncomingRecord } from '../../src/model/record.ts';
import { batchStatements, maxRemovedAtOnce } from '../../src/store/batches.ts';
import type { Engine, Row } from '../../src/store/engine.ts';
import { keysOfRefused } from '../../src/store/feed-refusals.ts';
import { changeKeyed, selectKeyed, updateKeyed } from '../../src/store/keyed-rows.ts';
import { type Sql, type Statement, compile, planAnew, sql } from '../../src/store/statement.ts';
import type { Store } from '../../src/store/store.ts';
import { recordsBy } from '../../src/store/stored-records.ts';
import { removeNested } from '../../src/store/put-rendered.ts';
import { articleRecord } from '../platform/export-fixture.ts';
import { type EngineUnderTest, allEngines, storeOn } from '../contract/engines.ts';
import { plain } from '../contract/database.ts';

const server = allEngines.find(({ name }) => name === 'PostgreSQL server');
const many = 40_000;
const keys = Array.from({ length: maxRemovedAtOnce }, (_, index) => `K${index * 7}`);

/** What the server knows of the tables when the statement comes. */
const knowledge = {
  'of which it knows nothing': async () => undefined,
  'of which it knows how they were when they held another activity only': async (engine: Engine) => {
    await fill(engine, 'AAA', 500);
    await engine.optimize();
  },
  'of which it knows all': async () => undefined,
} as const;

for (const [name, prepare] of Object.entries(knowledge)) {
  describe(`statements about many rows of tables ${name}`, { skip: server?.skip }, () => {
    let database: Awaited<ReturnType<EngineUnderTest['create']>>;
    let engine: Engine;
    let store: Store;
    before(async () => {
      assert.ok(server);
      database = await server.create();
      engine = await database.open();
      store = await storeOn(engine);
      for (const table of tables) await run(engine, `alter table ${table} set (autovacuum_enabled = false)`);
      await store.activities.add('ACM', 'Acme');
      await store.activities.add('AAA', 'Other');
      await prepare(engine);
      await fill(engine, 'ACM', many);
      if (name.endsWith('all')) await engine.optimize();
    });
    after(async () => {
      await store.close();
      await database.remove();
    });

    const looksAtFew = async (statements: readonly Statement[], most: number): Promise<void> => {
      const plan = await engine.write(async (transaction) => {
        let last: readonly Row[] = [];
        for (const statement of statements)
          last = await transaction.query(isSetting(statement) ? statement : explained(statement));
        return last;
      });
      const root: unknown = JSON.parse(String(plan[0]?.[0]))[0].Plan;
      assert.ok(rowsSeen(root) <= most, `${rowsSeen(root)} rows were looked at: ${JSON.stringify(root)}`);
    };

    it('find the records of a batch by their keys', async () => {
      const statement = selectKeyed(recordsBy(article, 'ACM', keys), sql`natural_key, content_hash`);
      assert.equal((await engine.read(statement)).length, keys.length - 1, 'there is no K0');
      await looksAtFew([statement], 8 * keys.length);
    });

    it('note which line said a record of a batch last', async () => {
      const rows = { ...recordsBy(article, 'ACM', keys), and: sql`withdrawn_at is null` };
      const places = { feed_message: keys.map(() => 1), feed_line: keys.map((_, index) => index) };
      await looksAtFew([updateKeyed(rows, places)], 8 * keys.length);
      const noted = sql`select count(*), max(feed_line) from article where owner = ${'ACM'} and feed_message = ${1}`;
      assert.deepEqual(await engine.read(noted), [[keys.length - 1, keys.length - 1]]);
    });

    it('find of which records of a batch refused lines wait', async () => {
      const asked: Sql[] = [];
      const waiting = (resource: string) =>
        engine.write((transaction) =>
          keysOfRefused(
            {
              ...transaction,
              query: (statement) => {
                asked.push(statement);
                return transaction.query(statement);
              },
            },
            { activity: 'ACM', resource },
            keys,
          ),
        );
      const refused = keys.filter((key) => Number(key.slice(1)) % 3 > 0);
      assert.deepEqual(await waiting('articles'), new Set(refused));
      assert.deepEqual(await waiting('orders'), new Set());
      assert.equal(asked.length, 3);
      for (const statement of asked) await looksAtFew([planAnew(sql`${statement}`)], 8 * keys.length);
    });

    it('replace what the lines of a batch say', async () => {
      await looksAtFew([removeNested(order, 'ACM', keys)], 15 * keys.length);
    });

    it('give the entries of a batch their text', async () => {
      const entries = {
        table: 'outbox_entry',
        activity: 'ACM',
        column: 'change_number',
        keys: keys.map((_, index) => index * 3),
        unique: true,
        and: sql`body is null`,
      } as const;
      await looksAtFew([changeKeyed(entries, sql`update outbox_entry set body = '{}'`)], 8 * keys.length);
    });

    it('remove a batch of an image', async () => {
      const some = {
        table: 'article_stock',
        by: 'position',
        where: sql`owner = ${'ACM'} and image_id = ${'one'} and position >= ${9001} and position < ${10_001}`,
      };
      await looksAtFew(batchStatements(some), 8 * maxRemovedAtOnce);
    });

    it('remove a batch of what is old', async () => {
      for (const [table, by] of [
        ['audit_entry', 'at'],
        ['stored_answer', 'expires_at'],
        ['oidc_payload', 'expires_at'],
        ['parcel_tracking', 'fetched_at'],
        ['label_file', 'expires_at'],
      ] as const) {
        const where = sql`${sql.quoted(by)} <= ${many - 10}`;
        await looksAtFew(batchStatements({ table, by, where }), 8 * maxRemovedAtOnce);
      }
      const labels = {
        table: 'shipping_label',
        by: 'created_at',
        where: sql`state = ${'made'} and created_at <= ${many - 10}`,
      };
      await looksAtFew(batchStatements(labels, sql`update shipping_label set state = 'past'`), 8 * maxRemovedAtOnce);
    });
  });
}

function isSetting(statement: Statement): boolean {
  return compile(statement, 'postgres').text.startsWith('set ');
}

function explained(statement: Statement): Statement {
  const explain = sql`explain (analyze, format json) ${statement}`;
  return statement.plannedAnew ? planAnew(explain) : explain;
}

describe('a batch on a connection that has written many before', { skip: server?.skip }, () => {
  it('is not looked up by a plan from when the table was small', async (t) => {
    assert.ok(server);
    const database = await server.create();
    const engine = await database.open();
    const store = await storeOn(engine);
    t.after(async () => {
      await store.close();
      await database.remove();
    });
    for (const table of tables) await run(engine, `alter table ${table} set (autovacuum_enabled = false)`);
    await store.activities.add('ACM', 'Acme');
    await store.records.write(article, 'ACM', [articleRecord('A0')]);
    await engine.optimize();
    for (let time = 1; time < 12; time += 1)
      await store.records.submit(['ACM'], (unit) => unit.write(article, 'ACM', [articleRecord(`A${time}`)], 'op'));
    await fill(engine, 'ACM', many);
    await run(engine, `update activity set last_change = ${2 * many}, last_id = ${2 * many}`);
    const before = await rowsRead(engine, 'article');
    const records: IncomingRecord[] = Array.from({ length: 100 }, (_, index) => articleRecord(`B${index}`));
    for (let time = 0; time < 8; time += 1) {
      const results = await store.records.submit(['ACM'], (unit) =>
        unit.write(
          article,
          'ACM',
          records.map((record) => ({ ...record, contentHash: `${record.contentHash}${time}` })),
          'op',
        ),
      );
      assert.equal(results.length, 100);
    }
    const seen = (await rowsRead(engine, 'article')) - before;
    assert.ok(seen < many / 2, `${seen} rows were read for 8 batches of 100`);
  });
});

describe('a large stock image that comes twice', { skip: server?.skip }, () => {
  it('is recognized, and leaves none of its rows behind', { timeout: 900_000 }, async (t) => {
    assert.ok(server);
    const database = await server.create();
    const engine = await database.open();
    const store = await storeOn(engine);
    t.after(async () => {
      await store.close();
      await database.remove();
    });
    await run(engine, 'alter table article_stock set (autovacuum_enabled = false)');
    await store.activities.add('ACM', 'Acme');
    const check = createChecker(articleStock);
    const rows = 12_000;
    const send = async (day: number): Promise<string> => {
      const at = new Date(Date.UTC(2026, 1, day)).toISOString();
      const draft = await store.images.draft(articleStock, 'ACM', Date.parse(at));
      for (let from = 0; from < rows; from += 1000) {
        await draft.write(
          Array.from({ length: 1000 }, (_, index) => {
            const checked = check(
              { articleReference: `A${from + index}`, stockImageExtractionDate: at, totalStockQuantity: day },
              { activity: 'ACM', activityName: 'Acme' },
            );
            assert.ok(checked.ok);
            return checked.record;
          }),
        );
      }
      return draft.publish();
    };
    assert.deepEqual([await send(1), await send(2)], ['new', 'new']);
    const before = await rowsRead(engine, 'article_stock');
    assert.equal(await send(2), 'unchanged');
    const seen = (await rowsRead(engine, 'article_stock')) - before;
    assert.ok(seen <= 10 * rows, `${seen} rows were read to remove ${rows}`);
    assert.deepEqual(await engine.read(sql`select count(*) from article_stock`), [[2 * rows]]);
    assert.deepEqual(await engine.read(sql`select count(*) from stock_image`), [[2]]);
  });
});

const tables = [
  'article',
  'feed_line',
  'customer_order_nested',
  'outbox_entry',
  'article_stock',
  'audit_entry',
  'stored_answer',
  'oidc_payload',
  'parcel_tracking',
  'label_file',
  'shipping_label',
] as const;

/** Rows of all the tables. Most columns hold nothing: only the keys matter. */
async function fill(engine: Engine, activity: string, count: number): Promise<void> {
  const n = `from generate_series(1, ${count}) as n`;
  await run(
    engine,
    `insert into article (owner, natural_key, change_number, content_hash, body) select '${activity}', 'K' || n, n + ` +
      `20, md5(n::text), repeat('x', 300) ${n}`,
  );
  await run(
    engine,
    'insert into feed_line (owner, message, record, resource, line, state, reasons, natural_key, kind, changed_at) ' +
      `select '${activity}', 1, n, 'articles', n, case when n % 3 > 0 then 'refused' else 'dropped' end, '[]', ` +
      `'K' || n, 'record', 1 ${n}`,
  );
  await run(
    engine,
    `insert into customer_order_nested (owner, natural_key, selector, text_value) select '${activity}', 'K' || (n / ` +
      `3), 'orderEntries.articleReference', 'A' || (n % 50) ${n}`,
  );
  await run(
    engine,
    `insert into outbox_entry (owner, change_number, kind, body, operation_id, created_at) select '${activity}', n + ` +
      `20, 'article', null, 'op', 1 ${n}`,
  );
  await run(
    engine,
    `insert into article_stock (owner, image_id, position, body) select '${activity}', image, n, repeat('x', 300) ` +
      `from generate_series(1, ${count / 2}) as n, (values ('one'), ('two')) as images (image)`,
  );
  await run(
    engine,
    'insert into audit_entry (id, change_number, at, actor_kind, actor, action, activity_codes, outcome) select ' +
      `'${activity}' || n, n + ${activity === 'ACM' ? 1_000_000 : 0}, n, 'command', 'x', 'x', '[]', 'accepted' ${n}`,
  );
  await run(
    engine,
    'insert into stored_answer (scope, key_hash, fingerprint, claim, claimed_until, expires_at) ' +
      `select '${activity}', n, '', '', n, n ${n}`,
  );
  await run(
    engine,
    `insert into oidc_payload (model, id_hash, payload, expires_at) select 'Session', '${activity}' || n, '{}', n ${n}`,
  );
  await run(
    engine,
    'insert into parcel_tracking (account_id, expedition_number, tracking, fetched_at) ' +
      `select '${activity}', n, '{}', n ${n}`,
  );
  await run(
    engine,
    'insert into label_file (token_hash, owner, label_id, media_type, file_name, stored_as, size, expires_at) ' +
      `select '${activity}' || n, '${activity}', n, 'x', 'x', n, 1, n ${n}`,
  );
  await run(
    engine,
    'insert into shipping_label (owner, id, account_id, context, carrier, state, fingerprint, request, ' +
      'operation_id, client_id, created_at) ' +
      `select '${activity}', n, 'x', 'x', 'x', 'made', 'x', '{}', 'x', 'x', n ${n}`,
  );
}

async function run(engine: Engine, text: string): Promise<void> {
  await engine.write((transaction) => transaction.query(planAnew(plain(text))));
}

/** Rows of a table that statements have read so far, by whatever way. */
async function rowsRead(engine: Engine, table: string): Promise<number> {
  await engine.read(sql`select pg_stat_force_next_flush()::text`);
  const rows: readonly Row[] = await engine.read(sql`
    select seq_tup_read + idx_tup_fetch from pg_stat_user_tables where relname = ${table}
  `);
  return Number(rows[0]?.[0]);
}

/** Rows that the nodes of a plan gave or threw away, all together. */
function rowsSeen(node: unknown): number {
  if (typeof node !== 'object' || node === null) return 0;
  if (Array.isArray(node)) return node.reduce((sum: number, each) => sum + rowsSeen(each), 0);
  const numbers = new Map(Object.entries(node));
  const of = (name: string): number => Number(numbers.get(name) ?? 0);
  const own =
    (of('Actual Rows') + of('Rows Removed by Filter') + of('Rows Removed by Index Recheck')) *
    Math.max(1, of('Actual Loops'));
  return own + rowsSeen(numbers.get('Plans'));
}
