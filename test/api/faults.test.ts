// Writes of which each step fails in turn, on every engine: all of it is there or nothing, and the same request again
// ends it once.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { createDiskStorage } from '../../src/documents/disk.ts';
import type { DocumentStorage } from '../../src/documents/storage.ts';
import { sweepDocuments } from '../../src/documents/sweep.ts';
import { createChecker } from '../../src/model/check.ts';
import type { ChangePosition } from '../../src/model/plan.ts';
import { article, order } from '../../src/resources/index.ts';
import type { OutboxEntry } from '../../src/store/outbox-contract.ts';
import type { AuditEntry } from '../../src/store/audit-contract.ts';
import type { Store } from '../../src/store/store.ts';
import { type EngineUnderTest, engines, storeOn } from '../contract/engines.ts';
import { pdf } from '../documents/samples.ts';
import { createFault, type Fault, faultyEngine, faultyStorage } from './faulty.ts';
import { filesIn, temporaryIn } from './uploads.ts';
import { type WriteAnswer, type WriteServer, writeServer } from './write-server.ts';
import { rounds } from '../contract/rounds.ts';

interface World {
  /** Fails where `fault` says so. */
  readonly server: WriteServer;
  readonly fault: Fault;
  /** The same database and files, without faults. */
  readonly store: Store;
  readonly storage: DocumentStorage;
  readonly folder: string;
  readonly close: () => Promise<void>;
}

/** One write, told apart from all others by a mark in what it writes. */
interface Write {
  readonly what: string;
  /** What must be there before. */
  readonly prepare?: (world: World, mark: string) => Promise<unknown>;
  readonly send: (world: World, mark: string, headers: Readonly<Record<string, string>>) => Promise<WriteAnswer>;
  /** How many records or documents, and how many entries in the outbox, it leaves where it leaves any. */
  readonly leaves: { readonly records: number; readonly entries: number };
}

const item = (articleReference: string, text: string) => ({
  activityCode: 'NOR',
  articleReference,
  longArticleDescription: text,
  shortArticleDescription: 'Short',
});
const file = (mark: string) => ({ content: pdf(mark) });

const writes: readonly Write[] = [
  {
    what: 'new articles',
    send: ({ server }, mark, headers) => server.articles([item(`${mark}A`, mark), item(`${mark}B`, mark)], headers),
    leaves: { records: 2, entries: 2 },
  },
  {
    what: 'articles of which one is changed, one is the same and one is refused',
    prepare: ({ server }, mark) => server.articles([item(`${mark}A`, 'before'), item(`${mark}B`, mark)]),
    send: ({ server }, mark, headers) =>
      server.articles([item(`${mark}A`, mark), item(`${mark}B`, mark), { ...item(`${mark}C`, mark), id: 1 }], headers),
    leaves: { records: 2, entries: 2 },
  },
  {
    what: 'articles that are all refused',
    send: ({ server }, mark, headers) => server.articles([{ ...item(`${mark}A`, mark), id: 1 }], headers),
    leaves: { records: 0, entries: 0 },
  },
  {
    what: 'a new document',
    send: ({ server }, mark, headers) => server.upload('O-1', file(mark), headers),
    leaves: { records: 1, entries: 1 },
  },
  {
    what: 'a document that is there',
    prepare: ({ server }, mark) => server.upload('O-1', file(mark)),
    send: ({ server }, mark, headers) => server.upload('O-1', file(mark), headers),
    leaves: { records: 1, entries: 1 },
  },
  {
    what: 'a document that is refused',
    send: ({ server }, mark, headers) => server.upload('O-1', { content: Buffer.from(mark) }, headers),
    leaves: { records: 0, entries: 0 },
  },
];

for (const engine of engines) {
  describe(`writes of which a step fails on ${engine.name}`, { skip: engine.skip }, () => {
    let world: World;
    before(async () => {
      world = await makeWorld(engine);
    });
    after(() => world.close());
    faultTests(() => world);
  });
}

function faultTests(world: () => World): void {
  for (const [index, write] of writes.entries()) {
    for (const [half, mode] of (['fails', 'dies'] as const).entries()) {
      it(`${write.what}: each step ${mode}${mode === 'dies' ? ', and all that follows with it' : ''}`, async (t) => {
        // Writes have most steps in common: where not all are tried, each write tries others.
        const stride = rounds(5) === 5 ? 1 : 5;
        const first = 1 + ((2 * index + half) % stride);
        for (let step = first, met: string | null = ''; met !== null; step += stride) {
          assert.ok(step < 200, 'it comes to an end');
          met = await failingWrite(world(), write, step, mode);
          if (met === null) t.diagnostic(`${step - stride} steps`);
        }
        await assertFilesOfRows(world());
      });
    }
  }
}

/**
 * Sends a write of which a step fails, and then again until it is done. Returns the step; null where there are not so
 * many.
 */
async function failingWrite(
  world: World,
  { prepare, send, leaves }: Write,
  step: number,
  mode: 'fails' | 'dies',
): Promise<string | null> {
  const { fault, store } = world;
  const mark = newMark();
  const headers = { 'idempotency-key': mark };
  const before = await store.outbox.ends(['NOR']);
  await prepare?.(world, mark);
  const nothing = await traces(world, mark, before);
  const whole = { ...leaves, audit: nothing.audit + 1, answers: nothing.answers + 1 };
  fault.arm(step, mode);
  const first = await send(world, mark, headers);
  const met = fault.disarm();
  const place = `step ${step}, ${met ?? 'none'}`;
  const left = await traces(world, mark, before);
  const isWhole = isDeepStrictEqual(left, whole);
  assert.ok([200, 500, 503].includes(first.status), `${place}: ${first.text}`);
  assert.ok(
    isWhole || (first.status !== 200 && isDeepStrictEqual(left, nothing)),
    `${place} left ${JSON.stringify(left)}`,
  );

  // A claim whose holder died, or never heard that it has it, ends by itself.
  await store.db.updateTable('stored_answer').set({ claimed_until: 0 }).where('answer', 'is', null).execute();
  const again = await send(world, mark, headers);
  assert.equal(again.status, 200, `${place}: ${again.text}`);
  assert.equal(again.headers['idempotency-replayed'], isWhole ? 'true' : undefined, place);
  assert.equal((await send(world, mark, headers)).text, again.text, place);
  if (first.status === 200) assert.equal(again.text, first.text, place);
  assert.deepEqual(await traces(world, mark, before), whole, place);
  const operation = (entries: readonly { readonly operationId: string | null }[]): number =>
    entries.filter(({ operationId }) => operationId === again.body.operationId).length;
  assert.equal(operation(await auditOf(store, mark)), 1, place);
  assert.equal(operation(await entriesOf(store, mark, before)), whole.entries - nothing.entries, place);
  return met;
}

let marks = 0;
const newMark = (): string => `M${String(++marks).padStart(6, '0')}`;

interface Traces {
  readonly records: number;
  readonly entries: number;
  readonly audit: number;
  readonly answers: number;
}

/**
 * How often what a write leaves is there.
 * @param since before it was sent
 */
async function traces({ store }: World, mark: string, since: ChangePosition): Promise<Traces> {
  const articles = (
    await Promise.all(
      ['A', 'B', 'C'].map((end) => store.lists.find(article, ['NOR'], 'articleReference', mark + end, 9)),
    )
  )
    .flat()
    .filter(({ body }) => body.includes(`"${mark}"`));
  const documents = await store.db
    .selectFrom('order_document')
    .select('id')
    .where('sha256', '=', sha256Of(mark))
    .execute();
  const answers = await store.db
    .selectFrom('stored_answer')
    .select('key_hash')
    .where('answer', 'is not', null)
    .execute();
  return {
    records: articles.length + documents.length,
    entries: (await entriesOf(store, mark, since)).length,
    audit: (await auditOf(store, mark)).length,
    answers: answers.length,
  };
}

async function entriesOf(store: Store, mark: string, since: ChangePosition): Promise<readonly OutboxEntry[]> {
  const { entries } = await store.outbox.read(['NOR'], since, 100_000);
  return entries.filter(({ body }) => body.includes(`"${mark}"`) || body.includes(sha256Of(mark)));
}

async function auditOf(store: Store, mark: string): Promise<readonly AuditEntry[]> {
  const all = await store.audit.read({
    activityCodes: null,
    operationId: null,
    action: null,
    actor: null,
    since: null,
    until: null,
    after: null,
    newestFirst: true,
    limit: 1000,
  });
  const signs = [mark, sha256Of(mark), hash('sha256', mark)];
  return all.filter((entry) => signs.some((sign) => JSON.stringify(entry).includes(sign)));
}

function sha256Of(mark: string): string {
  return hash('sha256', file(mark).content);
}

/** Every row has its file; what else lies there is gone after a sweep. */
async function assertFilesOfRows({ store, storage, folder }: World): Promise<void> {
  const rows = (await store.db.selectFrom('order_document').select('stored_as').execute())
    .map(({ stored_as: name }) => name)
    .toSorted();
  const files = new Set(filesIn(folder));
  assert.deepEqual(
    rows.filter((name) => !files.has(name)),
    [],
  );
  assert.deepEqual(temporaryIn(folder), []);
  await sweepDocuments({ storage, known: store.documents.known, now: Date.now() + 2 * 3_600_000 });
  assert.deepEqual(filesIn(folder), rows);
}

async function makeWorld(engine: EngineUnderTest): Promise<World> {
  const database = await engine.create();
  const opened = await database.open();
  const store = await storeOn(opened);
  await store.activities.add('NOR', 'North Trading');
  const checked = createChecker(order)(
    { ...order.example, activityCode: 'NOR', activityName: 'North Trading', orderUniqueID: 'O-1' },
    { owner: 'NOR', ownerName: 'North Trading' },
  );
  assert.ok(checked.ok);
  await store.records.write(order, 'NOR', [checked.record]);
  const folder = mkdtempSync(join(tmpdir(), 'faults-'));
  const storage = createDiskStorage({ folder, database: store.epoch, failed: () => undefined });
  const fault = createFault();
  const server = writeServer(await storeOn(faultyEngine(opened, fault)), faultyStorage(storage, fault));
  return {
    server,
    fault,
    store,
    storage,
    folder,
    close: async () => {
      await server.close();
      await store.close();
      await database.remove();
      rmSync(folder, { recursive: true });
    },
  };
}
