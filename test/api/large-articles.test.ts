// Requests as large as the documented limits allow: 500 articles, lists of 1,000, and 10 MiB, however long that is as
// it is published.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines, provenWithoutServer } from '../contract/engines.ts';
import { onOtherEngine } from '../contract/rounds.ts';
import { type RunningApp, startApp } from '../contract/running-app.ts';
import { barcodes, item, listOf, mebibytes, send, taken, variants } from './large-requests.ts';

for (const engine of engines) {
  describe(`a large request on ${engine.name}`, { skip: engine.skip || onOtherEngine() }, () => {
    let running: RunningApp;
    before(async () => (running = await startApp(engine)));
    after(() => running.close());

    it('of 500 articles with 200 barcodes each is taken', async () => {
      const answer = await taken(
        running,
        listOf(500, (index) => item(`L${index}`, { barcodes: barcodes(200, `${index}-`) })),
      );
      assert.deepEqual(answer.object().errors, {});
      const [found] = (await running.get("/v1/articles?filter=barcodes.code=='77-199'")).list();
      assert.equal(found?.articleReference, 'L77');
    });

    it('of one article with 1,000 barcodes and 1,000 variants of ten each is taken, and can be sent back', async () => {
      const large = item('LARGE', { barcodes: barcodes(1000, 'B'), logisticalVariants: variants(1000, 10) });
      assert.deepEqual((await send(running, [large])).object().errors, {});
      const [read] = (await running.get('/v1/articles?articleReference=LARGE')).list();
      assert.ok(read !== undefined && JSON.stringify(read).length > 2 * mebibytes);
      const again = await send(running, [read]);
      assert.deepEqual([again.object().errors, again.object().passed], [{}, ['NOR/LARGE']]);
      const [after] = (await running.get('/v1/articles?articleReference=LARGE')).list();
      assert.deepEqual(after, read);
    });

    it('of one article whose texts are longer than a mebibyte is taken', async () => {
      const long = listOf(1000, (index) => ({ logisticalVariantCode: `V${index}`, lvTypeCode: 'é'.repeat(255) }));
      const each = long.map((variant) => ({
        ...variant,
        hdTypeCode: 'x'.repeat(255),
        storageGroupCode: 'y'.repeat(255),
      }));
      const answer = await send(running, [item('TEXTS', { logisticalVariants: each })]);
      assert.deepEqual(answer.object().errors, {});
    });

    it('says what is wrong deep inside of a long article', { skip: provenWithoutServer }, async () => {
      const wrong = item('WRONG', {
        logisticalVariants: [
          ...variants(999, 10),
          { logisticalVariantCode: 'V', barcodes: [{ code: 'V5-5' }, { code: 7 }] },
        ],
        unknown: 1,
      });
      const { errors } = (await send(running, [wrong])).object();
      assert.deepEqual(
        Object.values(Object(errors)).flatMap((reasons) =>
          Array.isArray(reasons) ? reasons.map(({ code, pointer }) => `${code} ${pointer}`) : [],
        ),
        [
          'unknown-property /0/unknown',
          'wrong-type /0/logisticalVariants/999/barcodes/1/code',
          'duplicate /0/logisticalVariants/999/barcodes/0/code',
        ],
      );
    });

    it('of 500 articles with 1,000 barcodes each is judged, also two at once', {
      skip: provenWithoutServer,
    }, async () => {
      const all = listOf(500, (index) =>
        item(`M${index}`, { barcodes: listOf(1000, (code) => ({ code: String(code) })) }),
      );
      const answers = await Promise.all([send(running, all, '?dryRun=true'), send(running, all, '?dryRun=true')]);
      for (const answer of answers) assert.equal(Array(answer.object().passed).flat().length, 500);
    });
  });
}
