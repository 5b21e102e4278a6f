// The embedded engine: one SQLite file through Node's own node:sqlite, one connection that reads and one that writes.
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type CompiledQuery, type DatabaseConnection, type Driver, Kysely, type QueryResult, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler,
} from 'kysely';
import { OperatorError } from '../model/operator-error.ts';
import { Problem } from '../model/problem.ts';
import type { BulkTarget, Cell, Engine, Row, SqlValue, WriteTransaction } from './engine.ts';
import { conflictText, quoted } from './engine.ts';
import { createLongReads } from './sqlite-long-reads.ts';
import type { Tables } from './tables.ts';
import { turnsOf } from './turns.ts';

/** How long a writer waits for another process that writes, milliseconds. */
const writerPatience = 60_000;
const statementsKept = 500;

/**
 * Opens (and creates) the database file.
 * @param path file name; its folder is made, readable by its owner alone
 * @param clock milliseconds since 1970
 * @throws OperatorError when the folder cannot be written or the file is no database
 */
export function openSqlite(path: string, clock: () => number): Engine {
  const writer = connect(path);
  const reader = connect(path);
  const turn = createTurn();
  const longReads = createLongReads(path);
  const readRows = statements(reader);
  const writeRows = statements(writer);
  const transaction: WriteTransaction = {
    now: async () => clock(),
    query: async ({ text, values }) => readAll(writeRows(text), values),
    putRows: async (into, rows) => putRows(writeRows, into, rows),
  };
  return {
    dialect: 'sqlite',
    db: new Kysely<Tables>({
      dialect: {
        createAdapter: () => new SqliteAdapter(),
        createDriver: () => kyselyDriver(writer, writeRows, turn),
        createIntrospector: (db) => new SqliteIntrospector(db),
        createQueryCompiler: () => new SqliteQueryCompiler(),
      },
    }),
    now: async () => clock(),
    read: async ({ text, values }) => readAll(readRows(text), values),
    readLong: async (statement) => toRows(await longReads.read(statement)),
    write: (work) => turn(() => guarded(async () => {
      await beginImmediate(writer);
      try {
        const result = await work(transaction);
        writer.exec('commit');
        return result;
      } catch (error) {
        rollback(writer);
        throw error;
      }
    })),
    optimize: () => turn(async () => writer.exec('pragma optimize')),
    close: () => turn(async () => {
      longReads.close();
      reader.close();
      writer.close();
    }),
  };
}

/** Runs pieces of work on the writing connection one after another. */
type Turn = <T>(work: () => Promise<T>) => Promise<T>;
type Prepare = (text: string) => StatementSync;

function connect(path: string): DatabaseSync {
  try {
    makeFolder(dirname(path));
    // The file holds the signing keys; SQLite gives its companions the same mode.
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
    const database = new DatabaseSync(path, { timeout: 5_000 });
    // FULL: what was acknowledged survives a power cut, not only a crash of the process.
    database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma cache_size = -32768; pragma wal_autocheckpoint = 8000; pragma mmap_size = 268435456;');
    return database;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`The database file ${path} cannot be opened: ${reason}.`, 'Check that DATA_DIR is a folder that this user may write to, and that the file is a database of this program.', { cause: error });
  }
}

/** Node's own recursive mkdir never returns where the system refuses with "no such file", as below /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

function createTurn(): Turn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}

/** Waits for other processes without blocking this one: SQLite's own busy wait would stop every request. */
async function beginImmediate(writer: DatabaseSync): Promise<void> {
  const deadline = performance.now() + writerPatience;
  for (;;) {
    try {
      writer.exec('pragma busy_timeout = 0; begin immediate; pragma busy_timeout = 5000');
      return;
    } catch (error) {
      writer.exec('pragma busy_timeout = 5000');
      if (!isBusy(error)) throw error;
      if (performance.now() > deadline) throw new LockedTooLong('The database has been locked by another process for a minute.', 'Look for an import or a backup that hangs.', { cause: error });
      await pause(2 + Math.random() * 8);
    }
  }
}

/** A full disk ends the transaction by itself; a second end would hide the reason. */
function rollback(writer: DatabaseSync): void {
  if (writer.isTransaction) writer.exec('rollback');
}

export function isBusy(error: unknown): boolean {
  return resultCode(error) === 5;
}

/** Result code of SQLite, without what its higher bits add; 0 for other errors. */
function resultCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : 0;
}

/** Busy, read-only, input or output error, full, cannot be opened. */
const passing: ReadonlySet<number> = new Set([5, 8, 10, 13, 14]);

/** A disk that is full or a lock that is held is nobody's mistake but passes: clients get 503 and try again. */
async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!passing.has(resultCode(error)) && !(error instanceof LockedTooLong)) throw error;
    throw new Problem('unavailable', 'Storage cannot be written at the moment.', {}, { 'Retry-After': '30' }, error);
  }
}

/** Somebody else has been writing for as long as anybody waits. */
class LockedTooLong extends OperatorError {}

/** Prepared statements by text; the oldest are dropped when there are many. */
function statements(database: DatabaseSync): Prepare {
  const prepared = new Map<string, StatementSync>();
  return (text) => {
    const known = prepared.get(text);
    if (known !== undefined) return known;
    const statement = database.prepare(text);
    statement.setReturnArrays(true);
    prepared.set(text, statement);
    if (prepared.size > statementsKept) {
      const [oldest] = prepared.keys();
      if (oldest !== undefined) prepared.delete(oldest);
    }
    return statement;
  };
}

function readAll(statement: StatementSync, values: readonly SqlValue[]): readonly Row[] {
  return toRows(statement.all(...values));
}

function toRows(rows: unknown): readonly Row[] {
  return Array.isArray(rows) ? rows.map(toRow) : [];
}

function toRow(row: unknown): Row {
  if (!Array.isArray(row)) throw new Error('rows are expected as arrays');
  return row.map(toCell);
}

function toCell(cell: unknown): Cell {
  if (cell === null || typeof cell === 'string' || typeof cell === 'number') return cell;
  if (typeof cell === 'bigint') return Number(cell);
  if (cell instanceof Uint8Array) return Buffer.from(cell.buffer, cell.byteOffset, cell.byteLength);
  throw new Error(`a column of type ${typeof cell} is not expected`);
}

async function putRows(prepare: Prepare, into: BulkTarget, rows: readonly (readonly SqlValue[])[]): Promise<void> {
  const names = into.columns.map((column) => quoted(column.name));
  const statement = prepare(`insert into ${quoted(into.table)} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})${conflictText(into)}`);
  const turn = turnsOf();
  for (const row of rows) {
    await turn();
    statement.run(...row);
  }
}

function kyselyDriver(database: DatabaseSync, prepare: Prepare, turn: Turn): Driver {
  const connection: DatabaseConnection = {
    executeQuery: <R>(query: CompiledQuery): Promise<QueryResult<R>> => guarded(async () => execute<R>(prepare(query.sql), query.parameters)),
    streamQuery: () => {
      throw new Error('administration queries are not streamed');
    },
  };
  const releases = new WeakMap<DatabaseConnection, () => void>();
  return {
    init: async () => undefined,
    acquireConnection: () => new Promise((acquired) => {
      void turn(() => new Promise<void>((release) => {
        const own: DatabaseConnection = { ...connection };
        releases.set(own, release);
        acquired(own);
      }));
    }),
    beginTransaction: () => guarded(() => beginImmediate(database)),
    commitTransaction: () => guarded(async () => database.exec('commit')),
    rollbackTransaction: async () => rollback(database),
    releaseConnection: async (own) => releases.get(own)?.(),
    destroy: async () => undefined,
  };
}

function execute<R>(statement: StatementSync, parameters: readonly unknown[]): QueryResult<R> {
  const names = statement.columns().map((column) => column.name);
  const values = parameters.map(toInput);
  if (names.length === 0) {
    const { changes } = statement.run(...values);
    return { rows: [], numAffectedRows: BigInt(changes) };
  }
  const rows: unknown = statement.all(...values);
  if (!Array.isArray(rows)) return { rows: [] };
  return { rows: rows.map((row: unknown) => toObject(names, toRow(row)) as R) };
}

function toObject(names: readonly string[], row: Row): Record<string, Cell> {
  return Object.fromEntries(names.map((name, index) => [name, row[index] ?? null]));
}

function toInput(value: unknown): SQLInputValue {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' || value instanceof Uint8Array) return value;
  throw new Error(`a value of type ${typeof value} cannot be stored`);
}
