// Rows of a stock image go to the engine in short portions, as those of other records do: whoever reads meanwhile waits
// for one portion at most. All of them arrive.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createChecker } from '../../src/model/check.ts';
import type { IncomingRecord } from '../../src/model/record.ts';
import { createRenderer } from '../../src/model/render.ts';
import { articleStock } from '../../src/resources/index.ts';
import { lockCounters } from '../../src/store/counters.ts';
import { addToDraft, openDraft } from '../../src/store/images.ts';
import { sql } from '../../src/store/statement.ts';
import { engines } from '../contract/engines.ts';
import { openedStore } from '../contract/opened-store.ts';
import { run } from '../contract/database.ts';

const at = '2026-01-31T02:00:00.000Z';

for (const engineUnderTest of engines)
  describe(`rows of an image on ${engineUnderTest.name}`, { skip: engineUnderTest.skip }, () => {
    it('go to the engine fifty at a time', async (t) => {
      const { engine } = await openedStore(t, engineUnderTest, ['ACM', 'Acme']);
      const portions: number[] = [];
      await engine.write(async (transaction) => {
        const counters = await lockCounters(transaction, 'ACM');
        const draft = await openDraft(
          transaction,
          { activity: 'ACM', at: Date.parse(at), feedMessage: null },
          counters.now,
        );
        const counted: typeof transaction = {
          ...transaction,
          putRows: (into, rows) => {
            portions.push(rows.length);
            return transaction.putRows(into, rows);
          },
        };
        const parts = { resource: articleStock, render: createRenderer(articleStock) };
        await addToDraft(counted, counters, parts, draft, rowsOfImage(120));
        await addToDraft(counted, counters, parts, draft, []);
        await counters.save();
      });
      assert.deepEqual(portions, [50, 50, 20]);
      const [stored] = await run(engine, sql`select count(*) from article_stock`);
      assert.equal(Number(stored?.[0]), 120);
    });
  });

function rowsOfImage(count: number): readonly IncomingRecord[] {
  const check = createChecker(articleStock);
  return Array.from({ length: count }, (_, index) => {
    const row = { stockImageExtractionDate: at, articleReference: `A${index}`, totalStockQuantity: index };
    const checked = check(row, { activity: 'ACM', activityName: 'Acme' });
    assert.ok(checked.ok);
    return checked.record;
  });
}
