// The manifest of an archive: its content, the database and version that it comes from, and the checksums of its files.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../model/operator-error.ts';
import { isObject } from '../model/check.ts';
import type { ActivityCounters, NumberSeries } from '../store/activity-copy.ts';
import type { StoredTable } from '../store/table-copy.ts';
import type { FileFacts } from './data-file.ts';

export const manifestName = 'manifest.json';

/** One data file. */
export interface ArchivedFile extends FileFacts {
  /** Relative to the folder of the archive, with `/`. */
  readonly path: string;
}

/** A table: the file with its rows, and its columns in the order of the cells. */
export interface ArchivedTable extends ArchivedFile, StoredTable {}

/** Records of a resource, in the form in which a feed sends them. */
export interface ArchivedRecords extends ArchivedFile {
  readonly resource: string;
}

export interface Manifest {
  readonly format: 'logistics-connect archive';
  /** Version of the archive format. */
  readonly formatVersion: 1;
  /** A whole database, or everything that belongs to one activity. */
  readonly kind: 'backup' | 'activity';
  /** Instant of the state, RFC 3339. */
  readonly createdAt: string;
  /** Version of the program that wrote it. */
  readonly program: string;
  readonly engine: 'sqlite' | 'postgres';
  /** Name of the database that it was made from. */
  readonly epoch: string;
  /** The migration steps that the database had undergone. */
  readonly steps: readonly string[];
  /** Activities with the number of their last change. */
  readonly activities: readonly { readonly code: string; readonly name: string; readonly lastChange: number }[];
  readonly tables: readonly ArchivedTable[];
  /** Only in an activity's export. */
  readonly records: readonly ArchivedRecords[];
  /** The counters of an exported activity; null in a backup, which has them in its tables. */
  readonly counters: ActivityCounters | null;
  /** Of an exported activity: the number series of its carrier accounts. */
  readonly series: readonly NumberSeries[];
  /** The list of document files; null: they are not included. */
  readonly documents: ArchivedFile | null;
  /** Names of document files that the database names and the storage did not have. */
  readonly missingDocuments: readonly string[];
}

/**
 * Reads the manifest of an archive.
 * @throws OperatorError when the folder holds no archive of this kind, or an incomplete one
 */
export async function readManifest(folder: string, kind: Manifest['kind']): Promise<Manifest> {
  let text: string;
  try {
    text = await readFile(join(folder, manifestName), 'utf8');
  } catch (error) {
    throw new OperatorError(
      `There is no ${manifestName} in ${folder}: it is no whole ${nameOf(kind)}.`,
      'Name the folder that the command wrote. One that was interrupted is called so with .part at the end.',
      { cause: error },
    );
  }
  const manifest = parse(text);
  if (manifest === null)
    throw new OperatorError(`${join(folder, manifestName)} is damaged.`, 'Nothing was written. Use a whole copy.');
  if (manifest.formatVersion !== 1)
    throw new OperatorError(
      `The archive has the form ${String(manifest.formatVersion)}, and this program knows the form 1.`,
      'Use the version of the program that wrote it, or a later one.',
    );
  if (manifest.kind !== kind)
    throw new OperatorError(
      `${folder} holds ${manifest.kind === 'backup' ? 'a backup' : 'the export of an activity'}, not ${
        kind === 'backup' ? 'a backup' : 'the export of an activity'
      }.`,
      manifest.kind === 'backup' ? 'See restore --help.' : 'See import --help.',
    );
  return manifest;
}

function nameOf(kind: Manifest['kind']): string {
  return kind === 'backup' ? 'backup' : 'export';
}

/** Null for what no version of the program wrote. */
function parse(text: string): Manifest | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(value) || value.format !== 'logistics-connect archive') return null;
  const { steps, activities, tables, records, documents, missingDocuments, counters, series } = value;
  const whole =
    ['createdAt', 'program', 'engine', 'epoch', 'kind'].every((name) => typeof value[name] === 'string') &&
    isListOf(steps, (step) => typeof step === 'string') &&
    isListOf(activities, isActivity) &&
    isListOf(tables, isTable) &&
    isListOf(records, (file) => isFile(file) && typeof file.resource === 'string') &&
    (documents === null || isFile(documents)) &&
    (counters === null ? value.kind === 'backup' : areCounters(counters)) &&
    isListOf(series, isSeries) &&
    isListOf(missingDocuments, (name) => typeof name === 'string');
  // The checks above are equivalent to the type.
  return value.formatVersion === 1 && !whole ? null : (value as unknown as Manifest);
}

function isListOf(value: unknown, isOne: (element: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isOne);
}

function isActivity(value: unknown): boolean {
  return (
    isObject(value) && typeof value.code === 'string' && typeof value.name === 'string' && isCount(value.lastChange)
  );
}

function areCounters(value: unknown): boolean {
  if (!isObject(value) || typeof value.code !== 'string' || typeof value.name !== 'string') return false;
  return [value.number, value.lastChange, value.lastId, value.lastWriteAt, value.createdAt].every(isCount);
}

function isSeries(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value.carrier === 'string' &&
    typeof value.series === 'string' &&
    isCount(value.lastNumber)
  );
}

function isTable(value: unknown): boolean {
  if (!isFile(value) || typeof value.name !== 'string') return false;
  return isListOf(
    value.columns,
    (column) =>
      isObject(column) &&
      typeof column.name === 'string' &&
      ['text', 'integer', 'decimal'].includes(String(column.type)),
  );
}

/** A path that leads out of the folder was not written by this program. */
function isFile(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    isObject(value) &&
    typeof value.path === 'string' &&
    /^(?:[a-z0-9_-]+\/)?[a-z0-9_.-]+$/.test(value.path) &&
    !value.path.startsWith('.') &&
    isCount(value.lines) &&
    isCount(value.bytes) &&
    typeof value.sha256 === 'string'
  );
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
