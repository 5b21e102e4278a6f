// Requests as large as the documented limits allow: 500 articles, lists of 1,000, and 10 MiB, which an article as it is
// published fits in too.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { engines } from '../contract/engines.ts';
import { type Answered, type RunningApp, startApp } from '../contract/running-app.ts';

const mebibytes = 1_048_576;
const item = (articleReference: string, more: object): object => ({
  activityCode: 'NOR',
  articleReference,
  longArticleDescription: 'Long',
  shortArticleDescription: 'Short',
  ...more,
});
const listOf = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_none, index) => make(index));
const barcodes = (count: number, prefix: string): readonly object[] =>
  listOf(count, (index) => ({ code: `${prefix}${index}`, barcodeUnit: 'UVC' }));
const variants = (count: number, each: number): readonly object[] =>
  listOf(count, (index) => ({ logisticalVariantCode: `V${index}`, barcodes: barcodes(each, `V${index}-`) }));

for (const engine of engines) {
  describe(`a large request on ${engine.name}`, { skip: engine.skip }, () => {
    let running: RunningApp;
    before(async () => (running = await startApp(engine)));
    after(() => running.close());
    const send = (items: readonly object[], query = ''): Promise<Answered> => {
      const body = JSON.stringify(items);
      assert.ok(body.length <= 10 * mebibytes, `${body.length} bytes`);
      return running.send(`/v1/articles${query}`, gzipSync(body, { level: 1 }), {
        headers: { 'content-encoding': 'gzip' },
      });
    };

    it('of 500 articles with 200 barcodes each is taken', async () => {
      const answer = await send(listOf(500, (index) => item(`L${index}`, { barcodes: barcodes(200, `${index}-`) })));
      assert.deepEqual(answer.object().errors, {});
      const [found] = (await running.get("/v1/articles?filter=barcodes.code=='77-199'")).list();
      assert.equal(found?.articleReference, 'L77');
    });

    it('of one article with 1,000 barcodes and 1,000 variants of ten each is taken, and can be sent back', async () => {
      const large = item('LARGE', { barcodes: barcodes(1000, 'B'), logisticalVariants: variants(1000, 10) });
      assert.deepEqual((await send([large])).object().errors, {});
      const [read] = (await running.get('/v1/articles?articleReference=LARGE')).list();
      assert.ok(read !== undefined && JSON.stringify(read).length > 2 * mebibytes);
      const again = await send([read]);
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
      const answer = await send([item('TEXTS', { logisticalVariants: each })]);
      assert.deepEqual(answer.object().errors, {});
    });

    it('says what is wrong deep inside of a long article', async () => {
      const wrong = item('WRONG', {
        logisticalVariants: [
          ...variants(999, 10),
          { logisticalVariantCode: 'V', barcodes: [{ code: 'V5-5' }, { code: 7 }] },
        ],
        unknown: 1,
      });
      const { errors } = (await send([wrong])).object();
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

    it('of 500 articles with 1,000 barcodes each is judged, also two at once', async () => {
      const all = listOf(500, (index) =>
        item(`M${index}`, { barcodes: listOf(1000, (code) => ({ code: String(code) })) }),
      );
      const answers = await Promise.all([send(all, '?dryRun=true'), send(all, '?dryRun=true')]);
      for (const answer of answers) assert.equal(Array(answer.object().passed).flat().length, 500);
    });

    // On a server beside other work all 500 take half of the 30 seconds of a write.
    const written = engine.name === 'SQLite' ? 500 : 100;
    it(`of ${written} articles with 1,000 barcodes each is written`, async () => {
      const all = listOf(written, (index) =>
        item(`W${index}`, { barcodes: listOf(1000, (code) => ({ code: `W${code}` })) }),
      );
      const answer = await send(all);
      assert.deepEqual([answer.status, Array(answer.object().passed).flat().length], [200, written]);
      const [read] = (await running.get(`/v1/articles?articleReference=W${written - 1}`)).list();
      assert.equal(Array(read?.barcodes).flat().length, 1000);
    });

    it('of near empty variants that are too long to be written at once is refused as a whole', async () => {
      const empty = listOf(1000, (index) => ({ logisticalVariantCode: String(index) }));
      const answer = await send(listOf(130, (index) => item(`N${index}`, { logisticalVariants: empty })));
      assert.equal(answer.status, 400);
      assert.match(String(answer.object().detail), /134217728\. Send fewer at a time/);
    });

    it('of one article that does not fit in a request as it is published is refused', async () => {
      for (const [count, each] of [
        [1000, 72],
        [1000, 200],
      ] as const) {
        const answer = await send([item('BEYOND', { logisticalVariants: variants(count, each) }), item('SMALL', {})]);
        assert.deepEqual(answer.object().passed, ['NOR/SMALL']);
        const [[reason]] = Object.values(Object(answer.object().errors)) as [
          [{ code: string; pointer: string; detail: string }],
        ];
        assert.deepEqual([reason.code, reason.pointer], ['too-large', '/0']);
        assert.match(reason.detail, /as it is published/i);
      }
    });
  });
}
