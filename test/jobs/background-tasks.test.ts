// The background tasks of a server, as it is given them: which there are, and that those of retention remove what is
// old by the settings and the rules of an activity.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { Registry } from 'prom-client';
import { readConfig } from '../../src/config.ts';
import { openDocumentStorage } from '../../src/documents/open.ts';
import { createFeedTurns } from '../../src/feeds/feed-turns.ts';
import { createLogger } from '../../src/http/log.ts';
import { backgroundTasks } from '../../src/jobs/background-tasks.ts';
import type { Task } from '../../src/jobs/scheduler.ts';
import { articleStock, articleStockMovement } from '../../src/resources/index.ts';
import type { Store } from '../../src/store/store.ts';
import { importInto, readAll, storeFor, streamOf } from '../feeds/fixture.ts';

const dayMs = 86_400_000;

interface Tasks {
  readonly store: Store;
  readonly folder: string;
  /** One round of the task of this name, so many days from now: what was written today is as old as that. */
  readonly round: (name: string, days: number) => Promise<void>;
  readonly all: readonly Task[];
  /** What was logged, once nothing more is. */
  readonly logged: () => Promise<string>;
}

async function tasksFor(t: TestContext, variables: Readonly<Record<string, string>>): Promise<Tasks> {
  const { store, folder } = await storeFor(t);
  const config = readConfig(variables, folder);
  const out = new PassThrough();
  const log = text(out);
  let now = Date.now();
  const documents = await openDocumentStorage(config, { database: store.epoch, failed: () => undefined });
  const all = backgroundTasks(config, {
    ...{ store, documents, logger: createLogger('info', out), now: () => now },
    ...{ registry: new Registry(), stopping: t.signal, turns: createFeedTurns() },
  });
  const round = async (wanted: string, days: number): Promise<void> => {
    now = Date.now() + days * dayMs;
    const [task, ...others] = all.filter(({ name }) => name === wanted);
    assert.ok(task !== undefined && others.length === 0, wanted);
    await task.run();
  };
  const logged = (): Promise<string> => {
    out.end();
    return log;
  };
  return { store, folder, round, all, logged };
}

const day = new Date(Date.now() - 2 * dayMs).toISOString().slice(0, 10);
const movement = {
  articleReference: 'A',
  movedQuantity: 1,
  movementDirection: 'O',
  movementTimestamp: `${day}T00:00:00Z`,
};
const stockRow = (hour: string): object => ({
  ...{ articleReference: 'A', totalStockQuantity: 1, stockImageExtractionDate: `${day}T${hour}:00:00Z` },
});
const lines = (...records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');

describe('the background tasks', () => {
  it('each have a sentence for the log and a time, and a name that no other one has', async (t) => {
    const { all } = await tasksFor(t, {});
    const names = all.flatMap(({ name }) => name ?? []);
    assert.deepEqual([...new Set(names)], names);
    for (const name of ['records', 'stock-images', 'feed-messages', 'sign-ins', 'answers'])
      assert.ok(names.includes(name));
    for (const { failure, everyMs } of all) assert.ok(/\bcould not\b/.test(failure) && everyMs >= 1000, failure);
  });

  it('remove records and images that are older than the settings say, and log it', async (t) => {
    const { store, folder, round, logged } = await tasksFor(t, {
      MOVEMENT_RETENTION_DAYS: '30',
      STOCK_RETENTION_DAYS: '30',
    });
    await importInto(store, articleStockMovement, folder, { source: streamOf(lines(movement)) });
    for (const hour of ['00', '01'])
      await importInto(store, articleStock, folder, { source: streamOf(lines(stockRow(hour))) });
    const left = async (): Promise<readonly number[]> => {
      const images = ['00', '01'].map((hour) =>
        readAll(store, articleStock, ['ACM'], Date.parse(`${day}T${hour}:00:00Z`)),
      );
      const rows = (await Promise.allSettled(images)).map((one) => (one.status === 'fulfilled' ? one.value.length : 0));
      return [(await readAll(store, articleStockMovement)).length, ...rows];
    };
    for (const name of ['records', 'stock-images']) await round(name, 20);
    assert.deepEqual(await left(), [1, 1, 1]);
    for (const name of ['records', 'stock-images']) await round(name, 40);
    // The latest image stays, however old.
    assert.deepEqual(await left(), [0, 0, 1]);
    assert.match(await logged(), /"subject":"movements","removed":1,.*old records are removed/);
  });

  it('keep what a rule of the activity keeps, and everything where nothing is set', async (t) => {
    const { store, folder, round } = await tasksFor(t, { MOVEMENT_RETENTION_DAYS: '30' });
    await importInto(store, articleStockMovement, folder, { source: streamOf(lines(movement)) });
    await store.retentionRules.set('ACM', new Map([['movements', 365]]));
    await round('records', 40);
    assert.equal((await readAll(store, articleStockMovement)).length, 1);
    await round('records', 400);
    assert.equal((await readAll(store, articleStockMovement)).length, 0);
  });
});
