// What a batch holds of the records that it replaces: so many bytes at a time, and the same outcome as at once.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createChecker } from '../../src/model/check.ts';
import type { Incoming, IncomingRecord } from '../../src/model/record.ts';
import { createRenderer } from '../../src/model/render.ts';
import { article } from '../../src/resources/index.ts';
import type { Engine, Row, WriteTransaction } from '../../src/store/engine.ts';
import { sql } from '../../src/store/statement.ts';
import type { Store } from '../../src/store/store.ts';
import { writeRecords } from '../../src/store/write-records.ts';
import { type EngineUnderTest, allEngines } from '../contract/engines.ts';
import { storeOfSuite } from '../contract/opened-store.ts';

for (const engine of allEngines) {
  describe(`the bodies that a batch replaces on ${engine.name}`, { skip: engine.skip }, () => replacedTests(engine));
}

const check = createChecker(article);
const render = createRenderer(article);
const maxBytes = 50_000;

function replacedTests(under: EngineUnderTest): void {
  let engine: Engine;
  let store: Store;
  storeOfSuite(under, async (opened) => {
    ({ engine, store } = opened);
    for (const activity of ['ONE', 'TWO']) await store.activities.add(activity, 'Acme');
  });

  const write = (activity: string, given: readonly Incoming[], most: number, on = engine) =>
    writeRecords(on, article, render, activity, given, most);

  it('are read in portions, and the outcome is that of all at once', async () => {
    const old = Array.from({ length: 40 }, (_none, index) => record('ONE', index, 'before', index === 7 ? 900 : 90));
    const bytes = 40 * 90 * 30;
    assert.ok(bytes > 2 * maxBytes);
    // A record that stays, one that is withdrawn, and one that changes and changes back, far apart from one another.
    const next = (activity: string): readonly Incoming[] => [
      record(activity, 0, 'other', 90),
      record(activity, 1, 'before', 90),
      { withdraw: { naturalKey: record(activity, 2, 'any', 0).naturalKey }, line: 3 },
      ...Array.from({ length: 35 }, (_none, index) => record(activity, index + 3, 'after', 1)),
      record(activity, 0, 'before', 90),
      record(activity, 50, 'new', 1),
      record(activity, 50, 'newer', 1),
    ];
    await write('ONE', old, Infinity);
    await write(
      'TWO',
      old.map((_record, index) => record('TWO', index, 'before', index === 7 ? 900 : 90)),
      Infinity,
    );
    const { naturalKey } = record('ONE', 0, 'any', 0);
    const ids = await barcodeIds('ONE', naturalKey);
    const answers: number[] = [];
    const inPortions = await write('ONE', next('ONE'), maxBytes, watching(engine, answers));
    const atOnce = await write('TWO', next('TWO'), Infinity);
    assert.deepEqual(
      inPortions.map(({ outcome }) => outcome),
      atOnce.map(({ outcome }) => outcome),
    );
    assert.deepEqual(await contents('ONE'), await contents('TWO'));
    assert.ok(ids.length >= 90);
    assert.deepEqual(await barcodeIds('ONE', naturalKey), ids);
    const longest = Buffer.byteLength(render(old[7] ?? record('ONE', 7, 'any', 0), assigning, null).body);
    const [most = 0, second = 0] = answers.toSorted((one, other) => other - one);
    assert.ok(
      longest > maxBytes && most < longest + 1000,
      `${most} bytes were read at once; the longest has ${longest}`,
    );
    assert.ok(second <= maxBytes + 1000, `${second} bytes were read at once`);
  });

  /** What is stored of each record, with the same in place of what the service assigned. */
  async function contents(activity: string): Promise<readonly unknown[]> {
    const rows = await engine.read(
      sql`
        select natural_key, content_hash, body, withdrawn_at from article where owner = ${activity}
        order by natural_key
      `,
    );
    return rows.map(([key, hash, body, withdrawn]) => [
      key,
      String(hash).startsWith('withdrawn '),
      String(body)
        .replaceAll(/"[0-9a-f]{8}-[0-9a-f-]{27}"|"\d{4}-\d\d-\d\dT[^"]*"|"id":\d+/g, 'assigned')
        .replaceAll(activity, 'ACM'),
      withdrawn === null,
    ]);
  }

  /** Ids of the barcodes of a record: those that the service once gave are kept. */
  async function barcodeIds(activity: string, key: string): Promise<readonly string[]> {
    const [row] = await engine.read(sql`select body from article where owner = ${activity} and natural_key = ${key}`);
    return [...String(row?.[0]).matchAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g)].map(([id]) => id);
  }
}

const assigning = { number: () => 1, uuid: () => '0'.repeat(36), now: 0 };

/** The engine, with the bytes of each answer that a transaction is given. */
function watching(engine: Engine, answers: number[]): Engine {
  const seen = (rows: readonly Row[]): void => {
    answers.push(rows.flat().reduce<number>((sum, cell) => sum + (typeof cell === 'string' ? cell.length : 0), 0));
  };
  return {
    ...engine,
    write: (work) =>
      engine.write((transaction) => {
        const query: WriteTransaction['query'] = async (statement) => {
          const rows = await transaction.query(statement);
          seen(rows.filter((row): row is Row & typeof row => Array.isArray(row)));
          return rows;
        };
        return work({ ...transaction, query });
      }),
  };
}

function record(activity: string, index: number, text: string, barcodes: number): IncomingRecord {
  const checked = check(
    {
      articleReference: `A${String(index).padStart(2, '0')}`,
      longArticleDescription: text,
      shortArticleDescription: 'Short',
      barcodes: Array.from({ length: barcodes }, (_none, each) => ({ code: `${index}-${each}` })),
    },
    { activity, activityName: 'Acme' },
  );
  if (!checked.ok) throw new Error(JSON.stringify(checked.reasons));
  return checked.record;
}
