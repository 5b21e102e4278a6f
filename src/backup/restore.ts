// Restores a backup into an empty place: checks everything before it writes anything, and writes all or nothing.
import { join } from 'node:path';
import type { DocumentStorage } from '../documents/storage.ts';
import { OperatorError } from '../model/operator-error.ts';
import type { Engine, WriteTransaction } from '../store/engine.ts';
import { beginHistoryWithin } from '../store/history.ts';
import { withoutIndexes } from '../store/index-suspension.ts';
import { compareSteps, migrateWithin, unfinishedRemedy, unfinishedText } from '../store/migrate.ts';
import { migrations } from '../store/migrations/index.ts';
import { asOfSteps } from '../store/prepared-columns.ts';
import { emptyTables, isEmptyDatabase, type StoredTable, storedTables } from '../store/table-copy.ts';
import { checkArchivedDocuments, copyDocumentsIn } from './archived-documents.ts';
import { archivedRows, copyTableIn, type OnRows } from './archived-tables.ts';
import { checkDataFile } from './data-file.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { throwStorageFailure } from './storage-failure.ts';

/**
 * Reads a backup to its end and compares it with its manifest.
 * @throws OperatorError when it is damaged, incomplete, or of a newer version of the program
 */
export async function checkBackup(folder: string, onRows: OnRows): Promise<Manifest> {
  const manifest = await readManifest(folder, 'backup');
  requireVersion(manifest);
  for (const table of manifest.tables) {
    await checkDataFile(join(folder, table.path), table);
    onRows(table.name, table.lines);
  }
  if (manifest.documents !== null) {
    await checkDataFile(join(folder, manifest.documents.path), manifest.documents);
    await checkArchivedDocuments(folder, manifest.documents);
  }
  return manifest;
}

/** @throws OperatorError when the archive has a migration step that this program does not know */
export function requireVersion({ steps, program }: Manifest): void {
  const { unknown, builtUpTo } = compareSteps(steps);
  if (unknown.length > 0)
    throw new OperatorError(
      `The archive was written by a newer version of the program (${program}): it has the step ${unknown.join(', ')}.`,
      'Use that version, or a later one. Nothing was written.',
    );
  if (builtUpTo !== null) throw new OperatorError(unfinishedText(builtUpTo), unfinishedRemedy);
}

/** Where a backup goes. */
interface RestoreTarget {
  readonly engine: Engine;
  /** Opened for the database of the backup. */
  readonly storage: DocumentStorage;
  /** Nothing was written to the database since the backup was made, and nothing will be: its cursors remain valid. */
  readonly keepHistory: boolean;
  readonly onRows: OnRows;
}

/**
 * Restores a backup that was checked. The document files come first: after an interruption there is no database yet,
 * and the restore can be repeated. The database is written in one transaction: the tables as of the backup's version,
 * their rows, and the new history. Changes of newer versions are made when the database is opened.
 * @returns how many document files were written; existing ones with the same content are not
 * @throws OperatorError when the place is not empty, or the backup does not match the version that it names
 */
export async function restoreBackup(folder: string, manifest: Manifest, target: RestoreTarget): Promise<number> {
  const { engine, storage, keepHistory, onRows } = target;
  await requireEmpty(target);
  const { documents } = manifest;
  const copied =
    documents === null
      ? 0
      : await copyDocumentsIn(storage, { folder, list: documents, leaveEqual: true }, () => onRows('documents', 1));
  const { missing } = compareSteps(manifest.steps);
  const wanted = migrations.filter(({ name }) => !missing.includes(name));
  await engine.write(async (transaction) => {
    // Somebody has created the tables in between: migrations wait for each other.
    if ((await migrateWithin(transaction, wanted)).length < wanted.length) throw databaseThere();
    await emptyTables(transaction, await tablesFor(transaction, manifest));
    await withoutIndexes(transaction.query, async () => {
      for (const table of manifest.tables) {
        const [into = table] = asOfSteps([table], manifest.steps);
        await copyTableIn(transaction, folder, table, { into, onRows });
      }
    });
    if (!keepHistory) await beginHistoryWithin(transaction);
  });
  return copied;
}

/** @throws OperatorError when there is a database, or files of another one */
async function requireEmpty({ engine, storage }: RestoreTarget): Promise<void> {
  if (!(await isEmptyDatabase(engine))) throw databaseThere();
  if (!(await storage.isOurs().catch(throwStorageFailure)))
    throw new OperatorError(
      'The document files there belong to another database.',
      'Set DATA_DIR, or DOCUMENTS_URL, to an empty place. See docs/documents.md.',
    );
}

function databaseThere(): OperatorError {
  return new OperatorError(
    'There is a database already, and a backup is never restored over one.',
    'Set DATA_DIR to an empty folder, or DATABASE_URL to an empty database; or move away what is there.',
  );
}

/** The tables that the migration steps created. @throws OperatorError when they are not those of the backup */
async function tablesFor({ query }: WriteTransaction, { tables, steps }: Manifest): Promise<readonly StoredTable[]> {
  const made = await storedTables(query);
  const shapes = (all: readonly StoredTable[]): string =>
    JSON.stringify(
      all
        .map(({ name, columns }) => [name, columns.map((column) => `${column.name} ${column.type}`).toSorted()])
        .toSorted((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1)),
    );
  if (shapes(made) !== shapes(asOfSteps(tables, steps)))
    throw new OperatorError(
      'The tables of the backup are not those of the version that its manifest names.',
      'Nothing was written. Use a whole copy.',
    );
  return made;
}

/**
 * The texts of a column in the backup, without nulls.
 * @returns none when the backup has no such table or column
 */
export async function* archivedTexts(
  folder: string,
  { tables }: Manifest,
  name: string,
  column: string,
): AsyncGenerator<string> {
  const table = tables.find((each) => each.name === name);
  const at = table?.columns.findIndex((each) => each.name === column) ?? -1;
  if (table === undefined || at < 0) return;
  for await (const rows of archivedRows(folder, table))
    for (const row of rows) if (typeof row[at] === 'string') yield row[at];
}
