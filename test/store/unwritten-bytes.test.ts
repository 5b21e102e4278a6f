// What is rendered waits for what is written: a request that becomes hundreds of megabytes is never held whole.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createChecker } from '../../src/model/check.ts';
import { createRenderer } from '../../src/model/render.ts';
import { article } from '../../src/resources/index.ts';
import type { Engine, SqlValue } from '../../src/store/engine.ts';
import { createUnwrittenBytes } from '../../src/store/unwritten-bytes.ts';
import { writeRecords } from '../../src/store/write-records.ts';
import { engines, storeOn } from '../contract/engines.ts';

const mebibytes = 1_048_576;

describe('unwritten bytes', () => {
  it('make who renders wait until there is room, also where a write fails', async () => {
    const unwritten = createUnwrittenBytes(100);
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    unwritten.add(first.promise, 60);
    assert.equal(unwritten.room(), undefined);
    unwritten.add(second.promise, 60);
    let resumed = 0;
    const waits = [unwritten.room(), unwritten.room()].map(async (room) => {
      await room;
      resumed += 1;
    });
    await pause(1);
    assert.equal(resumed, 0);
    second.reject(new Error('the disk is full'));
    await Promise.all(waits);
    assert.equal(unwritten.room(), undefined);
    first.resolve();
  });
});

for (const kind of engines) {
  describe(`a batch of 30 MB on ${kind.name}`, { skip: kind.skip }, () => {
    it('has 20 MiB on the way to a slow engine at most, and is written whole', async (t) => {
      const database = await kind.create();
      const engine = await database.open();
      const store = await storeOn(engine);
      t.after(async () => {
        await store.close();
        await database.remove();
      });
      await store.activities.add('ACM', 'Acme');
      const { slow, most } = slowed(engine);
      const records = Array.from({ length: 30 }, (_none, index) => recordOf(index));
      const results = await writeRecords(slow, article, createRenderer(article), 'ACM', records);
      assert.deepEqual([...new Set(results.map(({ outcome }) => outcome))], ['new']);
      assert.ok(most() > 4 * mebibytes && most() <= 22 * mebibytes, String(most()));
      assert.equal(await store.lists.exists(article, ['ACM'], 'articleReference', 'A29'), true);
    });
  });
}

/** An engine that takes its time for each bulk write, and the most bytes of texts that were on their way to it. */
function slowed(engine: Engine): { readonly slow: Engine; readonly most: () => number } {
  let [underWay, most] = [0, 0];
  const slow: Engine = {
    ...engine,
    write: (work) =>
      engine.write((transaction) =>
        work({
          ...transaction,
          putRows: async (into, rows) => {
            const bytes = rows.reduce((sum, row) => sum + lengthOf(row), 0);
            underWay += bytes;
            most = Math.max(most, underWay);
            await pause(20);
            await transaction.putRows(into, rows);
            underWay -= bytes;
          },
        }),
      ),
  };
  return { slow, most: () => most };
}

function lengthOf(row: readonly SqlValue[]): number {
  return row.reduce((sum: number, cell) => sum + (typeof cell === 'string' ? cell.length : 0), 0);
}

/** An article of some megabyte. */
function recordOf(index: number) {
  const checked = createChecker(article)(
    {
      articleReference: `A${index}`,
      longArticleDescription: 'Long',
      shortArticleDescription: 'Short',
      logisticalVariants: Array.from({ length: 900 }, (_none, code) => ({ logisticalVariantCode: String(code) })),
    },
    { activity: 'ACM', activityName: 'Acme' },
  );
  assert.ok(checked.ok);
  return checked.record;
}
