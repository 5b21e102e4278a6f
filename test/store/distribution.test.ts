// A database of many machines, on a stand-in for Citus: each table has its place, what is stored comes along, and what
// a request asks reaches the rows of one activity.
import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { PGlite } from '@electric-sql/pglite';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import { articleStock, articleStockMovement, order, resources } from '../../src/resources/index.ts';
import { allTables, distribute, isDistributed, placementOf } from '../../src/store/distribution.ts';
import type { Engine } from '../../src/store/engine.ts';
import { allCodes } from '../../src/store/activities.ts';
import { auditEntryTable } from '../../src/store/tables/writes.ts';
import { sql } from '../../src/store/statement.ts';
import { installStandIn } from '../contract/citus-stand-in.ts';
import { plain, rowsIn } from '../contract/database.ts';
import { distributedEngine, storeOn } from '../contract/engines.ts';
import { pgliteEngine } from '../contract/pglite-engine.ts';
import { copyPglite } from '../contract/prepared-databases.ts';
import { type RunningApp, startApp } from '../contract/running-app.ts';
import { pdf } from '../documents/samples.ts';

const tables = allTables(resources);

/** A migrated database that could be distributed. */
async function cluster(t: TestContext): Promise<{ readonly pglite: PGlite; readonly engine: Engine }> {
  const pglite = await copyPglite();
  t.after(() => pglite.close());
  const engine = pgliteEngine(pglite);
  await installStandIn(engine);
  return { pglite, engine };
}

describe('tables of a distributed database', () => {
  it('have a place each: what belongs to an activity lies with it', () => {
    const kinds = Object.fromEntries(tables.map((table) => [table.name, placementOf(table).kind]));
    for (const { table } of resources) assert.equal(kinds[table], 'activity');
    assert.deepEqual([kinds.activity, kinds.outbox_entry, kinds.user_account], ['activity', 'activity', 'everywhere']);
    assert.equal(kinds.quota_window, 'coordinator');
  });

  it('cannot be made without one', () => {
    const column = (name: string) => ({ name, type: 'text', nullable: false }) as const;
    assert.throws(
      () => placementOf({ name: 'new', columns: [column('id')], unique: [['id']], indexes: [] }),
      /give it a place/,
    );
    assert.throws(
      () => placementOf({ name: 'new', columns: [column('owner'), column('id')], unique: [['id']], indexes: [] }),
      /unique key without its activity/,
    );
  });

  it('keep what was stored, and tell changes to a machine that a part moves to', async (t) => {
    const { pglite, engine } = await cluster(t);
    const before = await storeOn(engine);
    for (const code of ['NOR', 'SOU']) await before.activities.add(code, `Activity ${code}`);
    await before.audit.append({
      ...{ actorKind: 'command', actor: 'somebody', subject: null, action: 'key.add', activityCodes: ['NOR'] },
      ...{ target: null, operationId: null, outcome: 'accepted', address: null, details: null },
    });
    assert.equal(await isDistributed(engine.read), false);
    const done = await distribute(engine, tables);
    assert.ok(done.byActivity.includes('article') && done.byActivity[0] === 'activity', done.byActivity.join());
    assert.equal(await isDistributed(engine.read), true);
    const store = await storeOn(pgliteEngine(pglite, 'citus'));
    assert.deepEqual(
      (await store.activities.list()).map(({ code, name }) => [code, name]),
      [
        ['NOR', 'Activity NOR'],
        ['SOU', 'Activity SOU'],
      ],
    );
    assert.equal((await rowsIn(store, auditEntryTable)).length, 1);
    // As it was when the table was given to Citus: by a key, or whole rows.
    const identities = await engine.read(
      plain(`select distinct identity from pg_dist_partition where partmethod = 'h' order by identity`),
    );
    assert.deepEqual(identities, [['f'], ['i']]);
  });

  it('are distributed once; what was interrupted is gone on with', async (t) => {
    const { engine } = await cluster(t);
    let left = 7;
    const failing: Engine = {
      ...engine,
      write: (work) => {
        left -= 1;
        return left < 0 ? Promise.reject(new Error('the line is cut')) : engine.write(work);
      },
    };
    await assert.rejects(distribute(failing, tables), /the line is cut/);
    const rest = await distribute(engine, tables);
    const placed = tables.filter((table) => placementOf(table).kind !== 'coordinator');
    assert.equal(rest.byActivity.length + rest.everywhere.length, placed.length - 7);
    assert.deepEqual(await distribute(engine, tables), { byActivity: [], everywhere: [] });
  });

  it('stay as they are where there is no Citus', async (t) => {
    const pglite = await copyPglite();
    t.after(() => pglite.close());
    await assert.rejects(distribute(pgliteEngine(pglite), tables), /not one of Citus/);
  });
});

describe('requests to a distributed database', () => {
  let app: RunningApp;
  let feedKey = '';
  before(async () => {
    app = await startApp(distributedEngine);
    const roles = ['outbox', 'audit', 'feed', 'stock'] as const;
    const key = { name: 'wms', activityCodes: ['NOR', 'SOU'], roles: [...roles] };
    feedKey = (await addPlatformKey(app.app.store, key, Date.now())).text;
  });
  after(() => app.close());
  const both = (): { readonly token: string } => ({ token: app.tokens.both });
  const asWms = (): { readonly token: string } => ({ token: feedKey });

  it('are about activities on different machines', async () => {
    const { engine } = app.app.store;
    assert.deepEqual(await allCodes(engine), ['NOR', 'SOU']);
    const partOf = async (code: string): Promise<unknown> =>
      (await engine.read(sql`select tableoid::regclass::text from activity where code = ${code}`))[0]?.[0];
    assert.notEqual(await partOf('NOR'), await partOf('SOU'));
  });

  it('write articles of several activities, repeat the request, and read the lists', async () => {
    const articles = ['NOR', 'SOU'].flatMap((activityCode) =>
      Array.from({ length: 60 }, (_, n) => ({
        ...{ activityCode, articleReference: `A${n}`, longArticleDescription: `Lamp ${n}` },
        ...{ shortArticleDescription: 'Lamp', barcodes: n === 0 ? [{ code: '952000199997', isPrimary: true }] : [] },
      })),
    );
    const headers = { 'Idempotency-Key': '"twice"' };
    for (let time = 0; time < 2; time += 1) {
      const answer = await app.send('/v1/articles', articles, { ...both(), headers });
      assert.equal(answer.status, 200, answer.body);
    }
    for (const query of [
      'limit=100',
      'limit=10&sort=-articleReference',
      'articleReference=A7',
      'filter=barcodes.code==95200019999*;articleReference!=A1',
      'filter=barcodes.code==952000199997,articleReference==A2',
      'updatedSince=2020-01-01T00:00:00Z',
    ]) {
      const page = await app.get(`/v1/articles?${query}`, both());
      assert.equal(page.status, 200, page.body);
      assert.ok(page.list().length > 0, query);
      const cursor = page.headers['sync-cursor'];
      if (cursor !== undefined) assert.equal((await app.get(`/v1/articles?cursor=${cursor}`, both())).status, 200);
    }
  });

  it('read orders, stock and movements, and attach a document', async () => {
    for (const activity of ['NOR', 'SOU']) {
      await app.load(order, activity, [{ orderUniqueID: `O-${activity}`, orderEntries: [] }]);
      await app.load(articleStockMovement, activity, [
        { articleReference: 'A1', movementDirection: 'I', movedQuantity: 2, movementTimestamp: '2026-01-01T00:00:00Z' },
      ]);
      await app.load(articleStock, activity, [
        { stockImageExtractionDate: '2026-01-01T00:00:00Z', articleReference: 'A1', totalStockQuantity: 2 },
      ]);
      const upload = await app.upload(`/v1/orders/O-${activity}/docs/invoice`, { content: pdf(activity) }, both());
      assert.equal(upload.status, 200, upload.body);
    }
    for (const path of ['orders', 'articles/stock', 'articles/movements', 'articles/A1/movements'])
      assert.equal((await app.get(`/v1/${path}`, both())).list().length, 2, path);
  });

  it('feed, mend, take from the outbox, reconcile, and read the trail', async () => {
    const lines = '{"articleReference":"F1","longArticleDescription":"x","shortArticleDescription":"x"}\n{"a":1}\n';
    for (const activity of ['NOR', 'SOU']) {
      const sent = await app.send(`/platform/feeds/articles?activity=${activity}`, lines, {
        ...asWms(),
        headers: { 'content-type': 'application/x-ndjson' },
      });
      assert.equal(sent.status, 200, sent.body);
    }
    for (const path of ['feeds', 'feeds/messages', 'feeds/messages?state=done', 'feeds/lines', 'audit'])
      assert.equal((await app.get(`/platform/${path}`, asWms())).status, 200, path);
    const outbox = await app.get('/platform/outbox?consumer=wms', asWms());
    assert.equal(outbox.status, 200, outbox.body);
    const entries = outbox.object().entries;
    const [last] = Array.isArray(entries) ? entries.slice(-1) : [];
    const ack = await app.send('/platform/outbox/ack', { consumer: 'wms', position: last?.position }, asWms());
    assert.equal(ack.status, 200, ack.body);
  });
});
