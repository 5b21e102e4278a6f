// Tables in an archive: one file per table, one line per row, with the cells in column order.
import { join } from 'node:path';
import { OperatorError } from '../model/operator-error.ts';
import type { Cell, Row, Snapshot, WriteTransaction } from '../store/engine.ts';
import { addCopiedRows, copiedRows, type StoredTable, type TableSelection } from '../store/table-copy.ts';
import { readDataFile, writeDataFile } from './data-file.ts';
import type { ArchivedTable } from './manifest.ts';

/** Called with how many rows of what have been copied since the last call. */
export type OnRows = (what: string, rows: number) => void;

/**
 * Writes the rows of a table to a file of an archive.
 * @param path relative to the folder
 */
export async function copyTableOut(
  snapshot: Snapshot,
  table: StoredTable,
  selection: TableSelection,
  { folder, path, onRows }: { readonly folder: string; readonly path: string; readonly onRows: OnRows },
): Promise<ArchivedTable> {
  const lines = async function* (): AsyncGenerator<readonly string[]> {
    for await (const rows of snapshot.stream(copiedRows(table, selection))) {
      yield rows.map((row) => JSON.stringify(row));
      onRows(table.name, rows.length);
    }
  };
  return { ...table, path, ...(await writeDataFile(join(folder, path), lines())) };
}

/** Rows that are inserted at a time, and characters of their text. */
const maxBatchRows = 1000;
const maxBatchLength = 4_000_000;

/** The rows of a table in an archive, in batches. @throws OperatorError when the file is damaged */
export async function* archivedRows(folder: string, table: ArchivedTable): AsyncGenerator<readonly Row[]> {
  let [batch, length]: [Row[], number] = [[], 0];
  for await (const lines of readDataFile(join(folder, table.path), table)) {
    for (const line of lines) {
      batch.push(rowIn(line, table));
      length += line.length;
      if (batch.length < maxBatchRows && length < maxBatchLength) continue;
      yield batch;
      [batch, length] = [[], 0];
    }
  }
  if (batch.length > 0) yield batch;
}

/**
 * Inserts the rows of a file into the table: reads the next batch while the engine inserts the previous one.
 * @param into the table with the columns that are kept
 */
export async function copyTableIn(
  transaction: WriteTransaction,
  folder: string,
  table: ArchivedTable,
  { into, onRows }: { readonly into: StoredTable; readonly onRows: OnRows },
): Promise<void> {
  const places = into.columns.map(({ name }) => table.columns.findIndex((column) => column.name === name));
  const isWhole = places.every((place, index) => place === index) && places.length === table.columns.length;
  let adding: Promise<void> = Promise.resolve();
  try {
    for await (const rows of archivedRows(folder, table)) {
      await adding;
      const kept = isWhole ? rows : rows.map((row) => places.map((place) => row[place] ?? null));
      adding = addCopiedRows(transaction, into, kept);
      // An `await` throws the failure; until then it must not count as unhandled.
      adding.catch(() => undefined);
      onRows(table.name, rows.length);
    }
  } finally {
    await adding;
  }
}

function rowIn(line: string, { path, columns }: ArchivedTable): Row {
  const row: unknown = JSON.parse(line);
  if (Array.isArray(row) && row.length === columns.length && row.every(isCell)) return row;
  throw new OperatorError(
    `${path} holds a line that is no row of its table.`,
    'Nothing was written. Use a whole copy.',
  );
}

function isCell(value: unknown): value is Cell {
  return value === null || typeof value === 'string' || typeof value === 'number';
}
