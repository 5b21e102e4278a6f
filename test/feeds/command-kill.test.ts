// Kill -9 of the commands that take records in, and of a server that takes dropped files, beside a server that goes on:
// the same command again, or the next server, comes to the end that there is without a kill.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { FeedMessage } from '../../src/store/feed-contract.ts';
import type { Store } from '../../src/store/store.ts';
import { feedLineTable, feedMessageTable } from '../../src/store/tables/feeds.ts';
import { type Child, start } from '../commands/fixture.ts';
import { rowsIn } from '../contract/database.ts';
import { newDatabase } from '../contract/new-database.ts';
import { notInThisRun, notInTurn, onOtherEngine, roundsAnywhere } from '../contract/rounds.ts';
import { forgetHolders, type KilledServer, sendUntilDone, startKilledServer, walk } from './killed-server.ts';
import { type WarehouseFile, warehouseFile } from './warehouse-files.ts';

const serverUrl = process.env.TEST_DATABASE_URL;
const kills = roundsAnywhere(10);
const lines = 2000;
const timeLimit = { skip: onOtherEngine() || notInThisRun(0), timeout: 900_000 + kills * 60_000 };
const where = serverUrl === undefined ? '' : ' on PostgreSQL';

/** Each resource, and where what was imported can be read; null: only the counts are compared. */
const imported: readonly (readonly [resource: WarehouseFile['resource'], path: string | null])[] = [
  ['movements', '/v1/articles/movements'],
  ['stock', '/v1/articles/stock'],
  ['articles', '/v1/articles'],
  ['orders', '/v1/orders'],
  ['order-reports', '/v1/orders/reports'],
  ['procurements', '/v1/procurements'],
  ['procurement-reports', null],
];
/** Those that a run of the gate has each time; of the others, which are alike, it has one. */
const alwaysImported = 2;

describe('a process of the warehouse side that is killed', timeLimit, () => {
  for (const [index, [resource, listed]] of imported.entries()) {
    const skip = index >= alwaysImported && notInTurn(index - alwaysImported, imported.length - alwaysImported);
    it(`while it imports ${resource}: the same command comes to the same end${where}`, { skip }, async (t) => {
      const server = await startServer(t);
      const { place } = server.prepared;
      const file = warehouseFile(resource, 0, lines);
      const path = join(place.folder, `${resource}.ndjson`);
      writeFileSync(path, file.body);
      // The orders to which reports belong.
      const before = listed === null || resource === 'stock' ? 0 : await countOf(server, listed);
      const run = (): Child => start(t, place, 'import', resource, path, '--activity', 'NOR');
      const { hits, last } = await killedWhileAtWork(server, run, kills);
      assert.equal(last.code, 3, last.stderr);
      const messages = (await messagesOf(server, { source: path })).toSorted((one, other) => one.id - other.id);
      const [message] = messages;
      assert.ok(message !== undefined);
      // One message, whoever died; a kill between its end and that of the command leaves a whole one behind, and the
      // same command is another one then.
      for (const each of messages) {
        assert.deepEqual([each.state, each.lines, each.read], ['done', lines, lines]);
        assertAddsUp(each);
      }
      const wanted = await sendUntilDone(server, {
        ...{ resource, body: file.body, key: 'again', by: 'Idempotency-Key', coding: 'none' },
      });
      // What is there already is as it was: withdrawals withdraw what the file says once more.
      assert.equal(message.refused, wanted.counts.refused);
      const refused = readFileSync(`${path}.refused.ndjson`, 'utf8').trim().split('\n');
      assert.equal(refused.length, message.refused);
      if (listed !== null) assert.equal((await countOf(server, listed)) - before, message.added - message.withdrawn);
      t.diagnostic(`${hits} of ${kills} kills hit the message`);
    });
  }

  it(`while it replays lines: each is replayed once${where}`, async (t) => {
    const server = await startServer(t);
    const { place } = server.prepared;
    await sendInOrder(server, 2, 'second');
    await sendInOrder(server, 1, 'first');
    const [late] = await messagesOf(server, { sequence: 1 });
    assert.equal(late?.refused, lines, 'all of them are older than what is stored');
    const run = (): Child => start(t, place, 'feed', 'replay', `NOR:${late.id}`, '--force');
    const { hits } = await killedWhileAtWork(server, run, kills);
    await server.inStore(async (store) => {
      const left = await rowsIn(store, feedLineTable, { activity: 'NOR', message: late.id });
      assert.deepEqual([...new Set(left.map(({ state }) => state))], ['replayed']);
      const replays = await rowsIn(store, feedMessageTable, { activity: 'NOR', channel: 'replay' });
      const byMessage = Map.groupBy(left, ({ replayedBy }) => replayedBy);
      for (const replay of replays) {
        assertAddsUp(replay);
        assert.equal(byMessage.get(replay.id)?.length ?? 0, replay.read, 'each has the lines that it counts');
        assert.equal(replay.changed, replay.read);
      }
      assert.equal(
        replays.reduce((sum, { read }) => sum + read, 0),
        lines,
      );
    });
    const { records } = (await walk(server, '/v1/articles')) ?? assert.fail();
    assert.deepEqual([...new Set(records.map((record) => record.longArticleDescription))], ['first']);
    assert.equal(records.length, lines);
    t.diagnostic(`${hits} of ${kills} kills hit a replay`);
  });

  it(`while it takes dropped files: each is taken and moved once${where}`, async (t) => {
    const server = await startServer(t, { FEED_FOLDER: 'feeds', FEED_FOLDER_COMPLETE: 'rename' });
    const root = join(server.prepared.place.folder, 'feeds');
    for (const folder of ['mappings', 'inbox/NOR/movements', 'inbox/NOR/day'])
      mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, 'mappings/day.json'), JSON.stringify(dayMapping));
    const names: string[] = [];
    for (let round = 0; round < kills; round += 1) {
      const name = `file-${String(round).padStart(3, '0')}`;
      writeFileSync(join(root, `inbox/NOR/movements/${name}.ndjson`), warehouseFile('movements', round, lines).body);
      writeFileSync(join(root, `inbox/NOR/day/${name}.csv`), dayFile(round));
      names.push(name);
      await untilOpen(server, null);
      await server.kill();
    }
    const where = (name: string): boolean =>
      existsSync(join(root, `error/NOR/movements/${name}.ndjson`)) &&
      existsSync(join(root, `archive/NOR/day/${name}.csv`));
    for (let times = 0; times < 600 && !names.every(where); times += 1) await pause(200);
    const found = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /file-\d+\.(csv|ndjson)$/.test(name),
    );
    assert.deepEqual(found.toSorted(), [
      ...names.map((name) => `archive/NOR/day/${name}.csv`),
      ...names.map((name) => `error/NOR/movements/${name}.ndjson`),
    ]);
    const messages = await messagesOf(server, { channel: 'folder' });
    assert.equal(messages.length, 2 * names.length, 'a message of each file');
    for (const message of messages) {
      assertAddsUp(message);
      assert.deepEqual(
        [message.state, message.lines],
        ['done', message.resource === 'movements' ? lines : dayLines + 1],
      );
      assert.equal(message.refused, message.resource === 'movements' ? lines / 100 : 0);
    }
    for (const name of names) {
      const told = JSON.parse(readFileSync(join(root, `archive/NOR/day/${name}.csv.ack.json`), 'utf8'));
      assert.equal(told.messages[0].read, dayLines);
    }
    const { records } = (await walk(server, '/v1/articles/movements')) ?? assert.fail();
    const written = messages.filter(({ resource }) => resource === 'movements');
    assert.equal(
      records.length,
      written.reduce((sum, { added, withdrawn }) => sum + added - withdrawn, 0),
    );
    assert.equal((await walk(server, '/v1/articles'))?.records.length, dayLines);
  });
});

const dayLines = 1000;
const dayMapping = {
  format: { kind: 'csv', delimiter: ';' },
  resources: {
    articles: {
      fields: { articleReference: 'sku', longArticleDescription: 'name', shortArticleDescription: 'sku' },
    },
  },
};

function dayFile(round: number): string {
  const rows = Array.from({ length: dayLines }, (_none, index) => `S${index};Article ${index} of day ${round}`);
  return `sku;name\n${rows.join('\n')}\n`;
}

async function countOf(server: KilledServer, path: string): Promise<number> {
  return ((await walk(server, path)) ?? assert.fail()).records.length;
}

async function startServer(t: TestContext, variables: Readonly<Record<string, string>> = {}): Promise<KilledServer> {
  return startKilledServer(t, {
    ...variables,
    ...(serverUrl !== undefined && { DATABASE_URL: await newDatabase(t, serverUrl) }),
  });
}

/** Runs a command until it comes to its end; until then it is killed while a message of its own is being taken in. */
async function killedWhileAtWork(
  server: KilledServer,
  run: () => Child,
  most: number,
): Promise<{ readonly hits: number; readonly last: Awaited<Child['ended']> }> {
  for (let hits = 0; ; ) {
    const child = run();
    if (hits === most) return { hits, last: await child.ended };
    if (await untilOpen(server, child)) {
      await pause(randomInt(0, 120));
      child.signal('SIGKILL');
    }
    const last = await child.ended;
    if (last.code !== null) return { hits, last };
    await server.inStore(forgetHolders);
    hits += 1;
  }
}

/** Waits until somebody is at work on a message; false where the child has ended. */
function untilOpen(server: KilledServer, child: Child | null): Promise<boolean> {
  return server.inStore(async (store) => {
    for (let times = 0; times < 6000 && child?.hasEnded() !== true; times += 1) {
      if ((await rowsIn(store, feedMessageTable, { state: 'open' })).some(isHeldNow)) return true;
      await pause(10);
    }
    return false;
  });
}

/** Not one whose holder was killed, and forgotten. */
function isHeldNow({ holder, touchedAt }: FeedMessage): boolean {
  return holder !== null && touchedAt > 0;
}

async function sendInOrder(server: KilledServer, sequence: number, text: string): Promise<void> {
  const body = Array.from({ length: lines }, (_none, index) => {
    const record = { articleReference: `A${index}`, longArticleDescription: text, shortArticleDescription: text };
    return `${JSON.stringify(record)}\n`;
  });
  const answer = await server.ask(`/platform/feeds/articles?sequence=${sequence}`, {
    ...{ method: 'POST', bearer: server.feedKey, body: body.join('') },
    headers: { 'content-type': 'application/x-ndjson' },
  });
  assert.equal(answer?.status, 200);
}

function messagesOf(
  server: KilledServer,
  where: Partial<Pick<FeedMessage, 'source' | 'sequence' | 'channel'>>,
): Promise<readonly FeedMessage[]> {
  return server.inStore((store: Store) => rowsIn(store, feedMessageTable, { activity: 'NOR', ...where }));
}

function assertAddsUp({ read, added, changed, unchanged, refused, id }: FeedMessage): void {
  assert.equal(read, added + changed + unchanged + refused, `message ${id}`);
}
