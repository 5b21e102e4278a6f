// Servers that are killed under load, at any moment: what was acknowledged is there once and in order, and the same
// requests again end the rest.
import assert from 'node:assert/strict';
import { hash, randomInt } from 'node:crypto';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { openDocumentStorage } from '../../src/documents/open.ts';
import { sweepDocuments } from '../../src/documents/sweep.ts';
import { definitions } from '../../src/resources/index.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { newDatabase } from '../contract/new-database.ts';
import { type Prepared, prepare, type ServerProcess, startServer } from './server-process.ts';
import { filesIn } from './uploads.ts';
import { type Acknowledged, createLoad, type Load } from './write-load.ts';
import { rounds } from '../contract/rounds.ts';

/** How often a server is killed; CRASH_ROUNDS asks for more. */
const kills = Number(process.env.CRASH_ROUNDS ?? rounds(5));
const serverUrl = process.env.TEST_DATABASE_URL;
const patience = { timeout: 120_000 + kills * 60_000 };

describe('a server that is killed while clients write', () => {
  it('loses and repeats nothing', patience, (t) => survives(t, {}, 1));

  it('loses and repeats nothing beside another one on the same database file', patience, (t) => survives(t, {}, 2));

  it('loses and repeats nothing beside another one on PostgreSQL', {
    ...patience,
    skip: serverUrl === undefined ? 'TEST_DATABASE_URL is not set' : false,
  }, async (t) => {
    await survives(t, { DATABASE_URL: await newDatabase(t, serverUrl ?? '') }, 2);
  });
});

describe('a database server that cuts its connections while clients write', {
  skip: serverUrl === undefined ? 'TEST_DATABASE_URL is not set' : false,
}, () => {
  it('loses and repeats nothing, and the servers go on', patience, async (t) => {
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

/** @param cut what happens instead of a server being killed */
async function survives(
  t: TestContext,
  variables: Readonly<Record<string, string>>,
  count: number,
  cut: (() => Promise<void>) | null = null,
): Promise<void> {
  const prepared = await prepare(t, variables);
  const load = createLoad(prepared);
  const servers: ServerProcess[] = [];
  for (let index = 0; index < count; index += 1) servers.push(await startServer(t, prepared));
  let repeated = 0;
  for (let round = 0; round < kills; round += 1) {
    const victim = randomInt(servers.length);
    await whileWriting(load, servers, cut ?? (() => kill(servers[victim])));
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
async function expireClaims({ db }: Store): Promise<void> {
  await db.updateTable('stored_answer').set({ claimed_until: 0 }).where('answer', 'is', null).execute();
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
  const rows = (await store.db.selectFrom('order_document').select('stored_as').execute())
    .map(({ stored_as: name }) => name)
    .toSorted();
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
