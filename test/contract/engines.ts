// The engines that tests of storage and tests over HTTP run on, each opened on a database of its own.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import { Client } from 'pg';
import type { Engine } from '../../src/store/engine.ts';
import type { LongReadSettings } from '../../src/store/long-reads.ts';
import { definitions } from '../../src/resources/index.ts';
import { createStore } from '../../src/store/open.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { pgliteEngine } from './pglite-engine.ts';
import { borrowEmptyPglite, borrowPglite } from './pglite-pool.ts';
import { requireNamed } from './across-activities.ts';
import { distributedDatabase } from './citus-stand-in.ts';
import { copyPostgres, copySqlite } from './prepared-databases.ts';
import { leftToServer } from './rounds.ts';

/** One engine under test. */
export interface EngineUnderTest {
  readonly name: string;
  /** False: the test is skipped for this reason. */
  readonly skip: false | string;
  /** Several connections work at the same time (PGlite has one). */
  readonly parallel: boolean;
  /** Makes a database in which the migrations are done; `open` opens it once more, as another process would. */
  readonly create: (clock?: () => number) => Promise<TestDatabase>;
  /** The same without any migration. */
  readonly createEmpty: (clock?: () => number) => Promise<TestDatabase>;
}

export interface TestDatabase {
  /** By which another process finds it; null where it has none. */
  readonly url: string | null;
  /** `DATA_DIR` of a program that uses it; null: it is no file. */
  readonly dataDir: string | null;
  readonly open: (longReads?: LongReadSettings) => Promise<Engine>;
  readonly remove: () => Promise<void>;
}

const serverUrl = process.env.TEST_DATABASE_URL;

const sqlite: EngineUnderTest = {
  name: 'SQLite',
  skip: false,
  parallel: true,
  create: (clock) => sqliteDatabase(clock, copySqlite),
  createEmpty: (clock) => sqliteDatabase(clock, async () => undefined),
};

/** Where the same tests run on a server, as in the gate, PostgreSQL in memory has nothing to add. */
function whyNotInMemory(): false | string {
  if (process.env.TEST_WORKERS !== undefined) return 'one process alone has it';
  return process.env.TEST_SERVER_BESIDE === undefined ? false : 'done on a server beside this';
}

const pglite: EngineUnderTest = {
  name: 'PostgreSQL dialect (PGlite)',
  skip: whyNotInMemory(),
  parallel: false,
  create: async () => {
    const borrowed = await borrowPglite();
    return pgliteDatabase(borrowed.pglite, borrowed.giveBack);
  },
  createEmpty: async () => {
    const borrowed = await borrowEmptyPglite();
    return pgliteDatabase(borrowed.pglite, borrowed.giveBack);
  },
};

const server: EngineUnderTest = {
  name: 'PostgreSQL server',
  skip: serverUrl === undefined ? 'TEST_DATABASE_URL is not set' : false,
  parallel: true,
  create: () => serverDatabase((administration, name) => copyPostgres(administration, serverUrl ?? '', name)),
  createEmpty: () =>
    serverDatabase(
      async (administration, name) =>
        void (await administration.query(`create database ${name} encoding 'UTF8' template template0`)),
    ),
};

/**
 * PostgreSQL in memory that stands in for a cluster of Citus: a statement that reaches several activities fails unless
 * it is named in `across-activities.ts`. With `TEST_DISTRIBUTED` any suite runs on it.
 */
export const distributedEngine: EngineUnderTest = {
  name: 'stand-in for Citus',
  skip: false,
  parallel: false,
  create: async () => {
    const { engine, close } = await distributedDatabase(requireNamed);
    return { url: null, dataDir: null, open: async () => ({ ...engine, close: async () => undefined }), remove: close };
  },
  createEmpty: async () => {
    const { pglite, giveBack } = await borrowEmptyPglite();
    return pgliteDatabase(pglite, giveBack);
  },
};

async function sqliteDatabase(
  clock: (() => number) | undefined,
  make: (path: string) => Promise<void>,
): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'logistics-connect-'));
  const path = join(folder, 'logistics-connect.db');
  await make(path);
  return {
    url: null,
    dataDir: folder,
    open: async (longReads) => openSqlite(path, clock ?? Date.now, longReads),
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

function pgliteDatabase(borrowed: PGlite, remove: () => Promise<void>): TestDatabase {
  const engine = pgliteEngine(borrowed);
  return { url: null, dataDir: null, open: async () => ({ ...engine, close: async () => undefined }), remove };
}

async function serverDatabase(make: (administration: Client, name: string) => Promise<void>): Promise<TestDatabase> {
  const name = `lc_test_${randomBytes(6).toString('hex')}`;
  await administrate((administration) => make(administration, name));
  const url = new URL(serverUrl ?? '');
  url.pathname = `/${name}`;
  return {
    url: url.href,
    dataDir: null,
    open: (longReads) => openPostgres(url.href, undefined, longReads),
    remove: () =>
      administrate(async (administration) => void (await administration.query(`drop database ${name} with (force)`))),
  };
}

/** By a connection of its own: one that stays would keep a process alive whose test fails before it ends it. */
async function administrate(work: (administration: Client) => Promise<void>): Promise<void> {
  const administration = new Client(serverUrl ?? '');
  await administration.connect();
  try {
    await work(administration);
  } finally {
    await administration.end();
  }
}

/**
 * For what storage itself must do: the embedded ones; with a server named in `TEST_DATABASE_URL` that one alone, since
 * the others need no server.
 */
export const allEngines: readonly EngineUnderTest[] =
  process.env.TEST_DISTRIBUTED !== undefined
    ? [distributedEngine]
    : serverUrl === undefined
      ? [sqlite, pglite, server]
      : [server];

/**
 * For what stands on storage and has no statement of its own, such as sign-in, feeds and jobs: `allEngines`, of which
 * `npm test` leaves PostgreSQL in memory to the server of the gate.
 */
export const enginesAboveStorage: readonly EngineUnderTest[] = allEngines.map((engine) => ({
  ...engine,
  skip: engine.skip === false ? leftToServer(engine) : engine.skip,
}));

/**
 * For what is asked over HTTP, and for much data, with which PostgreSQL in memory takes ten times as long: SQLite, or
 * the server of `TEST_DATABASE_URL`. That both engines do the same is proven below HTTP, on `allEngines`, and over HTTP
 * and with much data on a real server in the gate.
 */
export const engines: readonly EngineUnderTest[] =
  process.env.TEST_DISTRIBUTED !== undefined ? [distributedEngine] : serverUrl === undefined ? [sqlite] : [server];

/** What goes from one engine to another: from and to. PostgreSQL in memory is slow, and both its sides meet SQLite. */
export const enginePairs: readonly (readonly [EngineUnderTest, EngineUnderTest])[] =
  serverUrl === undefined
    ? [
        [sqlite, sqlite],
        [sqlite, pglite],
        [pglite, sqlite],
      ]
    : [
        [server, server],
        [sqlite, server],
        [server, sqlite],
      ];

/**
 * For what an engine has no part in, in a file that has also tests for a server: there it would do the same once more.
 */
export const provenWithoutServer: false | string = serverUrl === undefined ? false : 'done without a server';

/** A migrated store on an engine. */
export async function storeOn(engine: Engine): Promise<Store> {
  return createStore(engine, definitions);
}
