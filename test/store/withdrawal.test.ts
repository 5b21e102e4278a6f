// Records that were sent by mistake: who follows a cursor is told, whoever begins to read never was given them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Readable } from 'node:stream';
import fc from '../contract/properties.ts';
import { createFeedTurns } from '../../src/feeds/feed-turns.ts';
import { jsonReading } from '../../src/feeds/read-records.ts';
import { receiveMessage } from '../../src/feeds/receive.ts';
import type { QueryPair } from '../../src/model/cursor.ts';
import { formatInstant } from '../../src/model/instant.ts';
import { type ListRequest, planList } from '../../src/model/list.ts';
import type { Incoming, IncomingRecord } from '../../src/model/record.ts';
import type { Resource } from '../../src/model/resource.ts';
import { namingFields, withdrawalReader } from '../../src/model/withdrawal.ts';
import { article, articleStock, articleStockMovement, order, resources } from '../../src/resources/index.ts';
import type { Store } from '../../src/store/store.ts';
import { nextCursor } from '../contract/continuation.ts';
import { allEngines, type EngineUnderTest } from '../contract/engines.ts';
import { activityMaker, storeOfSuite } from '../contract/opened-store.ts';
import { roundsOn } from '../contract/rounds.ts';
import { checkRecord } from '../model/checked.ts';

type Published = Readonly<Record<string, unknown>>;

for (const engine of allEngines) {
  describe(`withdrawn records on ${engine.name}`, { skip: engine.skip }, () => withdrawalTests(engine));
}

function withdrawalTests(engineUnderTest: EngineUnderTest): void {
  let store: Store;
  storeOfSuite(engineUnderTest, (opened) => {
    ({ store } = opened);
  });
  const newActivity = activityMaker(() => store);
  const withdrawImage = async (activity: string, at: number): Promise<'changed' | 'unchanged'> => {
    const line = Buffer.from(JSON.stringify({ withdraw: { stockImageExtractionDate: formatInstant(at) } }));
    const { message } = await receiveMessage({
      ...{ store, resource: articleStock, activity, activityName: 'Acme', turns: createFeedTurns() },
      source: { read: () => jsonReading(Readable.from([line])) },
      message: {
        ...{ feed: 'main', channel: 'command', source: null, messageId: null, sequence: null },
        ...{ requestKey: null, mapping: null, replayOf: null, actor: 'test' },
      },
    });
    const { read, changed, unchanged, withdrawn } = message;
    assert.deepEqual([read, changed, changed + unchanged], [1, withdrawn, 1]);
    return withdrawn > 0 ? 'changed' : 'unchanged';
  };
  const write = async (resource: Resource, activity: string, items: readonly Incoming[]) =>
    (await store.records.write(resource, activity, items)).map(({ outcome }) => outcome);
  /** The records of all pages, and the cursor of the last one (null in value order). */
  const read = async (resource: Resource, activities: readonly string[], query: readonly QueryPair[] = []) => {
    const records: Published[] = [];
    let asked: ListRequest = {
      ...{ resource, endpoint: 'test', activities, fixed: [], query, now: Date.now() },
      ...{ secret: 'secret', history: store.history },
    };
    for (let pages = 1; ; pages += 1) {
      const planned = planList(asked);
      const page = await store.lists.page(planned.plan, await store.lists.revision(resource, activities), {
        client: 'test',
      });
      const found: Published[] = JSON.parse(page.bytes.toString());
      records.push(...found);
      assert.ok(page.count > 0 || !page.more, 'an announced page is not empty');
      const cursor = planned.plan.sort.length > 0 ? '' : nextCursor(planned, page.next, page.walkStarts);
      if (!page.more) return { records, cursor, pages };
      asked = { ...asked, query: [['cursor', nextCursor(planned, page.next, page.walkStarts)]] };
    }
  };
  const keys = async (resource: Resource, activity: string, query: readonly QueryPair[] = []) =>
    (await read(resource, [activity], query)).records.map((record) => record.orderUniqueID ?? record.articleReference);

  it('come once more to who follows a cursor, emptied, and not to who begins', async () => {
    const activity = await newActivity();
    assert.deepEqual(await write(order, activity, [anOrder('O1'), anOrder('O2'), anOrder('O3')]), three('new'));
    const before = await read(order, [activity]);
    assert.deepEqual(await write(order, activity, [withdraw(order, { orderUniqueID: 'O2' })]), ['changed']);
    const { records: news, cursor } = await read(order, [activity], [['cursor', before.cursor]]);
    const [published] = before.records.filter(({ orderUniqueID }) => orderUniqueID === 'O2');
    assert.equal(news.length, 1);
    const [told = {}] = news;
    const kept = [
      'id',
      'internalId',
      'activityCode',
      'activityName',
      'orderUniqueID',
      'dateCreation',
      'dateLastUpdate',
    ];
    assert.deepEqual(Object.keys(told), Object.keys(published ?? {}), 'in the shape of the interface');
    for (const [name, value] of Object.entries(told)) {
      if (name === 'dateLastUpdate') assert.ok(String(value) > String(published?.dateLastUpdate));
      else if (kept.includes(name)) assert.equal(value, published?.[name], name);
      else assert.deepEqual(value, order.fields[name as keyof typeof order.fields].kind === 'list' ? [] : null, name);
    }
    assert.deepEqual((await read(order, [activity], [['cursor', cursor]])).records, []);
    assert.deepEqual(await keys(order, activity), ['O1', 'O3']);
    assert.deepEqual(await keys(order, activity, [['limit', '1']]), ['O1', 'O3']);
    assert.deepEqual(await keys(order, activity, [['sort', 'orderUniqueID']]), ['O1', 'O3']);
    for (const filter of [
      'orderUniqueID==O2',
      'orderUniqueID=in=(O2,O9)',
      'deliveryAddressCountry==FR;orderUniqueID==O2',
    ])
      assert.deepEqual(await keys(order, activity, [['filter', filter]]), [], filter);
    assert.deepEqual(await keys(order, activity, [['orderUniqueID', 'O2']]), []);
    assert.equal(await store.lists.exists(order, [activity], 'orderUniqueID', 'O2'), false);
    assert.deepEqual(await store.lists.find(order, [activity], 'orderUniqueID', 'O2', ['id']), []);
  });

  for (const resource of resources.filter(({ storage }) => storage === 'records'))
    it(`of ${resource.name} come once more to who follows a cursor, with their key alone`, async () => {
      const activity = await newActivity();
      assert.deepEqual(await write(resource, activity, [exampleOf(resource, activity)]), ['new']);
      const before = await read(resource, [activity]);
      const [published] = before.records;
      assert.ok(published !== undefined && before.records.length === 1);
      const named = Object.fromEntries(
        namingFields(resource).map((name) => [name, published[name] ?? unpublished[name]]),
      );
      assert.deepEqual(await write(resource, activity, [withdraw(resource, named)]), ['changed']);
      const { records: news, cursor } = await read(resource, [activity], [['cursor', before.cursor]]);
      assert.equal(news.length, 1);
      const [told = {}] = news;
      assert.deepEqual(Object.keys(told), Object.keys(published));
      const said = Object.entries(told).filter(([, value]) => value !== null && value !== '' && !isEmptyList(value));
      const kept = new Set(['id', 'internalId', 'activityCode', 'activityName', ...resource.key]);
      for (const [name, value] of said)
        if (!/^date(Creation|Created|Last)/.test(name)) assert.ok(kept.has(name) && value === published[name], name);
      assert.ok(Object.keys(published).length > said.length, 'more was said of it before');
      assert.deepEqual((await read(resource, [activity], [['cursor', cursor]])).records, []);
      assert.deepEqual((await read(resource, [activity])).records, []);
    });

  it('come in every filtered list in which they came, whose cursor goes on', async () => {
    const activity = await newActivity();
    await write(order, activity, [anOrder('O1'), anOrder('O2')]);
    const filters: readonly (readonly QueryPair[])[] = [
      [['filter', 'customerOrderID==C-O2']],
      [['filter', 'customerOrderID=in=(C-O2,C-O7)']],
      [['filter', 'orderEntries.articleReference==A-O2']],
      [['customerOrderID', 'C-O2']],
    ];
    const cursors = [];
    for (const query of filters) cursors.push((await read(order, [activity], query)).cursor);
    await write(order, activity, [withdraw(order, { orderUniqueID: 'O2' })]);
    for (const [index, cursor] of cursors.entries()) {
      const { records } = await read(order, [activity], [['cursor', cursor]]);
      assert.deepEqual(
        records.map(({ orderUniqueID, customerOrderID }) => [orderUniqueID, customerOrderID]),
        [['O2', null]],
        JSON.stringify(filters[index]),
      );
    }
  });

  it('are told to who asks for what was written since an instant, in either order', async () => {
    const activity = await newActivity();
    await write(order, activity, [anOrder('O1'), anOrder('O2')]);
    await write(order, activity, [withdraw(order, { orderUniqueID: 'O1' })]);
    const [{ dateLastUpdate } = {}] = (await read(order, [activity])).records;
    const since = formatInstant(Date.parse(String(dateLastUpdate)) + 1);
    const asked: readonly (readonly QueryPair[])[] = [
      [['updatedSince', since]],
      [
        ['updatedSince', since],
        ['sort', '-dateLastUpdate'],
      ],
      [['filter', `dateLastUpdate=ge=${since}`]],
    ];
    for (const query of asked) {
      assert.deepEqual(await keys(order, activity, query), ['O1'], JSON.stringify(query));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const later = formatInstant(Date.now() + 60_000);
    assert.deepEqual(await keys(order, activity, [['updatedSince', later]]), []);
    assert.deepEqual(await keys(order, activity, [['filter', `dateLastUpdate=lt=${later}`]]), ['O2']);
  });

  it('are records again, under the same id, when their key comes again', async () => {
    const activity = await newActivity();
    await write(article, activity, [anArticle('A1')]);
    const [first = {}] = (await read(article, [activity])).records;
    assert.deepEqual(await write(article, activity, [withdraw(article, { articleReference: 'A1' })]), ['changed']);
    assert.deepEqual(await write(article, activity, [withdraw(article, { articleReference: 'A1' })]), ['unchanged']);
    const { cursor } = await read(article, [activity]);
    assert.deepEqual(await write(article, activity, [anArticle('A1')]), ['changed']);
    const [again = {}] = (await read(article, [activity], [['cursor', cursor]])).records;
    assert.notEqual(again.dateLastUpdated, first.dateLastUpdated);
    const { dateLastUpdated, barcodes, id, dateCreated } = again;
    assert.equal(Array.isArray(barcodes) && barcodes.length, 1);
    assert.deepEqual(again, { ...first, dateLastUpdated, barcodes });
    assert.deepEqual([id, dateCreated], [first.id, first.dateCreated]);
    assert.deepEqual(await keys(article, activity, [['filter', 'barcodes.code==9520001999992']]), ['A1']);
    assert.deepEqual(await write(article, activity, [anArticle('A1')]), ['unchanged']);
  });

  it('are taken in the order of the batch, whatever comes before and after them', async () => {
    const activity = await newActivity();
    const gone = withdraw(order, { orderUniqueID: 'O1' });
    assert.deepEqual(await write(order, activity, [gone]), ['unchanged'], 'nothing to withdraw');
    assert.deepEqual(await write(order, activity, [anOrder('O1'), gone, gone]), ['new', 'changed', 'unchanged']);
    assert.deepEqual(await keys(order, activity), []);
    assert.deepEqual(await write(order, activity, [anOrder('O1'), gone, anOrder('O1')]), three('changed'));
    assert.deepEqual(await keys(order, activity), ['O1']);
    assert.deepEqual(await write(order, activity, [gone, anOrder('O1', 'other'), gone]), three('changed'));
    assert.deepEqual(await keys(order, activity), []);
    assert.deepEqual(await write(order, activity, [anOrder('O1', 'third')]), ['changed']);
    assert.deepEqual(await keys(order, activity, [['filter', 'orderEntries.articleReference==A-O1']]), ['O1']);
    const many = Array.from({ length: 400 }, (_, index) => anOrder(`M${index}`));
    await write(order, activity, many);
    const all = many.map((_, index) => withdraw(order, { orderUniqueID: `M${index}` }));
    assert.deepEqual(new Set(await write(order, activity, all)), new Set(['changed']));
    assert.deepEqual(await keys(order, activity), ['O1']);
  });

  it('without a key are named by the id of their source, by our own, or by what they said', async () => {
    const activity = await newActivity();
    await write(articleStockMovement, activity, [aMovement({ id: 7 }), aMovement({ movedQuantity: 2 }), aMovement({})]);
    const { records, cursor } = await read(articleStockMovement, [activity]);
    const [first, second, third] = records;
    assert.deepEqual(
      await write(articleStockMovement, activity, [
        { withdraw: { id: 7 } },
        { withdraw: { id: Number(second?.id) } },
        withdraw(articleStockMovement, { ...aMovement({}).value }),
        { withdraw: { id: 4242 } },
        { withdraw: { id: Number(third?.id) + 1 } },
      ]),
      ['changed', 'changed', 'changed', 'unchanged', 'unchanged'],
    );
    const told = (await read(articleStockMovement, [activity], [['cursor', cursor]])).records;
    assert.deepEqual(
      told.map(({ id }) => id),
      [first?.id, second?.id, third?.id],
    );
    for (const { id, dateCreation, dateLastUpdate, ...rest } of told)
      assert.deepEqual(new Set(Object.values(rest)), new Set([null]), String([id, dateCreation, dateLastUpdate]));
    assert.deepEqual((await read(articleStockMovement, [activity])).records, []);
    // What we published comes back as it was: it is the same movement again.
    const back = aMovement({ movedQuantity: 2, id: Number(second?.id) });
    assert.deepEqual(await write(articleStockMovement, activity, [back]), ['changed']);
    assert.deepEqual(
      (await read(articleStockMovement, [activity])).records.map(({ id }) => id),
      [second?.id],
    );
  });

  it('of one activity are not those of another', async () => {
    const [one, other] = [await newActivity(), await newActivity()];
    for (const activity of [one, other]) await write(articleStockMovement, activity, [aMovement({})]);
    const [{ id } = {}] = (await read(articleStockMovement, [other])).records;
    assert.deepEqual(await write(articleStockMovement, one, [{ withdraw: { id: Number(id) } }]), ['unchanged']);
    assert.equal((await read(articleStockMovement, [other])).records.length, 1);
  });

  it('are parents of nothing, and their text in the outbox stays what the client wrote', async () => {
    const activity = await newActivity();
    await store.records.submit([activity], async (unit) => {
      await unit.write(article, activity, [anArticle('A1')], '019c8ef1-1a00-7c52-b3d8-90af41e6d200');
    });
    await write(article, activity, [withdraw(article, { articleReference: 'A1' })]);
    const { entries } = await store.outbox.read([activity], {}, 10);
    assert.deepEqual(
      entries.map(({ body }) => JSON.parse(body).longArticleDescription),
      ['Lamp'],
    );
    assert.equal(await store.lists.exists(article, [activity], 'articleReference', 'A1'), false);
    const stored = await store.records.submit([activity], (unit) =>
      unit.storedKeys(article, activity, [JSON.stringify(['A1'])]),
    );
    assert.equal(stored.size, 0, 'it does not exist for who creates it');
  });

  it('of stock are images: the one before comes anew, or the stock is empty', async () => {
    const activity = await newActivity();
    const [monday, tuesday] = [Date.UTC(2026, 2, 2), Date.UTC(2026, 2, 3)];
    const publish = async (at: number, quantity: number): Promise<string> => {
      const draft = await store.images.draft(articleStock, activity, at);
      await draft.write(['A', 'B', 'C'].map((articleReference) => aStock(articleReference, at, quantity)));
      return draft.publish();
    };
    const stock = async (query: readonly QueryPair[] = []) => {
      const { records, cursor } = await read(articleStock, [activity], query);
      return { quantities: records.map((record) => record.totalStockQuantity), cursor };
    };
    assert.equal(await withdrawImage(activity, tuesday), 'unchanged');
    await publish(monday, 1);
    await publish(tuesday, 2);
    const { cursor } = await stock();
    const planned = planList({
      ...{ resource: articleStock, endpoint: 'test', activities: [activity], fixed: [], query: [['limit', '2']] },
      ...{ now: Date.now(), secret: 'secret', history: store.history },
    });
    const page = await store.lists.page(planned.plan, await store.lists.revision(articleStock, [activity]), {
      client: 'test',
    });
    const half = nextCursor(planned, page.next, page.walkStarts);
    assert.equal(await withdrawImage(activity, tuesday), 'changed');
    await assert.rejects(stock([['cursor', half]]), { slug: 'cursor-expired' });
    const back = await stock([['cursor', cursor]]);
    assert.deepEqual(back.quantities, [1, 1, 1], 'who follows the stock is given the one before');
    assert.deepEqual((await stock()).quantities, [1, 1, 1]);
    assert.deepEqual((await stock([['cursor', back.cursor]])).quantities, []);
    const before = await store.lists.revision(articleStock, [activity]);
    assert.equal(await withdrawImage(activity, tuesday), 'unchanged');
    assert.deepEqual(await store.lists.revision(articleStock, [activity]), before);
    assert.equal(await withdrawImage(activity, monday), 'changed');
    assert.notDeepEqual(await store.lists.revision(articleStock, [activity]), before, 'ETags change');
    assert.deepEqual((await stock([['cursor', back.cursor]])).quantities, []);
    assert.deepEqual((await stock()).quantities, []);
    assert.equal(await publish(tuesday, 3), 'new');
    assert.deepEqual((await stock([['cursor', back.cursor]])).quantities, [3, 3, 3]);
    // One that is not the latest goes without a word.
    await publish(monday, 1);
    const { cursor: later } = await stock();
    assert.equal(await withdrawImage(activity, monday), 'changed');
    assert.deepEqual((await stock([['cursor', later]])).quantities, []);
    assert.deepEqual((await stock()).quantities, [3, 3, 3]);
  });

  it('leave who follows a cursor with what there is, whatever is written and withdrawn', {
    timeout: 900_000,
  }, async () => {
    const step = fc.record({
      activity: fc.nat({ max: 1 }),
      orders: fc.array(fc.tuple(fc.nat({ max: 9 }), fc.constantFrom('write', 'write', 'withdraw')), { maxLength: 6 }),
      reads: fc.nat({ max: 3 }),
    });
    const query = fc.constantFrom<readonly QueryPair[]>(
      [],
      [['filter', 'deliveryAddressCountry==FR']],
      [['filter', 'customerOrderID=in=(C-O1,C-O2,C-O3,C-O4)']],
      [['deliveryAddressCountry', 'FR']],
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 12 }),
        query,
        fc.integer({ min: 1, max: 4 }),
        async (steps, asked, limit) => {
          const activities = [await newActivity(), await newActivity()];
          const held = new Map<string, Published>();
          const given = new Set<string>();
          let version = 0;
          let cursor: string | null = null;
          let isFirstWalk = true;
          const readPage = async (): Promise<boolean> => {
            const planned = planList({
              ...{ resource: order, endpoint: 'test', activities, fixed: [], now: Date.now() },
              ...{ secret: 'secret', history: store.history },
              query: cursor === null ? [...asked, ['limit', String(limit)]] : [['cursor', cursor]],
            });
            const revision = await store.lists.revision(order, activities);
            const page = await store.lists.page(planned.plan, revision, { client: 'test' });
            const records: Published[] = JSON.parse(page.bytes.toString());
            for (const record of records) {
              const name = `${record.activityCode} ${record.orderUniqueID}`;
              if (isWithdrawn(record)) held.delete(name);
              else held.set(name, record);
              given.add(name);
            }
            cursor = nextCursor(planned, page.next, page.walkStarts);
            return page.more;
          };
          for (const { activity, orders, reads } of steps) {
            const code = activities[activity] ?? '';
            version += 1;
            await write(
              order,
              code,
              orders.map(([index, what]) =>
                what === 'write'
                  ? anOrder(`O${index}`, `${version}`, code)
                  : withdraw(order, { orderUniqueID: `O${index}` }),
              ),
            );
            for (let page = 0; page < reads; page += 1) if (!(await readPage())) isFirstWalk = false;
          }
          while (await readPage());
          const live = (await read(order, activities, asked)).records;
          assert.deepEqual(
            [...held.values()].map((record) => JSON.stringify(record)).toSorted(),
            live.map((record) => JSON.stringify(record)).toSorted(),
            isFirstWalk ? 'after the first walk' : 'after several walks',
          );
          // Whoever begins now is shown nothing that is withdrawn, on however small pages.
          const fresh = await read(order, activities, [...asked, ['limit', '1']]);
          assert.ok(!fresh.records.some(isWithdrawn));
          assert.deepEqual(fresh.records, live);
        },
      ),
      { numRuns: roundsOn(engineUnderTest, 300, 60) },
    );
  });
}

/** As docs/integration tells clients to: nothing is said but which record it was. */
function isWithdrawn(record: Published): boolean {
  const kept = ['id', 'internalId', 'orderUniqueID', 'activityCode', 'activityName', 'dateCreation', 'dateLastUpdate'];
  return Object.entries(record).every(
    ([name, value]) => kept.includes(name) || value === null || value === '' || isEmptyList(value),
  );
}

function three(outcome: string): readonly string[] {
  return [outcome, outcome, outcome];
}

const context = { activity: '', activityName: 'Acme' };

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** The record of the documentation as a feed sends it: without what the server adds. */
function exampleOf(resource: Resource, activity: string): IncomingRecord {
  const ofServer = new Set(['id', 'internalId', 'activityCode', 'activityName']);
  const given = Object.entries(resource.example).filter(
    ([name]) => !ofServer.has(name) && !/^date(Creation|Created|Last)/.test(name),
  );
  const parent = resource.name === 'procurement-reports' ? unpublished : {};
  return checked(activity, resource, { ...Object.fromEntries(given), ...parent });
}

/** What a feed says of a reception report, and the interface does not: it is in the path of the list. */
const unpublished: Published = { uniqueProcurementID: 'P-1' };

function withdraw(resource: Resource, named: Published): Incoming {
  const read = withdrawalReader(resource)(named, context);
  assert.ok(read.ok, JSON.stringify(read));
  return read.withdrawal;
}

function anOrder(orderUniqueID: string, deliveryComment = 'first', activity = ''): IncomingRecord {
  return checked(activity, order, {
    ...{ orderUniqueID, deliveryComment, customerOrderID: `C-${orderUniqueID}`, deliveryAddressCountry: 'FR' },
    orderEntries: [{ orderLineID: '1', articleReference: `A-${orderUniqueID}` }],
  });
}

function anArticle(articleReference: string): IncomingRecord {
  return checked('', article, {
    ...{ articleReference, longArticleDescription: 'Lamp', shortArticleDescription: 'Lamp' },
    barcodes: [{ code: '9520001999992', isPrimary: true }],
  });
}

function aStock(articleReference: string, at: number, totalStockQuantity: number): IncomingRecord {
  const stockImageExtractionDate = new Date(at).toISOString();
  return checked('', articleStock, { articleReference, stockImageExtractionDate, totalStockQuantity });
}

function aMovement(given: Published): IncomingRecord {
  return checked('', articleStockMovement, {
    ...{ movementTimestamp: '2026-01-31T12:00:00.000Z', articleReference: 'A1', movedQuantity: 1, ...given },
  });
}

function checked(activity: string, resource: Resource, given: Published): IncomingRecord {
  const result = checkRecord(resource, given, { activity, activityName: 'Acme' });
  assert.ok(result.ok, JSON.stringify(result));
  return result.record;
}
