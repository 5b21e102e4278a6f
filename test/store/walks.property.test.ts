// Walks through a list while it changes: whatever is written or withdrawn between two steps, a walk misses nothing that
// was there all the while, a sorted one repeats nothing either, one through stock shows a single image, and who goes on
// with the cursor of the end has what there is.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Readable } from 'node:stream';
import fc from '../contract/properties.ts';
import { createFeedTurns } from '../../src/feeds/feed-turns.ts';
import { jsonReading } from '../../src/feeds/read-records.ts';
import { receiveMessage } from '../../src/feeds/receive.ts';
import { createChecker } from '../../src/model/check.ts';
import type { QueryPair } from '../../src/model/cursor.ts';
import { type ListRequest, planList } from '../../src/model/list.ts';
import { nextCursor } from '../contract/continuation.ts';
import { Problem } from '../../src/model/problem.ts';
import type { Incoming, IncomingRecord } from '../../src/model/record.ts';
import type { Resource } from '../../src/model/resource.ts';
import { withdrawalReader } from '../../src/model/withdrawal.ts';
import { articleStock, order } from '../../src/resources/index.ts';
import type { Engine, RunStatement } from '../../src/store/engine.ts';
import type { Page, Store } from '../../src/store/store.ts';
import { type EngineUnderTest, allEngines, storeOn } from '../contract/engines.ts';
import { roundsOn } from '../contract/rounds.ts';
import { statementText } from '../contract/statement-text.ts';
import { plain } from '../contract/database.ts';

const perActivity = 12;
/**
 * Rows of a removed image that are gone when a page is read: its last ones, or its first, as retention removes them.
 */
const goneRows = ['position > 6', `position <= ${perActivity - 4}`, `position <= ${perActivity - 2}`] as const;
const removedQueries: readonly (readonly QueryPair[])[] = [
  [],
  [['sort', 'stockUnitID']],
  [['filter', 'articleReference=ge=A']],
];

for (const engine of allEngines) {
  describe(`walks on ${engine.name}`, { skip: engine.skip }, () => walkTests(engine));
}

const noon = Date.UTC(2026, 0, 31, 12);

/** What happens during a walk: before which of its pages, and whether between the look at the revision and the page. */
interface Rewrite {
  readonly page: number;
  readonly late: boolean;
  readonly activity: number;
  readonly records: readonly number[];
  readonly isWithdrawal: boolean;
}

function walkTests(engineUnderTest: EngineUnderTest): void {
  let database: Awaited<ReturnType<EngineUnderTest['create']>>;
  let engine: Engine;
  let store: Store;
  let codes = 0;
  const numRuns = roundsOn(engineUnderTest, 150, 40);
  before(async () => {
    database = await engineUnderTest.create();
    engine = await database.open();
    store = await storeOn(engine);
  });
  after(async () => {
    await store.close();
    await database.remove();
  });
  const newActivities = async (count: number): Promise<readonly string[]> => {
    const added = Array.from({ length: count }, (_, index) =>
      (codes + index).toString(36).toUpperCase().padStart(3, '0'),
    );
    codes += count;
    for (const code of added) await store.activities.add(code, `Activity ${code}`);
    return added;
  };
  const request = (resource: Resource, activities: readonly string[], query: readonly QueryPair[]): ListRequest => ({
    resource,
    endpoint: 'test',
    activities,
    fixed: [],
    query,
    now: Date.now(),
    secret: 'secret',
    history: store.history,
  });

  /**
   * Follows the cursor of each page while there is more, as a client does by `Link`. `between` is told of each step.
   */
  const walk = async (
    resource: Resource,
    activities: readonly string[],
    query: readonly QueryPair[],
    between: (page: number, late: boolean) => Promise<void>,
  ): Promise<Walked> => {
    const records: Record<string, unknown>[] = [];
    let asked = request(resource, activities, query);
    for (let number = 0; ; number += 1) {
      await between(number, false);
      const revision = await store.lists.revision(resource, activities);
      await between(number, true);
      const planned = planList(asked);
      const page = await store.lists.page(planned.plan, revision, { client: 'test' });
      records.push(...recordsOf(page));
      const cursor = nextCursor(planned, page.next, page.walkStarts);
      if (!page.more) return { records, cursor };
      asked = request(resource, activities, [['cursor', cursor]]);
      assert.ok(number < 1000, 'the walk ends');
    }
  };

  it('contain each record that was there all the while, and the cursor of the end gives what is new after it', {
    timeout: 900_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(scenario(), fc.constantFrom(...filters), async ({ limit, rewrites }, filter) => {
        const activities = await newActivities(2);
        for (const activity of activities)
          await store.records.write(
            order,
            activity,
            numbered((index) => orderRecord(activity, index, 0)),
          );
        const written = rewriter(store, activities, rewrites);
        const { records, cursor } = await walk(order, activities, [['limit', String(limit)], ...filter], written);
        const shown = new Set(records.filter((record) => !isWithdrawn(record)).map(nameOf));
        assert.deepEqual(
          alwaysThere(activities, rewrites).filter((name) => !shown.has(name)),
          [],
        );
        const held = new Map<string, unknown>();
        const hold = (record: Record<string, unknown>): void => {
          if (isWithdrawn(record)) held.delete(nameOf(record));
          else held.set(nameOf(record), record.deliveryComment);
        };
        records.forEach(hold);
        const news = await walk(order, activities, [['cursor', cursor]], async () => undefined);
        news.records.forEach(hold);
        const now = await walk(order, activities, [['limit', '100']], async () => undefined);
        assert.deepEqual(
          held,
          new Map(now.records.map((record) => [nameOf(record), record.deliveryComment])),
          'what a client holds is what there is',
        );
        assert.equal(new Set(news.records.map(nameOf)).size, news.records.length, 'each change once');
      }),
      { numRuns },
    );
  });

  it('in value order give each record that stays, with its sort value, exactly once', {
    timeout: 900_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(scenario(), fc.constantFrom(...sorts), async ({ limit, rewrites }, sort) => {
        const activities = await newActivities(2);
        for (const activity of activities)
          await store.records.write(
            order,
            activity,
            numbered((index) => orderRecord(activity, index, 0)),
          );
        const written = rewriter(store, activities, rewrites);
        const { records } = await walk(
          order,
          activities,
          [
            ['limit', String(limit)],
            ['sort', sort],
          ],
          written,
        );
        const names = records.map(nameOf);
        assert.equal(new Set(names).size, names.length, 'no record twice');
        assert.deepEqual(
          alwaysThere(activities, rewrites).filter((name) => !names.includes(name)),
          [],
        );
        assert.deepEqual(records.filter(isWithdrawn), [], 'a sorted walk tells of no withdrawal');
      }),
      { numRuns },
    );
  });

  it('order equal sort values by id, as the last key runs, whatever is rewritten', async () => {
    const [activity = ''] = await newActivities(1);
    await store.records.write(
      order,
      activity,
      numbered((index) => orderRecord(activity, index, 0)),
    );
    const ids = async (sort: string): Promise<readonly string[]> => {
      const { records } = await walk(
        order,
        [activity],
        [
          ['sort', sort],
          ['limit', '5'],
        ],
        async () => undefined,
      );
      return records.filter(({ customerOrderID }) => customerOrderID === 'same').map(({ id }) => String(id));
    };
    const first = await ids('customerOrderID');
    assert.ok(first.length > 2);
    assert.deepEqual(first, first.toSorted());
    await store.records.write(order, activity, [orderRecord(activity, 4, 7), orderRecord(activity, 1, 7)]);
    assert.deepEqual(await ids('customerOrderID'), first);
    assert.deepEqual(await ids('-customerOrderID'), first.toReversed());
    assert.deepEqual(await ids('deliveryAddressCountry,-customerOrderID'), first.toReversed());
  });

  it('through stock show one image of each activity, and the cursor of the end gives the newest', {
    timeout: 900_000,
  }, async () => {
    const image = fc.record({
      page: fc.nat({ max: 8 }),
      late: fc.boolean(),
      activity: fc.nat({ max: 1 }),
      rows: fc.nat({ max: 12 }),
      hours: fc.integer({ min: -2, max: 2 }),
      isWithdrawal: fc.oneof(fc.constant(false), fc.boolean()),
    });
    const query = fc.constantFrom<readonly QueryPair[]>(
      [],
      [['sort', 'stockUnitID']],
      [['sort', '-articleLotNumber,articleReference']],
      [['filter', 'articleReference=ge=A3']],
      [['date', new Date(noon + 3_600_000).toISOString()]],
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(image, { maxLength: 5 }),
        query,
        fc.integer({ min: 1, max: 15 }),
        async (images, asked, limit) => {
          const activities = await newActivities(2);
          let version = 1;
          const publish = async (activity: string, rows: number, at: number): Promise<void> => {
            const draft = await store.images.draft(articleStock, activity, at);
            await draft.write(Array.from({ length: rows }, (_, index) => stockRecord(activity, index, at, version)));
            await draft.publish();
            version += 1;
          };
          for (const activity of activities) await publish(activity, perActivity, noon);
          let isAnyWithdrawn = false;
          const between = async (page: number, late: boolean): Promise<void> => {
            for (const { rows, hours, activity: index, isWithdrawal } of images.filter(
              (one) => one.page === page && one.late === late,
            )) {
              const [activity = '', at] = [activities[index], noon + hours * 3_600_000];
              if (!isWithdrawal) await publish(activity, rows, at);
              else if (await withdrawImage(store, activity, at)) isAnyWithdrawn = true;
            }
          };
          const start: readonly QueryPair[] = [...asked, ['limit', String(limit)]];
          const { records, cursor } = await walk(articleStock, activities, start, between).catch((error) => {
            // As a client does: the image that it was reading is no more, so it begins anew.
            assert.ok(isAnyWithdrawn && error instanceof Problem && error.slug === 'cursor-expired', String(error));
            return walk(articleStock, activities, start, async () => undefined);
          });
          assert.equal(
            new Set(records.map((record) => `${record.activityCode} ${record.articleReference}`)).size,
            records.length,
            'no row twice',
          );
          for (const activity of activities) {
            const shown = records.filter((record) => record.activityCode === activity);
            const versions = new Set(shown.map((record) => record.totalStockQuantity));
            assert.ok(versions.size <= 1, 'rows of one image');
            const size = asked.some(([name]) => name === 'filter') ? perActivity - 3 : perActivity;
            if (versions.has(activities.indexOf(activity) + 1)) assert.equal(shown.length, size, 'the whole of it');
          }
          if (asked.some(([name]) => name === 'sort' || name === 'date' || name === 'filter')) return;
          const held = new Map(activities.map((activity) => [activity, versionOf(records, activity)]));
          const news = await walk(articleStock, activities, [['cursor', cursor]], async () => undefined);
          const now = await walk(articleStock, activities, [], async () => undefined);
          for (const activity of activities) {
            if (versionOf(news.records, activity) !== undefined) held.set(activity, versionOf(news.records, activity));
            if (versionOf(now.records, activity) !== undefined)
              assert.equal(held.get(activity), versionOf(now.records, activity), 'the image that counts has come');
          }
        },
      ),
      { numRuns },
    );
  });

  for (const [query, gone] of removedQueries.flatMap((each) => goneRows.map((rows) => [each, rows] as const))) {
    it(`through a removed image are told so, not shown a part: ${JSON.stringify(query)}, ${gone}`, async () => {
      const [activity = ''] = await newActivities(1);
      const publish = async (at: number): Promise<void> => {
        const draft = await store.images.draft(articleStock, activity, at);
        await draft.write(numbered((index) => stockRecord(activity, index, at, 1)));
        await draft.publish();
      };
      const pageOf = async (from: Store, asked: ListRequest): Promise<Page> =>
        from.lists.page(planList(asked).plan, await store.lists.revision(articleStock, [activity]), { client: 'test' });
      await publish(noon);
      const start = request(articleStock, [activity], [...query, ['limit', '4']]);
      const first = await pageOf(store, start);
      assert.equal(first.count, 4);
      const next = request(
        articleStock,
        [activity],
        [['cursor', nextCursor(planList(start), first.next, first.walkStarts)]],
      );
      await publish(noon + 60_000);
      const torn = await storeOn(tearing(engine, activity, noon, gone));
      await assert.rejects(pageOf(torn, next), (error) => error instanceof Problem && error.slug === 'cursor-expired');
      await assert.rejects(pageOf(store, next), (error) => error instanceof Problem && error.slug === 'cursor-expired');
    });
  }

  for (const query of removedQueries) {
    it(`begin with the image that stays when the one before is removed: ${JSON.stringify(query)}`, async () => {
      const [activity = ''] = await newActivities(1);
      const draft = await store.images.draft(articleStock, activity, noon);
      await draft.write(numbered((index) => stockRecord(activity, index, noon, 1)));
      await draft.publish();
      const torn = await storeOn(tearing(engine, activity, noon));
      const page = await torn.lists.page(
        planList(request(articleStock, [activity], query)).plan,
        await store.lists.revision(articleStock, [activity]),
        { client: 'test' },
      );
      assert.deepEqual([page.count, page.more], [0, false]);
    });
  }
}

/**
 * An engine on which another process removes an image, and some of its rows so far, between the look for it and the
 * reading of rows.
 */
function tearing(engine: Engine, activity: string, at: number, gone = 'position > 6'): Engine {
  let isTorn = false;
  const run = (text: string): Promise<unknown> => engine.write((transaction) => transaction.query(plain(text)));
  const read: RunStatement = async (statement) => {
    if (!isTorn && statementText(statement).includes('from "article_stock" t')) {
      isTorn = true;
      const image = `owner = '${activity}' and extracted_at = ${at}`;
      await run(`update stock_image set state = 'draft', touched_at = 0 where ${image}`);
      await run(
        `delete from article_stock where owner = '${activity}' and ${gone} and image_id in (select image_id from ` +
          `stock_image where ${image})`,
      );
    }
    return engine.read(statement);
  };
  return { ...engine, read, readShort: read, readLong: read };
}

/** Withdraws a stock image by a line of a feed. @returns whether there was one */
async function withdrawImage(store: Store, activity: string, at: number): Promise<boolean> {
  const line = Buffer.from(JSON.stringify({ withdraw: { stockImageExtractionDate: new Date(at).toISOString() } }));
  const { message } = await receiveMessage({
    ...{ store, resource: articleStock, activity, activityName: `Activity ${activity}`, turns: createFeedTurns() },
    source: { read: () => jsonReading(Readable.from([line])) },
    message: {
      ...{ feed: 'main', channel: 'command', source: null, messageId: null, sequence: null },
      ...{ requestKey: null, mapping: null, replayOf: null, actor: 'test' },
    },
  });
  assert.deepEqual([message.read, message.refused], [1, 0]);
  return message.withdrawn > 0;
}

interface Walked {
  readonly records: readonly Record<string, unknown>[];
  readonly cursor: string;
}

function scenario(): fc.Arbitrary<{ readonly limit: number; readonly rewrites: readonly Rewrite[] }> {
  const rewrite = fc.record({
    page: fc.nat({ max: 12 }),
    late: fc.boolean(),
    activity: fc.nat({ max: 1 }),
    records: fc.uniqueArray(fc.nat({ max: perActivity - 1 }), { minLength: 1 }),
    isWithdrawal: fc.oneof(fc.constant(false), fc.boolean()),
  });
  return fc.record({
    limit: fc.integer({ min: 1, max: 2 * perActivity + 2 }),
    rewrites: fc.array(rewrite, { maxLength: 8 }),
  });
}

/** Conditions and orders that no rewriting touches. */
const filters: readonly (readonly QueryPair[])[] = [
  [],
  [['filter', 'deliveryAddressCountry==FR']],
  [['filter', 'orderUniqueID==O*']],
  [['updatedSince', '2026-01-01']],
  [['filter', 'dateLastUpdate=ge=2026-01-01']],
];
const sorts = [
  'customerOrderID',
  '-customerOrderID',
  'transportServiceCode,-customerOrderID',
  '-transportServiceCode',
  'customerOrderPlacementDate',
  'activityCode',
];

function rewriter(
  store: Store,
  activities: readonly string[],
  rewrites: readonly Rewrite[],
): (page: number, late: boolean) => Promise<void> {
  let round = 0;
  return async (page, late) => {
    for (const one of rewrites.filter((each) => each.page === page && each.late === late)) {
      round += 1;
      const comment = round;
      const activity = activities[one.activity] ?? '';
      const item = (record: number): Incoming =>
        one.isWithdrawal ? withdrawalOf(activity, record) : orderRecord(activity, record, comment);
      await store.records.write(order, activity, one.records.map(item));
    }
  };
}

/** Names of the orders that nothing withdraws, whenever that is. */
function alwaysThere(activities: readonly string[], rewrites: readonly Rewrite[]): readonly string[] {
  const gone = new Set(
    rewrites.flatMap(({ activity, records, isWithdrawal }) =>
      isWithdrawal ? records.map((record) => `${activities[activity]} O${record}`) : [],
    ),
  );
  return activities
    .flatMap((activity) => numbered((index) => `${activity} O${index}`))
    .filter((name) => !gone.has(name));
}

/** Each order has a country as long as it is there. */
function isWithdrawn({ deliveryAddressCountry }: Record<string, unknown>): boolean {
  return deliveryAddressCountry === null;
}

function withdrawalOf(activity: string, index: number): Incoming {
  const read = withdrawalReader(order)({ orderUniqueID: `O${index}` }, { activity, activityName: '' });
  assert.ok(read.ok);
  return read.withdrawal;
}

function numbered<T>(make: (index: number) => T): readonly T[] {
  return Array.from({ length: perActivity }, (_, index) => make(index));
}

const checkOrder = createChecker(order);
const checkStock = createChecker(articleStock);

/** A third of the orders share each sort value, and a third have none. */
function orderRecord(activity: string, index: number, comment: number): IncomingRecord {
  return checked(
    checkOrder(
      {
        orderUniqueID: `O${index}`,
        customerOrderID: [null, 'same', 'other'][index % 3],
        transportServiceCode: index % 2 === 0 ? 'A' : 'B',
        deliveryAddressCountry: 'FR',
        customerOrderPlacementDate: index % 4 === 0 ? null : '2026-01-31',
        deliveryComment: `${comment}`,
      },
      { activity, activityName: `Activity ${activity}` },
    ),
  );
}

function stockRecord(activity: string, index: number, at: number, version: number): IncomingRecord {
  return checked(
    checkStock(
      {
        articleReference: `A${index.toString(36).toUpperCase()}`,
        stockImageExtractionDate: new Date(at).toISOString(),
        totalStockQuantity: version,
        stockUnitID: index % 2 === 0 ? 'MAI' : null,
        articleLotNumber: index % 3 === 0 ? null : 'L',
      },
      { activity, activityName: `Activity ${activity}` },
    ),
  );
}

function checked(result: ReturnType<typeof checkOrder>): IncomingRecord {
  assert.ok(result.ok, JSON.stringify(result));
  return result.record;
}

function nameOf({ activityCode, orderUniqueID }: Record<string, unknown>): string {
  return `${activityCode} ${orderUniqueID}`;
}

function versionOf(records: readonly Record<string, unknown>[], activity: string): unknown {
  return records.find((record) => record.activityCode === activity)?.totalStockQuantity;
}

function recordsOf(page: Page): readonly Record<string, unknown>[] {
  const parsed: unknown = JSON.parse(page.bytes.toString());
  assert.ok(Array.isArray(parsed));
  assert.equal(parsed.length, page.count);
  return parsed;
}
