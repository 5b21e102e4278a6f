// Whatever a feed reads, others have their turn meanwhile: also where nothing comes of what it reads.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { mappedReading } from '../../src/feeds/mapping/read-mapped.ts';
import { batchesOf, type Reading } from '../../src/feeds/message-batches.ts';
import { jsonReading } from '../../src/feeds/read-records.ts';
import type { WriteTransaction } from '../../src/store/engine.ts';
import type { RefusedEntry } from '../../src/store/feed-contract.ts';
import { keepRefused } from '../../src/store/feed-refusals.ts';
import { mappingOf } from './mapping/fixture.ts';

const lines = 20_000;

describe('a feed lets others have their turn while it reads', () => {
  it('lines that a mapping leaves out', async () => {
    const found = await turnsWhile(mapped({ skip: [{ rule: 'old', when: { column: 'old', equals: 'y' } }] }, 'y'));
    assert.equal(found.records, 0);
    assert.ok(found.turns >= 10, String(found.turns));
  });

  it('lines of a record that came before', async () => {
    const found = await turnsWhile(mapped({ distinct: { differences: 'warn' } }, 'n'));
    assert.equal(found.records, 1);
    assert.ok(found.turns >= 10, String(found.turns));
  });

  it('blank lines', async () => {
    const found = await turnsWhile(jsonReading(chunks(Buffer.alloc(16 * 1024 * 1024, '\n'))));
    assert.equal(found.records, 0);
    assert.ok(found.turns >= 5, String(found.turns));
  });

  it('what a mapping reads comes in pieces of a quarter of those of JSON', async () => {
    const sizes: number[] = [];
    const reading = mapped({}, 'n');
    let before = 0;
    for await (const _group of reading.groups) {
      if (reading.bytes() > before) sizes.push(reading.bytes() - before);
      before = reading.bytes();
    }
    assert.ok(Math.max(...sizes) <= 4096, String(Math.max(...sizes)));
  });
});

describe('a feed lets others have their turn while it keeps refused lines', () => {
  it('however long they are, and hands over fifty at a time', async () => {
    const sizes: number[] = [];
    const transaction: WriteTransaction = {
      now: async () => 0,
      query: () => assert.fail('nothing is asked'),
      putRows: async (_into, rows) => void sizes.push(rows.length),
    };
    const refused = Array.from({ length: 1020 }, (_none, index): RefusedEntry => {
      const text = randomBytes(6000).toString('base64');
      return { number: index + 1, line: index + 1, element: null, reasons: [], naturalKey: null, kind: 'record', text };
    });
    const message = { activity: 'ACM', id: 1, resource: 'articles', refused: 0 };
    const turns = await turnsDuring(() => keepRefused(transaction, message, refused, 1));
    assert.deepEqual([Math.max(...sizes), sizes.reduce((sum, size) => sum + size, 0)], [50, 1020]);
    assert.ok(turns >= 5, String(turns));
  });
});

/** A CSV file of 20,000 equal lines, in one chunk: nothing is waited for. */
function mapped(rules: object, old: string): Reading {
  const mapping = mappingOf({
    format: { kind: 'csv' },
    resources: { articles: { ...rules, fields: { articleReference: 'sku' } } },
  });
  const [articles] = mapping.resources;
  assert.ok(articles);
  return mappedReading(
    mapping,
    articles,
    chunks(Buffer.from(`sku,old\n${`LAMP-9,${old}\n`.repeat(lines)}`)),
    'a.csv',
    new Map(),
  );
}

async function* chunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** How often others had their turn while a message was read. */
async function turnsWhile(reading: Reading): Promise<{ readonly records: number; readonly turns: number }> {
  let records = 0;
  const turns = await turnsDuring(async () => {
    for await (const batch of batchesOf(reading)) records += batch.records.length;
  });
  return { records, turns };
}

async function turnsDuring(work: () => Promise<void>): Promise<number> {
  let [turns, isOver] = [0, false];
  const others = (): void => {
    if (isOver) return;
    turns += 1;
    setImmediate(others);
  };
  setImmediate(others);
  await work();
  isOver = true;
  return turns;
}
