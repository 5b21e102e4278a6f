// Imports a file of records into one activity: reads, checks, writes, and keeps what it refuses.
import { OperatorError } from '../model/operator-error.ts';
import { isObject } from '../model/scalar.ts';
import { type CheckedLine, checkLines } from './check-records.ts';
import { readRecords } from './read-records.ts';
import { isBroken } from './record-splitter.ts';
import { openSeenKeys } from '../store/seen-keys.ts';
import { openSource } from './source.ts';
import { recordWriter } from './record-writer.ts';
import type { IncomingRecord, Reason } from '../model/record.ts';
import type { Resource } from '../model/resource.ts';
import type { Store } from '../store/store.ts';
import type { SourceRecord } from './read-records.ts';
import type { RejectedLines } from './rejected-file.ts';
import type { ImportSource, OpenSource } from './source.ts';
import type { ImportedImage, RecordWriter } from './record-writer.ts';

export type { ImportSource } from './source.ts';

export interface ImportOptions {
  readonly store: Store;
  readonly resource: Resource;
  /** Code of the activity that the records belong to; it exists. */
  readonly activity: string;
  readonly activityName: string;
  readonly source: ImportSource;
  /** Where refused lines go: `rejectedFile(path)`. */
  readonly rejected: RejectedLines;
  /** One line that is refused, or taken with a warning, refuses the file: nothing is written then. */
  readonly strict?: boolean;
  /**
   * Only for stock: the instant (RFC 3339) of the one image that the file holds, also where it holds no record: then
   * the activity had no stock.
   */
  readonly extractionDate?: string;
  readonly onProgress?: (progress: ImportProgress) => void;
}

/** How far an import is. */
export interface ImportProgress {
  /** `checking` is the first of the two passes of a strict import. */
  readonly pass: 'checking' | 'importing';
  readonly bytes: number;
  /** Length of the source in bytes; null when only its end will tell. */
  readonly totalBytes: number | null;
  readonly read: number;
  readonly refused: number;
}

export interface ImportSummary {
  readonly resource: string;
  readonly activity: string;
  /**
   * Records in the file, blank lines not counted; the sum of the four counts that follow where the file was written.
   */
  readonly read: number;
  readonly new: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly refused: number;
  /** Of those that were not refused, how many have a value that no standard allows, and the first of these. */
  readonly warned: number;
  readonly warnings: readonly Warning[];
  readonly seconds: number;
  readonly rowsPerSecond: number;
  /**
   * False when a strict import refused the file, or when the file of an image was cut off or damaged: nothing was
   * written.
   */
  readonly written: boolean;
  /** The file ends within a record or before its array is closed: records may be missing. */
  readonly truncated: boolean;
  /** Something in the file is no record at all, or it was cut off: nobody can tell what is missing. */
  readonly damaged: boolean;
  /** File that holds the refused lines; null when there are none. */
  readonly rejected: string | null;
  /** Only for stock: the images, oldest first. */
  readonly images: readonly ImportedImage[] | null;
}

/** What is wrong with a line that is taken all the same. */
interface Warning extends Reason {
  readonly line: number;
}

/** Warnings that are shown; more of them are counted. */
const maxWarnings = 10;

/** Records per transaction; also what is held in memory at once, twice. */
const batchRecords = 1000;
/** A batch ends earlier when its texts are this long together, in UTF-16 units. */
const batchCharacters = 8 * 1024 * 1024;
/** Reasons of text that could not be parsed. */
const UNREADABLE = new Set(['not-json', 'bad-encoding', 'truncated']);

/**
 * Imports the records of a source. Every record is checked; refused ones go to `rejected`, the others are written in
 * batches, each a transaction, the next one checked while the one before is written. Images appear at the end, whole.
 * Importing the same file again changes nothing, so an import that was interrupted is simply run again.
 * @throws OperatorError when the source cannot be read or holds no records at all; what was written until then stays,
 * images do not
 */
export async function importRecords(options: ImportOptions): Promise<ImportSummary> {
  const started = performance.now();
  const { store, resource, activity, rejected } = options;
  const source = await openSource(options.source, options.strict === true);
  const writer = recordWriter(store, resource, activity, options.extractionDate ?? null);
  try {
    let tally = options.strict ? await pass(options, source, 'checking', null) : null;
    let written = tally === null || tally.refused === 0;
    if (written) {
      if (!(await source.unchanged()))
        throw new OperatorError('The file changed while it was checked.', 'Import it again when it is complete.');
      tally = await pass(options, source, 'importing', writer);
      // An image without records that it should have would be a wrong one.
      written = !(tally.damaged && resource.storage === 'images');
      written &&= !(options.extractionDate !== undefined && tally.read === tally.refused && tally.refused > 0);
      await (written ? writer.finish() : writer.abandon());
    }
    const { read, refused, warned, warnings, again, truncated, damaged } = tally ?? emptyTally();
    const seconds = (performance.now() - started) / 1000;
    const outcomes = writer.outcomes();
    return {
      resource: resource.name,
      activity,
      read,
      new: outcomes.new,
      changed: outcomes.changed,
      unchanged: outcomes.unchanged + (written ? again : 0),
      refused,
      warned,
      warnings,
      seconds,
      rowsPerSecond: read / seconds,
      written,
      truncated,
      damaged,
      rejected: await rejected.finish(),
      images: writer.images(),
    };
  } catch (error) {
    await writer.abandon().catch(() => undefined);
    await rejected.discard();
    throw error;
  } finally {
    await source.close();
  }
}

interface Tally {
  read: number;
  refused: number;
  warned: number;
  readonly warnings: Warning[];
  again: number;
  truncated: boolean;
  damaged: boolean;
}

function emptyTally(): Tally {
  return { read: 0, refused: 0, warned: 0, warnings: [], again: 0, truncated: false, damaged: false };
}

/** Reads the source once, from its start; without a writer it only checks. */
async function pass(
  options: ImportOptions,
  source: OpenSource,
  name: ImportProgress['pass'],
  writer: RecordWriter | null,
): Promise<Tally> {
  const { resource, activity, activityName, rejected } = options;
  const tally = emptyTally();
  const seen = openSeenKeys();
  let writing: Promise<void> = Promise.resolve();
  try {
    const check = checkLines(resource, activity, activityName, seen);
    let bytes = 0;
    const counted = counting(source.read(), (length) => {
      bytes += length;
    });
    for await (const batch of batches(readRecords(counted))) {
      if (tally.read === 0) {
        refuseWhatIsNoJson(batch);
        refuseWrapped(batch, resource);
      }
      const records: IncomingRecord[] = [];
      for (const line of batch) {
        const checked = strictly(options, line, check(line));
        if (checked.kind === 'record') {
          records.push(checked.record);
          noteWarnings(tally, line, checked.warnings);
        } else if (checked.kind === 'again') tally.again += 1;
        else {
          tally.refused += 1;
          tally.truncated ||= checked.reasons.some(({ code }) => code === 'truncated');
          tally.damaged ||= isBroken(checked.source);
          rejected.add(checked.source, checked.reasons);
        }
      }
      tally.read += batch.length;
      await writing;
      if (writer !== null && records.length > 0) {
        writing = writer.write(records);
        // The failure is thrown by the `await` above or below; until then it must not count as unhandled.
        writing.catch(() => undefined);
      }
      await rejected.flush();
      options.onProgress?.({ pass: name, bytes, totalBytes: source.size, read: tally.read, refused: tally.refused });
    }
    await writing;
    return tally;
  } finally {
    await writing.catch(() => undefined);
    seen.close();
  }
}

/** A strict import refuses what it would only warn of. */
function strictly({ strict }: ImportOptions, source: SourceRecord, checked: CheckedLine): CheckedLine {
  if (strict !== true || checked.kind !== 'record' || checked.warnings.length === 0) return checked;
  return { kind: 'refused', source, reasons: checked.warnings };
}

function noteWarnings(tally: Tally, { line }: SourceRecord, reasons: readonly Reason[]): void {
  if (reasons.length === 0) return;
  tally.warned += 1;
  for (const reason of reasons.slice(0, maxWarnings - tally.warnings.length)) tally.warnings.push({ line, ...reason });
}

async function* counting(
  chunks: AsyncIterable<Uint8Array>,
  count: (length: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    count(chunk.length);
    yield chunk;
  }
}

/** The same records in groups that fit a transaction. */
async function* batches(groups: AsyncIterable<readonly SourceRecord[]>): AsyncGenerator<readonly SourceRecord[]> {
  let batch: SourceRecord[] = [];
  let length = 0;
  for await (const group of groups) {
    for (const record of group) {
      batch.push(record);
      length += record.text?.length ?? 0;
      if (batch.length < batchRecords && length < batchCharacters) continue;
      yield batch;
      batch = [];
      length = 0;
    }
  }
  if (batch.length > 0) yield batch;
}

/**
 * A file of another kind altogether is named as such: none of its first lines is JSON, nor begins like a record on a
 * line of its own.
 */
function refuseWhatIsNoJson(batch: readonly SourceRecord[]): void {
  const [first] = batch;
  if (
    first === undefined ||
    first.text === null ||
    batch.some((record) => record.ok || !UNREADABLE.has(record.reason.code))
  )
    return;
  if (first.text === '{' && batch.length > 1) {
    throw new OperatorError(
      'The records of the file are spread over several lines.',
      'Write each record on one line, or all of them as one JSON array.',
    );
  }
  if (first.text.startsWith('{') || first.text.startsWith('[')) return;
  const start = JSON.stringify(first.text.slice(0, 40));
  throw new OperatorError(
    `The file holds no JSON: it begins with ${start}.`,
    'Import newline-delimited JSON, a record on each line, or one JSON array.',
  );
}

/** One object around the records is what exports and answers of other systems often are. */
function refuseWrapped([only, ...others]: readonly SourceRecord[], { fields }: Resource): void {
  if (others.length > 0 || only?.ok !== true || !isObject(only.value)) return;
  const hasFields = (value: unknown): boolean =>
    isObject(value) && Object.keys(value).some((name) => Object.hasOwn(fields, name));
  const [name] = Object.entries(only.value).find(([, value]) => Array.isArray(value) && hasFields(value[0])) ?? [];
  if (name === undefined || hasFields(only.value)) return;
  throw new OperatorError(
    `The file is one object, whose ${JSON.stringify(name)} holds the records.`,
    'Import the array inside of it, or write each record on a line of its own.',
  );
}
