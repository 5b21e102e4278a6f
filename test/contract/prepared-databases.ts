// Databases with all migrations done, made once for each state of the migrations and copied for each test: to make one
// takes seconds, to copy one much less.
import { hash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PGlite, PGliteOptions } from '@electric-sql/pglite';
import type { Client } from 'pg';
import { migrate } from '../../src/store/migrate.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import { pgliteEngine } from './pglite-engine.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, 'node_modules/.cache/logistics-connect-tests');

const pglitePackage = 'node_modules/@electric-sql/pglite/package.json';

/** Another one for each state of what makes a database. */
const state = stateOf([
  'src/store/migrate.ts',
  'src/store/table-creation.ts',
  'src/store/sql-dialects.ts',
  'test/contract/prepared-databases.ts',
  pglitePackage,
  ...migrationFiles(),
]);

/** Copies a migrated database of the embedded engine to a path where there is none. */
export async function copySqlite(path: string): Promise<void> {
  const prepared = join(folder, `${state}.db`);
  await once(prepared, async (file) => {
    const engine = openSqlite(file, Date.now);
    await migrate(engine);
    await engine.close();
  });
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  copyFileSync(prepared, path);
}

/** A migrated PostgreSQL in memory, from a dump. */
export function copyPglite(): Promise<PGlite> {
  return fromDump(state, async () => {
    const pglite = await copyEmptyPglite();
    await migrate(pgliteEngine(pglite));
    return pglite;
  });
}

/** A PostgreSQL in memory with nothing in it, from a dump: to make one takes seconds. */
export function copyEmptyPglite(): Promise<PGlite> {
  return fromDump(`empty-${stateOf([pglitePackage, 'test/contract/prepared-databases.ts'])}`, async (module) => {
    const pglite = await startPglite(module, { initDbStartParams: ['--wal-segsize=1'] });
    await dropOtherDatabases(pglite);
    return pglite;
  });
}

/** Where there is no dump yet, the first copy is what it was made from: to start one more takes seconds. */
async function fromDump(name: string, make: (module: typeof PGlite) => Promise<PGlite>): Promise<PGlite> {
  // Most who copy a database need none in memory, and to load it takes a while.
  const { PGlite: module } = await import('@electric-sql/pglite');
  const prepared = join(folder, `${name}.tar`);
  const made = await once(prepared, async (file) => {
    const pglite = await make(module);
    // Else each copy would begin by going through the log of the original.
    await pglite.exec('checkpoint');
    const dump = await pglite.dumpDataDir('none');
    writeFileSync(file, Buffer.from(await dump.arrayBuffer()));
    await pglite.exec('discard all');
    return pglite;
  });
  return made ?? startPglite(module, { loadDataDir: new Blob([readFileSync(prepared)]) });
}

/**
 * Each page of memory that is touched for the first time costs time: the default of 128 MB for shared buffers takes
 * more than a second, and the buffers need not be larger than what a test writes.
 */
function startPglite(module: typeof PGlite, options: PGliteOptions): Promise<PGlite> {
  const startParams = [...module.defaultStartParams, '-c', 'shared_buffers=8MB'];
  return module.create({ ...options, startParams });
}

/** The templates of databases that nobody will make are two thirds of what is dumped, and of what each copy reads. */
async function dropOtherDatabases(pglite: PGlite): Promise<void> {
  const others = 'datname <> current_database()';
  await pglite.exec(`update pg_database set datistemplate = false where ${others}`);
  const { rows } = await pglite.query<{ readonly name: string }>(
    `select datname as name from pg_database where ${others}`,
  );
  for (const { name } of rows) await pglite.exec(`drop database ${name}`);
}

/**
 * Creates a migrated database on a server.
 * @param url of the server, with any database of it
 */
export async function copyPostgres(administration: Client, url: string, name: string): Promise<void> {
  const template = `lc_template_${state}`;
  // Of several processes one makes the template, and the others wait for it.
  await administration.query('select pg_advisory_lock(72410032)');
  try {
    const { rowCount } = await administration.query('select 1 from pg_database where datname = $1', [template]);
    if (rowCount === 0) await makeTemplate(administration, url, template);
  } finally {
    await administration.query('select pg_advisory_unlock(72410032)');
  }
  await administration.query(`create database ${name} template ${template}${await byFiles(administration)}`);
}

/** The files of some hundred small tables are copied in half the time of their pages. Before 15 it is always so. */
async function byFiles(administration: Client): Promise<string> {
  const { rows } = await administration.query("select current_setting('server_version_num')::int as version");
  return rows[0].version >= 150_000 ? ' strategy file_copy' : '';
}

async function makeTemplate(administration: Client, url: string, template: string): Promise<void> {
  await administration.query(`drop database if exists ${template}_new`);
  await administration.query(`create database ${template}_new encoding 'UTF8' template template0`);
  const address = new URL(url);
  address.pathname = `/${template}_new`;
  const engine = await openPostgres(address.href);
  await migrate(engine);
  await engine.close();
  await administration.query(`alter database ${template}_new rename to ${template}`);
}

/**
 * Makes a file unless it is there; two processes that do so at once make the same.
 * @returns what it was made with; null: it was there
 */
async function once<Maker>(path: string, make: (path: string) => Promise<Maker>): Promise<Maker | null> {
  if (existsSync(path)) return null;
  mkdirSync(folder, { recursive: true });
  const own = `${path}.${process.pid}`;
  const maker = await make(own);
  renameSync(own, path);
  return maker;
}

function migrationFiles(): readonly string[] {
  return readdirSync(join(root, 'src/store/migrations'))
    .toSorted()
    .map((name) => `src/store/migrations/${name}`);
}

function stateOf(files: readonly string[]): string {
  return hash('sha256', files.map((file) => readFileSync(join(root, file), 'utf8')).join('\0'), 'hex').slice(0, 16);
}
