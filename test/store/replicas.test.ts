// Lists read from a replica: a real streaming replica that follows, is late, dies, comes back, and becomes a server of
// its own. What a reader is given is what the primary has, whichever server it comes from.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { Client } from 'pg';
import { createChecker } from '../../src/model/check.ts';
import type { ListPlan } from '../../src/model/plan.ts';
import { article, definitions } from '../../src/resources/index.ts';
import { openStore, replicaSources } from '../../src/store/open.ts';
import { createReplicas, type ReplicaState, shapeOf } from '../../src/store/replicas.ts';
import { createRevisions } from '../../src/store/revisions.ts';
import { sql, type Statement } from '../../src/store/statement.ts';
import type { Page, Store } from '../../src/store/store.ts';
import { checkReplicas } from '../../src/commands/doctor/replicas.ts';
import { readConfig } from '../../src/config.ts';
import { type ReplicatedServer, startReplicatedServer } from '../contract/replicated-server.ts';
import { until } from '../contract/until.ts';

const skip = process.env.TEST_DATABASE_URL === undefined ? 'TEST_DATABASE_URL is not set' : false;
const check = createChecker(article);

let server: ReplicatedServer;
let store: Store;

before(async () => {
  if (skip !== false) return;
  server = await startReplicatedServer();
  // The replica has no table yet: it is left out until it has the database's name.
  store = await openStore(
    { dataDir: '', databaseUrl: server.primaryUrl, databaseReplicaUrls: server.replicaUrl },
    definitions,
  );
  await store.activities.add('ACM', 'Acme');
  await store.activities.add('BEL', 'Bell');
  await write('BEL', 3);
});
after(async () => {
  if (skip !== false) return;
  await store.close();
  server.remove();
});

async function write(activity: string, count: number, text = 'Lamp'): Promise<void> {
  const records = Array.from({ length: count }, (_, index) => {
    const checked = check(
      { articleReference: `A${index}`, longArticleDescription: text, shortArticleDescription: text },
      { activity, activityName: activity },
    );
    assert.ok(checked.ok, JSON.stringify(checked));
    return checked.record;
  });
  await store.records.write(article, activity, records);
}

async function read(activities: readonly string[], after: ListPlan['after'] = null, from = store): Promise<Page> {
  const plan = { resource: article, activities, where: [], sort: [], after, updatedSince: null, limit: 100 };
  const revision = await from.lists.revision(article, activities);
  return from.lists.page({ ...plan, imageAt: null, walkStarts: null }, revision, { client: 'test' });
}

function replica(): ReplicaState {
  const [state] = store.replicas?.states() ?? [];
  assert.ok(state !== undefined);
  return state;
}

/** How many of the pages that `work` reads come from the replica, and from the primary. */
async function counted(work: () => Promise<void>): Promise<readonly [number, number]> {
  const counts = (): readonly [number, number] => [replica().pages, store.replicas?.pagesOfPrimary() ?? 0];
  const [replicaBefore, primaryBefore] = counts();
  await work();
  const [replicaAfter, primaryAfter] = counts();
  return [replicaAfter - replicaBefore, primaryAfter - primaryBefore];
}

/** Reads until a page came from the replica. */
async function follows(activity: string): Promise<void> {
  await until(async () => (await counted(async () => void (await read([activity]))))[0] === 1);
}

it('reads pages from a replica that has come as far as the list', { skip }, async () => {
  await follows('BEL');
  const [fromReplica] = await counted(async () => {
    assert.equal((await read(['BEL'])).count, 3);
  });
  assert.equal(fromReplica, 1);
});

it('reads what a late replica lacks from the primary, and what it has from it', { skip }, async () => {
  await follows('BEL');
  await server.pause();
  try {
    const before = (await read(['BEL'])).next;
    await write('ACM', 5);
    assert.deepEqual(
      await counted(async () => {
        assert.equal((await read(['ACM'])).count, 5, 'its own write');
        assert.equal((await read(['ACM', 'BEL'])).count, 8);
        assert.equal((await read(['BEL'])).count, 3);
      }),
      [1, 2],
    );
    // A cursor of the primary stands beyond what the replica has.
    const { next } = await read(['ACM']);
    await write('ACM', 2, 'Desk');
    const news = await read(['ACM'], next);
    assert.deepEqual([news.count, news.bytes.toString().includes('Desk')], [2, true]);
    assert.equal((await read(['BEL'], before)).count, 0);
  } finally {
    await server.resume();
  }
  await follows('ACM');
  assert.equal((await read(['ACM'])).bytes.toString().match(/Desk/g)?.length, 4);
});

it('reads nothing from a replica that lacks what the database became before the start', { skip }, async () => {
  await follows('BEL');
  await server.pause();
  const urls = { databaseUrl: server.primaryUrl, databaseReplicaUrls: server.replicaUrl };
  const changed = (statement: Statement) => store.engine.write(({ query }) => query(statement));
  await changed(sql`insert into text_form (resource, form, owner, key, done) values ('imagined', 1, '', '', 1)`);
  const later = await openStore({ dataDir: '', ...urls }, definitions);
  try {
    await until(async () => later.replicas?.states()[0]?.reason?.includes('tables and fields') === true);
    await server.resume();
    await until(async () => later.replicas?.states()[0]?.isUsed === true);
    // An earlier version does not know what the new fields are.
    await until(async () => !replica().isUsed);
  } finally {
    await later.close();
    await changed(sql`delete from text_form where resource = 'imagined'`);
  }
  await follows('BEL');
});

it('answers without a pause when the replica dies, and reads from it again when it is back', { skip }, async () => {
  await follows('ACM');
  server.killReplica();
  assert.deepEqual(
    await counted(async () => {
      for (let time = 0; time < 5; time += 1) assert.equal((await read(['ACM'])).count, 5);
    }),
    [0, 5],
  );
  assert.equal(replica().isUsed, false);
  server.startReplica();
  await follows('ACM');
  assert.deepEqual([replica().isUsed, replica().reason], [true, null]);
});

it('knows of a replica that is cut off from the primary how old its last write is', { skip }, async () => {
  await follows('ACM');
  await until(() => replica().lagSeconds === 0);
  await server.cutOff();
  try {
    await until(() => Number(replica().lagSeconds) > 0);
    // What it has it has.
    assert.deepEqual(await counted(async () => void (await read(['BEL']))), [1, 0]);
  } finally {
    await server.reconnect();
  }
  await until(() => replica().lagSeconds === 0);
});

it('reads nothing that a replica has lost by a crash from which it recovered itself', { skip }, async () => {
  await follows('ACM');
  const [source] = replicaSources({
    dataDir: '',
    databaseUrl: server.primaryUrl,
    databaseReplicaUrls: server.replicaUrl,
  });
  assert.ok(source !== undefined);
  const epoch = await store.secrets.obtain('epoch', () => assert.fail('the database has a name'));
  // Checked at the beginning alone: what is to be seen happens between two checks.
  const replicas = createReplicas([source], { epoch, shape: await shapeOf(store.engine) }, 3_600_000);
  const servers = async (): Promise<string> => {
    const revision = await store.lists.revision(article, ['ACM']);
    return replicas.read(article, revision, async (engine) => {
      if (engine === null) return 'primary';
      assert.deepEqual(await createRevisions(engine).read(article, ['ACM']), revision);
      return 'replica';
    });
  };
  try {
    await until(async () => (await servers()) === 'replica');
    await server.flushReplica();
    await write('ACM', 1, 'Lost');
    await until(async () => (await servers()) === 'replica');
    await server.crashReplica();
    assert.equal(await servers(), 'primary');
  } finally {
    await replicas.close();
    await server.catchUp();
  }
  await follows('ACM');
});

it('reads from the primary what the login may not read at a replica', { skip }, async () => {
  // As after a version with a new table, for which nobody thought of the login.
  await server.onPrimary('create role reader login');
  await server.onPrimary('grant select on secret, migration, text_form, revision to reader');
  const url = new URL(server.replicaUrl);
  url.username = 'reader';
  const urls = { databaseUrl: server.primaryUrl, databaseReplicaUrls: url.href };
  const limited = await openStore({ dataDir: '', ...urls }, definitions);
  try {
    await until(() => limited.replicas?.states()[0]?.isUsed === true);
    await follows('ACM');
    assert.equal((await read(['ACM'], null, limited)).count, (await read(['ACM'])).count);
    assert.match(limited.replicas?.states()[0]?.reason ?? '', /permission denied/);
  } finally {
    await limited.close();
  }
});

it('reads from the primary without a pause where the replica opens it no connection', { skip }, async () => {
  await server.onPrimary('create role few login connection limit 2');
  await server.onPrimary('grant pg_read_all_data to few');
  const url = Object.assign(new URL(server.replicaUrl), { username: 'few' });
  await follows('BEL');
  await write('BEL', 1);
  await follows('BEL');
  const others = new Client(url.href);
  await others.connect();
  const urls = { databaseUrl: server.primaryUrl, databaseReplicaUrls: url.href };
  const limited = await openStore({ dataDir: '', ...urls }, definitions);
  try {
    // Its checks have the only connection that is left.
    await until(() => limited.replicas?.states()[0]?.isUsed === true);
    await write('ACM', 1, 'News');
    const began = performance.now();
    assert.equal((await read(['ACM'], null, limited)).count, (await read(['ACM'])).count);
    assert.ok(performance.now() - began < 4000, 'nobody waited five seconds for the replica');
    assert.equal(limited.replicas?.pagesOfPrimary(), 1);
  } finally {
    await limited.close();
    await others.end();
  }
});

it('says in doctor how a replica does', { skip }, async () => {
  const config = readConfig({ DATABASE_URL: server.primaryUrl, DATABASE_REPLICA_URLS: server.replicaUrl }, '/tmp');
  const [found] = await checkReplicas(store.engine, config);
  assert.deepEqual([found?.verdict, found?.subject], ['ok', 'replicas']);
  const wrong = readConfig({ DATABASE_URL: server.primaryUrl, DATABASE_REPLICA_URLS: server.primaryUrl }, '/tmp');
  const [primary] = await checkReplicas(store.engine, wrong);
  assert.match(primary?.message ?? '', /is not used: it is no standby/);
});

it('uses no replica that became a server of its own', { skip }, async () => {
  await follows('ACM');
  server.promoteReplica();
  await until(() => Promise.resolve(!replica().isUsed));
  assert.equal(replica().reason, 'it is no standby');
  assert.deepEqual(await counted(async () => void (await read(['ACM']))), [0, 1]);
});
