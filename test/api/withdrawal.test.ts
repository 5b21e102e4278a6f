// Records that are withdrawn, over the whole HTTP path: the recipe for a copy of a list, writes, paths and ETags.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createChecker } from '../../src/model/check.ts';
import type { Resource } from '../../src/model/resource.ts';
import { withdrawalReader } from '../../src/model/withdrawal.ts';
import { article, articleStockMovement, order } from '../../src/resources/index.ts';
import { engines } from '../contract/engines.ts';
import { type RunningApp, startApp } from '../contract/running-app.ts';
import { recipeFile, refuseForAMoment } from './recipe-file.ts';

interface Copy {
  readonly cursor: string | null;
  readonly records: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
}
type CopyList = (
  from: { readonly baseUrl: string; readonly token: string; readonly path: string },
  copy?: Copy,
) => Promise<Copy>;

const context = { activity: 'NOR', activityName: 'North' };

for (const engine of engines) {
  describe(`withdrawn records on ${engine.name}`, { skip: engine.skip }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'logistics-connect-recipe-'));
    let running: RunningApp;
    let copyList: CopyList;
    let baseUrl = '';
    before(async () => {
      const port = await freePort();
      baseUrl = `http://127.0.0.1:${port}/v1`;
      running = await startApp(engine, { BASE_URL: baseUrl });
      await running.app.server.listen({ host: '127.0.0.1', port });
      copyList = (await import(recipeFile('copyList', folder))).copyList;
    });
    after(async () => {
      await running.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const write = async (resource: Resource, ...records: readonly Readonly<Record<string, unknown>>[]) => {
      const [{ name = '' } = {}] = await running.app.store.activities.named(['NOR']);
      const incoming = records.map((record) => {
        const checked = createChecker(resource)(record, { activity: 'NOR', activityName: name });
        assert.ok(checked.ok, JSON.stringify(checked));
        return checked.record;
      });
      await running.app.store.records.write(resource, 'NOR', incoming);
    };
    const withdraw = async (resource: Resource, ...named: readonly Readonly<Record<string, unknown>>[]) => {
      const items = named.map((key) => {
        const read = withdrawalReader(resource)(key, context);
        assert.ok(read.ok, JSON.stringify(read));
        return read.withdrawal;
      });
      return (await running.app.store.records.write(resource, 'NOR', items)).map(({ outcome }) => outcome);
    };
    const anOrder = (index: number) => ({ orderUniqueID: `W${index}`, deliveryAddressCity: 'Lyon' });

    it('are copied by the recipe to the end of a list, through refusals for a moment, page by page', async (t) => {
      const from = { baseUrl, token: running.tokens.north, path: '/orders' };
      await write(order, ...Array.from({ length: 250 }, (_, index) => anOrder(1000 + index)));
      const undisturbed = await copyList(from);
      const asked = refuseForAMoment(t);
      const copy = await copyList(from);
      assert.deepEqual(copy.records, undisturbed.records);
      assert.deepEqual(
        asked.map(({ status }) => status),
        [200, 429, 503, 200, 429, 503, 200],
      );
      assert.equal(new Set(asked.map(({ url }) => url)).size, 3);
    });

    it('leave a copy of a list that is made by the recipe, whatever is written meanwhile', async () => {
      const from = { baseUrl, token: running.tokens.north, path: '/orders' };
      await write(order, ...Array.from({ length: 150 }, (_, index) => anOrder(index)));
      let copy = await copyList(from);
      const there = copy.records.size;
      await withdraw(order, { orderUniqueID: 'W3' }, { orderUniqueID: 'W149' }, { orderUniqueID: 'W0' });
      await write(order, anOrder(200));
      copy = await copyList(from, copy);
      assert.equal(copy.records.size, there - 2);
      await write(order, anOrder(3));
      copy = await copyList(from, copy);
      const anew = await copyList(from);
      assert.deepEqual(new Map([...copy.records].toSorted()), new Map([...anew.records].toSorted()));
      assert.ok([...anew.records.values()].some(({ orderUniqueID }) => orderUniqueID === 'W3'));
      assert.ok(![...anew.records.values()].some(({ orderUniqueID }) => orderUniqueID === 'W0'));
      for (const resource of [article, articleStockMovement]) {
        const path = resource === article ? '/articles' : '/articles/movements';
        await write(article, item('W-1'));
        await write(articleStockMovement, { id: 77, articleReference: 'W-1', movedQuantity: 1 });
        const before = await copyList({ ...from, path });
        await withdraw(resource, resource === article ? { articleReference: 'W-1' } : { id: 77 });
        const told = await copyList({ ...from, path }, { ...before, records: new Map(before.records) });
        assert.equal(told.records.size, before.records.size - 1, path);
      }
    });

    it('do not exist for who creates them again, and keep their id', async () => {
      await write(article, item('W-2'));
      const [first] = (await running.get('/v1/articles?articleReference=W-2')).list();
      const reject = '/v1/articles?onExisting=reject';
      const again = [{ ...item('W-2'), activityCode: 'NOR' }];
      assert.equal((await running.send(reject, again)).object().status, 422);
      await withdraw(article, { articleReference: 'W-2' });
      assert.deepEqual((await running.get('/v1/articles?articleReference=W-2')).list(), []);
      assert.equal((await running.send(reject, again)).object().status, 200);
      const [second] = (await running.get('/v1/articles?articleReference=W-2')).list();
      assert.deepEqual([second?.id, second?.dateCreated], [first?.id, first?.dateCreated]);
      const { entries } = (await running.get('/platform/outbox?consumer=w')).object();
      assert.ok(JSON.stringify(entries).includes('W-2'));
    });

    it('are no parents, and change the ETag of their list', async () => {
      await write(article, item('W-3'));
      const path = '/v1/articles/W-3/movements';
      assert.equal((await running.get(path)).status, 200);
      const list = await running.get('/v1/articles?limit=1');
      const etag = String(list.headers.etag);
      const conditional = { headers: { 'if-none-match': etag } };
      assert.equal((await running.get('/v1/articles?limit=1', conditional)).status, 304);
      assert.deepEqual(await withdraw(article, { articleReference: 'W-3' }), ['changed']);
      assert.equal((await running.get('/v1/articles?limit=1', conditional)).status, 200);
      assert.equal((await running.get(path)).status, 404);
      assert.deepEqual(await withdraw(article, { articleReference: 'W-3' }), ['unchanged']);
    });

    it('have no empty list any more, neither from the cache nor as unchanged', async () => {
      await write(article, item('W-4'));
      const path = '/v1/articles/W-4/movements';
      const [, , { headers, body }] = [await running.get(path), await running.get(path), await running.get(path)];
      assert.equal(body, '[]');
      const held = { headers: { 'if-none-match': String(headers.etag) } };
      for (let times = 0; times < 2; times += 1) {
        const again = await running.get(path, held);
        assert.deepEqual([again.status, again.headers.etag], [304, headers.etag]);
      }
      const any = { headers: { 'if-none-match': '*' } };
      assert.equal((await running.get(path, any)).status, 304);
      await withdraw(article, { articleReference: 'W-4' });
      for (const options of [{}, held, any]) {
        const { status } = await running.get(path, options);
        assert.equal(status, 404, JSON.stringify(options));
      }
      await write(article, item('W-4'));
      assert.deepEqual([(await running.get(path)).status, (await running.get(path, held)).status], [200, 304]);
      await write(articleStockMovement, { id: 78, articleReference: 'W-4', movedQuantity: 1 });
      const filled = await running.get(path, held);
      assert.deepEqual([filled.status, filled.list().length], [200, 1]);
      const tag = { headers: { 'if-none-match': `"x", ${String(filled.headers.etag)}` } };
      assert.equal((await running.get(path, tag)).status, 304);
    });
  });
}

function item(articleReference: string): Readonly<Record<string, unknown>> {
  return { articleReference, longArticleDescription: 'Lamp', shortArticleDescription: 'Lamp' };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
