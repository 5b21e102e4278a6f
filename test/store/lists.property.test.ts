// Random filters, sorts, limits and cursors: every engine answers as a plain evaluation in JavaScript does.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import { filterFields } from '../../src/model/filter.ts';
import { planList, type ListRequest } from '../../src/model/list.ts';
import { nextCursor } from '../contract/continuation.ts';
import type { ListPlan, StoredValue } from '../../src/model/plan.ts';
import type { IncomingRecord, RenderedRecord } from '../../src/model/record.ts';
import { columnFields, nestedSelectors, type Resource, type ScalarField } from '../../src/model/resource.ts';
import { article, order } from '../../src/resources/index.ts';
import { createStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { storedValue, writtenFilter, writtenSort } from '../contract/arbitrary.ts';
import { type EngineUnderTest, allEngines } from '../contract/engines.ts';
import { type EvaluatedRecord, evaluatePlan } from '../contract/evaluate.ts';
import { roundsOn } from '../contract/rounds.ts';

type Value = StoredValue | null;
interface Planted extends EvaluatedRecord {
  readonly key: string;
}

for (const engine of allEngines) {
  for (const resource of [order, article]) {
    describe(`random lists of ${resource.name} on ${engine.name}`, { skip: engine.skip }, () =>
      listProperties(engine, resource),
    );
  }
}

function listProperties(engineUnderTest: EngineUnderTest, resource: Resource): void {
  const activities = ['AA', 'B', 'a1'];
  const fields = filterFields(resource);
  let database: Awaited<ReturnType<EngineUnderTest['create']>>;
  let store: Store;
  let planted: readonly Planted[];

  before(async () => {
    database = await engineUnderTest.create();
    // The rows' columns are set directly: what is under test is the way from a query to the rows, not that from a
    // record to its columns.
    store = await createStore(await database.open(), {
      resources: [],
      rendererOf: () =>
        Object.assign((record: IncomingRecord) => rendered(resource, record.value), {
          inTurns: async (record: IncomingRecord) => rendered(resource, record.value),
        }),
    });
    planted = await plant(
      store,
      resource,
      activities.map((activity) => activity.toUpperCase()),
    );
  });
  after(async () => {
    await store.close();
    await database.remove();
  });

  it('answers every filter and sort, page by page, like JavaScript', { timeout: 900_000 }, async () => {
    const query = fc.record({
      filter: fc.option(writtenFilter(resource, fields), { nil: null, freq: 4 }),
      sort: writtenSort(resource),
      limit: fc.integer({ min: 1, max: 30 }),
      callers: fc.subarray(
        activities.map((activity) => activity.toUpperCase()),
        { minLength: 1 },
      ),
    });
    await fc.assert(
      fc.asyncProperty(query, async ({ filter, sort, limit, callers }) => {
        const pairs: [string, string][] = [['limit', String(limit)]];
        if (filter !== null) pairs.push(['filter', filter.text]);
        if (sort.text !== '') pairs.push(['sort', sort.text]);
        const request = (given: ListRequest['query']): ListRequest => ({
          resource,
          endpoint: 'test',
          activities: callers,
          fixed: [],
          query: given,
          now: 0,
          secret: 'secret',
          history: store.history,
        });
        const seen: string[] = [];
        let asked = request(pairs);
        for (let more = true; more; ) {
          const planned = planList(asked);
          const page = await store.lists.page(planned.plan, await store.lists.revision(resource, callers), {
            client: 'test',
          });
          const keys = keysOf(page.bytes);
          assert.equal(keys.length, page.count);
          assert.ok(page.count <= limit);
          assert.ok(page.count > 0 || !page.more, 'an announced page is not empty');
          seen.push(...keys);
          more = page.more;
          asked = request([['cursor', nextCursor(planned, page.next, page.walkStarts)]]);
          assert.ok(seen.length <= planted.length, 'paging ends');
        }
        const plan: ListPlan = { ...planList(request(pairs)).plan, limit: planted.length };
        const expected =
          plan.sort.length > 0
            ? evaluatePlan(plan, planted).records
            : plan.activities.flatMap((activity) => evaluatePlan({ ...plan, activities: [activity] }, planted).records);
        assert.deepEqual(
          seen,
          expected.map((record) => record.key),
        );
      }),
      { numRuns: roundsOn(engineUnderTest, 400, 150) },
    );
  });
}

/** Writes random records, then changes and withdraws some of them, so that change order is not the order of keys. */
async function plant(store: Store, resource: Resource, activities: readonly string[]): Promise<readonly Planted[]> {
  const columns = [...columnFields(resource)];
  const nested = nestedSelectors(resource);
  const perhaps = (arbitrary: fc.Arbitrary<StoredValue>): fc.Arbitrary<Value> =>
    fc.option(arbitrary, { nil: null, freq: 4 });
  const record = fc.record({
    columns: fc.tuple(...columns.map(([, field]) => perhaps(storedValue(field)))),
    nested: fc.tuple(...nested.map(({ field }) => fc.array(perhaps(storedValue(field)), { maxLength: 3 }))),
  });
  const found = new Map<string, Planted>();
  for (const [place, activity] of activities.entries()) {
    await store.activities.add(activity, activity);
    const values = fc.sample(record, { numRuns: 60, seed: 7 + place });
    const rounds = [values, values.slice(0, 10)].map((some, round) =>
      some.map((value, index) => ({
        ...value,
        columns: value.columns.map((held, at) => assigned(columns[at], { round, index }) ?? held),
      })),
    );
    for (const [round, share] of rounds.entries()) {
      const batch = share.map((value, index) => ({
        naturalKey: `${activity}-${index}`,
        contentHash: `${round}`,
        value: { ...value, key: `${activity}-${index}` },
      }));
      const results = await store.records.write(resource, activity, batch);
      for (const [index, { changeNumber }] of results.entries()) {
        const value = share[index];
        if (value === undefined) continue;
        const held = new Map<string, Value | readonly Value[]>(
          columns.map(([name], at) => [name, value.columns[at] ?? null]),
        );
        for (const [at, { selector }] of nested.entries()) held.set(selector, value.nested[at] ?? []);
        found.set(`${activity}-${index}`, { key: `${activity}-${index}`, activity, changeNumber, columns: held });
      }
    }
  }
  for (const activity of activities) {
    const withdrawn = Array.from({ length: 12 }, (_, index) => `${activity}-${5 + 3 * index}`);
    const results = await store.records.write(
      resource,
      activity,
      withdrawn.map((naturalKey) => ({ withdraw: { naturalKey } })),
    );
    const [{ lastWriteAt } = { lastWriteAt: null }] = await store.activities.named([activity]);
    for (const [index, { changeNumber }] of results.entries()) {
      const record = found.get(withdrawn[index] ?? '');
      if (record === undefined) throw new Error('there is nothing to withdraw');
      const written = columns.find(([, field]) => field.assigned === 'updated')?.[0] ?? '';
      const columnsThen = new Map(record.columns).set(written, lastWriteAt);
      found.set(record.key, { ...record, changeNumber, columns: columnsThen, withdrawn: true });
    }
  }
  return [...found.values()];
}

/**
 * What the service gives a record by itself is not random: an id is that of one record alone, sorted as text not in the
 * order of their making, and the time of the last write grows with change numbers.
 */
function assigned(
  column: readonly [string, ScalarField] | undefined,
  { round, index }: { readonly round: number; readonly index: number },
): StoredValue | null {
  if (column === undefined) return null;
  const [name, field] = column;
  if (name === 'id') return field.kind === 'text' ? `${(index * 37) % 60}` : (index * 37) % 60;
  if (field.assigned !== 'updated') return null;
  const instants = [...new Set(fc.sample(storedValue(field), { numRuns: 100, seed: 1 }).map(Number))].toSorted(
    (left, right) => left - right,
  );
  return instants[round === 1 ? instants.length - 1 : Math.floor((index * (instants.length - 1)) / 60)] ?? 0;
}

function rendered(resource: Resource, value: Readonly<Record<string, unknown>>): RenderedRecord {
  const columns = isValues(value.columns) ? value.columns : [];
  const lists: readonly unknown[] = Array.isArray(value.nested) ? value.nested : [];
  const nested = nestedSelectors(resource).flatMap(({ selector }, index) => {
    const elements = lists[index];
    return isValues(elements) ? elements.map((element) => ({ selector, value: element })) : [];
  });
  return { body: JSON.stringify({ id: value.key }), columns, nested };
}

function isValues(value: unknown): value is readonly Value[] {
  return (
    Array.isArray(value) && value.every((one) => one === null || typeof one === 'string' || typeof one === 'number')
  );
}

function keysOf(bytes: Buffer): readonly string[] {
  const parsed: unknown = JSON.parse(bytes.toString());
  assert.ok(Array.isArray(parsed));
  return parsed.map(({ id }) => String(id));
}
