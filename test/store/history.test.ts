// A new history after a restore: every process that opens the database gets its name, and numbers go on where none was
// given out.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { article } from '../../src/resources/index.ts';
import { allEngines, storeOn } from '../contract/engines.ts';
import { articleRecord } from '../platform/export-fixture.ts';
import { addRows, rowIn } from '../contract/database.ts';
import { numberSeriesTable } from '../../src/store/tables/shipping.ts';

for (const engine of allEngines) {
  describe(`the history of changes on ${engine.name}`, { skip: engine.skip }, () => {
    it('is one until a new one begins, and then goes on far beyond what was lost', async (t) => {
      const database = await engine.create(() => 5000);
      const store = await storeOn(await database.open());
      for (const code of ['ACM', 'BLU']) await store.activities.add(code, code);
      await store.records.write(article, 'ACM', [articleRecord('A1')]);
      await addRows(store, numberSeriesTable, [{ carrier: 'sandbox', series: '9520001', lastNumber: 7 }]);
      const beside = await storeOn(await database.open());
      assert.equal(beside.history, store.history);
      await beside.close();
      assert.equal(await store.beginHistory(), 2);
      const reopened = await storeOn(await database.open());
      t.after(async () => {
        await reopened.close();
        await store.close();
        await database.remove();
      });
      assert.notEqual(reopened.history, store.history);
      assert.equal(reopened.epoch, store.epoch);
      await reopened.records.write(article, 'ACM', [articleRecord('A1'), articleRecord('A2')]);
      const revision = await reopened.lists.revision(article, ['ACM', 'BLU']);
      assert.deepEqual({ ...revision }, { ACM: 1_000_000_002, BLU: 0 });
      const page = await reopened.lists.page(
        {
          resource: article,
          activities: ['ACM'],
          where: [],
          sort: [],
          after: null,
          updatedSince: null,
          limit: 9,
          imageAt: null,
          walkStarts: null,
        },
        revision,
        { client: 'test' },
      );
      assert.equal(page.count, 2);
      assert.equal((await rowIn(store, numberSeriesTable)).lastNumber, 100_007);
    });
  });
}
