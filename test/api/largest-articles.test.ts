// The largest requests that are written, within the 30 seconds that a write may take: nothing may run beside them.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../contract/engines.ts';
import { type RunningApp, startApp } from '../contract/running-app.ts';
import { item, listOf, mebibytes, taken, variants } from './large-requests.ts';

for (const engine of engines) {
  const skip = engine.skip || (!engine.parallel && 'an engine in memory takes longer than a write may');
  describe(`one of the largest requests on ${engine.name}`, { skip }, () => {
    let running: RunningApp;
    before(async () => (running = await startApp(engine)));
    after(() => running.close());

    it('of 500 articles with 1,000 barcodes each is written', async () => {
      const all = listOf(500, (index) =>
        item(`W${index}`, { barcodes: listOf(1000, (code) => ({ code: `W${code}` })) }),
      );
      const answer = await taken(running, all);
      assert.deepEqual([answer.status, Array(answer.object().passed).flat().length], [200, 500]);
      const [read] = (await running.get(`/v1/articles?articleReference=W499`)).list();
      assert.equal(Array(read?.barcodes).flat().length, 1000);
    });

    it('of near empty variants, many times as long as they are published, is written', async () => {
      const empty = listOf(1000, (index) => ({ logisticalVariantCode: String(index) }));
      const all = listOf(130, (index) => item(`N${index}`, { logisticalVariants: empty }));
      const [first, again] = [await taken(running, all), await taken(running, all)];
      assert.deepEqual([first.status, Array(first.object().passed).flat().length], [200, 130]);
      assert.deepEqual(again.object().passed, first.object().passed);
      const page = await running.get(`/v1/articles?filter=${encodeURIComponent("articleReference=='N*'")}`);
      assert.ok(page.body.length < 20 * mebibytes && page.list().length < 130);
    });

    it('of one article longer than a request as it is published is read and replaced', async () => {
      const long = item('BEYOND', { logisticalVariants: variants(1000, 70) });
      const first = (await taken(running, [long, item('SMALL', {})])).object();
      assert.deepEqual([first.errors, first.passed], [{}, ['NOR/BEYOND', 'NOR/SMALL']]);
      const read = await running.get('/v1/articles?articleReference=BEYOND');
      assert.ok(read.body.length > 11 * mebibytes, String(read.body.length));
      const [{ id, dateCreated, logisticalVariants }] = read.list() as [Record<string, unknown>];
      assert.equal(Array(logisticalVariants).flat().length, 1000);

      assert.deepEqual((await taken(running, [{ ...long, shortArticleDescription: 'Other' }])).object().passed, [
        'NOR/BEYOND',
      ]);
      const [changed] = (await running.get('/v1/articles?articleReference=BEYOND')).list();
      assert.deepEqual(
        { ...changed, dateLastUpdated: null },
        { ...read.list()[0], shortArticleDescription: 'Other', dateLastUpdated: null },
      );

      // The id of the service is compared with what is stored, however long that is.
      assert.deepEqual((await taken(running, [item('BEYOND', { id })])).object().passed, ['NOR/BEYOND']);
      const [short] = (await running.get('/v1/articles?articleReference=BEYOND')).list();
      assert.deepEqual([short?.id, short?.dateCreated, short?.logisticalVariants], [id, dateCreated, []]);
    });
  });
}
