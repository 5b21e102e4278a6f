// Opens connections to the embedded database and reads their results: for the main thread and the writer thread.
import { textBlock } from '../model/text-block.ts';
import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import { LRUCache } from 'lru-cache';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { OperatorError } from '../model/operator-error.ts';
import type { Cell, Row } from './engine.ts';
import { makePrivateFile, makePrivateFolder } from './private-files.ts';

const maxPrepared = 500;

/**
 * Opens (and creates) the database file.
 * @throws OperatorError when the folder cannot be written or the file is not a database
 */
export function connect(path: string): DatabaseSync {
  try {
    makePrivateFolder(dirname(path));
    // The file holds the signing keys; SQLite gives its companion files the same mode.
    makePrivateFile(path);
    accessSync(path, constants.R_OK | constants.W_OK);
    const database = new DatabaseSync(path, { timeout: 5_000 });
    // FULL: what was acknowledged survives a power failure, not only a crash of the process.
    database.exec(
      textBlock`
        pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma cache_size = -32768;
        pragma wal_autocheckpoint = 8000; pragma mmap_size = 268435456;
      `,
    );
    return database;
  } catch (error) {
    if (isFull(error))
      throw new OperatorError(
        `The database file ${path} cannot be opened: the disk is full.`,
        'Make room on the disk of DATA_DIR, and run the command again.',
        { cause: error },
      );
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(
      `The database file ${path} cannot be opened: ${reason}.`,
      'Check that DATA_DIR is a folder that this user may write to, and that the file is a database of this program.',
      { cause: error },
    );
  }
}

/** SQLITE_IOERR_SHMSIZE: there is no room for the memory that processes share; SQLite calls it a disk I/O error. */
const noRoomForSharedMemory = 4874;

/** Whether a database cannot be opened for want of room. */
function isFull(error: unknown): boolean {
  return resultCode(error) === 13 || extendedCode(error) === noRoomForSharedMemory;
}

/** Prepares a statement once; its rows are returned as arrays. */
export type Prepare = (text: string) => StatementSync;

/** Prepared statements by text; the least recently used are dropped when there are too many. */
export function statements(database: DatabaseSync): Prepare {
  const prepared = new LRUCache<string, StatementSync>({ max: maxPrepared });
  return (text) => {
    const known = prepared.get(text);
    if (known !== undefined) return known;
    const statement = database.prepare(text);
    statement.setReturnArrays(true);
    prepared.set(text, statement);
    return statement;
  };
}

/** Converts rows from node:sqlite, from whichever thread or process, to the form common to both engines. */
export function toRows(rows: unknown): readonly Row[] {
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

/** SQLite's extended result code; 0 for other errors. */
export function extendedCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : 0;
}

/** SQLite's primary result code; 0 for other errors. */
export function resultCode(error: unknown): number {
  return extendedCode(error) & 0xff;
}

export function isBusy(error: unknown): boolean {
  return resultCode(error) === 5;
}
