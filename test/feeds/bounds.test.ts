// What feeds may leave behind in the database has bounds: open messages, refused lines, numbers that are missing.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createFeedTurns } from '../../src/feeds/feed-turns.ts';
import { jsonReading } from '../../src/feeds/read-records.ts';
import { MessageInterrupted, receiveMessage, type ReceiveOptions } from '../../src/feeds/receive.ts';
import { createChecker } from '../../src/model/check.ts';
import type { IncomingRecord } from '../../src/model/record.ts';
import { article, articleStock } from '../../src/resources/index.ts';
import type { NewAuditEntry } from '../../src/store/audit-contract.ts';
import type { NewMessage } from '../../src/store/feed-contract.ts';
import { keepRefused, maxKeptLines } from '../../src/store/feed-refusals.ts';
import { removeAbandonedDrafts } from '../../src/store/image-removal.ts';
import { sql } from '../../src/store/statement.ts';
import { countRows } from '../../src/store/table-statements.ts';
import { feedLineTable, feedMessageTable } from '../../src/store/tables/feeds.ts';
import { auditEntryTable } from '../../src/store/tables/writes.ts';
import { stockImageTable } from '../../src/store/tables/activities.ts';
import type { Store } from '../../src/store/store.ts';
import { changeRows, rowsIn } from '../contract/database.ts';
import { enginesAboveStorage } from '../contract/engines.ts';
import { openedStore } from '../contract/opened-store.ts';

const message: Omit<NewMessage, 'activity'> = {
  ...{ feed: 'main', channel: 'http', source: null, messageId: null, sequence: null },
  ...{ requestKey: null, mapping: null, replayOf: null, actor: 'test' },
};
const given = (name: string): object => ({
  articleReference: name,
  longArticleDescription: name,
  shortArticleDescription: name,
});

function aStockRow(): IncomingRecord & { readonly line: number } {
  const row = { stockImageExtractionDate: '2026-03-02T04:00:00Z', articleReference: 'A', totalStockQuantity: 1 };
  const checked = createChecker(articleStock)(row, { activity: 'ACM', activityName: 'Acme Home' });
  assert.ok(checked.ok);
  return { ...checked.record, line: 1 };
}

const anEntry: NewAuditEntry = {
  ...{ actorKind: 'command', actor: 'me', subject: null, action: 'feed.end', activityCodes: ['ACM'], target: 'ACM:1' },
  ...{ operationId: null, outcome: 'accepted', address: null, details: null },
};

async function* cutAfter(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
  throw new Error('the line is cut');
}

async function* whole(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

for (const engine of enginesAboveStorage) {
  const stored = async (t: TestContext): Promise<Store> => (await openedStore(t, engine, ['ACM', 'Acme Home'])).store;
  const send = (store: Store, bytes: AsyncIterable<Uint8Array>, more: Partial<ReceiveOptions> = {}) =>
    receiveMessage({
      ...{ store, resource: article, activity: 'ACM', activityName: 'Acme Home', turns: createFeedTurns(), message },
      source: { read: () => jsonReading(bytes) },
      ...more,
    });
  const states = async (store: Store) =>
    (await rowsIn(store, feedMessageTable, {}, { by: ['id'] })).map(({ state }) => state);

  describe(`what feeds leave behind on ${engine.name}`, { skip: engine.skip }, () => {
    it('is no message that is open for ever: what a dead process took in without a key is ended', async (t) => {
      const store = await stored(t);
      for (const resource of [article, articleStock]) {
        const begun = await store.feeds.begin(resource, { ...message, activity: 'ACM' });
        assert.equal(begun.state, 'begun');
        if (resource !== articleStock || begun.state !== 'begun') continue;
        await begun.held.apply({
          ...{ entries: [{ number: 1, text: '', item: aStockRow() }], refused: [], again: 0, warned: 0 },
          reached: { lines: 0, skipped: 0, skippedBy: null, bytes: 0, digest: '', warnings: null, lineCounts: null },
        });
      }
      await send(store, whole(JSON.stringify(given('A'))));
      assert.deepEqual(await states(store), ['open', 'open', 'done'], 'somebody may be at work on them');
      assert.equal((await rowsIn(store, stockImageTable)).length, 1);
      await changeRows(store, feedMessageTable, { touchedAt: 0 });
      await send(store, whole(JSON.stringify(given('B'))));
      assert.deepEqual(await states(store), ['interrupted', 'interrupted', 'done', 'done']);
      assert.deepEqual(
        (await rowsIn(store, stockImageTable)).map(({ state, touchedAt }) => [state, touchedAt]),
        [['draft', 0]],
        'given up: the next sweep removes its rows',
      );
      await removeAbandonedDrafts(store.engine, articleStock, 'ACM');
      assert.deepEqual(await rowsIn(store, stockImageTable), []);
    });

    it('is no message that nobody goes on with: it ends by itself after a time, with its counts', async (t) => {
      const store = await stored(t);
      const hourMs = 3_600_000;
      const keyed = { message: { ...message, requestKey: 'k' } };
      const records = [{ x: 1 }, ...Array.from({ length: 1000 }, (_, index) => given(`A${index}`))];
      const text = records.map((record) => `${JSON.stringify(record)}\n`).join('');
      await assert.rejects(send(store, cutAfter(text), keyed), MessageInterrupted);
      const fromFile = { message: { ...message, channel: 'command', source: '/gone/orders.ndjson' } } as const;
      const bySource = { ...fromFile, resumption: { bySource: true } };
      await assert.rejects(send(store, cutAfter(text), bySource), MessageInterrupted);
      // Processes that were killed: one had nothing to go on by, one was at an image, one is alive.
      for (const [resource, requestKey] of [
        [article, null],
        [articleStock, 'image'],
        [article, 'alive'],
      ] as const) {
        const begun = await store.feeds.begin(resource, { ...message, activity: 'ACM', requestKey });
        assert.equal(begun.state, 'begun');
        if (resource !== articleStock || begun.state !== 'begun') continue;
        await begun.held.apply({
          ...{ entries: [{ number: 1, text: '', item: aStockRow() }], refused: [], again: 0, warned: 0 },
          reached: { lines: 1, skipped: 0, skippedBy: null, bytes: 9, digest: '', warnings: null, lineCounts: null },
        });
      }
      const now = await store.engine.now();
      const set = (id: number, touchedAt: number) => changeRows(store, feedMessageTable, { touchedAt }, { id });
      await set(3, now - 60_000);
      await set(4, now - 60_000);
      const unfinished = async () =>
        (await store.feeds.unfinished(0)).map(({ resource, state, count }) => [resource, state, count]);
      assert.deepEqual(await unfinished(), [
        ['articles', 'open', 3],
        ['stock', 'open', 1],
      ]);
      assert.equal(await store.feeds.endAbandoned(hourMs), 1, 'nothing can go on with the third');
      assert.deepEqual(await states(store), ['open', 'open', 'interrupted', 'open', 'open']);
      for (const id of [1, 2, 4]) await set(id, now - 2 * hourMs);
      assert.equal(await store.feeds.endAbandoned(hourMs), 3);
      assert.equal(await store.feeds.endAbandoned(hourMs), 0);
      assert.deepEqual(await states(store), [...Array.from({ length: 4 }, () => 'interrupted'), 'open']);
      const [first] = await rowsIn(store, feedMessageTable, { id: 1 });
      const { read = 0, added = 0, refused = 0, fault = '', finishedAt = null } = first ?? {};
      assert.deepEqual([read, added, refused, JSON.parse(fault ?? '').code], [1000, 999, 1, 'abandoned']);
      assert.ok(finishedAt !== null);
      assert.deepEqual(await rowsIn(store, stockImageTable), [], 'nothing is left of the image');
      assert.deepEqual(await store.engine.read(sql`select count(*) from article_stock`), [[0]]);
      assert.deepEqual(await unfinished(), [
        ['articles', 'interrupted', 3],
        ['stock', 'interrupted', 1],
      ]);
      assert.deepEqual(await store.feeds.unfinished(now + hourMs), []);
      const again = await send(store, whole(text), keyed);
      assert.deepEqual(
        [again.kind, again.message.id, again.message.unchanged],
        ['done', 6, 999],
        'a message of its own',
      );
    });

    it('is no message that an operator has ended: by hand, unless somebody is at work on it', async (t) => {
      const store = await stored(t);
      await assert.rejects(send(store, cutAfter(''), { message: { ...message, messageId: 'm' } }), MessageInterrupted);
      await store.feeds.begin(article, { ...message, activity: 'ACM' });
      const end = (id: number) => store.feeds.end({ activity: 'ACM', id }, anEntry);
      assert.deepEqual(
        [await end(1), await end(1), await end(2), await end(9)],
        ['ended', 'settled', 'held', 'unknown'],
      );
      const trail = await rowsIn(store, auditEntryTable);
      assert.deepEqual(
        trail.map(({ action }) => action),
        ['feed.end'],
      );
    });

    it('are a hundred open messages of a feed: the oldest are ended, and are whole when sent again', async (t) => {
      const store = await stored(t);
      const named = (number: number): Partial<ReceiveOptions> => ({ message: { ...message, messageId: `m${number}` } });
      for (let number = 1; number <= 103; number += 1) {
        const text = `${JSON.stringify(given(`A${number}`))}\n${JSON.stringify(given('Z'))}\n`;
        await assert.rejects(send(store, cutAfter(text), named(number)), MessageInterrupted);
      }
      const found = await states(store);
      assert.deepEqual(
        [found.filter((state) => state === 'open').length, found.slice(0, 4)],
        [101, ['interrupted', 'interrupted', 'open', 'open']],
      );
      const other = { message: { ...message, feed: 'other', messageId: 'm1' } };
      await assert.rejects(send(store, cutAfter(''), other), MessageInterrupted);
      assert.equal((await states(store)).filter((state) => state === 'open').length, 102, 'each feed has its own');
      const again = await send(store, whole(`${JSON.stringify(given('A1'))}\n`), named(1));
      assert.deepEqual([again.kind, again.message.id, again.message.read], ['done', 105, 1]);
    });

    it('are kept lines up to a number; all are counted', async (t) => {
      const store = await stored(t);
      const line = (number: number) =>
        ({ number, line: number, element: null, reasons: [], naturalKey: null, kind: 'record', text: '{}' }) as const;
      const keep = (refused: number, lines: readonly number[]) =>
        store.engine.write((transaction) =>
          keepRefused(transaction, { activity: 'ACM', id: 1, resource: 'articles', refused }, lines.map(line), 1),
        );
      await keep(maxKeptLines - 2, [1, 2, 3, 4]);
      await keep(maxKeptLines + 2, [5]);
      assert.deepEqual(await store.engine.read(countRows(feedLineTable)), [2]);
    });

    it('are open messages no longer than others: they go when their time is over', async (t) => {
      const store = await stored(t);
      await assert.rejects(
        send(store, cutAfter(''), { message: { ...message, messageId: 'old' } }),
        MessageInterrupted,
      );
      await send(store, whole(JSON.stringify(given('A'))));
      await changeRows(store, feedMessageTable, { receivedAt: 1 });
      assert.equal((await store.feedRemoval.removeOld('ACM', 1000)).messages, 0, 'somebody was at work on it');
      await changeRows(store, feedMessageTable, { touchedAt: 1 });
      assert.equal((await store.feedRemoval.removeOld('ACM', 1000)).messages, 1);
      assert.deepEqual(await states(store), ['interrupted', 'done']);
    });
  });
}
