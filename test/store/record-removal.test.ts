// What retention promises, on every engine: what is old goes with all that belongs to it, what is young stays, and
// whoever reads, writes or removes at the same time is not disturbed.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createChecker } from '../../src/model/check.ts';
import type { IncomingRecord } from '../../src/model/record.ts';
import type { Resource } from '../../src/model/resource.ts';
import { articleStockMovement, order, orderReport, procurement, procurementReport } from '../../src/resources/index.ts';
import type { Engine } from '../../src/store/engine.ts';
import { createFeedRemoval } from '../../src/store/feed-removal.ts';
import { sql } from '../../src/store/statement.ts';
import type { NewDocument, Store, WriteResult } from '../../src/store/store.ts';
import { feedLineTable, feedMessageTable, feedTable, feedWithdrawalTable } from '../../src/store/tables/feeds.ts';
import { activityTable, revisionTable } from '../../src/store/tables/activities.ts';
import { outboxEntryTable } from '../../src/store/tables/writes.ts';
import type { RowOf } from '../../src/store/table.ts';
import { addRows, removeRows, rowIn, rowsIn } from '../contract/database.ts';
import { type EngineUnderTest, allEngines, storeOn } from '../contract/engines.ts';
import { openedStore } from '../contract/opened-store.ts';
import { leftToServer } from '../contract/rounds.ts';

for (const engine of allEngines) {
  describe(`removal of old records on ${engine.name}`, { skip: engine.skip }, () => {
    recordTests(engine);
    raceTests(engine);
    boundTests(engine);
    feedTests(engine);
    heldLineTests(engine);
  });
}

function recordTests(engineUnderTest: EngineUnderTest): void {
  it('takes what was last written before an instant, with its nested rows, and nothing else', {
    skip: leftToServer(engineUnderTest),
  }, async (t) => {
    const { engine, store } = await openedStore(t, engineUnderTest, ['ACM', 'ACM'], ['BIO', 'BIO']);
    for (const code of ['ACM', 'BIO']) await write(store, order, code, orders(1, 250));
    const before = await between(engine);
    // Written again, and so young; one that says the same is as old as before.
    await write(store, order, 'ACM', [...orders(1, 5, 'Lyon'), ...orders(6, 10)]);
    await write(store, order, 'ACM', orders(251, 260));
    const revision = await store.lists.revision(order, ['ACM', 'BIO']);
    const lastWrite = (await rowIn(engine, activityTable, { code: 'ACM' })).lastWriteAt;
    const asked = { resource: order, activity: 'ACM', before } as const;
    await addFeeds(engine);
    const told = await store.recordRemoval.countOld(asked);
    assert.deepEqual(told, { records: 245, children: {}, documents: 0, heldBack: 0 });
    assert.equal(await count(engine, 'customer_order', 'ACM'), 260, 'a dry run changes nothing');
    assert.deepEqual(await store.recordRemoval.removeOld(asked), told);
    assert.deepEqual(
      await keysOf(engine, order, 'ACM'),
      [...[1, 2, 3, 4, 5].map(orderKey), ...Array.from({ length: 10 }, (_, index) => orderKey(251 + index))].toSorted(),
    );
    assert.equal(await count(engine, 'customer_order_nested', 'ACM'), 15);
    assert.equal(await count(engine, 'customer_order', 'BIO'), 250);
    assert.equal(await count(engine, 'customer_order_nested', 'BIO'), 250);
    const after = await store.lists.revision(order, ['ACM', 'BIO']);
    assert.ok(Number(after.ACM) > Number(revision.ACM), 'what was rendered before is not given out again');
    assert.equal(after.BIO, revision.BIO);
    assert.equal((await rowIn(engine, activityTable, { code: 'ACM' })).lastWriteAt, lastWrite, 'nobody wrote');
    assert.deepEqual(await store.recordRemoval.removeOld(asked), {
      records: 0,
      children: {},
      documents: 0,
      heldBack: 0,
    });
    assert.deepEqual(await store.lists.revision(order, ['ACM', 'BIO']), after, 'nothing went, nothing changed');
  });

  it('gives an order that comes again another id, as one that was never there', async (t) => {
    const { engine, store } = await openedStore(t, engineUnderTest, ['ACM', 'ACM'], ['BIO', 'BIO']);
    await write(store, order, 'ACM', orders(1, 1));
    const [first] = await store.lists.find(order, ['ACM'], 'orderUniqueID', 'O1', ['id']);
    await store.recordRemoval.removeOld({ resource: order, activity: 'ACM', before: await between(engine) });
    const [outcome] = await write(store, order, 'ACM', orders(1, 1));
    assert.equal(outcome, 'new');
    const [again] = await store.lists.find(order, ['ACM'], 'orderUniqueID', 'O1', ['id']);
    assert.notEqual(again?.values[0], first?.values[0]);
  });

  it('takes reports with their orders and procurements, and keeps a parent while one of them is young', async (t) => {
    const { engine, store } = await openedStore(t, engineUnderTest, ['ACM', 'ACM'], ['BIO', 'BIO']);
    await write(store, order, 'ACM', orders(1, 3));
    await write(store, procurement, 'ACM', procurements(1, 3));
    for (const number of [1, 2, 9]) {
      await write(store, orderReport, 'ACM', orderReports(number, 2));
      await write(store, procurementReport, 'ACM', procurementReports(number, 2));
    }
    const before = await between(engine);
    await write(store, orderReport, 'ACM', orderReports(2, 3));
    await write(store, procurementReport, 'ACM', procurementReports(2, 3));
    for (const [parent, child] of [
      [order, orderReport],
      [procurement, procurementReport],
    ] as const) {
      const revision = await store.lists.revision(child, ['ACM']);
      const removed = await store.recordRemoval.removeOld({ resource: parent, activity: 'ACM', before });
      assert.deepEqual(removed, { records: 2, children: { [child.name]: 1 }, documents: 0, heldBack: 1 });
      assert.equal(await count(engine, parent.table, 'ACM'), 1);
      assert.equal(await count(engine, child.table, 'ACM'), 3, 'those of the second one, and of one that is not there');
      assert.notDeepEqual(await store.lists.revision(child, ['ACM']), revision);
      // By themselves they go by their own age, whatever their parent does.
      const own = await store.recordRemoval.removeOld({ resource: child, activity: 'ACM', before });
      assert.equal(own.records, 2);
      assert.equal(await count(engine, child.table, 'ACM'), 1);
    }
  });

  it('takes the documents of an order with it, and keeps it while one is young or waits', async (t) => {
    const { engine, store } = await openedStore(t, engineUnderTest, ['ACM', 'ACM'], ['BIO', 'BIO']);
    await write(store, order, 'ACM', orders(1, 3));
    const attach = async (uniqueId: string): Promise<void> => {
      const [found] = await store.lists.find(order, ['ACM'], 'orderUniqueID', uniqueId, ['id']);
      await store.records.submit(['ACM'], (unit) => unit.addDocument(documentOf(String(found?.values[0]))));
    };
    await attach('O1');
    await attach('O2');
    const early = await between(engine);
    await attach('O3');
    const late = await between(engine);
    const remove = (before: number) => store.recordRemoval.removeOld({ resource: order, activity: 'ACM', before });
    const nothing = { records: 0, children: {}, documents: 0, heldBack: 3 };
    assert.deepEqual(await remove(late), nothing, 'the warehouse has not taken them');
    await removeRows(engine, outboxEntryTable, { activity: 'ACM' });
    assert.deepEqual(await remove(early), { records: 2, children: {}, documents: 2, heldBack: 1 });
    assert.deepEqual(await remove(late), { records: 1, children: {}, documents: 1, heldBack: 0 });
    assert.equal(await count(engine, 'order_document', 'ACM'), 0, 'the sweep takes their files');
  });

  it('leaves cursors good: a client that goes on sees what is new, and is told nothing of what went', async (t) => {
    const { engine, store } = await openedStore(t, engineUnderTest, ['ACM', 'ACM'], ['BIO', 'BIO']);
    await write(store, articleStockMovement, 'ACM', movements(1, 150));
    const reader = { client: 'reader' };
    const revision = await store.lists.revision(articleStockMovement, ['ACM']);
    const plan = {
      ...{ resource: articleStockMovement, activities: ['ACM'], where: [], sort: [], limit: 100 },
      ...{ after: null, updatedSince: null, imageAt: null, walkStarts: null },
    };
    const first = await store.lists.page(plan, revision, reader);
    await store.recordRemoval.removeOld({
      ...{ resource: articleStockMovement, activity: 'ACM', before: await between(engine) },
    });
    await write(store, articleStockMovement, 'ACM', movements(151, 152));
    const next = await store.lists.page(
      { ...plan, after: first.next },
      await store.lists.revision(articleStockMovement, ['ACM']),
      reader,
    );
    assert.deepEqual([first.count, first.more, next.count, next.more], [100, true, 2, false]);
    const fresh = await store.lists.page(plan, await store.lists.revision(articleStockMovement, ['ACM']), reader);
    assert.equal(fresh.count, 2);
    assert.deepEqual(fresh.next, next.next);
  });
}

function raceTests(engineUnderTest: EngineUnderTest): void {
  it('is completed by the next round where a process dies half way', async (t) => {
    const { engine, store, another } = await openedStore(t, engineUnderTest, ['ACM', 'ACM'], ['BIO', 'BIO']);
    await write(store, order, 'ACM', orders(1, 500));
    const before = await between(engine);
    const dying = await another();
    const { writeInBackground: writeAsBefore } = dying.engine;
    let steps = 0;
    const dieAtThird: Engine['write'] = async (work) => {
      steps += 1;
      return writeAsBefore(async (transaction) => {
        const result = await work(transaction);
        if (steps === 3) throw new Error('lost');
        return result;
      });
    };
    const lost = await storeOn({ ...dying.engine, writeInBackground: dieAtThird });
    await assert.rejects(lost.recordRemoval.removeOld({ resource: order, activity: 'ACM', before }), /lost/);
    const left = await count(engine, 'customer_order', 'ACM');
    assert.ok(left > 0 && left < 500, `${left} are left`);
    assert.equal(await count(engine, 'customer_order_nested', 'ACM'), left, 'no half of an order');
    assert.equal((await store.recordRemoval.removeOld({ resource: order, activity: 'ACM', before })).records, left);
    assert.equal(await count(engine, 'customer_order_nested', 'ACM'), 0);
  });

  it('removes each record once where two processes are at it, while others write', {
    skip: !engineUnderTest.parallel && 'one connection',
    timeout: 900_000,
  }, async (t) => {
    const { engine, store, another } = await openedStore(t, engineUnderTest, ['ACM', 'ACM'], ['BIO', 'BIO']);
    await write(store, order, 'ACM', orders(1, 600));
    const before = await between(engine);
    const other = await another();
    const asked = { resource: order, activity: 'ACM', before } as const;
    const rewriting = async (): Promise<void> => {
      for (let number = 600; number > 400; number -= 20)
        await write(store, order, 'ACM', orders(number, number, 'Lyon'));
    };
    const [one, two] = await Promise.all([
      store.recordRemoval.removeOld(asked),
      other.store.recordRemoval.removeOld(asked),
      rewriting(),
    ]);
    // What was written again before it was come to stays, what had gone by then is new.
    assert.ok(one.records + two.records <= 600);
    assert.deepEqual(
      await keysOf(engine, order, 'ACM'),
      Array.from({ length: 10 }, (_, index) => orderKey(600 - 20 * index)).toSorted(),
    );
    assert.equal(await count(engine, 'customer_order_nested', 'ACM'), 10);
    const numbers = await rowsIn(engine, revisionTable, { activity: 'ACM', resource: 'orders' });
    assert.ok(Number(numbers[0]?.lastChange) <= (await rowIn(engine, activityTable, { code: 'ACM' })).lastChange);
  });
}

/** Rows that one transaction may take. */
const mostAtOnce = 1000;

function boundTests(engineUnderTest: EngineUnderTest): void {
  const skip = leftToServer(engineUnderTest);
  it('takes a bounded number of rows in a transaction, and others write between', { skip }, async (t) => {
    const { engine, store, another } = await openedStore(t, engineUnderTest, ['ACM', 'ACM'], ['BIO', 'BIO']);
    const [records, lines] = [4 * mostAtOnce + 500, 2 * mostAtOnce + 500];
    await write(store, articleStockMovement, 'ACM', movements(1, records));
    await addRows(
      engine,
      feedMessageTable,
      [1, 6].map((id) => ({ ...emptyMessage, id, receivedAt: id })),
    );
    for (let line = 1; line <= lines; line += 500)
      await addRows(
        engine,
        feedLineTable,
        numbers(line, line + 499, (number) => ({ ...refusedLine, line: number, record: number })),
      );
    await addFeeds(engine);
    const before = await between(engine);
    const left = async (): Promise<number> =>
      (await count(engine, articleStockMovement.table, 'ACM')) + (await count(engine, feedLineTable.name, 'ACM'));
    const steps: number[] = [];
    const { engine: counted } = await another();
    const { writeInBackground: writeAsBefore } = counted;
    const writeCounted: Engine['write'] = async (work) => {
      const there = await left();
      const result = await writeAsBefore(work);
      steps.push(there - (await left()));
      // Whoever writes to the same activity does not wait for the next step.
      await write(store, procurement, 'ACM', procurements(steps.length, steps.length));
      return result;
    };
    const remover = await storeOn({ ...counted, writeInBackground: writeCounted });
    const asked = { resource: articleStockMovement, activity: 'ACM', before } as const;
    assert.equal((await remover.recordRemoval.removeOld(asked)).records, records);
    assert.deepEqual(await remover.feedRemoval.removeOld('ACM', 5), { messages: 1, lines });
    assert.equal(await left(), 0);
    assert.ok(Math.max(...steps) <= mostAtOnce, `${Math.max(...steps)} rows in one transaction`);
    assert.equal(
      steps.reduce((sum, each) => sum + each, 0),
      records + lines,
      'nothing goes elsewhere',
    );
    assert.equal(await count(engine, procurement.table, 'ACM'), steps.length);
  });
}

function feedTests(engineUnderTest: EngineUnderTest): void {
  it('takes old messages of feeds with their lines, but for the last of a feed and those that are open', async (t) => {
    const { engine, store } = await openedStore(t, engineUnderTest, ['ACM', 'ACM'], ['BIO', 'BIO']);
    const texts = {
      source: 'x.csv',
      messageId: 'm',
      requestKey: 'k',
      firstKey: '["O1"]',
      lastKey: '["O9"]',
      digest: 'd',
    };
    const counts = { lines: 9, read: 7, added: 1, changed: 1, unchanged: 2, refused: 3, skipped: 2 };
    const fault = '{"code":"strict","detail":"It begins with Ada Lovelace."}';
    const messages = [
      { id: 1, feed: 'main', receivedAt: 10, ...texts, ...counts, fault, skippedBy: '{"blank":2}', warnings: '[]' },
      { id: 2, feed: 'main', receivedAt: 20, state: 'open', touchedAt: 60 },
      { id: 3, feed: 'main', receivedAt: 30 },
      { id: 4, feed: 'other', receivedAt: 40 },
      { id: 5, feed: 'main', receivedAt: 50 },
      { id: 6, feed: 'main', receivedAt: 60 },
    ] as const;
    for (const activity of ['ACM', 'BIO']) {
      await addRows(
        engine,
        feedMessageTable,
        messages.map((message) => ({ ...emptyMessage, activity, ...message })),
      );
      await addRows(
        engine,
        feedLineTable,
        [1, 3, 4, 5].flatMap((message) =>
          [1, 2, 3].map((line) => ({ ...refusedLine, activity, message, line, record: line })),
        ),
      );
      await addRows(
        engine,
        feedWithdrawalTable,
        [1, 3, 4, 5].map((message) => ({
          ...{ activity, naturalKey: `["O${message}"]`, resource: 'orders', feed: 'main', message, notedAt: 1 },
          ...{ line: 1, element: null },
        })),
      );
    }
    await addFeeds(engine);
    const told = await store.feedRemoval.countOld('ACM', 50);
    assert.deepEqual(told, { messages: 2, lines: 6 });
    assert.deepEqual(await store.feedRemoval.removeOld('ACM', 50), told);
    const left = await rowsIn(engine, feedMessageTable, { activity: 'ACM' }, { by: ['id'] });
    assert.deepEqual(
      left.map(({ id, countsOnly }) => [id, countsOnly]),
      [1, 2, 3, 4, 5, 6].map((id) => [id, id === 1 || id === 3]),
    );
    const [first] = left;
    const nothing = { source: null, messageId: null, requestKey: null, firstKey: null, lastKey: null, digest: '' };
    assert.deepEqual(first, {
      ...{ ...emptyMessage, id: 1, receivedAt: 10, ...counts, ...nothing, skippedBy: '{"blank":2}' },
      ...{ fault: '{"code":"strict","detail":""}', countsOnly: true },
    });
    assert.deepEqual(await store.feedRemoval.removeOld('ACM', 50), { messages: 0, lines: 0 }, 'it has its time once');
    assert.equal(await count(engine, 'feed_line', 'ACM'), 6);
    assert.equal(await count(engine, 'feed_line', 'BIO'), 12);
    const notes = await rowsIn(engine, feedWithdrawalTable, { activity: 'ACM' }, { by: ['message'] });
    assert.deepEqual(
      notes.map(({ message }) => message),
      [4, 5],
    );
    assert.equal(await count(engine, 'feed_withdrawal', 'BIO'), 4);
    assert.equal(await count(engine, 'feed_message', 'BIO'), 6);
  });
}

function heldLineTests(engineUnderTest: EngineUnderTest): void {
  it('leaves a message whole while another process works on its lines, and takes it in the next round', {
    skip:
      (engineUnderTest.name === 'SQLite' && 'one writer at a time') || (!engineUnderTest.parallel && 'one connection'),
  }, async (t) => {
    const { engine, store, another } = await openedStore(t, engineUnderTest, ['ACM', 'ACM'], ['BIO', 'BIO']);
    await addRows(
      engine,
      feedMessageTable,
      [1, 2, 3].map((id) => ({ ...emptyMessage, id, receivedAt: id, source: 'x.csv' })),
    );
    await addRows(
      engine,
      feedLineTable,
      numbers(1, 3, (record) => ({ ...refusedLine, record, line: record })),
    );
    await addRows(engine, feedWithdrawalTable, [
      {
        ...{ activity: 'ACM', naturalKey: '["O1"]', resource: 'orders', feed: 'main', message: 2, notedAt: 1 },
        ...{ line: 1, element: null },
      },
    ]);
    await addFeeds(engine);
    const beside = await another();
    const first = await beside.engine.write(async ({ query }) => {
      await query(sql`update feed_line set state = 'replayed' where owner = 'ACM' and message = 1 and record = 2`);
      await query(sql`update feed_withdrawal set noted_at = 2 where owner = 'ACM' and message = 2`);
      return store.feedRemoval.removeOld('ACM', 3);
    });
    assert.deepEqual(first, { messages: 0, lines: 2 });
    assert.equal(await count(engine, 'feed_line', 'ACM'), 1);
    assert.deepEqual(await store.feedRemoval.removeOld('ACM', 3), { messages: 2, lines: 1 });
    assert.equal(await count(engine, 'feed_line', 'ACM'), 0, 'no line outlives its message');
    assert.equal(await count(engine, 'feed_withdrawal', 'ACM'), 0);
  });

  it('finds what earlier versions left of messages, and looks at few of the others', async (t) => {
    const { engine } = await openedStore(t, engineUnderTest, ['ACM', 'ACM'], ['BIO', 'BIO']);
    const isReduced = (id: number): boolean => id < 5 && id !== 2;
    await addRows(
      engine,
      feedMessageTable,
      numbers(1, 60, (id) => ({ ...emptyMessage, id, receivedAt: id, countsOnly: isReduced(id) })),
    );
    await addRows(engine, feedLineTable, [
      // The last message of a feed keeps its lines.
      ...[1, 1, 2, 4].map((message, record) => ({ ...refusedLine, message, record })),
      ...numbers(5, 60, (message) => ({ ...refusedLine, message })),
    ]);
    const note = { activity: 'ACM', resource: 'orders', feed: 'main', notedAt: 1, line: 1, element: null };
    await addRows(
      engine,
      feedWithdrawalTable,
      [3, 50].map((message) => ({ ...note, message, naturalKey: `["O${message}"]` })),
    );
    const feed = {
      activity: 'ACM',
      resource: 'orders',
      createdAt: 0,
      receivedAt: 0,
      missing: '[]',
      lastSequence: null,
    };
    await addRows(engine, feedTable, [
      { ...feed, feed: 'main', lastMessage: 60 },
      { ...feed, feed: 'over', lastMessage: 2 },
    ]);
    let reads = 0;
    const removal = createFeedRemoval({
      ...engine,
      read: (statement) => {
        reads += 1;
        return engine.read(statement);
      },
    });
    assert.deepEqual(await removal.countOld('ACM', 5), { messages: 0, lines: 3 });
    assert.deepEqual(await removal.removeOld('ACM', 5), { messages: 0, lines: 3 });
    const messagesOf = async (table: string) =>
      (await engine.read(sql`select message from ${sql.quoted(table)} where owner = 'ACM' order by message`)).flat();
    assert.deepEqual(await messagesOf('feed_line'), [2, ...numbers(5, 60, (id) => id)]);
    assert.deepEqual(await messagesOf('feed_withdrawal'), [50]);
    reads = 0;
    assert.deepEqual(await removal.removeOld('ACM', 5), { messages: 0, lines: 0 });
    assert.ok(reads < 10, `${reads} reads to find that nothing is left`);
  });
}

const emptyMessage: RowOf<typeof feedMessageTable> = {
  ...{ activity: 'ACM', id: 1, resource: 'orders', feed: 'main', channel: 'command', state: 'done' },
  ...{ source: null, messageId: null, sequence: null, mapping: null, replayOf: null, fault: null, skippedBy: null },
  ...{ requestKey: null, warnings: null, notes: null, holder: null, lineCounts: null, countsOnly: false },
  ...{ lines: 0, skipped: 0, read: 0, added: 0, changed: 0, unchanged: 0, refused: 0, warned: 0, withdrawn: 0 },
  ...{ firstKey: null, lastKey: null, bytes: 0, digest: '', actor: 'x', receivedAt: 0, touchedAt: 0, finishedAt: null },
};
const refusedLine: RowOf<typeof feedLineTable> = {
  ...{
    activity: 'ACM',
    message: 1,
    record: 1,
    resource: 'orders',
    line: 1,
    element: null,
    state: 'refused',
    reasons: '[]',
    kind: 'record',
    content: '{}',
  },
  ...{ naturalKey: null, edited: null, replayedBy: null, actor: null, changedAt: 0 },
};

/** An instant between what was written and what will be, by the clock that dates writes. */
async function between(engine: Engine): Promise<number> {
  const before = await engine.now();
  while ((await engine.now()) <= before + 1) await new Promise((resolve) => setTimeout(resolve, 1));
  const [row] = await engine.read(sql`select max(last_write_at) from activity`);
  return Math.max(await engine.now(), Number(row?.[0]) + 1);
}

async function write(
  store: Store,
  resource: Resource,
  activity: string,
  given: readonly Values[],
): Promise<readonly WriteResult['outcome'][]> {
  const check = createChecker(resource);
  const records = given.map((value): IncomingRecord => {
    const checked = check(value, { activity, activityName: activity });
    assert.ok(checked.ok, JSON.stringify(checked));
    return checked.record;
  });
  const outcomes: WriteResult['outcome'][] = [];
  for (let from = 0; from < records.length; from += 500)
    for (const { outcome } of await store.records.write(resource, activity, records.slice(from, from + 500)))
      outcomes.push(outcome);
  return outcomes;
}

type Values = Readonly<Record<string, unknown>>;

function numbers<T>(first: number, last: number, make: (number: number) => T): readonly T[] {
  return Array.from({ length: last - first + 1 }, (_, index) => make(first + index));
}

function orders(first: number, last: number, city = 'Paris'): readonly Values[] {
  return numbers(first, last, (number) => ({
    orderUniqueID: `O${number}`,
    deliveryAddressCity: city,
    orderEntries: [{ orderLineID: '1', articleReference: `A${number}`, quantityToPrepare: 1 }],
  }));
}

function orderKey(number: number): string {
  return JSON.stringify([`O${number}`]);
}

function orderReports(number: number, day: number): readonly Values[] {
  return [{ orderUniqueID: `O${number}`, firstPackageCreationDate: `2026-03-0${day}T08:00:00.000Z` }];
}

function procurements(first: number, last: number): readonly Values[] {
  return numbers(first, last, (number) => ({ uniqueProcurementID: `P${number}` }));
}

function procurementReports(number: number, reception: number): readonly Values[] {
  return [{ uniqueProcurementID: `P${number}`, receptionUniqueID: `R${reception}` }];
}

function movements(first: number, last: number): readonly Values[] {
  return numbers(first, last, (id) => ({ id, articleReference: `A${id}` }));
}

function documentOf(orderId: string): NewDocument {
  return {
    ...{ activity: 'ACM', orderId, orderUniqueId: null, slug: 'invoice', sha256: 'x', mediaType: 'application/pdf' },
    ...{ size: 1, fileName: null, storedAs: `ACM/2026/01/${orderId}.pdf`, operationId: 'op', clientId: 'shop' },
  };
}

async function count(engine: Engine, table: string, activity: string): Promise<number> {
  const [row] = await engine.read(sql`select count(*) from ${sql.quoted(table)} where owner = ${activity}`);
  return Number(row?.[0]);
}

async function keysOf(engine: Engine, { table }: Resource, activity: string): Promise<readonly string[]> {
  const rows = await engine.read(sql`select natural_key from ${sql.quoted(table)} where owner = ${activity}`);
  return rows.map(([key]) => String(key)).toSorted();
}

/** Two feeds of orders, each with its last message. */
async function addFeeds(engine: Engine): Promise<void> {
  const feed = { activity: 'ACM', resource: 'orders', createdAt: 0, receivedAt: 0, missing: '[]', lastSequence: null };
  await addRows(engine, feedTable, [
    { ...feed, feed: 'main', lastMessage: 6 },
    { ...feed, feed: 'other', lastMessage: 4 },
  ]);
}
