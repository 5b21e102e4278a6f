// Adds the columns and indexes of missing migration steps ahead of them on PostgreSQL, while others read and write.
import { setTimeout as pause } from 'node:timers/promises';
import type { Engine, WriteTransaction } from './engine.ts';
import { ownRelation } from './own-schema.ts';
import type { NewColumn, ShapeChange, TableIndex } from './shape-change.ts';
import { onPostgres, rowsAs, sql, type Statement } from './statement.ts';
import { addColumn, createIndexBeside, dropIndexBeside, indexName } from './table-creation.ts';

/** Columns and indexes that are there already, as `columnKey` and `indexName` call them. */
export type Prepared = ReadonlySet<string>;

/** Tells the operator what takes time, as a sentence. */
export type Tell = (sentence: string) => void;

export const nothingPrepared: Prepared = new Set();

/** What a column is called among those prepared. */
export function columnKey({ table, name }: Pick<NewColumn, 'table' | 'name'>): string {
  return `${table}.${name}`;
}

/**
 * Builds the indexes that steps add to existing tables, and adds the columns that they need. An index is built beside
 * reads and writes (PostgreSQL manual, "Building Indexes Concurrently"), which no transaction can do, so that what is
 * left for the transaction of the steps takes a moment. The program of before does not see what is added. If a run is
 * interrupted, the next one continues with what is missing.
 *
 * Does nothing on SQLite, where a writer blocks no reader, and on Citus, which builds indexes of its shards by itself.
 * @param changes those of the missing steps, in order
 * @returns what the steps need not add any more
 */
export async function prepareShapes(engine: Engine, changes: readonly ShapeChange[], tell: Tell): Promise<Prepared> {
  if (engine.dialect !== 'postgres' || engine.isDistributed) return nothingPrepared;
  const prepared = new Set<string>();
  const indexes = changes.flatMap((change) => change.indexes);
  const indexed = new Set(indexes.flatMap(({ table, fields }) => fields.map((name) => columnKey({ table, name }))));
  for (const column of changes.flatMap(({ columns }) => columns))
    if (indexed.has(columnKey(column)) && (await haveColumn(engine, column, tell))) prepared.add(columnKey(column));
  for (const index of indexes)
    if (await haveIndex(engine, index, tell)) prepared.add(indexName(index.table, index.fields));
  return prepared;
}

/**
 * A change of a table waits only so long for the transactions that use it, such as that of a backup: whoever wants to
 * read it meanwhile waits behind the change.
 */
export const waitShortlyForLocks = onPostgres(() => sql`set local lock_timeout = '1s'`);

/** Runs a transaction which begins with `waitShortlyForLocks` until it gets the locks that it needs. */
export async function onceUnlocked<T>(
  engine: Engine,
  work: (transaction: WriteTransaction) => Promise<T>,
  tell: Tell,
): Promise<T> {
  for (let pauseMs = 2000; ; pauseMs = Math.min(2 * pauseMs, 30_000)) {
    try {
      return await engine.write(work);
    } catch (error) {
      if (sqlState(error) !== lockNotAvailable) throw error;
      tell('A table is in use, perhaps by a backup or an export: waiting until it is free.');
    }
    await pause(pauseMs);
  }
}

/** @returns false if the table is not there yet */
async function haveColumn(engine: Engine, column: NewColumn, tell: Tell): Promise<boolean> {
  const known = await columnsOf(engine, column.table);
  if (known.size === 0 || known.has(column.name)) return known.size > 0;
  const add = async ({ query }: WriteTransaction): Promise<void> => {
    await query(waitShortlyForLocks);
    await query(addColumn(column));
  };
  try {
    await onceUnlocked(engine, add, tell);
  } catch (error) {
    // Another program has added it since.
    if (sqlState(error) !== duplicateColumn) throw error;
  }
  return true;
}

/** @returns false if the table or one of the columns is not there yet */
async function haveIndex(engine: Engine, index: TableIndex, tell: Tell): Promise<boolean> {
  const known = await columnsOf(engine, index.table);
  if (!index.fields.every((field) => known.has(field))) return false;
  const name = indexName(index.table, index.fields);
  for (let before: IndexState = 'missing'; ; ) {
    const state = await indexState(engine, name);
    if (state === 'valid') return true;
    // Looked at twice: the state of an index and who builds it are not read at the same instant.
    if (state === 'abandoned' && before === 'abandoned') await engine.writeOnce(dropIndexBeside(name));
    else if (state === 'missing') await buildIndex(engine, index, name, tell);
    else await pause(lookEveryMs);
    before = state;
  }
}

async function buildIndex(engine: Engine, index: TableIndex, name: string, tell: Tell): Promise<void> {
  tell(`Building the index ${name}; others can read and write meanwhile.`);
  try {
    await engine.writeOnce(createIndexBeside(index.table, index.fields));
  } catch (error) {
    // Another program that migrates was first, or waited for the same: the state of the index tells how to go on.
    if (!collisions.has(sqlState(error))) throw error;
  }
}

/** `abandoned`: its building failed or was interrupted, and the server does not use it. */
type IndexState = 'missing' | 'valid' | 'beingBuilt' | 'abandoned';

async function indexState(engine: Engine, name: string): Promise<IndexState> {
  const [state = 'missing'] = await engine.read(
    rowsAs(
      sql`
        select case when indisvalid then 1 else 0 end,
          (select count(*) from pg_stat_progress_create_index as progress where progress.relid = indrelid)
        from pg_index where indexrelid = ${ownRelation(name)}
      `,
      ([isValid, building]): IndexState =>
        Number(isValid) === 1 ? 'valid' : Number(building) > 0 ? 'beingBuilt' : 'abandoned',
    ),
  );
  return state;
}

async function columnsOf(engine: Engine, table: string): Promise<ReadonlySet<string>> {
  return new Set(await engine.read(columnNames(table)));
}

function columnNames(table: string): Statement<string> {
  return rowsAs(
    sql`
      select attname::text from pg_attribute
      where attrelid = ${ownRelation(table)} and attnum > 0 and not attisdropped
    `,
    ([name]) => String(name),
  );
}

/** The code of an error from the server, also where it is reported as a Problem (PostgreSQL manual, appendix A). */
function sqlState(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return 'code' in error && typeof error.code === 'string' ? error.code : sqlState(error.cause);
}

const lockNotAvailable = '55P03';
const duplicateColumn = '42701';
/** Deadlock, serialization failure, the name exists, and the name was given to another one at the same moment. */
const collisions: ReadonlySet<string> = new Set(['40P01', '40001', '42P07', '23505']);
const lookEveryMs = 1000;
