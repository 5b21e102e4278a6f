// What storage promises, on every engine: change numbers, pages, images, concurrent writers.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createChecker } from '../../src/model/check.ts';
import { OperatorError } from '../../src/model/operator-error.ts';
import type { ListPlan } from '../../src/model/plan.ts';
import { Problem } from '../../src/model/problem.ts';
import type { IncomingRecord } from '../../src/model/record.ts';
import { articleStock, articleStockMovement, order } from '../../src/resources/index.ts';
import type { Engine } from '../../src/store/engine.ts';
import type { Page, Store } from '../../src/store/store.ts';
import { type EngineUnderTest, allEngines, storeOn, type TestDatabase } from '../contract/engines.ts';
import { activityMaker, storeOfSuite } from '../contract/opened-store.ts';
import { changeRows, rowIn, rowsIn, run } from '../contract/database.ts';
import { activityTable, stockImageTable } from '../../src/store/tables/activities.ts';
import { sql } from '../../src/store/statement.ts';

for (const engine of allEngines) {
  describe(`storage on ${engine.name}`, { skip: engine.skip }, () => storageTests(engine));
}

function storageTests(engineUnderTest: EngineUnderTest): void {
  let database: TestDatabase;
  let engine: Engine;
  let store: Store;
  storeOfSuite(engineUnderTest, (opened) => {
    ({ database, engine, store } = opened);
  });
  const newActivity = activityMaker(() => store);
  const page = async (plan: Partial<ListPlan> & Pick<ListPlan, 'resource' | 'activities'>): Promise<Page> => {
    return store.lists.page(
      { where: [], sort: [], after: null, updatedSince: null, limit: 100, imageAt: null, walkStarts: null, ...plan },
      await store.lists.revision(plan.resource, plan.activities),
      { client: 'test' },
    );
  };

  it('refuses to write for an activity that does not exist', async () => {
    await assert.rejects(store.records.write(order, 'XXX', [orderRecord('O1')]), OperatorError);
  });

  it('refuses an activity code or name of the wrong form, and a second name for a code', async () => {
    for (const [code, name] of [
      ['ab', 'x'],
      ['ABCD', 'x'],
      ['', 'x'],
      ['AB', ''],
      ['AB', ' x'],
      ['AB', 'x'.repeat(31)],
    ] as const) {
      await assert.rejects(store.activities.add(code, name), OperatorError, `${code} ${name}`);
    }
    const code = await newActivity();
    await store.activities.add(code, 'Acme');
    await assert.rejects(store.activities.add(code, 'Another'), OperatorError);
  });

  it('adds activities at once, each with ids of its own', async () => {
    const added = await Promise.all([newActivity(), newActivity(), newActivity()]);
    const numbers = await rowsIn(engine, activityTable, { code: added });
    assert.equal(new Set(numbers.map(({ number }) => number)).size, 3);
  });

  it('undoes a batch of which one record cannot be stored', async () => {
    const activity = await newActivity();
    const broken: IncomingRecord = {
      ...orderRecord('O2'),
      value: {
        get orderUniqueID(): string {
          throw new Error('broken');
        },
      },
    };
    await assert.rejects(store.records.write(order, activity, [orderRecord('O1'), broken]));
    assert.equal((await page({ resource: order, activities: [activity] })).count, 0);
    assert.deepEqual(await store.lists.revision(order, [activity]), { [activity]: 0 });
  });

  it('undoes a write that took so long that readers no longer wait for it', async (t) => {
    const activity = await newActivity();
    const slow: IncomingRecord = {
      ...orderRecord('O1'),
      value: {
        get orderUniqueID(): string {
          const later = performance.now() + 31_000;
          t.mock.method(performance, 'now', () => later);
          return 'O1';
        },
      },
    };
    await assert.rejects(
      store.records.write(order, activity, [slow]),
      (error) =>
        error instanceof Problem &&
        error.slug === 'unavailable' &&
        /took longer than 30 seconds and was undone. Send fewer records/.test(error.message),
    );
    t.mock.reset();
    assert.equal((await page({ resource: order, activities: [activity] })).count, 0);
    assert.deepEqual(await store.lists.revision(order, [activity]), { [activity]: 0 });
  });

  it('numbers changes without gaps over all resources of an activity, and leaves the unchanged alone', async () => {
    const activity = await newActivity();
    const first = await store.records.write(order, activity, [orderRecord('O1'), orderRecord('O2')]);
    const second = await store.records.write(articleStockMovement, activity, [movementRecord('A1', 1)]);
    const third = await store.records.write(order, activity, [
      orderRecord('O1'),
      orderRecord('O2', 'Lyon'),
      orderRecord('O3'),
    ]);
    assert.deepEqual(
      [...first, ...second, ...third].map(({ outcome, changeNumber }) => [outcome, changeNumber]),
      [
        ['new', 1],
        ['new', 2],
        ['new', 3],
        ['unchanged', 1],
        ['changed', 4],
        ['new', 5],
      ],
    );
    assert.deepEqual(await store.lists.revision(order, [activity]), { [activity]: 5 });
    assert.deepEqual(await store.lists.revision(articleStockMovement, [activity]), { [activity]: 3 });
    assert.deepEqual(keysOf(await page({ resource: order, activities: [activity] })), ['O1', 'O2', 'O3']);
  });

  it('keeps the id and the creation date of a record that changes', async () => {
    const activity = await newActivity();
    await store.records.write(order, activity, [orderRecord('O1')]);
    const [earlier] = recordsOf(await page({ resource: order, activities: [activity] }));
    await store.records.write(order, activity, [orderRecord('O1', 'Nantes')]);
    const [later] = recordsOf(await page({ resource: order, activities: [activity] }));
    assert.equal(later?.id, earlier?.id);
    assert.equal(later?.internalId, earlier?.internalId);
    assert.equal(later?.dateCreation, earlier?.dateCreation);
    assert.ok(String(later?.dateLastUpdate) > String(earlier?.dateLastUpdate));
  });

  it('takes a record twice in one batch as two writes of which the last stays', async () => {
    const activity = await newActivity();
    const results = await store.records.write(order, activity, [
      orderRecord('O1', 'Lyon'),
      orderRecord('O1', 'Nantes'),
      orderRecord('O1', 'Nantes'),
    ]);
    assert.deepEqual(
      results.map((result) => result.outcome),
      ['new', 'changed', 'unchanged'],
    );
    const read = recordsOf(await page({ resource: order, activities: [activity] }));
    assert.deepEqual(
      read.map((record) => record.customerOrderID),
      ['Nantes'],
    );
    const { last } = await lastChangeOf(engine, activity);
    assert.equal(last, 2);
  });

  it('pages through several activities and says when there is more', async () => {
    const activities = [await newActivity(), await newActivity(), await newActivity()];
    const [first = '', , third = ''] = activities;
    await store.records.write(order, first, [orderRecord('A1'), orderRecord('A2'), orderRecord('A3')]);
    await store.records.write(order, third, [orderRecord('C1'), orderRecord('C2')]);
    const seen: (readonly string[])[] = [];
    let position: ListPlan['after'] = null;
    for (let more = true; more; ) {
      const answer: Page = await page({ resource: order, activities, after: position, limit: 2 });
      seen.push(keysOf(answer));
      position = answer.next;
      more = answer.more;
    }
    assert.deepEqual(seen, [['A1', 'A2'], ['A3', 'C1'], ['C2']]);
    assert.deepEqual(keysOf(await page({ resource: order, activities, after: position })), []);
    await store.records.write(order, first, [orderRecord('A2', 'Nantes')]);
    assert.deepEqual(keysOf(await page({ resource: order, activities, after: position })), ['A2']);
  });

  it('does not announce a next page that would be empty', async () => {
    const activities = [await newActivity(), await newActivity()];
    const [first = '', second = ''] = activities;
    await store.records.write(order, first, [orderRecord('A1'), orderRecord('A2')]);
    await store.records.write(order, second, [orderRecord('B1', 'Lyon')]);
    const where: ListPlan['where'] = [{ op: '==', selector: 'orderUniqueID', value: 'A1' }];
    assert.equal((await page({ resource: order, activities, where, limit: 1 })).more, false);
    assert.equal((await page({ resource: order, activities, limit: 2 })).more, true);
    assert.equal((await page({ resource: order, activities, limit: 3 })).more, false);
  });

  it('refuses a position beyond the last change', async () => {
    const activity = await newActivity();
    await assert.rejects(
      page({ resource: order, activities: [activity], after: { [activity]: 7 } }),
      (error) => error instanceof Problem && error.slug === 'cursor-expired',
    );
  });

  it('sorts text by code point and puts nulls last in both directions', async () => {
    const activity = await newActivity();
    const names = ['\u{1F600}', '～', 'Z', 'a', 'é', null];
    await store.records.write(
      order,
      activity,
      names.map((name, index) => orderRecord(`O${index}`, name)),
    );
    const references = async (descending: boolean): Promise<unknown[]> => {
      const sort = [{ field: 'customerOrderID', descending }];
      return recordsOf(await page({ resource: order, activities: [activity], sort })).map(
        (record) => record.customerOrderID,
      );
    };
    assert.deepEqual(await references(false), ['Z', 'a', 'é', '～', '\u{1F600}', null]);
    assert.deepEqual(await references(true), ['\u{1F600}', '～', 'é', 'a', 'Z', null]);
  });

  it('finds a record by any of its lines, and no longer by a line that is gone', async () => {
    const activity = await newActivity();
    const lines = (...articles: string[]): readonly unknown[] =>
      articles.map((articleReference, index) => ({
        orderLineID: `${index + 1}`,
        articleReference,
        quantityToPrepare: 1,
      }));
    await store.records.write(order, activity, [
      orderRecord('O1', 'Lyon', lines('X', 'Y')),
      orderRecord('O2', 'Lyon', lines('Z')),
    ]);
    const having = async (article: string): Promise<readonly string[]> =>
      keysOf(
        await page({
          resource: order,
          activities: [activity],
          where: [{ op: '==', selector: 'orderEntries.articleReference', value: article }],
        }),
      );
    assert.deepEqual(await having('Y'), ['O1']);
    await store.records.write(order, activity, [orderRecord('O1', 'Lyon', lines('X', 'Z'))]);
    assert.deepEqual(await having('Y'), []);
    assert.deepEqual(await having('Z'), ['O2', 'O1']);
  });

  it('shows a stock image as a whole or not at all', async () => {
    const activity = await newActivity();
    const draft = await store.images.draft(articleStock, activity, noon);
    await draft.write([stockRecord('A1', noon, 5), stockRecord('A2', noon, 6)]);
    await draft.write([stockRecord('A3', noon, 7)]);
    assert.equal((await page({ resource: articleStock, activities: [activity] })).count, 0);
    assert.equal(await draft.publish(), 'new');
    assert.deepEqual(stockOf(await page({ resource: articleStock, activities: [activity] })), ['A1 5', 'A2 6', 'A3 7']);
    const dropped = await store.images.draft(articleStock, activity, noon + 1);
    await dropped.write([stockRecord('A9', noon + 1, 1)]);
    await dropped.discard();
    assert.equal((await page({ resource: articleStock, activities: [activity] })).count, 3);
  });

  it('recognizes the same image in any order of its rows, and replaces one that differs', async () => {
    const activity = await newActivity();
    const image = async (...rows: readonly (readonly [string, number])[]): Promise<string> => {
      const draft = await store.images.draft(articleStock, activity, noon);
      await draft.write(rows.map(([article, quantity]) => stockRecord(article, noon, quantity)));
      return draft.publish();
    };
    assert.equal(await image(['A1', 5], ['A2', 6]), 'new');
    assert.equal(await image(['A2', 6], ['A1', 5]), 'unchanged');
    assert.equal(await image(['A2', 6], ['A1', 4]), 'changed');
    assert.deepEqual(stockOf(await page({ resource: articleStock, activities: [activity] })), ['A2 6', 'A1 4']);
  });

  it('reads the image of a date, and finishes one that was replaced meanwhile before showing the new', async () => {
    const activity = await newActivity();
    const image = async (at: number, quantity: number): Promise<void> => {
      const draft = await store.images.draft(articleStock, activity, at);
      await draft.write(['A1', 'A2', 'A3'].map((article) => stockRecord(article, at, quantity)));
      await draft.publish();
    };
    await image(noon, 1);
    const start = await page({ resource: articleStock, activities: [activity], limit: 2 });
    assert.deepEqual([stockOf(start), start.more], [['A1 1', 'A2 1'], true]);
    await image(noon + 60_000, 2);
    await image(noon - 60_000, 3);
    const rest = await page({
      resource: articleStock,
      activities: [activity],
      after: start.next,
      walkStarts: start.walkStarts,
    });
    assert.deepEqual([stockOf(rest), rest.more], [['A3 1'], false]);
    const news = await page({
      resource: articleStock,
      activities: [activity],
      after: rest.next,
      walkStarts: rest.walkStarts,
    });
    assert.deepEqual([stockOf(news), news.more], [['A1 2', 'A2 2', 'A3 2'], false]);
    assert.deepEqual(stockOf(await page({ resource: articleStock, activities: [activity], after: news.next })), []);
    assert.deepEqual(stockOf(await page({ resource: articleStock, activities: [activity], imageAt: noon + 59_999 })), [
      'A1 1',
      'A2 1',
      'A3 1',
    ]);
    assert.deepEqual(stockOf(await page({ resource: articleStock, activities: [activity], imageAt: noon - 1 })), [
      'A1 3',
      'A2 3',
      'A3 3',
    ]);
    assert.deepEqual(
      stockOf(await page({ resource: articleStock, activities: [activity], imageAt: noon - 60_001 })),
      [],
    );
    const before = await store.lists.revision(articleStock, [activity]);
    const latest = await page({ resource: articleStock, activities: [activity] });
    assert.equal(await store.images.removeOld(articleStock, activity, noon + 120_000), 2);
    assert.deepEqual(stockOf(await page({ resource: articleStock, activities: [activity] })), ['A1 2', 'A2 2', 'A3 2']);
    // Whoever keeps an answer with `date` asks by the revision whether it is still the same; whoever follows gets
    // nothing twice.
    assert.notDeepEqual(await store.lists.revision(articleStock, [activity]), before);
    assert.deepEqual(stockOf(await page({ resource: articleStock, activities: [activity], after: latest.next })), []);
    assert.equal(await store.images.removeOld(articleStock, activity, noon + 120_000), 0);
    await image(noon + 180_000, 4);
    assert.deepEqual(stockOf(await page({ resource: articleStock, activities: [activity], after: latest.next })), [
      'A1 4',
      'A2 4',
      'A3 4',
    ]);
  });

  it('refuses to add to or to show an image that was given up, and leaves none of its rows behind', async () => {
    const activity = await newActivity();
    const slow = await store.images.draft(articleStock, activity, noon);
    await slow.write(Array.from({ length: 1001 }, (_, index) => stockRecord(`A${index}`, noon, 1)));
    await changeRows(engine, stockImageTable, { touchedAt: 1 }, { activity });
    const next = await store.images.draft(articleStock, activity, noon + 1);
    await assert.rejects(slow.write([stockRecord('B1', noon, 1)]), OperatorError);
    await assert.rejects(slow.publish(), OperatorError);
    await slow.discard();
    await next.write([stockRecord('A1', noon + 1, 2)]);
    assert.equal(await next.publish(), 'new');
    assert.deepEqual(stockOf(await page({ resource: articleStock, activities: [activity] })), ['A1 2']);
    const stored = await engine.read(sql`select count(*) from article_stock where owner = ${activity}`);
    assert.deepEqual(stored, [[1]]);
  });

  it('keeps an image that was published, whatever its writer does then', async () => {
    const activity = await newActivity();
    const draft = await store.images.draft(articleStock, activity, noon);
    await draft.write([stockRecord('A1', noon, 1)]);
    await draft.publish();
    await draft.discard();
    assert.deepEqual(stockOf(await page({ resource: articleStock, activities: [activity] })), ['A1 1']);
  });

  it('counts an image without rows as a change', async () => {
    const activity = await newActivity();
    const image = async (at: number, ...articles: readonly string[]): Promise<void> => {
      const draft = await store.images.draft(articleStock, activity, at);
      await draft.write(articles.map((article) => stockRecord(article, at, 1)));
      await draft.publish();
    };
    await image(noon, 'A1');
    const full = await page({ resource: articleStock, activities: [activity] });
    const before = await store.lists.revision(articleStock, [activity]);
    await image(noon + 1);
    assert.notDeepEqual(await store.lists.revision(articleStock, [activity]), before);
    assert.deepEqual(stockOf(await page({ resource: articleStock, activities: [activity] })), []);
    await image(noon + 2, 'A2');
    assert.deepEqual(stockOf(await page({ resource: articleStock, activities: [activity], after: full.next })), [
      'A2 1',
    ]);
  });

  it('promises an instant before which nothing will be written any more', async () => {
    const activity = await newActivity();
    await store.records.write(order, activity, [orderRecord('O1')]);
    const covered = await store.lists.coveredUntil([activity]);
    await store.records.write(order, activity, [orderRecord('O2')]);
    assert.deepEqual(keysOf(await page({ resource: order, activities: [activity], updatedSince: covered })), ['O2']);
    assert.deepEqual(
      keysOf(
        await page({
          resource: order,
          activities: [activity],
          updatedSince: await store.lists.coveredUntil([activity]),
        }),
      ),
      [],
    );
  });

  it('gives a reader every change of twelve concurrent writers exactly once, in order', {
    timeout: 900_000,
    skip: !engineUnderTest.parallel && 'one connection',
  }, async () => {
    const activities = [await newActivity(), await newActivity()];
    const writers = 12;
    const batches = 25;
    const perBatch = 12;
    const opened = await Promise.all(Array.from({ length: writers }, async () => storeOn(await database.open())));
    let writing = true;
    const written = Promise.all(
      Array.from({ length: writers }, async (_, writer) => {
        const own = opened[writer % opened.length] ?? store;
        for (let batch = 0; batch < batches; batch += 1) {
          const activity = activities[(writer + batch) % activities.length] ?? '';
          await own.records.write(
            order,
            activity,
            Array.from({ length: perBatch }, (_item, index) => orderRecord(`${writer}-${batch}-${index}`)),
          );
          // The last one of every batch is changed once more: its first state may be skipped, its last must come.
          await own.records.write(order, activity, [orderRecord(`${writer}-${batch}-${perBatch - 1}`, 'changed')]);
        }
      }),
    ).finally(() => {
      writing = false;
    });
    const deliveries: { readonly key: string; readonly reference: unknown }[] = [];
    const places: { readonly activity: string; readonly place: number }[] = [];
    let position: ListPlan['after'] = null;
    for (let last = false; !last; ) {
      last = !writing;
      const answer: Page = await page({ resource: order, activities, after: position, limit: 37 });
      for (const record of recordsOf(answer))
        deliveries.push({ key: String(record.orderUniqueID), reference: record.customerOrderID });
      for (const [activity, place] of Object.entries(answer.next ?? {}))
        places.push({ activity, place: Number(place) });
      position = answer.next;
      if (answer.count > 0) last = false;
      else await new Promise((resolve) => setImmediate(resolve));
    }
    await written;
    for (const own of opened) await own.close();
    const final = new Map<string, unknown>();
    const times = new Map<string, number>();
    for (const { key, reference } of deliveries) {
      times.set(`${key} ${reference}`, (times.get(`${key} ${reference}`) ?? 0) + 1);
      final.set(key, reference);
    }
    assert.equal(final.size, writers * batches * perBatch, 'every record was delivered');
    assert.deepEqual(
      [...times].filter(([, count]) => count !== 1),
      [],
      'no state was delivered twice',
    );
    assert.equal(
      [...final].filter(([key, reference]) => key.endsWith(`-${perBatch - 1}`) && reference !== 'changed').length,
      0,
      'the last state came last',
    );
    for (const activity of activities) {
      const own = places.filter((entry) => entry.activity === activity).map((entry) => entry.place);
      assert.deepEqual(
        own,
        own.toSorted((a, b) => a - b),
        'positions only move forward',
      );
    }
  });

  it('is not touched by a second start, and refuses a database that is newer', async () => {
    const again = await storeOn(await database.open());
    assert.equal(again.epoch, store.epoch);
    await again.close();
    await run(store, sql`insert into migration (name, applied_at) values ('9999-tomorrow', 1)`);
    await assert.rejects(
      async () => storeOn(await database.open()),
      (error) => error instanceof OperatorError && /newer/.test(error.message),
    );
    await run(store, sql`delete from migration where name = '9999-tomorrow'`);
  });
}

const noon = Date.UTC(2026, 2, 2, 12);
const checkOrder = createChecker(order);
const checkMovement = createChecker(articleStockMovement);
const checkStock = createChecker(articleStock);
const context = { activity: 'XXX', activityName: 'Activity' };

function checked(result: ReturnType<typeof checkOrder>): IncomingRecord {
  if (!result.ok) throw new Error(JSON.stringify(result.reasons));
  return result.record;
}

function orderRecord(
  orderUniqueID: string,
  customerOrderID: string | null = null,
  orderEntries: readonly unknown[] = [],
): IncomingRecord {
  return checked(checkOrder({ orderUniqueID, customerOrderID, orderEntries }, context));
}

function movementRecord(articleReference: string, movedQuantity: number): IncomingRecord {
  return checked(checkMovement({ articleReference, movedQuantity }, context));
}

function stockRecord(articleReference: string, at: number, totalStockQuantity: number): IncomingRecord {
  return checked(
    checkStock({ articleReference, stockImageExtractionDate: new Date(at).toISOString(), totalStockQuantity }, context),
  );
}

function recordsOf(page: Page): readonly Record<string, unknown>[] {
  const parsed: unknown = JSON.parse(page.bytes.toString());
  assert.ok(Array.isArray(parsed));
  assert.equal(parsed.length, page.count);
  return parsed;
}

function keysOf(page: Page): readonly string[] {
  return recordsOf(page).map((record) => String(record.orderUniqueID));
}

function stockOf(page: Page): readonly string[] {
  return recordsOf(page).map((record) => `${record.articleReference} ${record.totalStockQuantity}`);
}

async function lastChangeOf(engine: Engine, activity: string): Promise<{ readonly last: number }> {
  const row = await rowIn(engine, activityTable, { code: activity });
  return { last: row.lastChange };
}
