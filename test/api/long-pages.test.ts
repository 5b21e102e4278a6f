// Lists of records of several megabytes: no answer is long, none is missed, and memory has a bound.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createChecker } from '../../src/model/check.ts';
import { article } from '../../src/resources/index.ts';
import { engines } from '../contract/engines.ts';
import { rounds } from '../contract/rounds.ts';
import { type Answered, type RunningApp, startApp } from '../contract/running-app.ts';

const mebibytes = 1_048_576;
/** Three on a page. */
const count = Math.max(9, rounds(30));
const maxAnswer = (16 + 5.1) * mebibytes;

/** Pages of so many bytes are proven on every engine below HTTP. */
const [engine = assert.fail('there is no engine')] = engines;

describe(`a list of ${count} articles of 5 MiB`, () => {
  let running: RunningApp;
  before(async () => {
    running = await startApp(engine);
    const check = createChecker(article);
    for (let index = 0; index < count; index++) {
      const checked = check(articleOf(index), { activity: 'NOR', activityName: 'North' });
      assert.ok(checked.ok, JSON.stringify(checked));
      await running.app.store.records.write(article, 'NOR', [checked.record]);
    }
  });
  after(() => running.close());

  for (const query of ['limit=100', 'limit=100&sort=articleReference', "limit=100&filter=shortArticleDescription!='X'"])
    it(`is walked by Link: ${query}`, async () => {
      const keys: string[] = [];
      let address: string | null = `/v1/articles?${query}`;
      let pages = 0;
      while (address !== null) {
        const answer: Answered = await running.get(address);
        assert.equal(answer.status, 200, answer.body.slice(0, 500));
        assert.ok(answer.bytes.length <= maxAnswer, `${answer.bytes.length} bytes`);
        keys.push(...answer.list().map(({ articleReference }) => String(articleReference)));
        assert.equal(answer.headers['sync-cursor'] === undefined, query.includes('sort'));
        pages += 1;
        address = nextOf(answer);
      }
      assert.deepEqual(
        keys.toSorted(),
        Array.from({ length: count }, (_none, index) => keyOf(index)),
      );
      assert.equal(pages, count / 3);
    });

  it('answers HEAD and If-None-Match as for any page', async () => {
    const page = await running.get('/v1/articles');
    const head = await running.get('/v1/articles', { method: 'HEAD' });
    assert.equal(head.status, 200);
    for (const name of ['etag', 'link', 'sync-cursor']) assert.equal(head.headers[name], page.headers[name]);
    const same = await running.get('/v1/articles', { headers: { 'if-none-match': page.headers.etag ?? '' } });
    assert.equal(same.status, 304);
  });
});

const longFields = [
  'subpackagingLvCode',
  'lvTypeCode',
  'hdTypeCode',
  'locationSizeCode',
  'storageGroupCode',
  'bulkStorageGroupCode',
  'preparationGroupCode',
  'codeUserCreation',
  'codeUserLastUpdate',
  'lastEvent',
  'specif5',
  'specif6',
  'specif7',
  'specif8',
] as const;

/** 1,000 variants with long texts: what one request may hold. */
function articleOf(index: number): object {
  const long = `${'x'.repeat(205)}${'é'.repeat(50)}`;
  return {
    articleReference: keyOf(index),
    longArticleDescription: 'Long',
    shortArticleDescription: 'Short',
    logisticalVariants: Array.from({ length: 1000 }, (_none, variant) => ({
      logisticalVariantCode: `V${variant}`,
      ...Object.fromEntries(longFields.map((name) => [name, long])),
    })),
  };
}

function keyOf(index: number): string {
  return `LONG-${String(index).padStart(2, '0')}`;
}

function nextOf({ headers }: Answered): string | null {
  const address = /<([^>]*)>; rel="next"/.exec(headers.link ?? '')?.[1];
  if (address === undefined) return null;
  const { pathname, search } = new URL(address);
  return `${pathname}${search}`;
}
