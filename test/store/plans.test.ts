// Every documented filter and sort has a plan: what is documented as served by an index looks at a few pages' worth of
// rows, whatever the statistics say and wherever its records lie; anything else is documented as slow, and waits.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { listParametersOf } from '../../src/api/descriptions/list-parameters.ts';
import type { QueryPair } from '../../src/model/cursor.ts';
import { filterFields } from '../../src/model/filter.ts';
import { planList } from '../../src/model/list.ts';
import type { ListPlan } from '../../src/model/plan.ts';
import type { Resource, ScalarField } from '../../src/model/resource.ts';
import { sortFields } from '../../src/model/sort.ts';
import { definitions, resources } from '../../src/resources/index.ts';
import { type Access, accessOf, maxLookupValues } from '../../src/store/access-path.ts';
import type { Engine } from '../../src/store/engine.ts';
import { fieldAccess } from '../../src/store/field-access.ts';
import { maxLookedUp } from '../../src/store/lookups.ts';
import { createStore } from '../../src/store/open.ts';
import type { Statement } from '../../src/store/statement.ts';
import type { Store } from '../../src/store/store.ts';
import { allEngines, type EngineUnderTest } from '../contract/engines.ts';
import { allRounds } from '../contract/rounds.ts';
import { statementText } from '../contract/statement-text.ts';
import { type Counter, createCounter, type LookedAt } from './looked-at.ts';
import { activityCodes, claimLarge, fewRows, plant, plantActivities, tablesOf, valueAt } from './skewed-tables.ts';

/** Records of the largest activity, and how many the engine takes them for. */
const rows = allRounds ? 50_000 : 8_000;
const claimedRows = 10_000_000;
const page = 101;

for (const engine of allEngines) {
  describe(`plans on ${engine.name}`, { skip: engine.skip, timeout: 1_800_000 }, () => plans(engine));
}

/** What all tests of an engine ask: its tables are filled once. */
interface Filled {
  readonly store: Store;
  readonly counter: Counter;
  /** What was asked of the engine, the last page alone. */
  readonly asked: Asked[];
}

function plans(engineUnderTest: EngineUnderTest): void {
  const { promise, resolve } = Promise.withResolvers<Filled>();
  let database: Awaited<ReturnType<EngineUnderTest['create']>>;
  before(async () => {
    database = await engineUnderTest.create();
    const asked: Asked[] = [];
    const engine = await database.open();
    // Before there are records: it would write those anew that it takes for older than their definition.
    const store = await createStore(watched(engine, asked), definitions);
    await plantActivities(engine, rows);
    for (const resource of resources) await plant(engine, resource, rows);
    await claimLarge(engine, resources, Math.ceil(claimedRows / rows));
    resolve({ store, counter: await createCounter(engine, database.url), asked });
  });
  after(async () => {
    const { store, counter } = await promise;
    await counter.close();
    await store.close();
    await database.remove();
  });
  for (const resource of resources) describe(resource.name, () => plansOf(resource, engineUnderTest.name, promise));
}

function plansOf(resource: Resource, engineName: string, filled: Promise<Filled>): void {
  for (const [title, activities] of Object.entries({ one: activityCodes.slice(0, 1), twenty: activityCodes })) {
    it(`looks at few rows of ${title} for what an index serves, and lets anything else wait`, async () => {
      const { store, counter, asked } = await filled;
      const faults: string[] = [];
      let served = 0;
      for (const query of asking(queriesOf(resource), title === 'one', engineName)) {
        const plan = planFor(store, resource, activities, query);
        const access = accessOf(plan);
        for (const [place, at] of await placesIn(store, plan, access)) {
          asked.length = 0;
          await store.lists.page(at, await store.lists.revision(resource, activities), { client: 'test' });
          const fault = await faultOf(at, access, asked, counter);
          if (!asked.some(({ long }) => long)) served += 1;
          if (fault !== null) faults.push(`${JSON.stringify(query)}, ${place}: ${fault}`);
        }
      }
      assert.deepEqual(faults.slice(0, 5), [], `${faults.length} faults`);
      assert.ok(served > 2, `${served} were served by an index`);
    });
  }

  it('lets wait what the reference calls slow beside the fields, and nothing that it does not', async () => {
    const { store, asked } = await filled;
    const [activity = ''] = activityCodes;
    const waits = async (query: readonly QueryPair[], changesLeft: number | null = null): Promise<boolean> => {
      const plan = planFor(store, resource, [activity], query);
      const after = changesLeft === null ? plan.after : { [activity]: rows - changesLeft };
      asked.length = 0;
      await store.lists.page({ ...plan, after }, { [activity]: rows }, { client: 'test' });
      return asked.some(({ long }) => long);
    };
    const access = fieldAccess(resource);
    const isDotted = (selector: string): boolean => selector.includes('.');
    const slow = [...access].filter(([, { value, span }]) => value === 'many' && span === 'many').map(([name]) => name);
    const filterBy = (name: string): QueryPair => {
      const field = filterFields(resource).get(name);
      return ['filter', `${name}==${field === undefined ? '' : (valueAt(resource, name, field, 17, rows) ?? 1)}`];
    };
    for (const name of slow) {
      assert.ok(await waits([filterBy(name)]), name);
      if (resource.storage === 'images') continue;
      assert.ok(await waits([filterBy(name)], maxLookedUp + 1), `${name}, more changes than that`);
      const isFollowed = await waits([filterBy(name)], maxLookedUp);
      assert.equal(isFollowed, isDotted(name), `${name}, few changes after the cursor`);
    }
    const [first = '', second = ''] = [...sortFields(resource).keys()].filter(
      (name) => access.get(name)?.sort === 'index',
    );
    assert.ok(await waits([['sort', `${first},${second || 'activityCode'}`]]), 'a sort by several fields');
  });

  it('names what is slow in the reference', () => {
    const meanings = new Map(listParametersOf(resource).map(({ name, meaning }) => [name, meaning]));
    for (const [selector, { value, span, sort }] of fieldAccess(resource)) {
      if (value === 'many' && span === 'many') {
        assert.match(meanings.get('filter') ?? '', new RegExp(`Slow are filters by [^;]*\`${selector}\``), selector);
        if (meanings.has(selector)) assert.match(meanings.get(selector) ?? '', / Slow: no index has it\./, selector);
      }
      if (sort !== null && sort !== 'index')
        assert.match(meanings.get('sort') ?? '', new RegExp(`\\*\\*Slow\\*\\*, [^.]*\`${selector}\``), selector);
    }
  });
}

interface Asked {
  readonly statement: Statement<unknown>;
  readonly long: boolean;
}

function watched(engine: Engine, asked: Asked[]): Engine {
  return {
    ...engine,
    read: (statement) => {
      asked.push({ statement, long: false });
      return engine.read(statement);
    },
    readShort: (statement) => {
      asked.push({ statement, long: false });
      return engine.readShort(statement);
    },
    // What waits may look at all rows: it need not be done here.
    readLong: async (statement) => {
      asked.push({ statement, long: true });
      return [];
    },
  };
}

/** Null where a page looked at as few rows as its access promises. */
async function faultOf(
  plan: ListPlan,
  access: Access,
  asked: readonly Asked[],
  counter: Counter,
): Promise<string | null> {
  const long = asked.some((each) => each.long);
  if (access === 'index' && long) return 'is served by an index, and waited';
  if (access === 'many' && !long) return 'is slow, and did not wait';
  const values = plan.where.reduce((sum, condition) => sum + ('values' in condition ? condition.values.length : 0), 0);
  // In change order of each value a page; in value order of each activity a page of both runs, and the ties. What is
  // looked up is counted, read, and asked about once more, and twice passed on.
  const lookedUp = access === 'index' ? 0 : 5 * maxLookedUp;
  const others = (plan.activities.length - 1) * 4 * fewRows;
  const most = 6 * page + others + lookedUp + page * Math.min(values, maxLookupValues);
  const tables = tablesOf(plan.resource);
  const short = asked.filter(
    (each) => !each.long && tables.some((table) => statementText(each.statement).includes(table)),
  );
  const found: LookedAt[] = [];
  // One after the other: each may take a connection.
  for (const { statement } of counter.isQuick ? short : firstAndLastOf(short))
    found.push(await counter.count(statement));
  const sum = found.reduce((all, each) => all + each.rows, 0);
  const pages = found.reduce((all, each) => all + each.pages, 0);
  const [worst] = found.toSorted((left, right) => right.rows + right.pages - left.rows - left.pages);
  return sum > most || pages > 6 * most
    ? `${sum} rows and ${pages} pages, at most ${most}\n${worst?.plan}\n${worst?.text}`
    : null;
}

/**
 * Of equal texts, of which each activity has one, that of the first activity, which has nearly all records, and that of
 * the last.
 */
function firstAndLastOf(asked: readonly Asked[]): readonly Asked[] {
  const byText = Map.groupBy(asked, ({ statement }) => statementText(statement));
  return [...byText.values()].flatMap((equal) => [...equal.slice(0, 1), ...equal.slice(1).slice(-1)]);
}

/** The first page, one behind it, and the end of the list. */
async function placesIn(
  store: Store,
  plan: ListPlan,
  access: Access,
): Promise<readonly (readonly [place: string, plan: ListPlan])[]> {
  if (access === 'many') return [['first page', plan]];
  const read = async (asked: ListPlan): Promise<ListPlan['after']> => {
    const revision = await store.lists.revision(asked.resource, asked.activities);
    return (await store.lists.page(asked, revision, { client: 'test' })).next;
  };
  const reversed = plan.sort.map(({ field, descending }) => ({ field, descending: !descending }));
  const end =
    plan.sort.length > 0
      ? await read({ ...plan, sort: reversed, limit: 30 })
      : Object.fromEntries(plan.activities.map((activity, index) => [activity, (index === 0 ? rows : fewRows) - 20]));
  return [
    ['first page', plan],
    ['second page', { ...plan, after: await read(plan) }],
    ['the end', { ...plan, after: end }],
  ];
}

function planFor(
  store: Store,
  resource: Resource,
  activities: readonly string[],
  query: readonly QueryPair[],
): ListPlan {
  return planList({
    ...{ resource, endpoint: 'test', activities, fixed: [], query },
    ...{ now: Date.now(), secret: 'secret', history: store.history },
  }).plan;
}

/**
 * All queries for one activity; for several the orders, which are read differently, and some filters. PostgreSQL, where
 * explaining takes long, has a part of both, which differs from resource to resource.
 */
function asking(
  queries: readonly (readonly QueryPair[])[],
  isOne: boolean,
  engineName: string,
): readonly (readonly QueryPair[])[] {
  const isOrder = (query: readonly QueryPair[]): boolean => query.every(([name]) => name !== 'filter');
  const asked = isOne ? queries : queries.filter((query, index) => isOrder(query) || index % 11 === 0);
  const every = { SQLite: 1, 'PostgreSQL server': 5 }[engineName] ?? 13;
  return asked.filter((_query, index) => index % every === 0);
}

/** Each documented filter of each field in each order that matters to it, and each documented sort. */
function queriesOf(resource: Resource): readonly (readonly QueryPair[])[] {
  const access = fieldAccess(resource);
  const quickSort = [...sortFields(resource).keys()].find((name) => access.get(name)?.sort === 'index') ?? '';
  const sorts = [...sortFields(resource).keys()].flatMap((name): QueryPair[] => [
    ['sort', name],
    ['sort', `-${name}`],
  ]);
  const queries: QueryPair[][] = [[], ...sorts.map((sort) => [sort])];
  for (const [name, field] of filterFields(resource)) {
    const orders: QueryPair[][] = [[], [['sort', quickSort]]];
    if (sortFields(resource).has(name)) orders.push([['sort', name]], [['sort', `-${name}`]]);
    for (const filter of filtersOf(resource, name, field)) {
      const isSlow = access.get(name)?.value === 'many';
      for (const order of isSlow ? orders.slice(0, 1) : orders) queries.push([['filter', filter], ...order]);
    }
  }
  const updated = updatedSinceEnd(resource);
  return [
    ...queries,
    [['updatedSince', updated]],
    ...sorts.slice(0, 2).map((sort) => [sort, ['updatedSince', updated]]),
  ] as QueryPair[][];
}

function updatedSinceEnd(resource: Resource): string {
  const [name, field] = [...filterFields(resource)].find(([, each]) => each.assigned === 'updated') ?? [];
  return (name && field && valueAt(resource, name, field, rows - 300, rows)) ?? '2020-01-01';
}

/** Of values that few records have, that many have at the end, and that none has. */
function filtersOf(resource: Resource, name: string, field: ScalarField): readonly string[] {
  if (field.kind === 'boolean') return [`${name}==true`, `${name}==false`, `${name}!=true`];
  const at = (n: number): string => valueAt(resource, name, field, n, rows) ?? '';
  const few = at(17);
  const many = at(Math.floor(rows * 0.8));
  const none = field.kind === 'text' ? 'NOSUCH' : field.kind === 'date-time' ? '2099-01-01T00:00:00Z' : '-1';
  const list = (count: number): string => Array.from({ length: count }, (_none, index) => at(index + 1)).join(',');
  const middle = Math.floor(rows / 4);
  return [
    ...[few, many, none].map((value) => `${name}==${value}`),
    ...[2, maxLookupValues, maxLookupValues + 5].map((count) => `${name}=in=(${list(count)})`),
    `${name}=in=(${few},${many})`,
    ...[at(middle), many, none].map((value) => `${name}=ge=${value}`),
    ...[few, at(middle), many].map((value) => `${name}=lt=${value}`),
    `${name}=ge=${at(middle)};${name}=lt=${at(middle + 150)}`,
    `${name}=ge=${at(middle)};${name}=le=${at(rows / 2)}`,
    ...(field.kind === 'text' ? [few.slice(0, 7), few.slice(0, 2), 'NO'].map((text) => `${name}==${text}*`) : []),
    `${name}!=${few}`,
    `${name}=null=true`,
    `${name}=null=false`,
  ];
}
