// The order of messages with stock images: a late one neither brings back what a later one has withdrawn nor replaces
// what a later one has repeated.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Readable } from 'node:stream';
import { createFeedTurns } from '../../src/feeds/feed-turns.ts';
import { jsonReading } from '../../src/feeds/read-records.ts';
import { type Received, receiveMessage } from '../../src/feeds/receive.ts';
import { articleStock } from '../../src/resources/index.ts';
import type { Engine } from '../../src/store/engine.ts';
import type { Store } from '../../src/store/store.ts';
import { stockImageTable } from '../../src/store/tables/activities.ts';
import { changeRows, rowsIn } from '../contract/database.ts';
import { allEngines, type EngineUnderTest } from '../contract/engines.ts';
import { storeOfSuite } from '../contract/opened-store.ts';
import { readAll } from '../feeds/fixture.ts';

for (const engine of allEngines) {
  describe(`stock images in order on ${engine.name}`, { skip: engine.skip }, () => orderTests(engine));
}

const [monday, tuesday] = ['2026-03-02T04:00:00.000Z', '2026-03-03T04:00:00.000Z'] as const;
const gone = (at: string): object => ({ withdraw: { stockImageExtractionDate: at } });
const row = (at: string, totalStockQuantity: number): object => ({
  ...{ stockImageExtractionDate: at, articleReference: 'A', totalStockQuantity },
});

function orderTests(engineUnderTest: EngineUnderTest): void {
  let engine: Engine;
  let store: Store;
  let codes = 0;
  storeOfSuite(engineUnderTest, (opened) => {
    ({ engine, store } = opened);
  });
  /** A new activity: what sends messages to it, what clients read, and the state of all headers of images. */
  const newActivity = async () => {
    codes += 1;
    const activity = codes.toString(36).toUpperCase().padStart(3, '0');
    await store.activities.add(activity, 'Acme');
    const send = (
      sequence: number | null,
      lines: readonly object[],
      { feed = 'main', ...date }: { readonly feed?: string; readonly extractionDate?: string } = {},
    ): Promise<Received> =>
      receiveMessage({
        ...{ store, resource: articleStock, activity, activityName: 'Acme', turns: createFeedTurns(), ...date },
        source: {
          read: () => jsonReading(Readable.from(lines.map((line) => Buffer.from(`${JSON.stringify(line)}\n`)))),
        },
        message: {
          ...{ feed, channel: 'command', source: null, messageId: null, sequence },
          ...{ requestKey: null, mapping: null, replayOf: null, actor: 'test' },
        },
      });
    const read = async () =>
      (await readAll(store, articleStock, [activity])).map(({ totalStockQuantity }) => totalStockQuantity);
    const states = async () =>
      (await rowsIn(engine, stockImageTable, { activity }, { by: ['state'] })).map(({ state }) => state);
    return { activity, send, read, states };
  };
  const refusal = async (sent: Promise<Received>): Promise<string> => {
    const { kind, fault } = await sent;
    assert.deepEqual([kind, fault?.code], ['refused', 'older-than-stored']);
    return fault?.message ?? '';
  };

  it('one that a later message has withdrawn does not come back', async () => {
    const { send, read, states } = await newActivity();
    await send(4, [row(monday, 4)]);
    await send(5, [row(tuesday, 5)]);
    const { message } = await send(7, [gone(tuesday)]);
    assert.deepEqual([message.withdrawn, message.changed], [1, 1]);
    assert.match(
      await refusal(send(6, [row(tuesday, 6)])),
      /number 6, and number 7 has withdrawn the stock image of 2026-03-03T04:00:00\.000Z since/,
    );
    assert.deepEqual([await read(), await states()], [[4], ['published', 'withdrawn']]);
    assert.equal((await send(5, [row(tuesday, 5)])).kind, 'refused', 'nor if it is sent again');
    assert.equal((await send(8, [row(tuesday, 8)])).kind, 'done', 'a message in order may send it');
    assert.deepEqual(await read(), [8]);
  });

  it('one that was withdrawn before it came does not come, with or without rows', async () => {
    const { send, read, states } = await newActivity();
    const { message } = await send(7, [gone(tuesday), gone(tuesday)]);
    assert.deepEqual([message.withdrawn, message.unchanged], [0, 2]);
    await refusal(send(5, [row(monday, 5), row(tuesday, 5)]));
    await refusal(send(6, [], { extractionDate: tuesday }));
    assert.deepEqual([await read(), await states()], [[], ['withdrawn']]);
    assert.equal((await send(4, [row(monday, 4)])).kind, 'done', 'others may');
    assert.equal((await send(3, [row(tuesday, 3)], { feed: 'other' })).kind, 'done', 'and so may another feed');
    assert.equal((await send(null, [row(tuesday, 2)])).kind, 'done', 'and a message without a number');
  });

  it('a late withdrawal of one withdrawn since changes nothing', async () => {
    const { send, read } = await newActivity();
    await send(5, [row(tuesday, 5)]);
    await send(9, [gone(tuesday)]);
    const late = await send(7, [gone(tuesday)]);
    assert.deepEqual([late.kind, late.message.refused, late.message.unchanged], ['done', 0, 1]);
    assert.match(await refusal(send(8, [row(tuesday, 8)])), /number 9 has withdrawn/);
    assert.deepEqual(await read(), []);
  });

  it('one that is sent anew after its withdrawal is what counts', async () => {
    const { send, read } = await newActivity();
    await send(7, [gone(tuesday)]);
    await send(8, [row(tuesday, 8)]);
    assert.match(await refusal(send(6, [row(tuesday, 6)])), /number 8 has sent/);
    assert.deepEqual((await send(5, [row(tuesday, 8)])).message.unchanged, 1, 'it says the same');
    await send(10, [gone(tuesday), row(tuesday, 10)]);
    assert.match(await refusal(send(9, [row(tuesday, 9)])), /number 10 has sent/);
    assert.deepEqual(await read(), [10]);
  });

  it('one that a later message has sent again unchanged is not replaced', async () => {
    const { send, read, states } = await newActivity();
    await send(3, [row(tuesday, 3)]);
    assert.equal((await send(7, [row(tuesday, 3)])).message.unchanged, 1);
    assert.equal((await send(6, [row(tuesday, 3)])).message.unchanged, 1, 'a late one may say the same');
    assert.match(await refusal(send(5, [row(tuesday, 5)])), /number 5, and number 7 has sent the stock image/);
    assert.match(await refusal(send(6, [], { extractionDate: tuesday })), /number 7 has sent/);
    const { refused } = (await send(6, [gone(tuesday)])).message;
    assert.equal(refused, 1, 'nor withdrawn');
    assert.deepEqual([await read(), await states()], [[3], ['published', 'repeated']]);
    assert.equal((await send(2, [row(tuesday, 2)], { feed: 'other' })).kind, 'done', 'another feed may');
    assert.equal((await send(6, [row(tuesday, 6)])).kind, 'done', 'what it replaced is no longer repeated');
    await send(8, [row(tuesday, 8)]);
    assert.deepEqual(await read(), [8], 'and so may a message in order');
  });

  it('one that was repeated and is the latest again is not replaced either', async () => {
    const { send, read } = await newActivity();
    await send(3, [row(monday, 3)]);
    await send(7, [row(monday, 3)]);
    await send(8, [row(tuesday, 8)]);
    await send(9, [gone(tuesday)]);
    assert.match(await refusal(send(6, [row(monday, 6)])), /number 7 has sent/);
    assert.deepEqual(await read(), [3]);
    await send(10, [gone(monday)]);
    assert.match(await refusal(send(6, [row(monday, 6)])), /number 10 has withdrawn/);
  });

  it('a note is no image, and is forgotten as one would be', async () => {
    const { activity, send, states } = await newActivity();
    await send(7, [gone(monday), gone(tuesday)]);
    assert.equal((await store.images.newest()).get(activity), undefined);
    const before = await store.lists.revision(articleStock, [activity]);
    const removeOld = (at: number | null) => store.images.removeOld(articleStock, activity, at);
    assert.equal(await removeOld(null), 0);
    assert.equal(await removeOld(Date.parse(tuesday)), 0);
    assert.deepEqual(await states(), ['withdrawn', 'withdrawn'], 'they were said a moment ago');
    await changeRows(engine, stockImageTable, { touchedAt: 1 }, { activity });
    assert.equal(await removeOld(null), 0);
    assert.deepEqual(await states(), ['withdrawn', 'withdrawn']);
    assert.equal(await removeOld(Date.parse(tuesday)), 0);
    assert.deepEqual(await states(), ['withdrawn']);
    await refusal(send(6, [row(tuesday, 6)]));
    assert.deepEqual(await store.lists.revision(articleStock, [activity]), before);
  });
}
