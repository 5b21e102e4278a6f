// What a snapshot gives at a time: all rows in their order, and never more text than a small process can hold.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { perEngine, rowsAs, sql } from '../../src/store/statement.ts';
import { allEngines } from '../contract/engines.ts';

const long = 300_000;

/** Of each hundred rows, the first fifty are short. */
const texts = rowsAs(
  perEngine({
    sqlite: () => sql`
      with recursive number(n) as (select 0 union all select n + 1 from number where n < 199)
      select n, case when n % 100 < 50 then 'x' else replace(hex(zeroblob(${long})), '00', 'x') end
      from number
    `,
    postgres: () => sql`
      select n, case when n % 100 < 50 then 'x' else repeat('x', ${long}::integer) end from generate_series(0, 199) n
    `,
  }),
  ([n, text]) => ({ n: Number(n), length: String(text).length }),
);

for (const engine of allEngines)
  describe(`a snapshot on ${engine.name}`, { skip: engine.skip }, () => {
    it('reads long rows one by one, and few at once where they follow short ones', async (t) => {
      const database = await engine.createEmpty();
      t.after(() => database.remove());
      const opened = await database.open();
      t.after(() => opened.close());
      const batches: (readonly { readonly n: number; readonly length: number }[])[] = [];
      await opened.snapshot(async ({ stream }) => {
        for await (const rows of stream(texts)) batches.push(rows);
      });
      assert.deepEqual(
        batches.flat().map(({ n }) => n),
        Array.from({ length: 200 }, (_, n) => n),
      );
      const together = batches.map((rows) => rows.filter(({ length }) => length === long).length);
      assert.ok(Math.max(...together) <= 25, `at most ${Math.max(...together)} at once`);
      const several = together.filter((count) => count > 4);
      assert.ok(several.length <= 2, `where long ones begin, and ${several.length} times in all`);
      assert.ok(batches.length < 80, `${batches.length} batches`);
    });
  });
