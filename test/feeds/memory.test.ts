// What a feed holds in memory does not grow with it, and is little at any time: counted in what is alive, and in what a
// batch holds.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createFeedTurns } from '../../src/feeds/feed-turns.ts';
import { mappedReading } from '../../src/feeds/mapping/read-mapped.ts';
import { batchesOf, type Reading } from '../../src/feeds/message-batches.ts';
import { jsonReading } from '../../src/feeds/read-records.ts';
import { receiveMessage } from '../../src/feeds/receive.ts';
import { requestUnderWay } from '../../src/model/cooperative-yield.ts';
import { collectGarbage } from '../../src/model/garbage-collection.ts';
import { articleStockMovement, order } from '../../src/resources/index.ts';
import type { Resource } from '../../src/model/resource.ts';
import { storeFor } from './fixture.ts';
import { mappingOf } from './mapping/fixture.ts';

const linesOfOrder = 4;
const orders = mappingOf({
  format: { kind: 'csv', delimiter: ';' },
  numbers: { decimal: ',' },
  resources: {
    orders: {
      group: { by: ['no'] },
      fields: { orderUniqueID: 'no' },
      lists: {
        orderEntries: {
          fields: { orderLineID: { position: true }, articleReference: 'sku', quantityToPrepare: 'qty' },
        },
      },
    },
  },
});

/** Texts that come one after the other, whatever is done with those before. */
async function* bytesOf(count: number, text: (index: number) => string): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < count; from += 500)
    yield Buffer.from(Array.from({ length: Math.min(500, count - from) }, (_, index) => text(from + index)).join(''));
}

function orderLines(count: number): Reading {
  const [mapped] = orders.resources;
  assert.ok(mapped);
  const line = (index: number): string =>
    index === 0 ? 'no;sku;qty\n' : `${100_000 + Math.floor((index - 1) / linesOfOrder)};A-${index % 4000};1,5\n`;
  return mappedReading(orders, mapped, bytesOf(count + 1, line), 'orders.csv', new Map());
}

function movements(count: number): Reading {
  return jsonReading(bytesOf(count, (index) => `{"id":${index + 1},"articleReference":"A-${index % 4000}"}\n`));
}

/** Bytes that are alive once so many records of a feed were read, and once so many more were. */
async function aliveAfter(
  t: Parameters<typeof storeFor>[0],
  resource: Resource,
  reading: Reading,
  records: readonly [early: number, late: number],
): Promise<readonly number[]> {
  const { store } = await storeFor(t);
  const alive: number[] = [];
  const { message } = await receiveMessage({
    ...{ store, resource, activity: 'ACM', activityName: 'Acme Home', turns: createFeedTurns() },
    message: {
      ...{ feed: 'main', channel: 'http', source: null, messageId: null, sequence: null },
      ...{ requestKey: null, mapping: null, replayOf: null, actor: 'test' },
    },
    source: { read: () => reading },
    // At its end all of it is let go.
    onProgress: ({ read }) => {
      if (read < (records[alive.length] ?? Number.POSITIVE_INFINITY)) return;
      collectGarbage();
      const { heapUsed, external } = process.memoryUsage();
      alive.push(heapUsed + external);
    },
  });
  assert.equal(message.added, message.read);
  return alive;
}

describe('a feed', { timeout: 900_000 }, () => {
  for (const [what, resource, reading, records] of [
    ['lines of orders', order, orderLines, 40_000 / linesOfOrder],
    ['movements', articleStockMovement, movements, 40_000],
  ] as const)
    it(`of ${what} holds no more near its end than after a fifth`, async (t) => {
      const alive = await aliveAfter(t, resource, reading(40_000), [0.2 * records, 0.9 * records]);
      const [early = 0, late = Number.POSITIVE_INFINITY] = alive;
      t.diagnostic(`${late - early} bytes more`);
      // A fifth of it is found; 40 bytes of each line would be as much.
      assert.ok(late - early < 1_200_000, `${late - early} bytes more`);
    });

  it('holds a batch at a time: a thousand records or two million characters, fewer while requests come', async () => {
    const text = `{"articleReference":"${'x'.repeat(4000)}"}\n`;
    const longest = async (reading: Reading): Promise<number> => {
      const sizes: number[] = [];
      for await (const batch of batchesOf(reading)) sizes.push(batch.records.length);
      return Math.max(...sizes);
    };
    const records = (characters: number): number => Math.ceil(characters / (text.length - 1));
    assert.equal(await longest(movements(2500)), 1000);
    assert.equal(await longest(jsonReading(bytesOf(2000, () => text))), records(2048 * 1024));
    for (const kind of ['read', 'longWrite'] as const) {
      const end = requestUnderWay(kind);
      assert.equal(await longest(jsonReading(bytesOf(2000, () => text))), records(512 * 1024), kind);
      end();
      assert.equal(await longest(jsonReading(bytesOf(2000, () => text))), records(512 * 1024), `after a ${kind}`);
      await pause(1100);
    }
  });
});
