// Imports what `exportActivity` wrote into a database without that activity: with its ids, dates and order of changes,
// so that every list is restored.
import { join } from 'node:path';
import type { DocumentStorage } from '../documents/storage.ts';
import { OperatorError } from '../model/operator-error.ts';
import type { Resource } from '../model/resource.ts';
import { bodyOfRecord, hasData, openActivity, reserveActivity, takenAccounts } from '../store/activity-copy.ts';
import type { ActivityRemoval } from '../store/activity-removal.ts';
import type { NewAuditEntry } from '../store/audit-contract.ts';
import type { Engine, Row } from '../store/engine.ts';
import { addCopiedRows, stepsDone, storedTables } from '../store/table-copy.ts';
import { checkArchivedDocuments, copyDocumentsIn } from './archived-documents.ts';
import { archivedRows, type OnRows } from './archived-tables.ts';
import { checkDataFile, readDataFile } from './data-file.ts';
import { type ArchivedTable, type Manifest, readManifest } from './manifest.ts';
import { requireVersion } from './restore.ts';

/**
 * Reads an export to its end and compares it with its manifest.
 * @throws OperatorError when it is damaged, covers only part of the activity, or is of another activity or a newer
 *   version
 */
export async function checkExport(folder: string, activity: string, onRows: OnRows): Promise<Manifest> {
  const manifest = await readManifest(folder, 'activity');
  requireVersion(manifest);
  const [{ code } = { code: '' }] = manifest.activities;
  if (code !== activity)
    throw new OperatorError(
      `The export is of the activity ${code}, not of ${activity}.`,
      'Ids and records name the activity that they are of: it keeps its code.',
    );
  if (manifest.tables.length === 0)
    throw new OperatorError(
      'The export holds some resources only.',
      'Import its files one by one, as a feed would, or export the activity without --resource.',
    );
  for (const file of [...manifest.records, ...manifest.tables]) {
    await checkDataFile(join(folder, file.path), file);
    onRows(file.path, file.lines);
  }
  if (manifest.documents !== null) {
    await checkDataFile(join(folder, manifest.documents.path), manifest.documents);
    await checkArchivedDocuments(folder, manifest.documents);
  }
  return manifest;
}

interface ImportTarget {
  readonly engine: Engine;
  readonly activityRemoval: ActivityRemoval;
  readonly storage: DocumentStorage;
  /** All existing resources. */
  readonly resources: readonly Resource[];
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Written in the transaction that makes the activity visible. */
  readonly audit: NewAuditEntry;
  readonly onRows: OnRows;
}

/**
 * Imports an export that was checked. Other writers continue: rows arrive in batches, and none is visible before the
 * last one is written. After an interruption, the import has to be repeated.
 * @throws OperatorError when the activity has data, its ids are taken, or the versions differ
 */
export async function importActivity(folder: string, manifest: Manifest, target: ImportTarget): Promise<void> {
  const { engine, activityRemoval, storage, resources, now, audit, onRows } = target;
  const { counters, series, documents } = manifest;
  if (counters === null) throw new Error('an export has counters');
  await requireSameVersion(engine, manifest);
  const found = await activityRemoval.contents(counters.code);
  if (found !== null && !found.isRemoved && Object.keys(found.rows).length > 0) throw hasData(counters.code);
  await requireFreeAccounts(engine, folder, manifest, counters.code);
  await engine.write((transaction) => reserveActivity(transaction, counters));
  // Removes the remains of an interrupted import.
  await activityRemoval.remove(counters.code, now);
  await engine.write((transaction) => reserveActivity(transaction, counters));
  for (const table of manifest.tables) {
    const resource = resources.find((each) => each.table === table.name);
    const rows =
      resource === undefined ? archivedRows(folder, table) : rowsWithBodies(folder, manifest, table, resource);
    for await (const batch of rows) {
      await engine.write((transaction) => addCopiedRows(transaction, table, batch));
      onRows(table.name, batch.length);
    }
  }
  // Written after the rows that name them, because running servers remove files that are not named by a row once they
  // are an hour old. Files of an interrupted import may be older, so each is written again.
  if (documents !== null)
    await copyDocumentsIn(storage, { folder, list: documents, leaveEqual: false }, () => onRows('documents', 1));
  await engine.write((transaction) => openActivity(transaction, counters, { series, audit }));
}

/** Rows of records, each with its body from the file of its resource. */
async function* rowsWithBodies(
  folder: string,
  { records }: Manifest,
  table: ArchivedTable,
  resource: Resource,
): AsyncGenerator<readonly Row[]> {
  const at = table.columns.findIndex(({ name }) => name === 'body');
  const file = records.find((each) => each.resource === resource.name);
  if (file === undefined || at < 0) throw unfitting(table.name);
  const bodies = linesOf(readDataFile(join(folder, file.path), file));
  for await (const rows of archivedRows(folder, table)) {
    const whole: Row[] = [];
    for (const row of rows) {
      if (row[at] !== null) {
        whole.push(row);
        continue;
      }
      const line = await bodies.next();
      if (line.done === true) throw unfitting(table.name);
      whole.push(row.with(at, bodyOfRecord(resource, line.value)));
    }
    yield whole;
  }
  if ((await bodies.next()).done !== true) throw unfitting(table.name);
}

async function* linesOf(groups: AsyncIterable<readonly string[]>): AsyncGenerator<string, undefined> {
  for await (const group of groups) yield* group;
}

function unfitting(table: string): OperatorError {
  return new OperatorError(`The records and rows of ${table} do not fit together.`, 'Use a whole export.');
}

/** @throws OperatorError when another activity has an account of the same carrier under the same context */
async function requireFreeAccounts(
  engine: Engine,
  folder: string,
  { tables }: Manifest,
  activity: string,
): Promise<void> {
  const table = tables.find(({ name }) => name === 'carrier_account');
  if (table === undefined || table.lines === 0) return;
  const taken = await takenAccounts(engine.read, activity);
  const [context, carrier] = ['context', 'carrier'].map((name) =>
    table.columns.findIndex((each) => each.name === name),
  );
  for await (const rows of archivedRows(folder, table))
    for (const row of rows) {
      const account = `${String(row[context ?? -1])}/${String(row[carrier ?? -1])}`;
      if (taken.has(account))
        throw new OperatorError(
          `Another activity has a carrier account ${account} here.`,
          'Remove one of the two accounts; see carrier-account list.',
        );
    }
}

async function requireSameVersion({ read }: Engine, { steps, program, tables }: Manifest): Promise<void> {
  const same = JSON.stringify(await stepsDone(read)) === JSON.stringify(steps);
  const known = new Set((await storedTables(read)).map(({ name }) => name));
  if (same && tables.every(({ name }) => known.has(name))) return;
  throw new OperatorError(
    `The export was written by version ${program}, whose tables are not those of this one.`,
    'Bring both to the same version and export again; or import the files one by one, as a feed would.',
  );
}
