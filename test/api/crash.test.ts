// Servers that are killed or stand still under load, at any moment: what was acknowledged is there once and in order,
// the same requests again end the rest, by another process soon, and no key ever makes a second parcel.
import assert from 'node:assert/strict';
import { hash, randomInt } from 'node:crypto';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { servingWorkers } from '../workers/worker-server.ts';
import { openDocumentStorage } from '../../src/documents/open.ts';
import { sweepDocuments } from '../../src/documents/sweep.ts';
import { definitions } from '../../src/resources/index.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { provenWithoutServer } from '../contract/engines.ts';
import { newDatabase } from '../contract/new-database.ts';
import { until } from '../contract/until.ts';
import { prepare, startServer, type Prepared, type ServerProcess } from './server-process.ts';
import { filesIn } from './uploads.ts';
import { createLoad, type Acknowledged, type Load } from './write-load.ts';
import { onOtherEngine, rounds } from '../contract/rounds.ts';
import { formBoundary, formOf } from '../contract/form.ts';
import { pdf } from '../documents/samples.ts';
import { startHeldStore, type HeldStore } from './held-store.ts';
import { once } from 'node:events';
import { succeed } from '../commands/fixture.ts';
import { apiKey, shipment, startCarrier, type ScriptedCarrier, wish } from './shipping/fixture.ts';
import { changeRows, removeRows, rowsIn } from '../contract/database.ts';
import { orderDocumentTable, storedAnswerTable } from '../../src/store/tables/writes.ts';

/** How often a server is killed; CRASH_ROUNDS asks for more. */
const kills = Number(process.env.CRASH_ROUNDS ?? rounds(5));
const serverUrl = process.env.TEST_DATABASE_URL;
const timeLimit = { timeout: 900_000 + kills * 60_000 };

describe('a server that is killed while clients write', () => {
  it('loses and repeats nothing', { ...timeLimit, skip: provenWithoutServer }, (t) => survives(t, {}, 1));

  it(
    'loses and repeats nothing beside another one on the same database file',
    {
      ...timeLimit,
      skip: provenWithoutServer,
    },
    (t) => survives(t, {}, 2),
  );

  it(
    'loses and repeats nothing where it is one of three workers of a server, and is replaced',
    {
      ...timeLimit,
      skip: provenWithoutServer || onOtherEngine(1),
    },
    (t) => losesWorkers(t, {}),
  );

  it(
    'loses and repeats nothing where it is one of three workers of a server on PostgreSQL',
    {
      ...timeLimit,
      skip: serverUrl === undefined ? 'TEST_DATABASE_URL is not set' : onOtherEngine(1),
    },
    async (t) => losesWorkers(t, { DATABASE_URL: await newDatabase(t, serverUrl ?? '') }),
  );

  it('loses and repeats nothing beside another one on PostgreSQL', {
    ...timeLimit,
    skip: serverUrl === undefined ? 'TEST_DATABASE_URL is not set' : false,
  }, async (t) => {
    await survives(t, { DATABASE_URL: await newDatabase(t, serverUrl ?? '') }, 2);
  });
});

describe('a database server that cuts its connections while clients write', {
  skip: serverUrl === undefined ? 'TEST_DATABASE_URL is not set' : false,
}, () => {
  it('loses and repeats nothing, and the servers go on', timeLimit, async (t) => {
    const url = await newDatabase(t, serverUrl ?? '');
    const administration = new Client({ connectionString: url, application_name: 'the test' });
    // It is cut too, when the database is removed.
    administration.on('error', () => undefined);
    await administration.connect();
    t.after(() => administration.end());
    await survives(t, { DATABASE_URL: url }, 2, async () => {
      for (let count = 0; count < 5; count += 1) {
        await administration.query(
          'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> ' +
            'pg_backend_pid()',
        );
        await pause(randomInt(300));
      }
    });
  });
});

/** One of the workers is killed each time, any of them, and sometimes all at once. */
async function losesWorkers(t: TestContext, variables: Readonly<Record<string, string>>): Promise<void> {
  const settings = { ...variables, WORKERS: '3', LOG_LEVEL: 'info' };
  await survives(t, settings, 1, async ([server = assert.fail('no server')]) => {
    const { pids } = await servingWorkers(server.child, 3);
    const victims = randomInt(4) === 0 ? pids : [pids[randomInt(pids.length)] ?? 0];
    for (const pid of victims) process.kill(pid, 'SIGKILL');
    const after = await servingWorkers(server.child, 3, victims);
    assert.equal(new Set([...after.pids, ...victims]).size, 3 + victims.length);
  });
}

/** @param cut what happens instead of a server being killed */
async function survives(
  t: TestContext,
  variables: Readonly<Record<string, string>>,
  count: number,
  cut: ((servers: readonly ServerProcess[]) => Promise<void>) | null = null,
): Promise<void> {
  const prepared = await prepare(t, variables);
  const load = createLoad(prepared);
  const servers: ServerProcess[] = [];
  for (let index = 0; index < count; index += 1) servers.push(await startServer(t, prepared));
  let repeated = 0;
  for (let round = 0; round < kills; round += 1) {
    const victim = randomInt(servers.length);
    await whileWriting(load, servers, cut === null ? () => kill(servers[victim]) : () => cut(servers));
    repeated += load.pending.size;
    if (cut === null) servers[victim] = await startServer(t, prepared);
    // Connections that were cut last show when they are used next.
    for (let tries = cut === null ? 1 : 5; load.pending.size > 0; tries -= 1) {
      await withStore(prepared, expireClaims);
      const refused = await load.repeat(servers.map(({ origin }) => origin));
      assert.ok(refused.length === 0 || tries > 1, refused.join('\n'));
    }
  }
  const [{ origin } = assert.fail('no server is left')] = servers;
  await assertWritten(prepared, origin, load);
  for (const { child } of servers) child.signal('SIGTERM');
  for (const { child } of servers) assert.equal((await child.ended).code, 0);
  const orphans = await withStore(prepared, (store) => assertRecorded(store, prepared, load));
  t.diagnostic(
    `${load.acknowledged.length} writes, ${repeated} of them unanswered at first, ${orphans} files without a row`,
  );
}

/** Lets clients write to all servers, does some harm at some moment, and waits until nobody waits for an answer. */
async function whileWriting(load: Load, servers: readonly ServerProcess[], harm: () => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const running = servers.map(({ origin }) => load.run(origin, stop.signal));
  await pause(randomInt(1500));
  await harm();
  stop.abort();
  await Promise.all(running);
}

/** Now and then it is asked to stop, and must end by itself. */
async function kill(server: ServerProcess | undefined): Promise<void> {
  const signal = randomInt(4) === 0 ? 'SIGTERM' : 'SIGKILL';
  server?.child.signal(signal);
  assert.equal((await server?.child.ended)?.code, signal === 'SIGTERM' ? 0 : null);
}

/** As if some seconds had passed: then the claims of whoever was killed end. */
async function expireClaims(store: Store): Promise<void> {
  await changeRows(store, storedAnswerTable, { claimedUntil: 0 }, { answer: null });
}

/**
 * What the interfaces say: every write once, in order, with its content; and the same answer again for the same key.
 */
async function assertWritten({ token, key }: Prepared, origin: string, load: Load): Promise<void> {
  const ask = async (path: string, bearer: string, body?: unknown): Promise<Response> =>
    fetch(origin + path, {
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
  const entries: Entry[] = [];
  for (;;) {
    const page: { entries: readonly Entry[]; position: string } = Object(
      await (await ask('/platform/outbox?consumer=wms', key)).json(),
    );
    if (page.entries.length === 0) break;
    entries.push(...page.entries);
    assert.equal((await ask('/platform/outbox/ack', key, { consumer: 'wms', position: page.position })).status, 200);
  }
  // The order took the first number; every one since is that of an entry.
  assert.deepEqual(
    entries.map(({ position }) => position),
    entries.map((_, index) => `NOR:${index + 2}`),
  );
  const byOperation = Map.groupBy(entries, ({ operationId }) => operationId);
  const documents = new Map(
    entries.flatMap(({ document }) => (document === undefined ? [] : [[document.id, document] as const])),
  );
  assert.equal(documents.size, entries.filter(({ kind }) => kind === 'document').length);
  for (const {
    operation: { references, content },
    operationId,
    passed,
  } of load.acknowledged) {
    const own = byOperation.get(operationId) ?? [];
    byOperation.delete(operationId);
    if (content === null)
      assert.deepEqual(
        [own.map(({ article }) => article?.articleReference), passed],
        [references, references.map((reference) => `NOR/${reference}`)],
      );
    else assert.equal(documents.get(passed[0] ?? '')?.sha256, hash('sha256', content));
  }
  assert.deepEqual([...byOperation.keys()], []);
  const articles = new Set<unknown>();
  for (let next: string | undefined = '/v1/articles'; next !== undefined; ) {
    const page = await ask(next, token);
    for (const { articleReference } of Object(await page.json())) articles.add(articleReference);
    next = /<https:\/\/[^/]+([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
  }
  assert.deepEqual(articles, new Set(load.acknowledged.flatMap(({ operation }) => operation.references)));
  for (const {
    operation: { content },
    passed,
  } of load.acknowledged) {
    if (content !== null && randomInt(10) === 0)
      assert.ok(
        Buffer.from(await (await ask(`/platform/documents/${passed[0]}/content`, key)).arrayBuffer()).equals(content),
      );
  }
  for (const { operation, text } of load.acknowledged)
    if (randomInt(10) === 0)
      assert.deepEqual(await load.send(origin, operation), { status: 200, text, replayed: true });
}

/**
 * What storage says: one entry of the audit trail for each write, and a file for each document. Returns how many files
 * have no row.
 */
async function assertRecorded(store: Store, { place, dataDir }: Prepared, { acknowledged }: Load): Promise<number> {
  const audited = await auditedOperations(store);
  assert.deepEqual(audited.toSorted(), acknowledged.map(({ operationId }: Acknowledged) => operationId).toSorted());
  const settings = {
    dataDir,
    documentsUrl: null,
    awsAccessKeyId: null,
    awsSecretAccessKey: null,
    awsSessionToken: null,
  };
  const storage = await openDocumentStorage(settings, {
    database: store.epoch,
    failed: (error) => {
      throw error;
    },
  });
  const folder = join(place.folder, 'data', 'documents');
  const rows = (await rowsIn(store, orderDocumentTable)).map(({ storedAs: name }) => name).toSorted();
  const files = filesIn(folder);
  assert.deepEqual(
    rows.filter((name) => !files.includes(name)),
    [],
  );
  assert.deepEqual(await sweepDocuments({ storage, known: store.documents.known, now: Date.now() }), {
    files: 0,
    leftovers: 0,
  });
  const swept = await sweepDocuments({ storage, known: store.documents.known, now: Date.now() + 3_700_000 });
  assert.deepEqual(filesIn(folder), rows);
  assert.equal(swept.files, files.length - rows.length);
  return swept.files;
}

async function auditedOperations({ audit }: Store): Promise<readonly string[]> {
  const operations: string[] = [];
  for (let after: string | null = null; ; ) {
    const page: Awaited<ReturnType<typeof audit.read>> = await audit.read({
      activityCodes: null,
      operationId: null,
      action: null,
      actor: null,
      since: null,
      until: null,
      after,
      newestFirst: false,
      limit: 1000,
    });
    if (page.length === 0) return operations;
    // Requests that failed have entries too, without an operation.
    operations.push(
      ...page.flatMap(({ action, operationId }) =>
        operationId !== null && /^(articles|document)\./.test(action) ? [operationId] : [],
      ),
    );
    after = page.at(-1)?.id ?? null;
  }
}

interface Entry {
  readonly position: string;
  readonly kind: string;
  readonly operationId: string;
  readonly article?: { readonly articleReference: string };
  readonly document?: { readonly id: string; readonly sha256: string };
}

async function withStore<T>({ place, dataDir }: Prepared, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({ dataDir, databaseUrl: place.variables?.DATABASE_URL ?? null }, definitions);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** What is left of a claim that nobody renews any more, where the test shortens it. */
const claimLeftMs = 3000;
/** How long somebody has to wait who is told of it, in seconds: one more for rounding. */
const longestWait = claimLeftMs / 1000 + 1;

/** As if most of what a claim lasts had passed since whoever holds it renewed it. */
async function shortenClaim(prepared: Prepared): Promise<void> {
  const changes = { claimedUntil: Date.now() + claimLeftMs };
  await withStore(prepared, (store) => changeRows(store, storedAnswerTable, changes, { answer: null }));
}

/** Waits until whoever holds the claim has renewed it. */
function renewal(prepared: Prepared): Promise<void> {
  return withStore(prepared, async (store) => {
    const ends = async (): Promise<number> =>
      (await rowsIn(store, storedAnswerTable, { answer: null }))[0]?.claimedUntil ?? 0;
    const first = await ends();
    await until(async () => (await ends()) > first);
  });
}

describe('a process that is lost while it works on a request with a key', {
  skip: provenWithoutServer,
  concurrency: true,
  timeout: 900_000,
}, () => {
  it('by being killed: whoever repeats the request as Retry-After says is served within seconds', async (t) => {
    const world = await makeWorld(t);
    const { server, store, send } = world;
    const first = send(server, 'key').catch(() => null);
    await Promise.race([store.arrived, first]);
    // As long as it is renewed, the next one is told to wait a second.
    await renewal(world.prepared);
    assert.deepEqual(await told(send(server, 'key')), [409, 1]);
    server.child.signal('SIGKILL');
    assert.equal(await first, null);
    await shortenClaim(world.prepared);
    store.release();
    const next = await startServer(t, world.prepared);
    const [answer, waited] = await untilDone(() => send(next, 'key'));
    assert.equal(answer.headers.get('idempotency-replayed'), null, 'nothing had been written');
    assert.ok(waited <= longestWait, `${waited} s`);
    const text = await answer.text();
    assert.equal(await (await send(next, 'key')).text(), text);
    assert.equal(await documentsIn(world.prepared, next), 1);
  });

  it('by being stopped: another serves the request, and it writes nothing when it goes on', async (t) => {
    const world = await makeWorld(t);
    const { server, store, send } = world;
    const beside = await startServer(t, world.prepared);
    const first = send(server, 'key');
    await Promise.race([store.arrived, first]);
    server.child.signal('SIGSTOP');
    await shortenClaim(world.prepared);
    store.release();
    const [answer, waited] = await untilDone(() => send(beside, 'key'));
    assert.ok(waited <= longestWait, `${waited} s`);
    server.child.signal('SIGCONT');
    const late = await first;
    assert.equal(late.status, 409);
    assert.match(await late.text(), /idempotency-in-progress/);
    const again = await send(server, 'key');
    assert.deepEqual(
      [again.status, again.headers.get('idempotency-replayed'), await again.text()],
      [200, 'true', await answer.text()],
    );
    assert.equal(await documentsIn(world.prepared, server), 1);
  });
});

interface World {
  readonly prepared: Prepared;
  readonly server: ServerProcess;
  readonly store: HeldStore;
  /** Sends the same document under a key. */
  readonly send: (server: ServerProcess, key: string) => Promise<Response>;
}

async function makeWorld(t: TestContext): Promise<World> {
  const store = await startHeldStore(t);
  const prepared = await prepare(t, store.variables);
  const body = new Uint8Array(formOf([{ content: pdf('the document') }]));
  const headers = {
    authorization: `Bearer ${prepared.token}`,
    'content-type': `multipart/form-data; boundary=${formBoundary}`,
  };
  return {
    prepared,
    store,
    server: await startServer(t, prepared),
    send: ({ origin }, key) =>
      fetch(origin + prepared.uploads, {
        method: 'POST',
        headers: { ...headers, 'idempotency-key': key },
        body,
        signal: AbortSignal.timeout(120_000),
      }),
  };
}

/** Status, and for how many seconds the client is to wait. */
async function told(sent: Promise<Response>): Promise<readonly [number, number]> {
  const { status, headers } = await sent;
  return [status, Number(headers.get('retry-after'))];
}

/** Repeats a request as it is told to. Returns the answer, and the seconds that it was told to wait altogether. */
async function untilDone(send: () => Promise<Response>): Promise<readonly [Response, number]> {
  for (let waited = 0; ; ) {
    const answer = await send();
    if (answer.status === 200) return [answer, waited];
    assert.equal(answer.status, 409, await answer.clone().text());
    const wait = Number(answer.headers.get('retry-after'));
    assert.ok(Number.isInteger(wait) && wait >= 1 && wait <= 15, String(wait));
    waited += wait;
    await pause(wait * 1000);
  }
}

async function documentsIn({ key }: Prepared, { origin }: ServerProcess): Promise<number> {
  const page: { readonly entries: readonly { readonly kind: string }[] } = Object(
    await (await fetch(`${origin}/platform/outbox`, { headers: { authorization: `Bearer ${key}` } })).json(),
  );
  return page.entries.filter(({ kind }) => kind === 'document').length;
}

interface LabelWorld {
  readonly prepared: Prepared;
  readonly carrier: ScriptedCarrier;
}

describe('a server that is killed', { skip: provenWithoutServer, timeout: 900_000 }, () => {
  it('while the carrier is being asked: the same key is answered 504 from then on, without asking', async (t) => {
    const world = await startLabels(t);
    const server = await startServer(t, world.prepared);
    const arrived = new EventTarget();
    const asked = once(arrived, 'asked');
    world.carrier.play(() => {
      arrived.dispatchEvent(new Event('asked'));
      return 'silence';
    });
    const lost = askLabel(world, server).catch(() => 'lost');
    await asked;
    await killNow(server);
    assert.equal(await lost, 'lost');
    world.carrier.play(null);
    const next = await startServer(t, world.prepared);
    assert.ok(
      [409, 504].includes((await askLabel(world, next)).status),
      'while its claim lasts the first one may still be at work',
    );
    await expireLabelClaims(world);
    for (const _time of [1, 2]) {
      const { status, body } = await askLabel(world, next);
      assert.deepEqual([status, /not known whether it made a label/.test(body)], [504, true]);
    }
    assert.equal(world.carrier.shipments(), 1);
  });

  it('after the carrier has answered: the key gives the same label on any server, and its link works', async (t) => {
    const world = await startLabels(t);
    const server = await startServer(t, world.prepared);
    const first = await askLabel(world, server);
    assert.equal(first.status, 200);
    await killNow(server);
    // As if the process had died before the answer was stored.
    await inStore(world, (store) => removeRows(store, storedAnswerTable));
    const next = await startServer(t, world.prepared);
    const again = await askLabel(world, next);
    assert.deepEqual([again.status, again.body, world.carrier.shipments()], [200, first.body, 1]);
    const { pathname } = new URL(JSON.parse(again.body).outputs[0].value);
    assert.equal((await fetch(next.origin + pathname)).status, 200);
  });

  it('by nobody, while its client hangs up: the label is made all the same, and the same key gets it', async (t) => {
    const world = await startLabels(t);
    const server = await startServer(t, world.prepared);
    const gate = new EventTarget();
    const [asked, opened] = [once(gate, 'asked'), once(gate, 'opened')];
    world.carrier.play(async () => {
      gate.dispatchEvent(new Event('asked'));
      await opened;
      return { status: 201, body: shipment('LATE-1') };
    });
    const leaving = new AbortController();
    const lost = assert.rejects(askLabel(world, server, 'one', leaving.signal));
    await asked;
    leaving.abort();
    await lost;
    gate.dispatchEvent(new Event('opened'));
    let heard = await askLabel(world, server);
    for (; heard.status === 409; heard = await askLabel(world, server)) await pause(50);
    assert.deepEqual(
      [heard.status, JSON.parse(heard.body).expeditionNumber, world.carrier.shipments()],
      [200, 'LATE-1', 1],
    );
  });

  it('at any moment of many labels: never two parcels under one key, and each answered label is there', async (t) => {
    const world = await startLabels(t);
    let count = 0;
    const numbers = new Map<string, number>();
    world.carrier.play(({ path, body }) => {
      if (path !== '/v1/shipments') return { status: 404, body: {} };
      const { reference } = JSON.parse(body);
      numbers.set(reference, (numbers.get(reference) ?? 0) + 1);
      return { status: 201, body: shipment(`N${++count}`) };
    });
    const answered = new Map<string, string>();
    const kills = rounds(3);
    // Each kill comes after twelve answers, when each of the six clients may have had one more.
    const keys = Array.from({ length: 20 * kills }, (_, index) => `many-${index}`);
    for (let round = 0; round < kills; round += 1) {
      const server = await startServer(t, world.prepared);
      await expireLabelClaims(world);
      const enough = new EventTarget();
      const killed = once(enough, 'heard').then(() => killNow(server));
      let heardOf = 0;
      const waiting = keys.filter((key) => !answered.has(key));
      const client = async (): Promise<void> => {
        for (let key = waiting.shift(); key !== undefined; key = waiting.shift()) {
          const heard = await askLabel(world, server, key).catch(() => null);
          if (heard === null) return;
          if (heard.status === 200) answered.set(key, heard.body);
          heardOf += 1;
          if (heardOf === 12) enough.dispatchEvent(new Event('heard'));
        }
      };
      await Promise.all(Array.from({ length: 6 }, client));
      await killed;
    }
    const last = await startServer(t, world.prepared);
    await expireLabelClaims(world);
    for (const key of keys) {
      const { status, body } = await askLabel(world, last, key);
      assert.ok(status === 200 || status === 504, body);
      if (answered.has(key)) assert.equal(body, answered.get(key));
    }
    assert.equal(Math.max(...numbers.values()), 1);
    t.diagnostic(`${answered.size} labels answered before the last server, ${numbers.size} parcels`);
  });
});

async function startLabels(t: TestContext): Promise<LabelWorld> {
  const [prepared, carrier] = [await prepare(t), await startCarrier()];
  t.after(() => carrier.close());
  await succeed(
    { ...prepared.place, stdin: JSON.stringify({ apiKey }) },
    'carrier-account',
    'add',
    '--context',
    'north',
    '--carrier',
    'karrio',
    '--activity',
    'NOR',
    '--set',
    `baseUrl=${carrier.url}`,
    '--set',
    'carrierName=chronopost',
  );
  return { prepared, carrier };
}

async function askLabel(
  { prepared }: LabelWorld,
  { origin }: ServerProcess,
  key = 'one',
  signal: AbortSignal | null = null,
): Promise<{ readonly status: number; readonly body: string }> {
  const response = await fetch(`${origin}/v1/shippings/labels/north/karrio`, {
    method: 'POST',
    signal,
    headers: { authorization: `Bearer ${prepared.token}`, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ ...wish, nDossier: key }),
  });
  return { status: response.status, body: await response.text() };
}

async function killNow({ child }: ServerProcess): Promise<void> {
  child.signal('SIGKILL');
  await child.ended;
}

/** As if the claims of whoever was killed had ended. */
function expireLabelClaims(world: LabelWorld): Promise<unknown> {
  return inStore(world, (store) => changeRows(store, storedAnswerTable, { claimedUntil: 0 }, { answer: null }));
}

async function inStore(
  world: LabelWorld,
  work: (store: Awaited<ReturnType<typeof openStore>>) => Promise<unknown>,
): Promise<unknown> {
  const store = await openStore({ dataDir: world.prepared.dataDir, databaseUrl: null }, definitions);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
