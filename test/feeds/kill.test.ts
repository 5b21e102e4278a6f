// Kill -9 at any moment of a message, again and again: no line is lost, none is written twice, no half image is seen,
// and the counts are exact each time.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { articleStock, articleStockMovement } from '../../src/resources/index.ts';
import type { FeedMessage } from '../../src/store/feed-contract.ts';
import { openStore } from '../../src/store/open.ts';
import { definitions } from '../../src/resources/index.ts';
import { sql } from '../../src/store/statement.ts';
import type { Resource } from '../../src/model/resource.ts';
import { engines, storeOn } from '../contract/engines.ts';
import { folderFor, readAll } from './fixture.ts';

const program = fileURLToPath(new URL('killed.ts', import.meta.url));
const count = 12_000;
const mostRuns = 40;

const movement = (index: number): object =>
  index % 1000 === 500
    ? { broken: index }
    : {
        articleReference: `A${index % 700}`,
        movedQuantity: 1 + (index % 3),
        movementDirection: 'O',
        movementTimestamp: '2026-03-02T08:00:00Z',
      };
const stockRow = (index: number): object =>
  index % 1000 === 500
    ? { broken: index }
    : {
        stockImageExtractionDate: '2026-03-02T04:00:00Z',
        articleReference: `A${index}`,
        totalStockQuantity: index,
      };
const refused = count / 1000;

for (const engine of engines) {
  describe(`a message that is killed on ${engine.name}`, { skip: engine.skip }, () => {
    for (const [resource, record] of [
      [articleStockMovement, movement],
      [articleStock, stockRow],
    ] as const)
      it(`of ${resource.name} comes to the same end`, { timeout: 600_000 }, async (t) => {
        const folder = await folderFor(t);
        const database = await engine.create();
        t.after(() => database.remove());
        const place = database.url ?? join(folder, 'data');
        const open = () =>
          database.url === null
            ? openStore({ dataDir: place, databaseUrl: null }, definitions)
            : database.open().then((opened) => storeOn(opened));
        const store = await open();
        t.after(() => store.close());
        await store.activities.add('ACM', 'Acme Home');
        const file = join(folder, 'records.ndjson');
        writeFileSync(file, Array.from({ length: count }, (_, index) => `${JSON.stringify(record(index))}\n`).join(''));
        let kills = 0;
        let read = 0;
        let runs = 0;
        for (let isDone = false; !isDone; runs += 1) {
          // Each kill comes two batches later than the one before. One that cannot go on ends by itself each time.
          assert.ok(runs < mostRuns, `the message is not done after ${runs} runs`);
          // What a killed process left is taken over after its time: here it is over at once.
          await store.engine.writeOnce(sql`update feed_message set touched_at = 0`);
          isDone = await run([place, file, resource.name, 'key-1'], 1 + 2 * kills, (kills * 37) % 90);
          const message = await store.feeds.message('ACM', 1);
          if (message === null) continue;
          await assertExact(store, resource, message);
          if (!isDone) {
            kills += 1;
            if (resource.storage === 'records') {
              assert.ok(message.read >= read, 'what was dealt with stays so');
              ({ read } = message);
            }
          }
        }
        const message = await store.feeds.message('ACM', 1);
        assert.ok(message !== null && message.state === 'done');
        await assertExact(store, resource, message);
        assert.deepEqual(
          [message.lines, message.read, message.added, message.refused],
          [count, count, count - refused, refused],
        );
        assert.equal(await store.feeds.message('ACM', 2), null);
        assert.ok(kills >= 3, `${kills} kills`);
      });
  });
}

/** Nothing is counted that is not there, nothing is there that is not counted. */
async function assertExact(
  store: Awaited<ReturnType<typeof openStore>>,
  resource: Resource,
  message: FeedMessage,
): Promise<void> {
  const { read, added, changed, unchanged, refused: refusedCount, id } = message;
  assert.equal(read, added + changed + unchanged + refusedCount);
  assert.equal((await readAll(store, resource)).length, added);
  const kept = await store.feedLines.list({
    ...{ activities: ['ACM'], message: id, resource: null, state: 'refused', after: null, limit: 100 },
  });
  assert.equal(kept.length, refusedCount);
}

/**
 * Runs the program, and kills it some time after its n-th batch.
 * @returns whether it came to its end
 */
async function run(
  words: readonly string[],
  batches: number,
  afterMs: number,
  store?: { readonly engine: { writeOnce: (statement: ReturnType<typeof sql>) => Promise<unknown> } },
): Promise<boolean> {
  await store?.engine.writeOnce(sql`update feed_message set touched_at = 0`);
  const child = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  child.stdout.on('data', (chunk: Buffer) => {
    const before = text.split('batch').length;
    text += String(chunk);
    if (before <= batches && text.split('batch').length > batches)
      void pause(afterMs).then(() => child.kill('SIGKILL'));
  });
  await ended;
  return text.includes('done');
}
