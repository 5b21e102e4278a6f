// Imports a file of records into one activity on the command line: as a message of its own, whose refused lines also go
// to a file next to it.
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { OperatorError } from '../model/operator-error.ts';
import type { FeedImage, FeedMessage } from '../store/feed-contract.ts';
import type { CheckContext } from '../model/reasons.ts';
import type { Resource } from '../model/resource.ts';
import type { Store } from '../store/store.ts';
import { type ByteSource, fileSource, streamSource } from './byte-source.ts';
import { createFeedTurns } from './feed-turns.ts';
import type { PassProgress, Tally, Warning } from './message-pass.ts';
import { jsonReading } from './read-records.ts';
import { MessageInterrupted, MessageRunning, type Received, type ReceiveOptions, receiveMessage } from './receive.ts';
import type { RefusedLines } from './refused-file.ts';

export type ImportSource =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'stream'; readonly bytes: AsyncIterable<Uint8Array> };

export interface ImportOptions extends Pick<ReceiveOptions, 'audit' | 'auditOfBatch'> {
  readonly store: Store;
  readonly resource: Resource;
  /** Code of the activity that the records belong to; it exists. */
  readonly activity: string;
  readonly activityName: string;
  readonly source: ImportSource;
  /** Who imports; default: `import`. */
  readonly actor?: string;
  /** Lengths of digit codes that are checked as a GTIN: see `CheckContext`. */
  readonly gtinLengths?: CheckContext['gtinLengths'];
  /** Where refused lines go: `refusedFile(path)`. */
  readonly refusedLines: RefusedLines;
  /** One line that is refused, or accepted with a warning, refuses the file: nothing is written then. */
  readonly strict?: boolean;
  /**
   * Only for stock: the instant (RFC 3339) of the one image in the file, even if it contains no records: then the
   * activity had no stock.
   */
  readonly extractionDate?: string;
  readonly onProgress?: (progress: ImportProgress) => void;
}

/** The progress of an import. */
export interface ImportProgress extends PassProgress {
  /** Length of the source in bytes; null when it is only known at the end. */
  readonly totalBytes: number | null;
}

export interface ImportSummary {
  readonly resource: string;
  readonly activity: string;
  /** The message made of the file, such as `ACM:12`. */
  readonly message: string;
  /** Records in the file, not counting blank lines; the sum of the four counts that follow if the file was written. */
  readonly read: number;
  readonly new: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly refused: number;
  /** Of those that were not refused: how many have a value that violates a standard, and the first of these. */
  readonly warned: number;
  readonly warnings: readonly Warning[];
  readonly seconds: number;
  readonly rowsPerSecond: number;
  /**
   * False when a strict import refused the file, or when the file of an image was truncated or damaged: nothing was
   * written.
   */
  readonly written: boolean;
  /** The file ends within a record or before its array is closed: records may be missing. */
  readonly truncated: boolean;
  /** Something in the file is not a record at all, or it was truncated: it is unknown what is missing. */
  readonly damaged: boolean;
  /** File with the refused lines; null when there are none. */
  readonly refusedFile: string | null;
  /** Only for stock: the images, oldest first. */
  readonly images: readonly FeedImage[] | null;
}

/** Faults that the summary reports; the import reports others as an error. */
const inSummary: ReadonlySet<string> = new Set(['strict', 'damaged', 'all-refused']);

/**
 * Imports the records of a source. Every record is checked; refused ones go to `refusedLines` and are stored with the
 * message, the others are written in batches, each a transaction, while the next one is checked. Images become visible
 * as a whole at the end. Repeating the call continues an interrupted import; importing the same file again changes
 * nothing.
 * @throws OperatorError when the source cannot be read or contains no records at all; what was written until then
 *   stays, images do not
 */
export async function importRecords(options: ImportOptions): Promise<ImportSummary> {
  const started = performance.now();
  const { refusedLines } = options;
  const source = await openSource(options.source, options.strict === true);
  try {
    const received = await receivedFrom(options, source);
    if (received.fault !== null && !inSummary.has(received.fault.code)) throw received.fault;
    return summaryOf(received, await refusedLines.finish(), (performance.now() - started) / 1000);
  } catch (error) {
    await refusedLines.discard();
    throw error instanceof MessageInterrupted ? error.cause : error;
  } finally {
    await source.close();
  }
}

/** @throws OperatorError for a missing or unreadable file and for a folder */
async function openSource(source: ImportSource, twice: boolean): Promise<ByteSource> {
  if (source.kind === 'stream') return streamSource(source.bytes, twice);
  const handle = await openFile(source.path);
  if (!(await handle.stat()).isDirectory()) return fileSource(handle, twice);
  await handle.close();
  throw new OperatorError(`${source.path} is a folder.`, 'Name a file of newline-delimited JSON or one JSON array.');
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code === 'ENOENT')
      throw new OperatorError(`There is no file ${path}.`, 'Check the name, or use - to read from standard input.', {
        cause: error,
      });
    if (code === 'EACCES' || code === 'EPERM')
      throw new OperatorError(`${path} may not be read.`, 'Give the user who runs the import the right to read it.', {
        cause: error,
      });
    throw new OperatorError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`, '', {
      cause: error,
    });
  }
}

/** Waits for another import of the same file, or until one that died counts as dead. */
async function receivedFrom(options: ImportOptions, source: ByteSource): Promise<Received> {
  for (;;) {
    try {
      return await receive(options, source);
    } catch (error) {
      if (!(error instanceof MessageRunning)) throw error;
      await pause(Math.min(1000, error.endsInMs + 1));
    }
  }
}

function receive(options: ImportOptions, source: ByteSource): Promise<Received> {
  const { refusedLines, onProgress, actor = 'import' } = options;
  const path = options.source.kind === 'file' ? options.source.path : null;
  return receiveMessage({
    ...options,
    message: {
      ...{ feed: 'main', channel: 'command', actor, source: path ?? '-' },
      ...{ messageId: null, sequence: null, requestKey: null, mapping: null, replayOf: null },
    },
    // Standard input cannot be read again.
    resumption: { bySource: path !== null && source.size !== null },
    source: { read: () => jsonReading(source.read()), unchanged: source.unchanged },
    turns: createFeedTurns(),
    onRefused: refusedLines.add,
    onProgress: async (progress) => {
      await refusedLines.flush();
      onProgress?.({ ...progress, totalBytes: source.size });
    },
  });
}

function summaryOf(
  { kind, message, tally, images }: Received,
  refusedFile: string | null,
  seconds: number,
): ImportSummary {
  const written = kind !== 'refused';
  const { read, refused, ...rest } = counts(message, tally, written);
  return {
    resource: message.resource,
    activity: message.activity,
    message: `${message.activity}:${message.id}`,
    ...{ read, ...rest, refused },
    warned: tally?.warned ?? 0,
    warnings: tally?.warnings ?? [],
    seconds,
    rowsPerSecond: read / seconds,
    written,
    truncated: tally?.truncated ?? false,
    damaged: tally?.damaged ?? false,
    refusedFile,
    images,
  };
}

/** For a file that was refused as a whole, the offending lines are counted. */
function counts(
  { read, added, changed, unchanged, refused }: FeedMessage,
  tally: Tally | null,
  written: boolean,
): Pick<ImportSummary, 'read' | 'new' | 'changed' | 'unchanged' | 'refused'> {
  if (written) return { read, new: added, changed, unchanged, refused };
  return { read: tally?.read ?? read, new: 0, changed: 0, unchanged: 0, refused: tally?.refused ?? refused };
}
