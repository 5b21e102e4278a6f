// The recipe for a copy of the stock, as the reference has it: taken from the page and run against a server.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { importRecords } from '../../src/feeds/import.ts';
import { refusedFile } from '../../src/feeds/refused-file.ts';
import { articleStock } from '../../src/resources/index.ts';
import { engines } from '../contract/engines.ts';
import { type RunningApp, startApp } from '../contract/running-app.ts';
import { streamOf } from '../feeds/fixture.ts';
import { recipeFile, refuseForAMoment } from './recipe-file.ts';

interface Row {
  readonly id: number;
  readonly dateCreation: string;
  readonly articleReference: string;
  readonly totalStockQuantity: number;
}
interface Copy {
  readonly etag: string | null;
  readonly rows: ReadonlyMap<number, Row>;
}
type CopyStock = (
  from: { readonly baseUrl: string; readonly token: string; readonly activity: string },
  copy?: Copy,
) => Promise<Copy>;

const monday = '2026-03-02T04:00:00Z';
const tuesday = '2026-03-03T04:00:00Z';
const folder = mkdtempSync(join(tmpdir(), 'logistics-connect-recipe-'));

/** The block of JavaScript on the page that is for stock. */
async function recipe(): Promise<CopyStock> {
  return (await import(recipeFile('copyStock', folder))).copyStock;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

for (const engine of engines) {
  describe(`a copy of the stock on ${engine.name}`, { skip: engine.skip }, () => {
    let running: RunningApp;
    let copyStock: CopyStock;
    let baseUrl = '';
    before(async () => {
      const port = await freePort();
      baseUrl = `http://127.0.0.1:${port}/v1`;
      running = await startApp(engine, { BASE_URL: baseUrl });
      await running.app.server.listen({ host: '127.0.0.1', port });
      copyStock = await recipe();
    });
    after(async () => {
      await running.close();
      rmSync(folder, { recursive: true, force: true });
    });

    /** Imports an image of so many pieces by article; of an activity without stock in one of the two empty forms. */
    const image = async (
      date: string,
      stock: Readonly<Record<string, number>>,
      { activity = 'NOR', empty = '' }: { readonly activity?: string; readonly empty?: string } = {},
    ): Promise<string | undefined> => {
      const rows = Object.entries(stock).map(([articleReference, totalStockQuantity]) =>
        JSON.stringify({ stockImageExtractionDate: date, articleReference, stockUnitID: 'MAI', totalStockQuantity }),
      );
      const summary = await importRecords({
        store: running.app.store,
        resource: articleStock,
        activity,
        activityName: activity,
        source: streamOf(rows.length === 0 ? empty : rows.join('\n')),
        extractionDate: new Date(date).toISOString(),
        refusedLines: refusedFile(join(folder, 'refused.ndjson')),
      });
      assert.equal(summary.refused, 0);
      return summary.images?.[0]?.outcome;
    };
    const update = (copy?: Copy, activity = 'NOR'): Promise<Copy> =>
      copyStock({ baseUrl, token: running.tokens.both, activity }, copy);
    const quantities = ({ rows }: Copy): Readonly<Record<string, number>> =>
      Object.fromEntries([...rows.values()].map((row) => [row.articleReference, row.totalStockQuantity]));
    const rowOf = ({ rows }: Copy, reference: string): Row | undefined =>
      [...rows.values()].find(({ articleReference }) => articleReference === reference);
    const many = (count: number, each: number): Readonly<Record<string, number>> =>
      Object.fromEntries(Array.from({ length: count }, (_none, index) => [`M${String(index).padStart(4, '0')}`, each]));

    it('follows new images, corrections, images without rows, and begins anew where one is gone', async () => {
      assert.equal((await update()).rows.size, 0);
      await image(monday, { A: 1, B: 2, C: 3 });
      await image(monday, { X: 9 }, { activity: 'SOU' });
      const first = await update();
      assert.deepEqual(quantities(first), { A: 1, B: 2, C: 3 });
      assert.equal(await update(first), first, 'nothing has changed: 304');

      // The same date again: a row that stays, one that is changed, one that goes, one that comes.
      assert.equal(await image(monday, { D: 4, A: 1, B: 20 }), 'changed');
      const corrected = await update(first);
      assert.deepEqual(quantities(corrected), { A: 1, B: 20, D: 4 });
      for (const reference of ['A', 'B']) {
        assert.equal(rowOf(corrected, reference)?.id, rowOf(first, reference)?.id);
        assert.equal(rowOf(corrected, reference)?.dateCreation, rowOf(first, reference)?.dateCreation);
      }
      assert.ok(![...first.rows.keys()].includes(rowOf(corrected, 'D')?.id ?? 0));
      assert.equal(await image(monday, { D: 4, A: 1, B: 20 }), 'unchanged');

      // Another date: another image, with ids of its own.
      await image(tuesday, { A: 1 });
      const next = await update(corrected);
      assert.deepEqual(quantities(next), { A: 1 });
      assert.notEqual(rowOf(next, 'A')?.id, rowOf(corrected, 'A')?.id);

      // A correction of a day that is over changes nothing of the latest stock.
      await image(monday, { A: 7 });
      assert.deepEqual(quantities(await update(next)), { A: 1 });

      // The stock of the same date is gone, and of the next one, in both forms of an empty file.
      assert.equal(await image(tuesday, {}, { empty: '[]' }), 'changed');
      const emptied = await update(next);
      assert.equal(emptied.rows.size, 0);
      assert.equal(await image(tuesday, {}, { empty: '\n' }), 'unchanged');
      await image(tuesday, { A: 5 });
      const filled = await update(emptied);
      assert.deepEqual(quantities(filled), { A: 5 });
      await image('2026-03-04T04:00:00Z', {}, {});
      assert.equal((await update(filled)).rows.size, 0);
      assert.deepEqual(quantities(await update(undefined, 'SOU')), { X: 9 });
    });

    it('goes on with the same page after a refusal for a moment', async (t) => {
      await image('2026-03-04T16:00:00Z', many(250, 3));
      const asked = refuseForAMoment(t);
      assert.deepEqual(quantities(await update()), many(250, 3));
      assert.deepEqual(
        asked.map(({ status }) => status),
        [200, 429, 503, 200, 429, 503, 200],
      );
      assert.equal(new Set(asked.map(({ url }) => url)).size, 3);
    });

    it('begins anew where the image is removed while it is read, and never mixes two', async (t) => {
      await image('2026-03-05T04:00:00Z', many(250, 1));
      const ask = globalThis.fetch;
      const asked: number[] = [];
      t.mock.method(globalThis, 'fetch', async (...given: Parameters<typeof ask>) => {
        // Between the first page and the second, there is another image and the first one is removed.
        if (asked.length === 1) {
          await image('2026-03-06T04:00:00Z', many(120, 2));
          await running.app.store.images.removeOld(articleStock, 'NOR', Date.parse('2026-03-06T00:00:00Z'));
        }
        const answer = await ask(...given);
        asked.push(answer.status);
        return answer;
      });
      const copy = await update();
      assert.deepEqual(asked, [200, 410, 200, 200]);
      assert.deepEqual(quantities(copy), many(120, 2));
    });

    it('is not emptied by a file of which all is refused, nor by rows of another date', async () => {
      const refusing = (text: string): Promise<unknown> =>
        importRecords({
          store: running.app.store,
          resource: articleStock,
          activity: 'NOR',
          activityName: 'NOR',
          source: streamOf(text),
          extractionDate: '2026-03-07T04:00:00.000Z',
          refusedLines: refusedFile(join(folder, 'refused.ndjson')),
        });
      const before = await update();
      assert.partialDeepStrictEqual(await refusing('{"articleReference":7}'), {
        written: false,
        refused: 1,
        images: [],
      });
      await assert.rejects(
        refusing(JSON.stringify({ stockImageExtractionDate: monday, articleReference: 'A' })),
        /stockImageExtractionDate is 2026-03-02T04:00:00.000Z, not 2026-03-07/,
      );
      assert.deepEqual(quantities(await update()), quantities(before));
    });
  });
}
