// What a request reads of the records that it is going to replace: all of them, or none where they are too long.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createChecker } from '../../src/model/check.ts';
import type { IncomingRecord } from '../../src/model/record.ts';
import { article } from '../../src/resources/index.ts';
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
  let store: Store;
  before(async () => {
    database = await engine.create();
    store = await storeOn(await database.open());
    await store.activities.add('ACM', 'Acme');
    await store.records.write(article, 'ACM', records);
  });
  after(async () => {
    await store.close();
    await database.remove();
  });

  const stored = (names: readonly string[], maxBytes: number): Promise<ReadonlyMap<string, string>> =>
    store.records.submit(['ACM'], (unit) => unit.stored(article, 'ACM', names, maxBytes));

  it('are all read where there is room, long ones too, and by key', async () => {
    const bodies = await stored([...keys, 'none'], 1_000_000);
    assert.deepEqual([...bodies.keys()].toSorted(), keys);
    const lengths = keys.map((key) => Buffer.byteLength(bodies.get(key) ?? ''));
    const all = lengths.reduce((sum, length) => sum + length, 0);
    assert.ok(Math.max(...lengths) > all / 2, String(lengths));
    assert.deepEqual(await stored(keys, all), bodies);
    for (const [key, body] of bodies) assert.ok(key.includes(JSON.parse(body).articleReference));
    await assert.rejects(stored(keys, all - 1), {
      slug: 'validation-failed',
      message: new RegExp(`would replace have ${all} bytes together .* Send fewer at a time\\.$`),
    });
    assert.deepEqual([...(await stored(keys.slice(0, 3), all - 1)).keys()].toSorted(), keys.slice(0, 3));
  });

  it('are none where none is asked for, or none exists', async () => {
    assert.equal((await stored([], 0)).size, 0);
    assert.equal((await stored(['none'], 1)).size, 0);
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
