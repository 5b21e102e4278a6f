// What a feed holds in memory does not grow with it, and is little at any time: counted in what is alive, and in what a
// batch holds.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFeedTurns } from '../../src/feeds/feed-turns.ts';
import { mappedReading } from '../../src/feeds/mapping/read-mapped.ts';
import { batchesOf, type Reading } from '../../src/feeds/message-batches.ts';
import { jsonReading } from '../../src/feeds/read-records.ts';
import { receiveMessage } from '../../src/feeds/receive.ts';
import { collectGarbage } from '../../src/model/garbage.ts';
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

/** Bytes that are alive after so many records of a feed, and at its end. */
async function aliveDuring(
  t: Parameters<typeof storeFor>[0],
  resource: Resource,
  reading: Reading,
  early: number,
): Promise<{ readonly early: number; readonly late: number }> {
  const { store } = await storeFor(t);
  const alive: number[] = [];
  const look = (): void => {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    alive.push(heapUsed + external);
  };
  let last = 0;
  const { message } = await receiveMessage({
    ...{ store, resource, activity: 'ACM', activityName: 'Acme Home', turns: createFeedTurns() },
    message: {
      ...{ feed: 'main', channel: 'http', source: null, messageId: null, sequence: null },
      ...{ requestKey: null, mapping: null, replayOf: null, actor: 'test' },
    },
    source: { read: () => reading },
    onProgress: ({ read }) => {
      if (last < early && read >= early) look();
      last = read;
    },
  });
  look();
  assert.equal(message.added, message.read);
  const [first = 0, end = 0] = alive;
  return { early: first, late: end };
}

describe('a feed', { timeout: 300_000 }, () => {
  for (const [what, resource, reading, records] of [
    ['lines of orders', order, orderLines, 40_000 / linesOfOrder],
    ['movements', articleStockMovement, movements, 40_000],
  ] as const)
    it(`of ${what} holds no more at its end than after a tenth`, async (t) => {
      const { early, late } = await aliveDuring(t, resource, reading(40_000), records / 10);
      // 100 bytes of each line would be 3.6 MB more.
      assert.ok(late - early < 2_500_000, `${late - early} bytes more`);
    });

  it('holds a batch at a time, of a thousand records or of half a million characters', async () => {
    const text = `{"articleReference":"${'x'.repeat(4000)}"}\n`;
    for (const [reading, records] of [
      [jsonReading(bytesOf(2000, () => text)), Math.ceil((512 * 1024) / (text.length - 1))],
      [movements(2500), 1000],
    ] as const) {
      const sizes: number[] = [];
      for await (const batch of batchesOf(reading)) sizes.push(batch.records.length);
      assert.equal(Math.max(...sizes), records);
    }
  });
});
