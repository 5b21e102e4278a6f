// How often each kind of request asks a PostgreSQL server: the costliest part of most of them, which grows unnoticed.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import { article, articleStockMovement, order, procurement } from '../../src/resources/index.ts';
import { engines } from '../contract/engines.ts';
import { type Answered, type RunningApp, startApp, tokenFor } from '../contract/running-app.ts';
import { type CountedServer, startCountedServer } from '../store/counted-server.ts';
import { labels, startShipping, wish } from './shipping/fixture.ts';

const server = engines.find(({ name }) => name === 'PostgreSQL server');
const many = Array.from({ length: 20 }, (_, index) => `T${String(index).padStart(2, '0')}`);

const records = [
  [article, (_: unknown, number: number) => articleRecord(`A${number}`)],
  [
    articleStockMovement,
    (_: unknown, number: number) => ({
      articleReference: 'A1',
      movedQuantity: number,
      movementDirection: 'I',
      movementTimestamp: new Date(1_772_000_000_000 + number * 1000).toISOString(),
    }),
  ],
  [order, (_: unknown, number: number) => ({ orderUniqueID: `O${number}`, customerOrderID: `C${number}` })],
] as const;

function articleRecord(articleReference: string): Record<string, unknown> {
  return { articleReference, longArticleDescription: 'Long', shortArticleDescription: 'Short' };
}

/**
 * Path of a list, and round trips for one activity and for twenty, with ten records each: the revisions, and the pages
 * of as many activities as are likely to fill one. Only what no index serves asks one activity after the other.
 */
const cases = [
  ['/v1/articles/movements', 1, 3],
  ['/v1/articles/movements?filter=movementCode==NONE', 2, 21],
  ['/v1/articles/A1/movements', 1, 4],
  ['/v1/orders?filter=orderUniqueID==O3', 1, 2],
  ['/v1/orders?filter=customerOrderID==NONE', 1, 2],
  ['/v1/orders?sort=customerOrderID', 2, 2],
  ['/v1/orders?sort=customerOrderID&filter=customerOrderID==NONE', 3, 3],
  ['/v1/orders?updatedSince=2026-01-01T00:00:00Z', 3, 5],
] as const;

describe('round trips to a PostgreSQL server', { skip: server === undefined && 'TEST_DATABASE_URL is not set' }, () => {
  let counted: CountedServer;
  let running: RunningApp;
  let token: string;
  let key: string;
  before(async () => {
    assert.ok(server);
    counted = await startCountedServer(server);
    running = await startApp(counted.engine, { PAGE_CACHE_MB: '0' });
    for (const activity of many) await running.app.store.activities.add(activity, `Tenant ${activity}`);
    token = await tokenFor(running.app, many);
    const sender = { name: 'wms', activityCodes: ['NOR'], roles: ['feed'] } as const;
    key = (await addPlatformKey(running.app.store, sender, Date.now())).text;
    for (const activity of ['NOR', ...many])
      for (const [resource, make] of records) await running.load(resource, activity, Array.from({ length: 10 }, make));
  });
  after(async () => {
    await running.close();
    counted.close();
  });

  /**
   * The least of several times, which go on while it is more than the bound: what else the program does meanwhile
   * (jobs, new connections, what is asked once a second) counts too, on a machine that stands still each time.
   */
  const costOf = async (bound: number, ask: () => Promise<Answered>, status = 200): Promise<number> => {
    let least = Number.POSITIVE_INFINITY;
    for (let time = 0; time < 4 || (least > bound && time < 40); time += 1) {
      const before = counted.roundTrips();
      const answer = await ask();
      assert.equal(answer.status, status, answer.body);
      least = Math.min(least, counted.roundTrips() - before);
    }
    return least;
  };
  const assertCost = async (bound: number, ask: () => Promise<Answered>, status = 200): Promise<void> => {
    const cost = await costOf(bound, ask, status);
    assert.ok(cost <= bound, `${cost} round trips, at most ${bound} expected`);
  };
  const get =
    (path: string, options: Parameters<RunningApp['get']>[1] = {}) =>
    () =>
      running.get(path, options);

  const feed = (resource: string, lines: readonly string[]) =>
    running.send(`/platform/feeds/${resource}?activity=NOR`, `${lines.join('\n')}\n`, {
      token: key,
      headers: { 'content-type': 'application/x-ndjson' },
    });

  for (const [path, ofOne, ofMany] of cases)
    it(`${path}: ${ofOne} for one activity, ${ofMany} for twenty`, async () => {
      await assertCost(ofOne, get(path));
      await assertCost(ofMany, get(path, { token }));
    });

  it('a poll without news: 1, however many activities there are', async () => {
    for (const options of [{}, { token }]) {
      const { headers } = await running.get('/v1/orders', options);
      const again = { ...options, headers: { 'if-none-match': headers.etag ?? '' } };
      assert.equal(await costOf(1, get('/v1/orders', again), 304), 1);
    }
  });

  it('a page after a write by another process: read again, with what was written and its tag', async () => {
    const other = await running.beside();
    const path = '/v1/procurements';
    for (let number = 1; number <= 3; number += 1) {
      await running.load(procurement, 'NOR', [{ uniqueProcurementID: `P${number}` }]);
      const [here, there] = [await running.get(path), await other.get(path)];
      assert.equal(there.list().length, number);
      assert.deepEqual([there.body, there.headers.etag], [here.body, here.headers.etag]);
    }
  });

  it('a page of a walk', async () => {
    const first = await running.get('/v1/articles/movements?limit=3');
    const next = /<https:\/\/[^/]+([^>]+)>/.exec(first.headers.link ?? '')?.[1] ?? '';
    assert.equal(await costOf(1, get(next)), 1);
  });

  it('a page of stock: 3, a page of a walk in it 2, and a poll without news 1', async () => {
    const stockImageExtractionDate = '2026-03-01T06:00:00Z';
    const rows = Array.from({ length: 10 }, (_, number) =>
      JSON.stringify({ stockImageExtractionDate, articleReference: `A${number}` }),
    );
    assert.equal((await feed('stock', rows)).status, 200);
    const { headers } = await running.get('/v1/articles/stock?limit=3');
    const next = /<https:\/\/[^/]+([^>]+)>/.exec(headers.link ?? '')?.[1] ?? '';
    await assertCost(3, get('/v1/articles/stock?limit=3'));
    await assertCost(2, get(next));
    const again = { headers: { 'if-none-match': headers.etag ?? '' } };
    assert.equal(await costOf(1, get('/v1/articles/stock?limit=3', again), 304), 1);
  });

  it('a message of a feed with one record: 30', async () => {
    let number = 0;
    await assertCost(30, () => {
      number += 1;
      return feed('articles', [JSON.stringify(articleRecord(`FED-${number}`))]);
    });
  });

  it('an unknown parent: 3, however many activities there are', async () => {
    const path = '/v1/orders/NO-SUCH-ORDER/reports';
    for (const options of [{}, { token }]) await assertCost(3, get(path, options), 404);
  });

  it('articles that a client writes: 9, and 14 under a key', async () => {
    let number = 0;
    const one = (): unknown => {
      number += 1;
      const barcodes = [{ code: `952${number}`, isPrimary: true }];
      return { activityCode: 'NOR', ...articleRecord(`NEW-${number}`), barcodes };
    };
    const send =
      (items: number, headers = {}) =>
      () =>
        running.send('/v1/articles', Array.from({ length: items }, one), {
          headers: { 'content-type': 'application/json', ...headers },
        });
    for (const items of [1, 40]) await assertCost(9, send(items));
    await assertCost(14, () => send(1, { 'idempotency-key': `"key-${number}"` })());
  });

  it('a label of the sandbox: 16', async () => {
    const shipping = await startShipping(counted.engine);
    try {
      await assertCost(16, () => shipping.north.send(labels('bare', 'sandbox'), wish));
    } finally {
      await shipping.close();
    }
  });
});
