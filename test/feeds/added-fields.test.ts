// A definition gains a field while feeds run: what came before comes again unchanged, what was begun is gone on with,
// what was refused is replayed, and an export or a backup of before has its place in the program of after.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { exportActivity } from '../../src/backup/activity-export.ts';
import { type ArchiveSource, makeBackup } from '../../src/backup/backup.ts';
import { checkBackup, restoreBackup } from '../../src/backup/restore.ts';
import { createDiskStorage } from '../../src/documents/disk.ts';
import { createFeedTurns } from '../../src/feeds/feed-turns.ts';
import { jsonReading } from '../../src/feeds/read-records.ts';
import { MessageInterrupted, type ReceiveOptions, receiveMessage } from '../../src/feeds/receive.ts';
import { replayLines } from '../../src/feeds/replay.ts';
import { formOf } from '../../src/model/body-form.ts';
import { createRenderer } from '../../src/model/render.ts';
import type { Resource } from '../../src/model/resource.ts';
import { FILTER, text } from '../../src/resources/fields.ts';
import { article, articleStock, articleStockMovement, definitions, order } from '../../src/resources/index.ts';
import type { NewAuditEntry } from '../../src/store/audit-contract.ts';
import type { Engine } from '../../src/store/engine.ts';
import type { FeedMessage } from '../../src/store/feed-contract.ts';
import { changeShapes } from '../../src/store/migrate.ts';
import { createStore } from '../../src/store/open.ts';
import { shapeChange, storedShape } from '../../src/store/shape-change.ts';
import { sql } from '../../src/store/statement.ts';
import type { Store } from '../../src/store/store.ts';
import { engines, type EngineUnderTest } from '../contract/engines.ts';
import { folderFor, readAll } from './fixture.ts';

/** The same resource with a field before its others, by which clients may filter. */
const withSeason = (resource: Resource): Resource => ({
  ...resource,
  fields: { season: text(20, 'Season.', { since: formOf(resource) + 1, ...FILTER }), ...resource.fields },
});
const narrow = [article, articleStockMovement, order, articleStock] as const;
const wider = narrow.map(withSeason);
const now = (name: string): Resource => wider.find((each) => each.name === name) ?? article;

const anArticle = (index: number, more: object = {}): object => ({
  articleReference: `A${index}`,
  longArticleDescription: `Article ${index}`,
  shortArticleDescription: `A${index}`,
  barcodes: index % 2 === 0 ? [{ code: `B${index}` }] : [],
  ...more,
});
const aMovement = (index: number): object => ({
  movementTimestamp: '2026-03-02T04:00:00Z',
  articleReference: `A${index % 3}`,
  movedQuantity: index % 5,
  articleLotNumber: `L${index % 2}`,
});
const anOrder = (index: number): object => ({
  orderUniqueID: `O${index}`,
  orderEntries: [{ orderLineID: `L${index}`, articleReference: 'A1' }],
});
const aStockRow = (index: number): object => ({
  stockImageExtractionDate: '2026-03-02T04:00:00Z',
  articleReference: `A${index}`,
  totalStockQuantity: index,
});
const lines = (...records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');
const some = (count: number, of: (index: number) => object): readonly object[] =>
  Array.from({ length: count }, (_, index) => of(index));

/** What the warehouse system sent: refused records, a withdrawn one, twins without a key. */
const sent: readonly (readonly [resource: string, text: string, counts: readonly number[]])[] = [
  [
    article.name,
    lines(...some(250, anArticle), { articleReference: 7 }, anArticle(900, { netWeightPerUVC: 'x' })),
    [252, 250, 0, 0, 2],
  ],
  [articleStockMovement.name, lines(...some(40, aMovement)), [40, 40, 0, 0, 0]],
  [order.name, lines(...some(5, anOrder)), [5, 5, 0, 0, 0]],
  [articleStock.name, lines(...some(30, aStockRow)), [30, 30, 0, 0, 0]],
];

for (const engine of engines)
  describe(`feeds when a field is added, on ${engine.name}`, { skip: engine.skip }, () => {
    it('take what came before as it was: unchanged, a duplicate, refused for the same reasons', (t) =>
      comesAgain(t, engine));
    it('go on with a message that was begun, and replay lines that were refused', (t) => goesOn(t, engine));
    it('take the files of an export of before, and change nothing', (t) => exportComesAgain(t, engine));
    it('take what came before in a backup that is restored', (t) => restoredComesAgain(t, engine));
  });

async function comesAgain(t: TestContext, engineUnderTest: EngineUnderTest): Promise<void> {
  const { engine, store: before } = await filled(t, engineUnderTest);
  const told = await everything(before, narrow);
  const lineage = await lineageOf(engine);
  const store = await grown(engine);
  assert.deepEqual(
    await everything(store, wider),
    told.map(({ resource, records }) => ({
      resource,
      records: records.map((record) => ({ season: null, ...record })),
    })),
  );
  await allUnchanged(store);
  assert.deepEqual(await lineageOf(engine), lineage, 'the message that wrote a record last is the one of before');
  const [resource = '', first = ''] = sent[0] ?? [];
  const repeated = await receive(store, now(resource), first, { messageId: 'first' });
  assert.equal(repeated.kind, 'duplicate', 'a message is known by what it says, not by how it is stored');
  const reasons = await refusedReasons(store, 1);
  assert.deepEqual(await refusedReasons(store, 6), reasons);
  const withdrawn = await receive(store, now('articles'), lines({ withdraw: { articleReference: 'A3' } }));
  assert.equal(withdrawn.message.withdrawn, 0, 'it was withdrawn before');
  const anew = await receive(store, now('articles'), lines(anArticle(4, { season: 'SS26' })));
  assert.deepEqual(counts(anew.message), [1, 0, 1, 0, 0]);
}

async function goesOn(t: TestContext, engineUnderTest: EngineUnderTest): Promise<void> {
  const { engine, store: before } = await filled(t, engineUnderTest);
  const many = lines(...some(3500, (index) => (index % 500 === 250 ? { x: index } : anArticle(10_000 + index))));
  const key = { requestKey: 'k1' };
  await assert.rejects(receive(before, article, many, key, many.length / 2), MessageInterrupted);
  const open = await before.feeds.message('ACM', 6);
  assert.ok(open !== null && open.state === 'open' && open.read > 0 && open.read < 3500);
  const store = await grown(engine);
  const done = await receive(store, now('articles'), many, key);
  assert.deepEqual([done.message.id, ...counts(done.message)], [6, 3500, 3493, 0, 0, 7]);
  assert.deepEqual(counts((await receive(store, now('articles'), many)).message), [3500, 0, 0, 3493, 7]);
  const message = await store.feeds.message('ACM', 1);
  assert.ok(message !== null);
  const mended = { text: JSON.stringify(anArticle(900, { season: 'SS26' })), naturalKey: null };
  await store.feedLines.edit({ activity: 'ACM', message: 1, record: 252 }, mended, {
    actor: 'test',
    audit: auditEntry,
  });
  const replayed = await replayLines({
    ...{ store, resource: now('articles'), activity: 'ACM', activityName: 'Acme Home', message, records: [252] },
    ...{ force: false, actor: 'test', turns: createFeedTurns() },
    audit: () => auditEntry,
  });
  assert.deepEqual(counts(replayed), [1, 1, 0, 0, 0]);
  const found = (await readAll(store, now('articles'))).find(({ articleReference }) => articleReference === 'A900');
  assert.equal(found?.season, 'SS26');
}

async function exportComesAgain(t: TestContext, engineUnderTest: EngineUnderTest): Promise<void> {
  const { engine, store: before } = await filled(t, engineUnderTest);
  const folder = join(await folderFor(t), 'export');
  await exportActivity(archiveSource(engine, before), folder, {
    ...{ activity: 'ACM', resources: definitions.resources, wanted: null, compress: false },
  });
  const store = await grown(engine);
  const told = await everything(store, wider);
  for (const resource of wider) {
    const { message } = await receive(store, resource, readFileSync(join(folder, `${resource.name}.ndjson`), 'utf8'));
    assert.deepEqual([resource.name, message.added, message.changed, message.refused], [resource.name, 0, 0, 0]);
    assert.ok(message.unchanged > 0);
  }
  assert.deepEqual(await everything(store, wider), told);
}

async function restoredComesAgain(t: TestContext, engineUnderTest: EngineUnderTest): Promise<void> {
  const { engine, store: before } = await filled(t, engineUnderTest);
  const folder = await folderFor(t);
  const backup = join(folder, 'backup');
  const manifest = await makeBackup(archiveSource(engine, before), backup);
  assert.deepEqual(await checkBackup(backup, () => undefined), manifest);
  const database = await engineUnderTest.createEmpty();
  t.after(() => database.remove());
  const target = await database.open();
  t.after(() => target.close());
  const storage = createDiskStorage({ folder: join(folder, 'files'), database: before.epoch, failed: () => undefined });
  await restoreBackup(backup, manifest, { engine: target, storage, keepHistory: true, onRows: () => undefined });
  await allUnchanged(await grown(target));
}

const auditEntry: NewAuditEntry = {
  actorKind: 'command',
  actor: 'test',
  subject: null,
  action: 'feed.line.edit',
  activityCodes: ['ACM'],
  target: null,
  operationId: null,
  outcome: 'accepted',
  address: null,
  details: {},
};

/** What was sent before comes again: nothing is new or changed, and no list has news. */
async function allUnchanged(store: Store): Promise<void> {
  const revisions = (): Promise<readonly unknown[]> =>
    Promise.all(wider.map((resource) => store.lists.revision(resource, ['ACM'])));
  const kept = await revisions();
  for (const [resource, text, [read = 0, added = 0, , , refused = 0]] of sent) {
    const { message } = await receive(store, now(resource), resource === 'articles' ? withoutWithdrawn(text) : text);
    const isArticle = resource === 'articles' ? 1 : 0;
    assert.deepEqual([resource, ...counts(message)], [resource, read - isArticle, 0, 0, added - isArticle, refused]);
  }
  assert.deepEqual(await revisions(), kept);
}

function withoutWithdrawn(text: string): string {
  return text
    .split('\n')
    .filter((line) => !line.includes('"A3"'))
    .join('\n');
}

/** A database of before, filled by feeds. */
async function filled(
  t: TestContext,
  engineUnderTest: EngineUnderTest,
): Promise<{ readonly engine: Engine; readonly store: Store }> {
  const database = await engineUnderTest.create();
  t.after(() => database.remove());
  const engine = await database.open();
  t.after(() => engine.close());
  const store = await createStore(engine, definitions);
  await store.activities.add('ACM', 'Acme Home');
  for (const [name, text, expected] of sent) {
    const resource = narrow.find((each) => each.name === name) ?? article;
    const { message } = await receive(store, resource, text, resource === article ? { messageId: 'first' } : {});
    assert.deepEqual(counts(message), expected);
  }
  await receive(store, article, lines({ withdraw: { articleReference: 'A3' } }));
  return { engine, store };
}

/** As a generated migration does, and the program that has it when it starts. */
async function grown(engine: Engine): Promise<Store> {
  const change = shapeChange(narrow.map(storedShape), wider.map(storedShape));
  await engine.write((transaction) => changeShapes(transaction, change));
  return createStore(engine, { resources: wider, rendererOf: createRenderer });
}

async function everything(store: Store, resources: readonly Resource[]) {
  return Promise.all(
    resources.map(async (resource) => ({ resource: resource.name, records: await readAll(store, resource) })),
  );
}

function lineageOf(engine: Engine): Promise<readonly unknown[]> {
  return engine.read(sql`select natural_key, change_number, feed_message, feed_line from article order by natural_key`);
}

async function refusedReasons(store: Store, message: number): Promise<readonly unknown[]> {
  const query = { activities: ['ACM'], message, resource: null, state: 'refused', after: null, limit: 100 } as const;
  return (await store.feedLines.list(query)).map(({ content, reasons }) => [content, reasons]);
}

function archiveSource(engine: Engine, { epoch }: Store): ArchiveSource {
  return { engine, epoch, storage: null, program: '9', onRows: () => undefined };
}

/** @param cutAfter bytes after which reading fails */
function receive(
  store: Store,
  resource: Resource,
  text: string,
  message: Partial<ReceiveOptions['message']> = {},
  cutAfter = Number.POSITIVE_INFINITY,
): ReturnType<typeof receiveMessage> {
  const bytes = Buffer.from(text);
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < Math.min(bytes.length, cutAfter); at += 5000)
      yield bytes.subarray(at, Math.min(at + 5000, cutAfter));
    if (cutAfter < bytes.length) throw new Error('the line is cut');
  }
  return receiveMessage({
    ...{ store, resource, activity: 'ACM', activityName: 'Acme Home', turns: createFeedTurns() },
    source: { read: () => jsonReading(pieces()) },
    message: {
      ...{ feed: 'main', channel: 'http', source: null, messageId: null, sequence: null },
      ...{ requestKey: null, mapping: null, replayOf: null, actor: 'test', ...message },
    },
  });
}

function counts({ read, added, changed, unchanged, refused }: FeedMessage): readonly number[] {
  return [read, added, changed, unchanged, refused];
}
