// A peer that queries the engine for pages without anything around it: the same SQL text, the same settings, pages out.
import { DatabaseSync } from 'node:sqlite';
import { Pool } from 'pg';
import type { ListPlan } from '../src/model/plan.ts';
import { articleStockMovement } from '../src/resources/index.ts';
import { type PageRows, changePage } from '../src/store/list-sql.ts';
import { maxPageBytes } from '../src/store/page-size.ts';
import { compile } from '../src/store/statement.ts';
import { databaseFile, type StorageSettings } from '../src/store/open.ts';
import type { Measured } from './measure.ts';
import { answerTasks } from './peers.ts';

/** One run: pages of movements, given their positions. */
interface PageRun {
  readonly storage: StorageSettings;
  readonly activity: string;
  readonly positions: readonly number[];
  /** They are requested repeatedly. */
  readonly repeat: boolean;
  /** Concurrent statements, if the engine supports several. */
  readonly connections: number;
  /** Duration of the run. */
  readonly seconds: number;
}

/** Index of the position among the values of the statement, after the activity. */
const afterAt = 1;

/** Returns the length of a page in bytes. */
type ReadPage = (after: number) => Promise<number> | number;

const opened = new Map<string, ReadPage>();

answerTasks(async (task) => {
  if (!isPageRun(task)) throw new Error('not a run');
  const { databaseUrl, dataDir } = task.storage;
  const key = databaseUrl ?? dataDir;
  const read = opened.get(key) ?? (databaseUrl === null ? sqlitePages(task) : postgresPages(databaseUrl, task));
  opened.set(key, read);
  return run(task, read);
});

/** SQLite responds in this thread, so more than one connection would gain nothing. */
async function run({ storage, positions, repeat, seconds, connections }: PageRun, read: ReadPage): Promise<Measured> {
  const started = performance.now();
  const until = started + seconds * 1000;
  let asked = 0;
  let done = 0;
  await Promise.all(
    Array.from({ length: storage.databaseUrl === null ? 1 : connections }, async () => {
      while (performance.now() < until) {
        const position = positions[repeat ? asked++ % positions.length : asked++];
        if (position === undefined) break;
        const answer = read(position);
        const bytes = typeof answer === 'number' ? answer : await answer;
        if (bytes < 1000) throw new Error('a page is empty');
        done += 1;
      }
    }),
  );
  return { done, seconds: (performance.now() - started) / 1000, cpuSeconds: 0 };
}

function firstPage(activity: string): PageRows {
  return {
    plan: planOf(activity),
    scope: { activity, imageId: null, withdrawnAfter: 0 },
    after: 0,
    limit: 100,
    maxBytesEach: Math.floor(maxPageBytes / 100),
  };
}

function sqlitePages({ storage, activity }: PageRun): ReadPage {
  const database = new DatabaseSync(databaseFile(storage), { readOnly: true });
  // Like the reader in src/store/sqlite.ts.
  database.exec('pragma cache_size = -32768; pragma mmap_size = 268435456;');
  const { text, values } = compile(changePage(firstPage(activity)), 'sqlite');
  const statement = database.prepare(text);
  statement.setReturnArrays(true);
  return (after) => {
    const row: unknown = statement.get(...values.with(afterAt, after));
    const bytes: unknown = Array.isArray(row) ? row[0] : null;
    return bytes instanceof Uint8Array ? bytes.length : 0;
  };
}

function postgresPages(databaseUrl: string, { activity }: PageRun): ReadPage {
  const pool = new Pool({ connectionString: databaseUrl, max: 10 });
  const { text, values } = compile(changePage(firstPage(activity)), 'postgres');
  return async (after) => {
    const { rows } = await pool.query<[string]>({
      name: 'page',
      text,
      values: [...values.with(afterAt, after)],
      rowMode: 'array',
    });
    return rows[0]?.[0].length ?? 0;
  };
}

function planOf(activity: string): ListPlan {
  return {
    resource: articleStockMovement,
    activities: [activity],
    where: [],
    sort: [],
    after: null,
    updatedSince: null,
    limit: 100,
    imageAt: null,
    walkStarts: null,
  };
}

function isPageRun(task: unknown): task is PageRun {
  return typeof task === 'object' && task !== null && 'positions' in task && 'storage' in task;
}
