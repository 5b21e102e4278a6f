// Requests as large as the documented limits allow: 500 articles, lists of 1,000, and 10 MiB, however long that is as
// it is published.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { engines, provenWithoutServer } from '../contract/engines.ts';
import { leftToGate, onOtherEngine } from '../contract/rounds.ts';
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
  describe(`a large request on ${engine.name}`, { skip: engine.skip || onOtherEngine() }, () => {
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

    /** Once more where this machine is so busy that the write took longer than it may, and was undone. */
    const taken = async (items: readonly object[]): Promise<Answered> => {
      for (let time = 1; ; time += 1) {
        const answer = await send(items);
        if (answer.status !== 503 || time === 5) return answer;
        assert.match(String(answer.object().detail), /Send fewer records, or shorter ones, at a time/);
      }
    };

    it('of 500 articles with 200 barcodes each is taken', async () => {
      const answer = await taken(listOf(500, (index) => item(`L${index}`, { barcodes: barcodes(200, `${index}-`) })));
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

    it('says what is wrong deep inside of a long article', { skip: provenWithoutServer }, async () => {
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

    it('of 500 articles with 1,000 barcodes each is judged, also two at once', {
      skip: provenWithoutServer,
    }, async () => {
      const all = listOf(500, (index) =>
        item(`M${index}`, { barcodes: listOf(1000, (code) => ({ code: String(code) })) }),
      );
      const answers = await Promise.all([send(all, '?dryRun=true'), send(all, '?dryRun=true')]);
      for (const answer of answers) assert.equal(Array(answer.object().passed).flat().length, 500);
    });

    it('of 500 articles with 1,000 barcodes each is written', { skip: leftToGate }, async () => {
      const all = listOf(500, (index) =>
        item(`W${index}`, { barcodes: listOf(1000, (code) => ({ code: `W${code}` })) }),
      );
      const answer = await taken(all);
      assert.deepEqual([answer.status, Array(answer.object().passed).flat().length], [200, 500]);
      const [read] = (await running.get(`/v1/articles?articleReference=W499`)).list();
      assert.equal(Array(read?.barcodes).flat().length, 1000);
    });

    it('of near empty variants, many times as long as they are published, is written', {
      skip: leftToGate,
    }, async () => {
      const empty = listOf(1000, (index) => ({ logisticalVariantCode: String(index) }));
      const all = listOf(130, (index) => item(`N${index}`, { logisticalVariants: empty }));
      const [first, again] = [await taken(all), await taken(all)];
      assert.deepEqual([first.status, Array(first.object().passed).flat().length], [200, 130]);
      assert.deepEqual(again.object().passed, first.object().passed);
      const page = await running.get(`/v1/articles?filter=${encodeURIComponent("articleReference=='N*'")}`);
      assert.ok(page.body.length < 20 * mebibytes && page.list().length < 130);
    });

    it('of one article longer than a request as it is published is read and replaced', {
      skip: leftToGate,
    }, async () => {
      const long = item('BEYOND', { logisticalVariants: variants(1000, 70) });
      const first = (await taken([long, item('SMALL', {})])).object();
      assert.deepEqual([first.errors, first.passed], [{}, ['NOR/BEYOND', 'NOR/SMALL']]);
      const read = await running.get('/v1/articles?articleReference=BEYOND');
      assert.ok(read.body.length > 11 * mebibytes, String(read.body.length));
      const [{ id, dateCreated, logisticalVariants }] = read.list() as [Record<string, unknown>];
      assert.equal(Array(logisticalVariants).flat().length, 1000);

      assert.deepEqual((await taken([{ ...long, shortArticleDescription: 'Other' }])).object().passed, ['NOR/BEYOND']);
      const [changed] = (await running.get('/v1/articles?articleReference=BEYOND')).list();
      assert.deepEqual(
        { ...changed, dateLastUpdated: null },
        { ...read.list()[0], shortArticleDescription: 'Other', dateLastUpdated: null },
      );

      // The id of the service is compared with what is stored, however long that is.
      assert.deepEqual((await taken([item('BEYOND', { id })])).object().passed, ['NOR/BEYOND']);
      const [short] = (await running.get('/v1/articles?articleReference=BEYOND')).list();
      assert.deepEqual([short?.id, short?.dateCreated, short?.logisticalVariants], [id, dateCreated, []]);
    });
  });
}
