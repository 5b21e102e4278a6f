// A definition that gains fields: every stored record has them, is found and ordered by them, and comes again
// unchanged; nobody is told of changes that are none.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { QueryPair } from '../../src/model/cursor.ts';
import { type ListRequest, planList } from '../../src/model/list.ts';
import { Problem } from '../../src/model/problem.ts';
import { nextCursor } from '../contract/continuation.ts';
import type { IncomingRecord } from '../../src/model/record.ts';
import { createRenderer } from '../../src/model/render.ts';
import type { Resource } from '../../src/model/resource.ts';
import { formOf } from '../../src/model/body-form.ts';
import { FILTER, SORT, text } from '../../src/resources/fields.ts';
import { article, articleStock, definitions, procurementReport } from '../../src/resources/index.ts';
import type { Engine } from '../../src/store/engine.ts';
import { changeShapes } from '../../src/store/migrate.ts';
import { createStore } from '../../src/store/open.ts';
import { shapeChange, storedShape } from '../../src/store/shape-change.ts';
import type { Store } from '../../src/store/store.ts';
import { type EngineUnderTest, allEngines } from '../contract/engines.ts';
import { leftToServer } from '../contract/rounds.ts';
import { checkRecord } from '../model/checked.ts';

const { activityCode, barcodes, ...others } = article.fields;

/** A field in the middle, one that is only shown, and one in each barcode. */
const widerArticle: Resource = {
  ...article,
  fields: {
    activityCode,
    season: text(20, 'Season.', { since: formOf(article) + 1, ...SORT }),
    ...others,
    barcodes: {
      ...barcodes,
      fields: { ...barcodes.fields, symbology: text(20, 'Symbology.', { since: formOf(article) + 1, ...FILTER }) },
    },
    finish: text(20, 'Finish.', { since: formOf(article) + 1 }),
  },
  indexes: [...article.indexes, ['season']],
};
const widerStock: Resource = {
  ...articleStock,
  fields: { ...articleStock.fields, bin: text(9, 'Bin.', { since: formOf(articleStock) + 1, ...FILTER }) },
};
const widerReport: Resource = {
  ...procurementReport,
  fields: { dock: text(9, 'Dock.', { since: formOf(procurementReport) + 1 }), ...procurementReport.fields },
};
const wider = { resources: [widerArticle, widerStock, widerReport], rendererOf: createRenderer };

const noon = Date.UTC(2026, 0, 31, 12);
const activities = ['AC', 'BI'];
const articles = 450;

for (const engine of allEngines) {
  describe(`fields that are added, on ${engine.name}`, { skip: engine.skip || leftToServer(engine) }, () => {
    it('are in every record, found, ordered, and no change', (t) => grown(t, engine));
    it('get there although the program is stopped on the way', (t) => interrupted(t, engine));
    it('are in records that are withdrawn, which stay as they are', (t) => withdrawnKept(t, engine));
    it('leave the outbox the texts that clients wrote', (t) => outboxKept(t, engine));
    it('are in what a process of the earlier version would write meanwhile: it writes no more', (t) =>
      earlierVersionStopped(t, engine));
  });
}

async function grown(t: TestContext, engineUnderTest: EngineUnderTest): Promise<void> {
  const { engine, store: before } = await filled(t, engineUnderTest);
  const kept = await cursors(before);
  const old = await everything(before, article);
  await gainColumns(engine);
  const store = await createStore(engine, wider);
  const now = await everything(store, widerArticle);
  assert.equal(now.length, old.length);
  for (const [index, record] of now.entries()) {
    const { season, finish, ...rest } = record;
    assert.deepEqual([season, finish, Object.keys(record)[1]], [null, null, 'season'], 'at its place');
    assert.deepEqual(withoutSymbology(rest), old[index], 'ids, dates and the rest stay');
    for (const barcode of list(record.barcodes)) assert.ok('symbology' in barcode);
  }
  for (const [resource, cursor] of kept) {
    const wide = wider.resources.find(({ name }) => name === resource) ?? widerArticle;
    assert.deepEqual(await query(store, wide, [['cursor', cursor]]), [], `nothing is news in ${resource}`);
  }
  assert.equal(
    (
      await query(store, widerArticle, [
        ['filter', 'season=null=true'],
        ['limit', '5'],
      ])
    ).length,
    5,
  );
  assert.deepEqual(await query(store, widerArticle, [['season', 'SS26']]), []);
  assert.deepEqual(await outcomes(store, widerArticle, articleInputs('AC')), new Set(['unchanged']));
  assert.deepEqual(await outcomes(store, widerReport, [reportInput]), new Set(['unchanged']));
  assert.equal((await everything(store, widerReport))[0]?.dock, null);
  assert.equal(await publishStock(store, widerStock), 'unchanged');
  assert.deepEqual(new Set((await everything(store, widerStock)).map(({ bin }) => bin)), new Set([null]));
  const [first] = articleInputs('AC');
  const changed = { ...first, season: 'SS26', barcodes: [{ code: 'B0', symbology: 'EAN-13' }] };
  assert.deepEqual(await outcomes(store, widerArticle, [changed]), new Set(['changed']));
  assert.deepEqual(
    (await query(store, widerArticle, [['season', 'SS26']])).map(({ articleReference }) => articleReference),
    ['R0'],
  );
  assert.equal((await query(store, widerArticle, [['filter', 'barcodes.symbology==EAN-13']])).length, 1);
  assert.equal(
    (
      await query(store, widerArticle, [
        ['sort', 'season'],
        ['limit', '1'],
      ])
    )[0]?.season,
    'SS26',
  );
}

async function withdrawnKept(t: TestContext, engineUnderTest: EngineUnderTest): Promise<void> {
  const { engine, store: before } = await filled(t, engineUnderTest);
  const { cursor } = await pageOf(before, requestFor(before, article, [['filter', 'articleReference==R7']]));
  const naturalKey = JSON.stringify(['R7']);
  const [result] = await before.records.write(article, 'AC', [{ withdraw: { naturalKey } }]);
  assert.equal(result?.outcome, 'changed');
  const told = await query(before, article, [['cursor', cursor]]);
  assert.equal(told.length, 1);
  await gainColumns(engine);
  const store = await createStore(engine, wider);
  const { season, finish, ...rest } = (await query(store, widerArticle, [['cursor', cursor]]))[0] ?? {};
  assert.deepEqual([season, finish, rest], [null, null, told[0]], 'found by the value that it had');
  assert.deepEqual(await outcomes(store, widerArticle, articleInputs('AC').slice(7, 8)), new Set(['changed']));
  assert.deepEqual(await outcomes(store, widerArticle, articleInputs('AC').slice(7, 8)), new Set(['unchanged']));
}

async function interrupted(t: TestContext, engineUnderTest: EngineUnderTest): Promise<void> {
  const { engine, store: before } = await filled(t, engineUnderTest);
  const old = await everything(before, article);
  await gainColumns(engine);
  let left = 0;
  const dying: Engine = {
    ...engine,
    write: (work) => {
      left -= 1;
      if (left < 0) throw new Error('killed');
      return engine.write(work);
    },
    close: async () => undefined,
  };
  const counts: number[] = [];
  for (let attempt = 0; attempt < 20; attempt += 1) {
    left = 2;
    const started = await createStore(dying, { ...wider, onRewrite: (_resource, count) => counts.push(count) }).catch(
      () => null,
    );
    if (started !== null) break;
  }
  const store = await createStore(engine, wider);
  assert.deepEqual(
    (await everything(store, widerArticle)).map(({ season, finish, ...rest }) => withoutSymbology(rest)),
    old,
  );
  assert.ok((await everything(store, widerStock)).every(({ bin }) => bin === null));
  assert.ok(Math.max(...counts) < old.length, 'none of the attempts began anew');
  assert.equal(await publishStock(store, widerStock), 'unchanged');
}

async function earlierVersionStopped(t: TestContext, engineUnderTest: EngineUnderTest): Promise<void> {
  const { engine, store: before } = await filled(t, engineUnderTest);
  const draft = await before.images.draft(articleStock, 'AC', noon + 1);
  const row = { articleReference: 'R1', stockImageExtractionDate: new Date(noon + 1).toISOString() };
  await draft.write([checked(articleStock, 'AC', { ...row, totalStockQuantity: 1 })]);
  await gainColumns(engine);
  const late = { articleReference: 'R0', longArticleDescription: 'Late', shortArticleDescription: 'Late' };
  const writes: readonly (() => Promise<unknown>)[] = [
    () => outcomes(before, article, [late]),
    () => outcomes(before, article, [{ ...late, articleReference: 'LATE' }], 'BI'),
    () => before.records.submit(['AC'], (unit) => unit.write(article, 'AC', [checked(article, 'AC', late)], 'op')),
    () => outcomes(before, procurementReport, [{ ...reportInput, receptionUniqueID: 'R2' }]),
  ];
  // R0 is in the first batch: it has been rewritten when it comes.
  let attempts = 0;
  const during: Promise<string>[] = [];
  const store = await createStore(engine, {
    ...wider,
    onRewrite: (resource) => {
      if (resource !== article.name || attempts > 0) return;
      attempts = 1;
      for (const write of writes.slice(0, 3)) during.push(write().then(() => 'written', slugOf));
    },
  });
  assert.deepEqual(await Promise.all(during), ['unavailable', 'unavailable', 'unavailable']);
  for (const write of [...writes, () => draft.publish()])
    assert.equal(await write().then(() => 'written', slugOf), 'unavailable');
  const now = await everything(store, widerArticle);
  assert.equal(now.length, articles + 3);
  assert.ok(now.every((record) => 'season' in record && record.longArticleDescription === 'Lamp'));
  assert.ok((await everything(store, widerStock)).every((record) => 'bin' in record));
  assert.deepEqual((await store.outbox.read(['AC'], {}, 10)).entries, []);
  assert.deepEqual(await outcomes(store, widerArticle, [late]), new Set(['changed']));
}

async function outboxKept(t: TestContext, engineUnderTest: EngineUnderTest): Promise<void> {
  const { engine, store: before } = await filled(t, engineUnderTest);
  const record = checked(article, 'AC', {
    articleReference: 'NEW',
    longArticleDescription: 'New',
    shortArticleDescription: 'New',
  });
  await before.records.submit(['AC'], (unit) => unit.write(article, 'AC', [record], 'op'));
  const [written] = (await before.outbox.read(['AC'], {}, 10)).entries;
  await gainColumns(engine);
  const store = await createStore(engine, wider);
  assert.deepEqual((await store.outbox.read(['AC'], {}, 10)).entries, [written]);
}

function slugOf(error: unknown): string {
  return error instanceof Problem ? error.slug : String(error);
}

/** A database of before: articles, an image, a report. */
async function filled(
  t: TestContext,
  engineUnderTest: EngineUnderTest,
): Promise<{ readonly engine: Engine; readonly store: Store }> {
  const database = await engineUnderTest.create();
  const engine = await database.open();
  t.after(async () => {
    await engine.close();
    await database.remove();
  });
  const store = await createStore(engine, definitions);
  for (const activity of activities) {
    await store.activities.add(activity, `Activity ${activity}`);
    await outcomes(store, article, articleInputs(activity), activity);
  }
  await outcomes(store, procurementReport, [reportInput]);
  assert.equal(await publishStock(store, articleStock), 'new');
  return { engine, store };
}

/** As a generated migration does. */
async function gainColumns(engine: Engine): Promise<void> {
  const change = shapeChange(
    [article, articleStock, procurementReport].map(storedShape),
    wider.resources.map(storedShape),
  );
  assert.deepEqual(
    change.columns.map(({ table, name }) => `${table}.${name}`),
    ['article.season', 'article_stock.bin'],
  );
  await engine.write((transaction) => changeShapes(transaction, change));
}

function articleInputs(activity: string): readonly Record<string, unknown>[] {
  const count = activity === 'AC' ? articles : 3;
  return Array.from({ length: count }, (_, index) => ({
    articleReference: `R${index}`,
    longArticleDescription: 'Lamp',
    shortArticleDescription: 'Lamp',
    netWeightPerUVC: index / 8,
    barcodes: index % 2 === 0 ? [{ code: `B${index}` }] : [],
    customField1: '2026-01-31T08:00:00Z',
  }));
}

const reportInput = {
  uniqueProcurementID: 'P1',
  receptionUniqueID: 'R1',
  receptionProcessingNumber: '1',
  svcReceptionUniqueID: 'S1',
  entries: [],
};

async function publishStock(store: Store, resource: Resource): Promise<string> {
  const draft = await store.images.draft(resource, 'AC', noon);
  const rows = Array.from({ length: 230 }, (_, index) => ({
    articleReference: `R${index}`,
    stockImageExtractionDate: new Date(noon).toISOString(),
    totalStockQuantity: index,
  }));
  await draft.write(rows.map((row) => checked(resource, 'AC', row)));
  return draft.publish();
}

async function outcomes(
  store: Store,
  resource: Resource,
  inputs: readonly Record<string, unknown>[],
  activity = 'AC',
): Promise<ReadonlySet<string>> {
  return new Set(
    (
      await store.records.write(
        resource,
        activity,
        inputs.map((input) => checked(resource, activity, input)),
      )
    ).map(({ outcome }) => outcome),
  );
}

function checked(resource: Resource, activity: string, input: Record<string, unknown>): IncomingRecord {
  const result = checkRecord(resource, input, { activity, activityName: `Activity ${activity}` });
  assert.ok(result.ok, JSON.stringify(result));
  return result.record;
}

async function query(
  store: Store,
  resource: Resource,
  pairs: readonly QueryPair[],
): Promise<readonly Record<string, unknown>[]> {
  return (await pageOf(store, requestFor(store, resource, pairs))).records;
}

function requestFor(store: Store, resource: Resource, pairs: readonly QueryPair[]): ListRequest {
  return {
    resource,
    endpoint: 'test',
    activities,
    fixed: [],
    query: pairs,
    now: Date.now(),
    secret: 'secret',
    history: store.history,
  };
}

interface Asked {
  readonly records: readonly Record<string, unknown>[];
  readonly cursor: string;
  readonly more: boolean;
}

async function pageOf(store: Store, request: ListRequest): Promise<Asked> {
  const planned = planList(request);
  const page = await store.lists.page(planned.plan, await store.lists.revision(request.resource, activities), {
    client: 'test',
  });
  return {
    records: list(JSON.parse(page.bytes.toString())),
    cursor: nextCursor(planned, page.next, page.walkStarts),
    more: page.more,
  };
}

async function walk(store: Store, resource: Resource): Promise<Asked> {
  const records: Record<string, unknown>[] = [];
  let asked = await pageOf(store, requestFor(store, resource, []));
  records.push(...asked.records);
  while (asked.more) {
    asked = await pageOf(store, requestFor(store, resource, [['cursor', asked.cursor]]));
    records.push(...asked.records);
  }
  return { ...asked, records };
}

async function everything(store: Store, resource: Resource): Promise<readonly Record<string, unknown>[]> {
  return (await walk(store, resource)).records;
}

async function cursors(store: Store): Promise<readonly (readonly [string, string])[]> {
  const found: [string, string][] = [];
  for (const resource of [article, articleStock, procurementReport])
    found.push([resource.name, (await walk(store, resource)).cursor]);
  return found;
}

function withoutSymbology(record: Record<string, unknown>): Record<string, unknown> {
  return { ...record, barcodes: list(record.barcodes).map(({ symbology: _symbology, ...rest }) => rest) };
}

function list(value: unknown): readonly Record<string, unknown>[] {
  assert.ok(Array.isArray(value));
  return value;
}
