// What a request reads of the records that it is going to replace: a few megabytes at a time, whatever they have.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createChecker } from '../../src/model/check.ts';
import type { IncomingRecord } from '../../src/model/record.ts';
import { article } from '../../src/resources/index.ts';
import type { Engine } from '../../src/store/engine.ts';
import { storedBodies } from '../../src/store/stored-bodies.ts';
import type { Store } from '../../src/store/store.ts';
import { type EngineUnderTest, allEngines, storeOn } from '../contract/engines.ts';

for (const engine of allEngines) {
  describe(`the bodies of records to be replaced on ${engine.name}`, { skip: engine.skip }, () => storedTests(engine));
}

const check = createChecker(article);
/** Barcodes of each article: the last one has most of all bytes. */
const barcodeCounts = [0, 1, 0, 200];
const records = barcodeCounts.map(recordOf);
const keys = records.map(({ naturalKey }) => naturalKey);

function storedTests(engine: EngineUnderTest): void {
  let database: Awaited<ReturnType<EngineUnderTest['create']>>;
  let engineOf: Engine;
  let store: Store;
  before(async () => {
    database = await engine.create();
    engineOf = await database.open();
    store = await storeOn(engineOf);
    await store.activities.add('ACM', 'Acme');
    await store.records.write(article, 'ACM', records);
  });
  after(async () => {
    await store.close();
    await database.remove();
  });

  /** The bodies in portions of so many bytes. */
  const portions = (names: readonly string[], maxBytes: number): Promise<readonly ReadonlyMap<string, string>[]> =>
    engineOf.write((transaction) => Array.fromAsync(storedBodies(transaction, article, 'ACM', names, maxBytes)));

  it('come in portions, the long one by itself', async () => {
    const all = await portions([...keys, 'none'], 1_000_000);
    assert.deepEqual(
      all.map((portion) => [...portion.keys()].toSorted()),
      [keys],
    );
    const bodies = new Map(all.flatMap((portion) => [...portion]));
    const lengths = keys.map((key) => Buffer.byteLength(bodies.get(key) ?? ''));
    assert.ok(Math.max(...lengths) > lengths.reduce((sum, length) => sum + length, 0) / 2, String(lengths));
    for (const [key, body] of bodies) assert.ok(key.includes(JSON.parse(body).articleReference));
    const [first = 0, second = 0, third = 0] = lengths;
    const few = await portions(keys, first + second);
    assert.deepEqual(
      few.map(({ size }) => size),
      [2, 1, 1],
    );
    assert.deepEqual(new Map(few.flatMap((portion) => [...portion])), bodies);
    assert.deepEqual(
      (await portions(keys, first + second + third)).map(({ size }) => size),
      [3, 1],
    );
    assert.deepEqual(
      (await portions(keys.toReversed(), 1)).map(({ size }) => size),
      [1, 1, 1, 1],
    );
  });

  it('are none where none is asked for, or none exists', async () => {
    assert.deepEqual(await portions([], 0), []);
    assert.deepEqual(await portions(['none'], 1), []);
    const exist = await store.records.submit(['ACM'], (unit) => unit.storedKeys(article, 'ACM', [...keys, 'none']));
    assert.deepEqual([...exist].toSorted(), keys);
  });
}

function recordOf(count: number, index: number): IncomingRecord {
  const checked = check(
    {
      articleReference: `A${index}`,
      longArticleDescription: 'Long é',
      shortArticleDescription: 'Short',
      barcodes: Array.from({ length: count }, (_none, each) => ({ code: `${index}-${each}` })),
    },
    { activity: 'ACM', activityName: 'Acme' },
  );
  if (!checked.ok) throw new Error(JSON.stringify(checked.reasons));
  return checked.record;
}
