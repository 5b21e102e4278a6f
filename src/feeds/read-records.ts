// Reads the records of a file, newline-delimited JSON or one JSON array, in little memory whatever its length.
import { LINE_FEED, OPEN_ARRAY } from '../model/json-bytes.ts';
import { encodingShownBy } from './first-bytes.ts';
import { MessageFault } from './message-fault.ts';
import type { LineCounts, Reading } from './message-batches.ts';
import { inPieces } from './pieces.ts';
import { firstOfText, lineFeeds } from '../model/json-scan.ts';
import { splitArray } from './split-array.ts';
import { splitEnclosed, type ValuesAround } from './split-enclosed.ts';
import { splitLines } from './split-lines.ts';
import type { SourceRecord, Splitter } from './record-splitter.ts';

export type { SourceRecord } from './record-splitter.ts';

/** The most bytes of one record: far beyond the longest that the definitions allow. */
const maxRecordBytes = 16 * 1024 * 1024;

/**
 * Reads a message of records: like `readRecords`, with counts of its bytes and lines.
 * @throws MessageFault like `readRecords`
 */
export function jsonReading(chunks: AsyncIterable<Uint8Array>, limit: number = maxRecordBytes): Reading {
  const file = splitFile(byFirstByte(limit));
  let bytes = 0;
  const pieces = inPieces(chunks, (length) => {
    bytes += length;
  });
  return { groups: groupsOf(pieces, file), counts: () => file.counts(), bytes: () => bytes };
}

/**
 * The records of a byte stream, in groups as they arrive (a group per chunk, to avoid a promise per record). The first
 * byte that is not white space decides: `[` is one JSON array, anything else newline-delimited JSON. A byte order mark,
 * CRLF and blank lines are accepted. A record that cannot be read is returned with its reason, and reading continues:
 * `not-json`, `bad-encoding`, `record-too-long`, and at the end `truncated` or `trailing-text`.
 * @param chunks the file's bytes
 * @param limit most bytes of one record
 * @throws MessageFault when the file is UTF-16 or gzip
 */
export function readRecords(
  chunks: AsyncIterable<Uint8Array>,
  limit: number = maxRecordBytes,
): AsyncGenerator<readonly SourceRecord[]> {
  return groupsOf(chunks, splitFile(byFirstByte(limit)));
}

/**
 * The elements of one JSON array, in the form of `readRecords`.
 * @param place JSON Pointer (RFC 6901) of an array in the members of an object; null when the file is the array
 * @param around requested values around that array
 * @throws MessageFault like `readRecords`; when there is no array at the place, it occurs twice, or the file is
 *   truncated or continues after its end. Records may have been returned by then.
 */
export function readJsonArray(
  chunks: AsyncIterable<Uint8Array>,
  place: string | null,
  around?: ValuesAround,
  limit: number = maxRecordBytes,
): AsyncGenerator<readonly SourceRecord[]> {
  const split: SplitterBy = (first, line) =>
    place === null && (first === OPEN_ARRAY || first === undefined)
      ? byFirstByte(limit)(first, line)
      : splitEnclosed(line, limit, place, around);
  return groupsOf(chunks, splitFile(split));
}

async function* groupsOf(chunks: AsyncIterable<Uint8Array>, file: Splitter): AsyncGenerator<readonly SourceRecord[]> {
  for await (const chunk of chunks) {
    const records = file.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    if (records.length > 0) yield records;
  }
  const last = file.end();
  if (last.length > 0) yield last;
}

/** A splitter that counts lines. */
interface FileSplitter extends Splitter {
  readonly counts: () => LineCounts;
}

/** Makes a splitter for the first byte that is not white space (undefined when there is none) and its line. */
type SplitterBy = (first: number | undefined, line: number) => Splitter;

function byFirstByte(limit: number): SplitterBy {
  return (first, line) => (first === OPEN_ARRAY ? splitArray(line, limit) : splitLines(line, limit));
}

/** Determines the format of a file from its first byte that is not white space, and splits it accordingly. */
function splitFile(splitterBy: SplitterBy): FileSplitter {
  let splitter: Splitter | null = null;
  let isArray = false;
  let line = 1;
  /** The first bytes, until there are enough of them to recognize a byte order mark; null from then on. */
  let head: Buffer | null = Buffer.alloc(0);
  const passed = { lines: 0, records: 0, isLineOpen: false };

  const pushOn = (chunk: Buffer): SourceRecord[] => {
    if (splitter !== null) return splitter.push(chunk);
    const first = firstOfText(chunk);
    line += lineFeeds(chunk.subarray(0, first));
    if (first === chunk.length) return [];
    isArray = chunk[first] === OPEN_ARRAY;
    splitter = splitterBy(chunk[first], line);
    return splitter.push(chunk.subarray(first));
  };

  const push = (chunk: Buffer): SourceRecord[] => {
    const found = pushOn(chunk);
    passed.lines += lineFeeds(chunk);
    if (chunk.length > 0) passed.isLineOpen = chunk.at(-1) !== LINE_FEED;
    passed.records += found.length;
    return found;
  };

  return {
    push(chunk) {
      if (head === null) return push(chunk);
      head = Buffer.concat([head, chunk]);
      if (head.length < 3) return [];
      const start = withoutMark(head);
      head = null;
      return push(start);
    },
    end() {
      const found = head === null ? [] : push(withoutMark(head));
      if (passed.isLineOpen) passed.lines += 1;
      splitter ??= splitterBy(undefined, line);
      const last = splitter.end();
      passed.records += last.length;
      return [...found, ...last];
    },
    counts: () => {
      const blank = isArray ? 0 : passed.lines - passed.records;
      return { lines: passed.lines, skipped: new Map(blank > 0 ? [['blank', blank]] : []) };
    },
  };
}

function withoutMark(head: Buffer): Buffer {
  const shown = encodingShownBy(head);
  if (shown === 'utf-16')
    throw new MessageFault('utf-16', 'The file is UTF-16.', 'Save it as UTF-8 and import it again.');
  if (shown === 'gzip')
    throw new MessageFault(
      'compressed',
      'The file is compressed.',
      'Unpack it first: gunzip -c FILE | ./logistics-connect import RESOURCE - --activity CODE',
    );
  return shown === 'utf-8' ? head.subarray(3) : head;
}
