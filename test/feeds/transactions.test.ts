// After each transaction of a message, whichever it is, the message's counts are what its lines and records say: a
// process that is killed there leaves nothing uncounted, and nothing counted that is not there.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { createFeedTurns } from '../../src/feeds/feed-turns.ts';
import { jsonReading } from '../../src/feeds/read-records.ts';
import { receiveMessage } from '../../src/feeds/receive.ts';
import { replayLines } from '../../src/feeds/replay.ts';
import type { Resource } from '../../src/model/resource.ts';
import { articleStock, articleStockMovement } from '../../src/resources/index.ts';
import type { NewAuditEntry } from '../../src/store/audit-contract.ts';
import type { Engine } from '../../src/store/engine.ts';
import type { Store } from '../../src/store/store.ts';
import { feedLineTable, feedMessageTable } from '../../src/store/tables/feeds.ts';
import { rowsIn } from '../contract/database.ts';
import { enginesAboveStorage, storeOn } from '../contract/engines.ts';
import { readAll } from './fixture.ts';

const count = 3500;
/** Every hundredth line is refused, so each batch of a thousand has some. */
const isRefused = (index: number): boolean => index % 100 === 50;
const refused = count / 100;

const movement = (index: number): object => ({
  ...{ articleReference: `A${index % 700}`, movementDirection: 'O' },
  ...{ movedQuantity: isRefused(index) ? 'many' : 1, movementTimestamp: '2026-03-02T08:00:00Z' },
});
const stockRow = (index: number): object => ({
  ...{ articleReference: `A${index}`, stockImageExtractionDate: '2026-03-02T04:00:00Z' },
  totalStockQuantity: isRefused(index) ? 'many' : index,
});

const replayEntry: NewAuditEntry = {
  ...{ actorKind: 'command', actor: 'test', subject: null, action: 'replay-feed-lines', activityCodes: ['ACM'] },
  ...{ target: null, operationId: null, outcome: 'accepted', address: null, details: {} },
};

for (const engine of enginesAboveStorage)
  describe(`each transaction of a message on ${engine.name}`, { skip: engine.skip }, () => {
    for (const [resource, record] of [
      [articleStockMovement, movement],
      [articleStock, stockRow],
    ] as const)
      it(`of ${resource.name} leaves exact counts behind`, { timeout: 300_000 }, async (t) => {
        const database = await engine.create();
        t.after(() => database.remove());
        const opened = await database.open();
        let store: Store | null = null;
        let transactions = 0;
        const watching = await storeOn(
          afterEachTransaction(opened, async () => {
            if (store === null) return;
            transactions += 1;
            await assertExact(store, resource);
          }),
        );
        t.after(() => watching.close());
        await watching.activities.add('ACM', 'Acme Home');
        store = watching;
        const text = Array.from({ length: count }, (_none, index) => `${JSON.stringify(record(index))}\n`).join('');
        await take(watching, resource, text);
        const [message] = await rowsIn(watching, feedMessageTable, { activity: 'ACM' });
        assert.ok(message !== undefined);
        assert.deepEqual([message.state, message.added, message.refused], ['done', count - refused, refused]);
        assert.ok(transactions > count / 1000, `${transactions} transactions`);
        if (resource.storage === 'images') return;
        const replay = await replayLines({
          ...{ store: watching, resource, activity: 'ACM', activityName: 'Acme Home', turns: createFeedTurns() },
          ...{ message, records: null, force: false, actor: 'test', audit: () => replayEntry },
        });
        assert.deepEqual([replay.state, replay.read, replay.refused], ['done', refused, refused]);
      });
  });

function take(store: Store, resource: Resource, text: string): Promise<unknown> {
  return receiveMessage({
    ...{ store, resource, activity: 'ACM', activityName: 'Acme Home', turns: createFeedTurns() },
    source: { read: () => jsonReading(Readable.from([Buffer.from(text)])) },
    message: {
      ...{ feed: 'main', channel: 'http', source: null, messageId: null, sequence: null, requestKey: 'key-1' },
      ...{ mapping: null, replayOf: null, actor: 'test' },
    },
  });
}

/** The same engine; `check` is done after each transaction before anything else is. */
function afterEachTransaction(engine: Engine, check: () => Promise<void>): Engine {
  const checked = async <T>(result: Promise<T>): Promise<T> => {
    const value = await result;
    await check();
    return value;
  };
  return {
    ...engine,
    writeOnce: (statement) => checked(engine.writeOnce(statement)),
    write: (work) => checked(engine.write(work)),
    writeInBackground: (work) => checked(engine.writeInBackground(work)),
  };
}

async function assertExact(store: Store, resource: Resource): Promise<void> {
  const [messages, lines, records] = await Promise.all([
    rowsIn(store, feedMessageTable, { activity: 'ACM' }),
    rowsIn(store, feedLineTable, { activity: 'ACM' }),
    readAll(store, resource),
  ]);
  let visible = 0;
  for (const message of messages) {
    const { id, read, added, changed, unchanged, replayOf } = message;
    assert.equal(read, added + changed + unchanged + message.refused);
    assert.equal(lines.filter(({ message }) => message === id).length, message.refused, 'lines that are kept');
    const replayed = lines.filter(({ replayedBy }) => replayedBy === id).length;
    assert.equal(replayed, replayOf === null ? 0 : read, 'lines that the message replays');
    visible += added;
  }
  assert.equal(records.length, visible, 'records that clients see');
}
