// Kill -9 of the whole server while a feed of each resource comes in over HTTP, again and again: what the programs of
// the warehouse send until it is answered comes to the same end as without a kill, and a client that reads meanwhile
// sees no half of anything.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createFeedTurns } from '../../src/feeds/feed-turns.ts';
import { jsonReading } from '../../src/feeds/read-records.ts';
import { receiveMessage } from '../../src/feeds/receive.ts';
import { order, resources } from '../../src/resources/index.ts';
import { sql } from '../../src/store/statement.ts';
import type { Store } from '../../src/store/store.ts';
import { newDatabase } from '../contract/new-database.ts';
import { notInThisRun, onOtherEngine, roundsAnywhere } from '../contract/rounds.ts';
import { folderFor, readAll, storeIn } from './fixture.ts';
import {
  type KilledServer,
  type Published,
  sendUntilDone,
  type ShownMessage,
  startKilledServer,
  walk,
} from './killed-server.ts';
import { imageOf, type WarehouseFile, warehouseFile } from './warehouse-files.ts';

const serverUrl = process.env.TEST_DATABASE_URL;
const all = roundsAnywhere(5);
const lines = 1200;
/** In a round; then the feeds come to their end. */
const killsPerRound = 3;
/** Further rounds, until each kind was hit. */
const mostRounds = all + 5;

const kinds = [
  { resource: 'movements', by: 'Idempotency-Key', coding: 'gzip', path: '/v1/articles/movements' },
  { resource: 'orders', by: 'messageId', coding: 'none', path: '/v1/orders' },
  { resource: 'stock', by: 'Idempotency-Key', coding: 'none', path: '/v1/articles/stock' },
  { resource: 'articles', by: 'Idempotency-Key', coding: 'zstd', path: '/v1/articles' },
  { resource: 'order-reports', by: 'messageId', coding: 'gzip', path: '/v1/orders/reports' },
  { resource: 'procurements', by: 'Idempotency-Key', coding: 'none', path: '/v1/procurements' },
  // They have no list of their own.
  { resource: 'procurement-reports', by: 'messageId', coding: 'zstd', path: null },
] as const;
/** Whom a client follows. */
const lists = kinds.filter((kind) => kind.path !== null);

describe('a server that is killed while feeds come in', {
  skip: onOtherEngine(1) || notInThisRun(1),
  timeout: 900_000 + all * 120_000,
}, () => {
  it(serverUrl === undefined ? 'loses and repeats nothing' : 'loses and repeats nothing on PostgreSQL', async (t) => {
    const variables: Record<string, string> =
      serverUrl === undefined ? {} : { DATABASE_URL: await newDatabase(t, serverUrl) };
    const server = await startKilledServer(t, variables);
    const quiet = await storeIn(t, await folderFor(t), 'NOR', 'North Trading');
    await takenQuietly(quiet, preparedOrder);
    const reader = startReader(server);
    const hits = new Map<string, number>(kinds.map(({ resource }) => [resource, 0]));
    const missed = (): readonly string[] => [...hits].filter(([, count]) => count === 0).map(([resource]) => resource);
    let kills = 0;
    for (let round = 0; round < all || (missed().length > 0 && round < mostRounds); round += 1) {
      const files = kinds.map(({ resource }) => warehouseFile(resource, round, lines));
      reader.expectImage(round);
      const over = new Set<string>();
      const sent = Promise.all(
        kinds.map(async ({ resource, by, coding }, index) => {
          const body = files[index]?.body ?? '';
          const message = await sendUntilDone(server, { resource, by, coding, key: `${resource}-${round}`, body });
          over.add(resource);
          return message;
        }),
      );
      sent.catch(() => undefined);
      for (let times = 0; times < killsPerRound && over.size < kinds.length; times += 1, kills += 1) {
        // At any moment first; then amid what no kill has hit yet.
        const next = times === 0 ? undefined : missed().find((resource) => !over.has(resource));
        const amid = next === undefined ? undefined : { resource: next, isOver: () => over.has(next) };
        for (const { resource, read, lines: stored } of await server.kill(amid))
          if (read > 0 && stored < lines) hits.set(resource, (hits.get(resource) ?? 0) + 1);
      }
      const messages = await sent;
      for (const [index, message] of messages.entries()) {
        const file = files[index];
        assert.ok(file !== undefined);
        assertCounts(message, await takenQuietly(quiet, file), file);
      }
    }
    const read = await reader.stop();
    for (const { resource, path } of kinds) {
      const wanted = resources.find(({ name }) => name === resource) ?? assert.fail();
      const now =
        path === null
          ? await server.inStore((store) => readAll(store, wanted, ['NOR']))
          : (await walk(server, `${path}?limit=1000`))?.records;
      assert.ok(now !== undefined);
      assertAlike(now, await readAll(quiet, wanted, ['NOR']), `${resource} as without a kill`);
      if (resource !== 'stock' && path !== null)
        assertAlike(read.of(resource), now, `${resource} as a client holds them`);
    }
    await server.inStore(async (store) => {
      assert.deepEqual(await numbersOf(store), await numbersOf(quiet));
      await assertOnce(store);
    });
    const told = `${kills} kills; amid a message of ${JSON.stringify(Object.fromEntries(hits))}`;
    assert.deepEqual(missed(), [], told);
    t.diagnostic(`${told}; ${read.polls()} walks meanwhile`);
  });
});

/** A client that holds every list and follows its changes; of stock it asks for the image, again and again. */
function startReader(server: KilledServer): {
  readonly expectImage: (round: number) => void;
  readonly stop: () => Promise<{
    readonly of: (resource: string) => readonly Published[];
    readonly polls: () => number;
  }>;
} {
  const images = new Map<string, number>();
  const held = new Map<string, Map<unknown, Published>>(lists.map(({ resource }) => [resource, new Map()]));
  const cursors = new Map<string, string>();
  let isStopping = false;
  let polls = 0;
  const follow = async (resource: string, path: string): Promise<boolean> => {
    const cursor = cursors.get(resource);
    const walked = await walk(server, cursor === undefined ? `${path}?limit=500` : `${path}?cursor=${cursor}`);
    if (walked === null) return false;
    for (const record of walked.records) held.get(resource)?.set(record.id, record);
    cursors.set(resource, walked.cursor);
    return true;
  };
  const image = async (path: string): Promise<void> => {
    const rows = (await walk(server, `${path}?limit=400`))?.records;
    if (rows === undefined) return;
    const dates = new Set(rows.map(({ stockImageExtractionDate }) => String(stockImageExtractionDate)));
    assert.ok(dates.size <= 1, 'rows of one image');
    for (const date of dates) assert.equal(rows.length, images.get(date), `the whole image of ${date}`);
  };
  const counts = async (): Promise<void> => {
    const listed = await server.ask('/platform/feeds/messages', { bearer: server.feedKey });
    if (listed?.status !== 200) return;
    const { messages }: { readonly messages: readonly ShownMessage[] } = JSON.parse(await listed.text());
    for (const message of messages) assertAddsUp(message);
  };
  const working = (async () => {
    while (!isStopping) {
      for (const { resource, path } of lists) await (resource === 'stock' ? image(path) : follow(resource, path));
      await counts();
      polls += 1;
      await pause(20);
    }
  })();
  working.catch(() => undefined);
  return {
    expectImage: (round) => {
      // Those that cannot be taken are none of its rows.
      images.set(imageOf(round), lines - lines / 100);
    },
    stop: async () => {
      isStopping = true;
      await working;
      for (const { resource, path } of lists)
        if (resource !== 'stock') assert.ok(await follow(resource, path), 'the server is there');
      return {
        of: (resource) => [...(held.get(resource)?.values() ?? [])].filter(isLive),
        polls: () => polls,
      };
    },
  };
}

/** Not one that was withdrawn, which comes emptied: here all have these. */
function isLive({ movementTimestamp, longArticleDescription, orderUniqueID, supplierName }: Published): boolean {
  return [movementTimestamp, longArticleDescription, orderUniqueID, supplierName].some((value) => Boolean(value));
}

function assertAddsUp({ id, counts }: ShownMessage): void {
  const { read = 0, new: added = 0, changed = 0, unchanged = 0, refused = 0 } = counts;
  assert.equal(read, added + changed + unchanged + refused, `${id}: ${JSON.stringify(counts)}`);
}

function assertCounts(message: ShownMessage, wanted: Readonly<Record<string, number>>, file: WarehouseFile): void {
  assert.equal(message.state, 'done');
  assertAddsUp(message);
  assert.equal(message.counts.lines, file.lines);
  const { lines: _lines, skipped: _skipped, warned: _warned, ...counts } = message.counts;
  assert.deepEqual(counts, wanted, `${file.resource} ${message.id}`);
}

/** What `prepare` imports. */
const preparedOrder: WarehouseFile = {
  ...{ resource: 'orders', lines: 1 },
  body: JSON.stringify({
    ...{ ...order.example, activityCode: 'NOR', activityName: 'North Trading' },
    orderUniqueID: 'N-1',
  }),
};

/** The counts of a file where nobody is killed. */
async function takenQuietly(store: Store, file: WarehouseFile): Promise<Readonly<Record<string, number>>> {
  const { message } = await receiveMessage({
    ...{ store, resource: resources.find(({ name }) => name === file.resource) ?? assert.fail() },
    ...{ activity: 'NOR', activityName: 'North Trading', turns: createFeedTurns() },
    source: { read: () => jsonReading(piecesOf(file.body)) },
    message: {
      ...{ feed: 'main', channel: 'http', source: null, messageId: null, sequence: null, requestKey: null },
      ...{ mapping: null, replayOf: null, actor: 'test' },
    },
  });
  const { read, added, changed, unchanged, refused, withdrawn } = message;
  return { read, new: added, changed, unchanged, refused, withdrawn };
}

async function* piecesOf(body: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(body);
}

function assertAlike(found: readonly Published[], wanted: readonly Published[], what: string): void {
  const [one, other] = [contents(found), contents(wanted)];
  const first = one.findIndex((text, index) => text !== other[index]);
  const [from, to] = [one[first] ?? '', other[first] ?? ''];
  const at = Math.max(0, [...from].findIndex((letter, index) => letter !== to[index]) - 40);
  assert.deepEqual([one.length, from.slice(at, at + 200)], [other.length, to.slice(at, at + 200)], what);
}

/** What records say, without what the service gave them. */
function contents(records: readonly Published[]): readonly string[] {
  const given = /^(id|\w+Id|dateCreat\w+|dateLastUpdated?)$/;
  return records
    .map((record) => JSON.stringify(record, (name, value: unknown) => (given.test(name) ? undefined : value)))
    .toSorted();
}

/** Change numbers that were given: as many as there were changes, whoever was killed. */
async function numbersOf(store: Store): Promise<readonly unknown[]> {
  return store.engine.read(sql`select last_change from activity where code = ${'NOR'}`);
}

/** No number stands for two records, and no line of a message made two. */
async function assertOnce(store: Store): Promise<void> {
  const seen = new Set<number>();
  for (const { table, storage, name } of resources) {
    if (storage === 'images') continue;
    const rows = await store.engine.read(
      sql`select change_number, feed_message, feed_line from ${sql.quoted(table)} where owner = ${'NOR'}`,
    );
    const lines = new Set(rows.map(([, message, line]) => `${message}:${line}`));
    assert.equal(lines.size, rows.length, `${name}: a line is one record`);
    for (const [number] of rows) {
      assert.ok(!seen.has(Number(number)), `change number ${number} once`);
      seen.add(Number(number));
    }
  }
}
