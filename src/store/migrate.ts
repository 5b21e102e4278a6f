// Brings a database to the program's version: numbered steps, each in one transaction, each once.
import { type Kysely, sql } from 'kysely';
import { OperatorError } from '../model/operator-error.ts';
import type { Dialect, Engine } from './engine.ts';
import { quoted } from './engine.ts';
import { migrations } from './migrations/index.ts';
import type { ColumnType, TableShape } from './record-tables.ts';
import type { ShapeChange } from './shape-change.ts';
import type { Tables } from './tables.ts';

/** One step. Written once for both engines; never changed after it was released. */
export interface Migration {
  /** `0001-records`: number and subject. */
  readonly name: string;
  readonly up: (db: Kysely<Tables>, dialect: Dialect) => Promise<void>;
}

/** An arbitrary number that all programs of this kind agree on: only one of them migrates at a time. */
const migrationLock = 72_410_031;

/**
 * Runs the steps that are missing.
 * @returns names of the steps that were run
 * @throws OperatorError when the database was made by a newer program
 */
export async function migrate(engine: Engine): Promise<readonly string[]> {
  if (await isUpToDate(engine)) return [];
  return engine.db.transaction().execute(async (db) => {
    if (engine.dialect === 'postgres') {
      await sql`select pg_advisory_xact_lock(${sql.lit(migrationLock)})`.execute(db);
      await sql`set local statement_timeout = 0`.execute(db);
    }
    await db.schema
      .createTable('migration')
      .ifNotExists()
      .addColumn('name', textType(engine.dialect), (column) => column.primaryKey())
      .addColumn('applied_at', 'bigint', (column) => column.notNull())
      .execute();
    const applied = new Set((await db.selectFrom('migration').select('name').execute()).map((row) => row.name));
    const known = new Set(migrations.map((migration) => migration.name));
    const unknown = [...applied].filter((name) => !known.has(name)).sort();
    if (unknown.length > 0) {
      throw new OperatorError(
        `The database is newer than this program: it has the step ${unknown.join(', ')}.`,
        'Start the version of the program that wrote it, or a later one.',
      );
    }
    const missing = migrations.filter((migration) => !applied.has(migration.name));
    for (const migration of missing) {
      await db.insertInto('migration').values({ name: migration.name, applied_at: Date.now() }).execute();
      await migration.up(db, engine.dialect);
    }
    return missing.map((migration) => migration.name);
  });
}

/** Reads only: a program that finds everything in place starts without writing. */
async function isUpToDate(engine: Engine): Promise<boolean> {
  const tables = await engine.read({
    text:
      engine.dialect === 'sqlite'
        ? "select 1 from sqlite_schema where name = 'migration'"
        : "select 1 where to_regclass('migration') is not null",
    values: [],
  });
  if (tables.length === 0) return false;
  const applied = (await engine.db.selectFrom('migration').select('name').execute()).map(({ name }) => name);
  return applied.length === migrations.length && migrations.every(({ name }) => applied.includes(name));
}

/** Creates a table of the given shape with its indexes; text compares by code point on both engines. */
export async function createTable(db: Kysely<Tables>, dialect: Dialect, shape: TableShape): Promise<void> {
  const columns = shape.columns.map(
    ({ name, type, nullable }) => `${quoted(name)} ${columnType(dialect, type)}${nullable ? '' : ' not null'}`,
  );
  const ending = dialect === 'sqlite' ? ' strict' : '';
  await sql.raw(`create table ${quoted(shape.name)} (${columns.join(', ')})${ending}`).execute(db);
  for (const fields of shape.unique) await createIndex(db, shape.name, fields, 'unique index');
  for (const fields of shape.indexes) await createIndex(db, shape.name, fields);
}

/** Changes the tables of records; new columns are empty until `rewriteTexts` fills them. */
export async function changeShapes(
  db: Kysely<Tables>,
  dialect: Dialect,
  { tables, columns, indexes, droppedIndexes }: ShapeChange,
): Promise<void> {
  for (const table of tables) await createTable(db, dialect, table);
  for (const { table, name, type } of columns) {
    await sql.raw(`alter table ${quoted(table)} add column ${quoted(name)} ${columnType(dialect, type)}`).execute(db);
  }
  for (const { table, fields } of indexes) await createIndex(db, table, fields);
  for (const { table, fields } of droppedIndexes) await dropIndex(db, table, fields);
}

/** Creates an index on a table that is there. */
export async function createIndex(
  db: Kysely<Tables>,
  table: string,
  fields: readonly string[],
  kind: 'index' | 'unique index' = 'index',
): Promise<void> {
  await sql
    .raw(`create ${kind} ${quoted(indexName(table, fields))} on ${quoted(table)} (${fields.map(quoted).join(', ')})`)
    .execute(db);
}

function textType(dialect: Dialect) {
  return sql.raw<string>(dialect === 'sqlite' ? 'text' : 'text collate "C"');
}

function columnType(dialect: Dialect, type: ColumnType): string {
  if (type === 'text') return dialect === 'sqlite' ? 'text' : 'text collate "C"';
  if (type === 'integer') return dialect === 'sqlite' ? 'integer' : 'bigint';
  return dialect === 'sqlite' ? 'real' : 'double precision';
}

/** Removes an index that `createIndex` made. */
export async function dropIndex(db: Kysely<Tables>, table: string, fields: readonly string[]): Promise<void> {
  await sql.raw(`drop index ${quoted(indexName(table, fields))}`).execute(db);
}

/** Cut to the 63 bytes that PostgreSQL keeps; the columns' initials keep it unique. */
function indexName(table: string, fields: readonly string[]): string {
  return `${table}_by_${fields.filter((field) => field !== 'owner').join('_')}`.slice(0, 63);
}
