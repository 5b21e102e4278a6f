// What is taken for a GTIN, by every way in: lengths that the operator keeps for numbers of the warehouse are not.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import { json, run, succeed, temporaryFolder } from '../commands/fixture.ts';
import { engines } from '../contract/engines.ts';
import { startApp } from '../contract/running-app.ts';

/** No check digit, with 8 and 12 digits. */
const codes = ['12345678', '123456789011'];
const article = {
  articleReference: 'A1',
  longArticleDescription: 'Long',
  shortArticleDescription: 'Short',
  barcodes: codes.map((code) => ({ code })),
};
const line = `${JSON.stringify(article)}\n`;
const numbersOfTheWarehouse = { GTIN_LENGTHS: '13,14' };

for (const [what, variables, wrong] of [
  ['by default', {}, 2],
  ['but for those of 12 where the operator says so', { GTIN_LENGTHS: '8, 13,14' }, 1],
  ['not where the operator says so', numbersOfTheWarehouse, 0],
] as const) {
  describe(`codes of 8 and 12 digits are checked ${what}`, () => {
    it('in what clients and feeds send', async (t) => {
      const [engine] = engines;
      assert.ok(engine !== undefined);
      const running = await startApp(engine, variables);
      t.after(() => running.close());
      const { errors, passed } = (await running.send('/v1/articles', [{ ...article, activityCode: 'NOR' }])).object();
      const told = Object.values(Object(errors)).flat();
      assert.deepEqual([told.length, passed], [wrong, wrong > 0 ? [] : ['NOR/A1']]);

      const { text: token } = await addPlatformKey(
        running.app.store,
        { name: 'wms', activityCodes: ['NOR'], roles: ['feed'] },
        Date.now(),
      );
      const headers = { 'content-type': 'application/x-ndjson' };
      const sent = (query: string) => running.send(`/platform/feeds/articles${query}`, line, { token, headers });
      const { message } = (await sent('?activity=NOR&feed=a')).object();
      assert.equal(Object(Object(message).counts).warned, wrong > 0 ? 1 : 0);
      assert.equal((await sent('?activity=NOR&feed=b&strict=true')).status, wrong > 0 ? 400 : 200);
    });

    it('in what commands read', async (t) => {
      const place = { folder: temporaryFolder(t), variables };
      await succeed(place, 'activity', 'add', 'ACM', 'Acme');
      writeFileSync(join(place.folder, 'a.ndjson'), line);
      const tried = await json<{ resources: { warned: number }[] }>(place, 'feed', 'try', 'articles', 'a.ndjson');
      assert.equal(tried.resources[0]?.warned, wrong > 0 ? 1 : 0);
      const strict = await run(place, 'import', 'articles', 'a.ndjson', '--activity', 'ACM', '--strict');
      assert.equal(strict.code, wrong > 0 ? 1 : 0);
      const summary = await json<{ warned: number }>(place, 'import', 'articles', 'a.ndjson', '--activity', 'ACM');
      assert.equal(summary.warned, wrong > 0 ? 1 : 0);
    });
  });
}

describe('GTIN_LENGTHS', () => {
  it('takes lengths of a GTIN alone', async (t) => {
    const place = { folder: temporaryFolder(t), variables: { GTIN_LENGTHS: '8,9' } };
    const { code, stderr } = await run(place, 'activity', 'list');
    assert.equal(code, 1);
    assert.match(stderr, /GTIN_LENGTHS must be some of 8, 12, 13, 14, separated by commas, not "9"/);
  });
});
