// Messages in a real store, on every engine: their counts and the lineage of what they wrote, refused lines, and going
// on with one that was interrupted.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { createFeedTurns } from '../../src/feeds/feed-turns.ts';
import { jsonReading } from '../../src/feeds/read-records.ts';
import {
  MessageDiffers,
  MessageInterrupted,
  MessageRunning,
  type Received,
  type ReceiveOptions,
  receiveMessage,
} from '../../src/feeds/receive.ts';
import { article, articleStock, articleStockMovement } from '../../src/resources/index.ts';
import type { FeedMessage, HeldMessage } from '../../src/store/feed-contract.ts';
import { sql } from '../../src/store/statement.ts';
import type { Store } from '../../src/store/store.ts';
import { enginesAboveStorage } from '../contract/engines.ts';
import { openedStore } from '../contract/opened-store.ts';
import { accepted, checkRecord } from '../model/checked.ts';
import { readAll } from './fixture.ts';

const anArticle = (reference: string, more: object = {}): object => ({
  articleReference: reference,
  longArticleDescription: `Article ${reference}`,
  shortArticleDescription: reference,
  ...more,
});
const aStockRow = (reference: string, quantity: number, at = '2026-03-02T04:00:00Z'): object => ({
  stockImageExtractionDate: at,
  articleReference: reference,
  totalStockQuantity: quantity,
});
const lines = (...records: readonly (object | string)[]): string =>
  records.map((record) => `${typeof record === 'string' ? record : JSON.stringify(record)}\n`).join('');

type Given = Partial<Omit<ReceiveOptions, 'message' | 'source'>> & {
  readonly message?: Partial<ReceiveOptions['message']>;
};

/** @param cutAfter bytes after which reading fails */
function send(store: Store, text: string, given: Given = {}, cutAfter = Number.POSITIVE_INFINITY): Promise<Received> {
  const bytes = Buffer.from(text);
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < Math.min(bytes.length, cutAfter); at += 5000)
      yield bytes.subarray(at, Math.min(at + 5000, cutAfter));
    if (cutAfter < bytes.length) throw new Error('the line is cut');
  }
  return receiveMessage({
    store,
    resource: article,
    activity: 'ACM',
    activityName: 'Acme Home',
    turns: createFeedTurns(),
    source: { read: () => jsonReading(pieces()) },
    ...given,
    message: {
      ...{ feed: 'main', channel: 'http', source: null, messageId: null, sequence: null },
      ...{ requestKey: null, mapping: null, replayOf: null, actor: 'test' },
      ...given.message,
    },
  });
}

const refusedOf = (store: Store, message: number) =>
  store.feedLines.list({ activities: ['ACM'], message, resource: null, state: 'refused', after: null, limit: 100 });

const counts = ({ read, added, changed, unchanged, refused }: FeedMessage): readonly number[] => [
  ...[read, added, changed, unchanged, refused],
];
const adds = ({ read, added, changed, unchanged, refused }: FeedMessage): boolean =>
  read === added + changed + unchanged + refused;

for (const engine of enginesAboveStorage) {
  const stored = async (t: TestContext): Promise<Store> => (await openedStore(t, engine, ['ACM', 'Acme Home'])).store;

  describe(`a message on ${engine.name}`, { skip: engine.skip }, () => {
    it('has a number, counts that add up, and is what its records were last written by', async (t) => {
      const store = await stored(t);
      const first = await send(
        store,
        lines(anArticle('A1'), anArticle('A2'), '{"articleReference":7}', '', anArticle('A3')),
      );
      assert.deepEqual([first.message.id, first.message.state, ...counts(first.message)], [1, 'done', 4, 3, 0, 0, 1]);
      assert.deepEqual([first.message.lines, first.message.skipped, first.message.skippedBy], [5, 1, '{"blank":1}']);
      const second = await send(store, lines(anArticle('A1'), anArticle('A2', { shortArticleDescription: 'new' })));
      assert.deepEqual([second.message.id, ...counts(second.message)], [2, 2, 0, 1, 1, 0]);
      const rows = await store.engine.read(
        sql`select natural_key, feed_message, feed_line from ${sql.quoted(article.table)} order by natural_key`,
      );
      assert.deepEqual(rows, [
        ['["A1"]', 1, 1],
        ['["A2"]', 2, 2],
        ['["A3"]', 1, 5],
      ]);
      const [refused] = await refusedOf(store, 1);
      assert.deepEqual(
        [refused?.record, refused?.line, refused?.kind, refused?.content],
        [3, 3, 'record', '{"articleReference":7}'],
      );
      assert.equal(JSON.parse(refused?.reasons ?? '')[0].code, 'wrong-type');
    });

    it('keeps what is refused of an array on one line, and what PostgreSQL could not hold', async (t) => {
      const store = await stored(t);
      await send(store, JSON.stringify([{ a: 1 }, anArticle('A1'), { b: '\0' }, 'zstd:x']));
      await send(store, 'zstd:not json\n{"articleReference":"A2"\0}\n{}\n');
      const kept = [1, 2].map(async (message) =>
        (await refusedOf(store, message)).map(({ record, line }) => [record, line]),
      );
      assert.deepEqual(await Promise.all(kept), [
        [
          [1, 1],
          [3, 1],
          [4, 1],
        ],
        [
          [1, 1],
          [2, 2],
          [3, 3],
        ],
      ]);
      const [first] = await refusedOf(store, 2);
      assert.equal(first?.content, 'zstd:not json');
    });

    it('that is interrupted stays open with counts that are exact, and is gone on with', async (t) => {
      const store = await stored(t);
      const many = lines(
        ...Array.from({ length: 3500 }, (_, index) => (index % 500 === 250 ? { x: index } : anArticle(`A${index}`))),
      );
      const key = { message: { requestKey: 'k1' } };
      await assert.rejects(send(store, many, key, many.length / 2), MessageInterrupted);
      const open = await store.feeds.message('ACM', 1);
      assert.ok(open !== null && open.state === 'open' && open.holder === null && open.read > 0 && adds(open));
      assert.equal((await readAll(store, article)).length, open.added);
      assert.equal((await refusedOf(store, 1)).length, open.refused);
      const { message } = await send(store, many, key);
      assert.deepEqual([message.id, message.state, ...counts(message)], [1, 'done', 3500, 3493, 0, 0, 7]);
      assert.equal((await readAll(store, article)).length, 3493);
      assert.equal((await refusedOf(store, 1)).length, 7);
      const again = await send(store, many, key);
      assert.deepEqual([again.kind, again.message], ['known', message]);
      await assert.rejects(
        send(store, `${many}{}\n`, key),
        (error) => error instanceof MessageDiffers && error.by === 'request',
      );
      await assert.rejects(send(store, many, { message: { requestKey: 'k1', sequence: 1 } }), MessageDiffers);
    });

    it('that is interrupted and comes with other records is not gone on with', async (t) => {
      const store = await stored(t);
      const text = (from: number): string =>
        lines(...Array.from({ length: 2500 }, (_, index) => anArticle(`A${from + index}`)));
      const key = { message: { messageId: 'm-1' } };
      await assert.rejects(send(store, text(0), key, text(0).length - 10), MessageInterrupted);
      await assert.rejects(send(store, text(1), key), MessageDiffers);
      await assert.rejects(send(store, text(0).slice(0, 1000), key), MessageDiffers);
      assert.equal((await send(store, text(0), key)).message.added, 2500);
    });

    it('is worked on by one at a time, and what one that was taken over writes is undone', async (t) => {
      const store = await stored(t);
      const begin = async (): Promise<HeldMessage> => {
        const begun = await store.feeds.begin(article, {
          ...{ activity: 'ACM', feed: 'main', channel: 'http', source: null, messageId: 'm', sequence: null },
          ...{ requestKey: null, mapping: null, replayOf: null, actor: 'test' },
        });
        assert.ok(begun.state === 'begun');
        return begun.held;
      };
      const first = await begin();
      await assert.rejects(send(store, lines(anArticle('A1')), { message: { messageId: 'm' } }), MessageRunning);
      await store.engine.writeOnce(sql`update feed_message set touched_at = touched_at - 20000`);
      const second = await begin();
      const reached = {
        lines: 1,
        skipped: 0,
        skippedBy: null,
        bytes: 1,
        digest: 'd',
        warnings: null,
        lineCounts: null,
      };
      const batch = { entries: [], refused: [], again: 1, warned: 0, reached };
      const before = await store.engine.read(sql`select last_change from activity where code = 'ACM'`);
      const text = JSON.stringify(anArticle('A1'));
      const item = {
        ...accepted(checkRecord(article, anArticle('A1'), { activity: 'ACM', activityName: '' })),
        line: 1,
      };
      const reasons = [{ code: 'not-json', pointer: '', detail: '' }] as const;
      const line = { number: 2, line: 2, element: null, reasons, naturalKey: null, kind: 'text', text: 'x' } as const;
      const full = { ...batch, entries: [{ number: 1, text, item }], refused: [line] };
      await assert.rejects(first.apply(full), /taken the message over/);
      assert.deepEqual([await readAll(store, article), await refusedOf(store, 1)], [[], []], 'neither record nor line');
      assert.deepEqual(await store.engine.read(sql`select last_change from activity where code = 'ACM'`), before);
      assert.equal(await first.touch(), false);
      await first.release('interrupted');
      await second.apply(batch);
      await second.finish({ state: 'done', reached });
      assert.deepEqual(counts(second.row()), [1, 0, 0, 1, 0]);
      await assert.rejects(second.apply(batch), /taken the message over/);
    });

    it('of an image that is interrupted is begun anew: no half image, and counts of the whole', async (t) => {
      const store = await stored(t);
      const rows = Array.from({ length: 2600 }, (_, index) =>
        index % 1000 === 5 ? { x: 1 } : aStockRow(`A${index}`, index),
      );
      const given = { resource: articleStock, message: { requestKey: 'stock' } };
      const text = lines(...rows);
      await assert.rejects(send(store, text, given, text.length - 100), MessageInterrupted);
      const open = await store.feeds.message('ACM', 1);
      assert.ok(open !== null && adds(open) && open.added === 0);
      assert.equal((await readAll(store, articleStock)).length, 0);
      const done = await send(store, text, given);
      assert.deepEqual([done.message.id, ...counts(done.message)], [1, 2600, 2597, 0, 0, 3]);
      assert.deepEqual(done.images, [{ at: '2026-03-02T04:00:00.000Z', rows: 2597, outcome: 'new' }]);
      assert.equal((await readAll(store, articleStock)).length, 2597);
      assert.equal((await refusedOf(store, 1)).length, 3);
      const [image] = await store.engine.read(sql`select feed_message from stock_image`);
      assert.deepEqual(image, [1]);
      const same = await send(store, text, { resource: articleStock });
      assert.equal(same.kind, 'done');
      assert.deepEqual(counts(same.message), [2600, 0, 0, 2597, 3]);
    });

    it('that is refused as a whole counts every record as refused', async (t) => {
      const store = await stored(t);
      const strict = await send(store, lines(anArticle('A1'), { x: 1 }), { strict: true });
      assert.deepEqual(
        [strict.kind, strict.fault?.code, ...counts(strict.message)],
        ['refused', 'strict', 2, 0, 0, 0, 2],
      );
      const image = await send(store, `${lines(aStockRow('A1', 1))}{"cut`, { resource: articleStock });
      assert.deepEqual(
        [image.kind, image.fault?.code, ...counts(image.message)],
        ['refused', 'damaged', 2, 0, 0, 0, 2],
      );
      const csv = await send(store, 'a;b\n1;2\n');
      assert.deepEqual([csv.kind, csv.fault?.code, ...counts(csv.message)], ['refused', 'not-json', 0, 0, 0, 0, 0]);
      assert.equal((await readAll(store, article)).length + (await readAll(store, articleStock)).length, 0);
    });
  });

  describe(`a withdrawal on ${engine.name}`, { skip: engine.skip }, () => {
    const gone = (reference: string): object => ({ withdraw: { articleReference: reference } });

    it('takes effect in the order of the lines, counts as changed, and says nothing else', async (t) => {
      const store = await stored(t);
      const text = lines(
        ...[anArticle('A1'), anArticle('A2'), gone('A1'), anArticle('A1'), gone('A2'), gone('A3')],
        ...[{ ...gone('A1'), articleReference: 'A1' }, { withdraw: { x: 1 } }, { withdraw: 7 }],
      );
      const { message } = await send(store, text);
      assert.deepEqual([...counts(message), message.withdrawn], [9, 2, 3, 1, 3, 2]);
      assert.deepEqual(
        (await readAll(store, article)).map(({ articleReference }) => articleReference),
        ['A1'],
      );
      assert.deepEqual(
        (await refusedOf(store, 1)).map(({ record, reasons }) => [record, JSON.parse(reasons)[0].code]),
        [
          [7, 'unknown-property'],
          [8, 'unknown-property'],
          [9, 'wrong-type'],
        ],
      );
    });

    const [first, second, third] = ['2026-03-01T04:00:00Z', '2026-03-02T04:00:00Z', '2026-03-03T04:00:00Z'] as const;
    const stock = { resource: articleStock };
    const goneImage = (at: unknown, more: object = {}): object => ({
      withdraw: { stockImageExtractionDate: at, ...more },
    });
    const read = async (store: Store) =>
      (await readAll(store, articleStock)).map((row) =>
        [row.stockImageExtractionDate, row.totalStockQuantity].join(' '),
      );
    const image = (at: string, rows: number, outcome: string) => ({ at: at.replace('Z', '.000Z'), rows, outcome });

    it('of a stock image takes it away with the end of the message, and gives the one before it anew', async (t) => {
      const store = await stored(t);
      await send(store, lines(aStockRow('A', 1, first), aStockRow('B', 1, first)), stock);
      await send(store, lines(aStockRow('A', 2, second)), stock);
      const gone = await send(
        store,
        lines(goneImage(second), goneImage('2026-03-02T05:00:00+01:00'), goneImage(third)),
        stock,
      );
      assert.deepEqual([...counts(gone.message), gone.message.withdrawn], [3, 0, 1, 2, 0, 1]);
      assert.deepEqual(gone.images, [image(second, 1, 'withdrawn')]);
      assert.deepEqual(await read(store), ['2026-03-01T04:00:00.000Z 1', '2026-03-01T04:00:00.000Z 1']);
      // A wrong image goes, and the right one comes, in one message.
      await send(store, lines(aStockRow('A', 9, third)), stock);
      const both = await send(store, lines(goneImage(third), aStockRow('A', 3, second), goneImage(first)), stock);
      assert.deepEqual([...counts(both.message), both.message.withdrawn], [3, 1, 2, 0, 0, 2]);
      assert.deepEqual(both.images, [
        ...[image(first, 2, 'withdrawn'), image(second, 1, 'new'), image(third, 1, 'withdrawn')],
      ]);
      assert.deepEqual(await read(store), ['2026-03-02T04:00:00.000Z 3']);
      // Withdrawn and sent anew in one message.
      const anew = await send(store, lines(goneImage(second), aStockRow('A', 3, second)), stock);
      assert.deepEqual([...counts(anew.message), anew.message.withdrawn], [2, 1, 1, 0, 0, 1]);
      assert.deepEqual(await read(store), ['2026-03-02T04:00:00.000Z 3']);
      // With a date, a message of withdrawals is no image without rows.
      await send(store, lines(goneImage(second)), { ...stock, extractionDate: '2026-03-02T04:00:00.000Z' });
      assert.deepEqual(await store.engine.read(sql`select count(*) from stock_image`), [[0]]);
      assert.deepEqual(await store.engine.read(sql`select count(*) from article_stock`), [[0]]);
    });

    it('of a stock image names it whole, before its new rows, and falls with its message', async (t) => {
      const store = await stored(t);
      await send(store, lines(aStockRow('A', 1, first)), stock);
      const wrong = await send(
        store,
        lines(
          ...[aStockRow('A', 1, second), goneImage(second), goneImage(first, { articleReference: 'A' })],
          ...[goneImage('monday'), goneImage(null), { withdraw: {} }, { withdraw: [first] }],
          ...[{ ...goneImage(first), articleReference: 'A' }, goneImage(first, { id: 7 })],
        ),
        stock,
      );
      assert.deepEqual([...counts(wrong.message), wrong.message.withdrawn], [9, 1, 0, 0, 8, 0]);
      assert.deepEqual(
        (await refusedOf(store, wrong.message.id)).map(({ reasons }) => JSON.parse(reasons)[0].code),
        [
          ...['not-allowed', 'not-allowed', 'bad-date', 'required', 'required', 'wrong-type'],
          ...['unknown-property', 'not-allowed'],
        ],
      );
      const damaged = await send(store, `${lines(goneImage(second))}{"cut`, stock);
      assert.deepEqual([damaged.kind, ...counts(damaged.message)], ['refused', 2, 0, 0, 0, 2]);
      await assert.rejects(send(store, lines(goneImage(second), goneImage(first)), stock, 40), MessageInterrupted);
      assert.deepEqual(await read(store), ['2026-03-02T04:00:00.000Z 1']);
      const tooMany = Array.from({ length: 1001 }, (_, day) => goneImage(new Date(day * 86_400_000).toISOString()));
      const refused = await send(store, lines(...tooMany), stock);
      assert.deepEqual([refused.kind, refused.fault?.code], ['refused', 'too-many-images']);
    });

    it('of a stock image that a later message has sent since is refused, and so are other rows of it', async (t) => {
      const store = await stored(t);
      const at = (sequence: number): Given => ({ ...stock, message: { sequence } });
      await send(store, lines(aStockRow('A', 1, first)), at(1));
      await send(store, lines(aStockRow('A', 5, second)), at(5));
      const late = await send(store, lines(goneImage(second), goneImage(first), aStockRow('A', 3, third)), at(3));
      assert.deepEqual([...counts(late.message), late.message.withdrawn], [3, 1, 1, 0, 1, 1]);
      assert.deepEqual(late.images, [image(first, 1, 'withdrawn'), image(third, 1, 'new')]);
      const [line, ...others] = await refusedOf(store, late.message.id);
      assert.deepEqual([line?.record, line?.line, others], [1, 1, []]);
      const [reason] = JSON.parse(line?.reasons ?? '');
      assert.equal(reason.code, 'older-than-stored');
      assert.match(reason.detail, /number 3, and number 5 has sent the stock image of 2026-03-02T04:00:00\.000Z since/);
      assert.deepEqual(await read(store), ['2026-03-03T04:00:00.000Z 3']);
      const other = await send(store, lines(aStockRow('A', 2, second), aStockRow('A', 2, third)), at(2));
      assert.deepEqual(
        [other.kind, other.fault?.code, ...counts(other.message)],
        [...['refused', 'older-than-stored', 2, 0, 0, 0, 2]],
      );
      const same = await send(store, lines(aStockRow('A', 5, second)), at(4));
      assert.deepEqual([same.kind, ...counts(same.message)], ['done', 1, 0, 0, 1, 0], 'it says the same');
      assert.deepEqual((await store.feeds.list(['ACM']))[0]?.missing, [], 'all of them have come');
      assert.equal((await send(store, lines(goneImage(second)), at(6))).message.withdrawn, 1);
      assert.deepEqual(await store.engine.read(sql`select count(*) from stock_image where state = 'draft'`), [[0]]);
    });

    it('of a stock image that a later message sends meanwhile falls with its message', async (t) => {
      const store = await stored(t);
      await send(store, lines(aStockRow('A', 1, first)), { ...stock, message: { sequence: 1 } });
      for (const [sequence, text] of [
        [3, lines(goneImage(first), aStockRow('A', 3, third))],
        [5, lines(aStockRow('A', 5, second))],
      ] as const) {
        const received = await receiveMessage({
          ...{ store, resource: articleStock, activity: 'ACM', activityName: 'Acme Home', turns: createFeedTurns() },
          message: {
            ...{ feed: 'main', channel: 'http', source: null, messageId: null, sequence },
            ...{ requestKey: null, mapping: null, replayOf: null, actor: 'test' },
          },
          source: { read: () => jsonReading(Readable.from([Buffer.from(text)])) },
          // Everything of it has been dealt with, and it has not ended.
          onProgress: async () => {
            const newer = lines(aStockRow('A', 10 + sequence, sequence === 3 ? first : second));
            await send(store, newer, { ...stock, message: { sequence: sequence + 1 } });
          },
        });
        assert.deepEqual([received.kind, received.fault?.code], ['refused', 'older-than-stored']);
        assert.ok(adds(received.message) && received.message.refused === received.message.read);
      }
      assert.deepEqual(await read(store), ['2026-03-02T04:00:00.000Z 15']);
      assert.deepEqual(await store.engine.read(sql`select count(*) from article_stock`), [[3]], 'and no draft is left');
    });

    it('and its audit entry are written together, or neither is', async (t) => {
      const store = await stored(t);
      await send(store, lines(anArticle('A1')));
      await send(store, lines(aStockRow('A', 1)), stock);
      const fails = (): never => {
        throw new Error('the trail cannot be written');
      };
      await assert.rejects(send(store, lines(gone('A1')), { auditOfBatch: fails }), MessageInterrupted);
      await assert.rejects(
        send(store, lines(goneImage('2026-03-02T04:00:00Z')), { ...stock, audit: fails }),
        MessageInterrupted,
      );
      assert.deepEqual([(await readAll(store, article)).length, (await read(store)).length], [1, 1]);
    });
  });

  describe(`the order of messages on ${engine.name}`, { skip: engine.skip }, () => {
    const numbered = (sequence: number | null, messageId: string | null = null) => ({
      message: { sequence, messageId },
    });

    it('the same id with the same records is a duplicate, with others it is refused', async (t) => {
      const store = await stored(t);
      await send(store, lines(anArticle('A1')), numbered(1, 'm1'));
      const twice = await send(store, lines(anArticle('A1')), numbered(1, 'm1'));
      assert.deepEqual(
        [twice.kind, twice.of?.id, twice.message.id, twice.message.state],
        ['duplicate', 1, 2, 'duplicate'],
      );
      await assert.rejects(
        send(store, lines(anArticle('A2')), numbered(1, 'm1')),
        (error) => error instanceof MessageDiffers && error.by === 'message-id',
      );
      assert.equal(
        (await send(store, lines(anArticle('A2')), { message: { messageId: 'm1', feed: 'other' } })).kind,
        'done',
      );
    });

    it('numbers that are missing are noted until they come, and a late message spoils nothing', async (t) => {
      const store = await stored(t);
      const version = (text: string): object => ({ shortArticleDescription: text });
      await send(
        store,
        lines(anArticle('A', version('1')), anArticle('B', version('1')), anArticle('C', version('1'))),
        numbered(1),
      );
      const ahead = await send(
        store,
        lines(anArticle('A', version('5')), anArticle('B', version('1')), anArticle('D', version('5'))),
        numbered(5),
      );
      assert.deepEqual(JSON.parse(ahead.message.notes ?? ''), { code: 'gap', missing: [2, 4] });
      const feed = async () => (await store.feeds.list(['ACM']))[0];
      assert.deepEqual([(await feed())?.lastSequence, (await feed())?.missing], [5, [[2, 4]]]);
      const late = await send(
        store,
        lines(...['A', 'B', 'C', 'E'].map((reference) => anArticle(reference, version('3')))),
        numbered(3),
      );
      // A was written by number 5, B was said again by it: both stay. C and E are what number 3 was missed for.
      assert.deepEqual([...counts(late.message)], [4, 1, 1, 0, 2]);
      const kept = await refusedOf(store, late.message.id);
      assert.deepEqual(
        kept.map(({ record, reasons }) => [record, JSON.parse(reasons)[0].code]),
        [
          [1, 'older-than-stored'],
          [2, 'older-than-stored'],
        ],
      );
      assert.deepEqual(
        [(await feed())?.lastSequence, (await feed())?.missing],
        [
          5,
          [
            [2, 2],
            [4, 4],
          ],
        ],
      );
      assert.deepEqual(JSON.parse(late.message.notes ?? ''), { code: 'filled' });
      await send(store, lines(anArticle('F')), numbered(2));
      await send(store, lines(anArticle('F')), numbered(4));
      assert.deepEqual((await feed())?.missing, []);
      const read = new Map(
        (await readAll(store, article)).map((each) => [each.articleReference, each.shortArticleDescription]),
      );
      assert.deepEqual(
        [...'ABCDE'].map((reference) => read.get(reference)),
        ['5', '1', '3', '5', '3'],
      );
    });

    it('a late message that says what a later one said makes that no older', async (t) => {
      const store = await stored(t);
      const take = (sequence: number, text: string) =>
        send(store, lines(anArticle('A', { shortArticleDescription: text })), numbered(sequence));
      await take(1, 'one');
      await take(10, 'ten');
      assert.deepEqual([...counts((await take(4, 'ten')).message)], [1, 0, 0, 1, 0]);
      assert.deepEqual([...counts((await take(7, 'seven')).message)], [1, 0, 0, 0, 1]);
      assert.equal((await readAll(store, article))[0]?.shortArticleDescription, 'ten');
    });

    it('what a later message has withdrawn does not come back, whether it had come or not', async (t) => {
      const store = await stored(t);
      const gone = (reference: string): object => ({ withdraw: { articleReference: reference } });
      const references = async () => (await readAll(store, article)).map((each) => each.articleReference);
      await send(store, lines(anArticle('A'), anArticle('B')), numbered(1));
      await send(store, lines(gone('A'), gone('B')), numbered(3));
      const { message } = await send(store, lines(gone('A'), gone('N')), numbered(7));
      assert.deepEqual([...counts(message), message.withdrawn], [2, 0, 0, 2, 0, 0]);
      // Number 3 withdrew B, number 7 A once more, and N before it came.
      const late = await send(store, lines(...['A', 'B', 'N', 'C'].map((each) => anArticle(each))), numbered(5));
      assert.deepEqual([...counts(late.message)], [4, 1, 1, 0, 2]);
      assert.deepEqual((await references()).toSorted(), ['B', 'C']);
      const [first, second] = (await refusedOf(store, late.message.id)).map(({ record, reasons }) => ({
        ...{ record, detail: JSON.parse(reasons)[0].detail, code: JSON.parse(reasons)[0].code },
      }));
      assert.deepEqual([first?.record, second?.record], [1, 3]);
      assert.deepEqual([first?.code, second?.code], ['older-than-stored', 'older-than-stored']);
      assert.match(String(second?.detail), /number 5, and number 7 has withdrawn this record since/);
      // It says the same.
      assert.deepEqual(
        [...counts((await send(store, lines(gone('A'), gone('N')), numbered(4))).message)],
        [2, 0, 0, 2, 0],
      );
      assert.deepEqual([...counts((await send(store, lines(anArticle('N')), numbered(6))).message)], [1, 0, 0, 0, 1]);
      const other = await send(store, lines(anArticle('N')), { message: { sequence: 2, feed: 'other' } });
      assert.deepEqual([...counts(other.message)], [1, 1, 0, 0, 0], 'another feed has an order of its own');
      await send(store, lines(anArticle('A')), numbered(8));
      assert.deepEqual((await references()).toSorted(), ['A', 'B', 'C', 'N'], 'a message in order may send it');
    });

    it('a movement that is withdrawn by the number of its source before it comes does not come', async (t) => {
      const store = await stored(t);
      const resource = articleStockMovement;
      const take = (sequence: number, record: object) =>
        send(store, lines(record), { resource, ...numbered(sequence) });
      assert.deepEqual([...counts((await take(2, { withdraw: { id: 7 } })).message)], [1, 0, 0, 1, 0]);
      assert.deepEqual([...counts((await take(1, { id: 7, movedQuantity: 1 })).message)], [1, 0, 0, 0, 1]);
      assert.deepEqual([...counts((await take(3, { id: 7, movedQuantity: 1 })).message)], [1, 1, 0, 0, 0]);
      // Number 8 of another feed is its first message, so that no lower number is missing when number 9 comes.
      const first = (sequence: number, record: object) =>
        send(store, lines(record), { resource, message: { sequence, feed: 'other' } });
      await first(8, { id: 90, movedQuantity: 1 });
      await first(9, { withdraw: { id: 80 } });
      assert.deepEqual([...counts((await first(7, { id: 80, movedQuantity: 1 })).message)], [1, 0, 0, 0, 1]);
    });
  });
}
