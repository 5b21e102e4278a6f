// What both file formats share: the interface of a splitter, and how the bytes of one record become a value or a
// reason.
import type { ReasonCode } from '../model/reason-codes.ts';
import { textBlock } from '../model/text-block.ts';
import { isUtf8 } from 'node:buffer';
import { repeatedProperties } from '../model/json-fault.ts';
import { QUOTE } from '../model/json-bytes.ts';
import { isBlank, newScan, scanOn } from '../model/json-scan.ts';
import type { Reason } from '../model/record.ts';
import { pointer } from '../model/reasons.ts';
import { countProperties } from '../model/json-properties.ts';

/** A place in a file. */
export interface PlaceInFile {
  /** The line on which it starts, from 1. */
  readonly line: number;
  /** For an element of a JSON array: its number, from 1; all elements may be on one line. */
  readonly element?: number;
}

/** One record of a file: its parsed value, or why there is none. */
export type SourceRecord = PlaceInFile &
  (
    | {
        readonly ok: true;
        /** Number of lines that it was made of; default: one. */
        readonly lines?: number;
        /** JSON. */
        readonly text: string;
        readonly value: unknown;
      }
    | {
        readonly ok: false;
        readonly lines?: number;
        /** As in the file; null when it was too long to hold. */
        readonly text: string | null;
        readonly reason: Reason;
        /** Its other faults. */
        readonly others?: readonly Reason[];
      }
  );

/** The number that identifies a place within its file: for elements of an array their number, else the line. */
export function numberInFile({ line, element }: PlaceInFile): number {
  return element ?? line;
}

/**
 * The displayed form of such a number.
 * @param beside a place in the same file
 */
export function placeText(number: number, beside: PlaceInFile): string {
  return `${beside.element === undefined ? 'Line' : 'Element'} ${number}`;
}

/** Only the place, to be added to other facts. */
export function placeInFile({ line, element }: PlaceInFile): PlaceInFile {
  return element === undefined ? { line } : { line, element };
}

/** Takes the bytes of a file as they arrive and returns the records that they complete. */
export interface Splitter {
  readonly push: (chunk: Buffer) => SourceRecord[];
  /** The file has ended: returns what is left, complete or not. */
  readonly end: () => SourceRecord[];
}

/**
 * Parses the bytes of one record. A record in which an object repeats a member name is refused: JSON.parse would
 * silently keep the last one. A number has the precision of an IEEE double: whole numbers beyond 2^53 are left for the
 * checker to refuse, and a mapping takes their digits from the text.
 * @param bytes UTF-8 text of one JSON value, possibly surrounded by white space
 * @param line line of the file on which the record starts, from 1
 * @param known true when the bytes are known to be UTF-8
 * @param colons number of colons outside strings, which is the number of members in the text; undefined: not known
 */
export function parseRecord(bytes: Buffer, line: number, known: boolean, colons?: number): SourceRecord {
  if (!known && !isUtf8(bytes)) {
    const text = new TextDecoder('windows-1252').decode(bytes);
    return refused(
      line,
      text,
      'bad-encoding',
      'The text is not UTF-8; it is shown here as if it were Windows-1252. Check it, or export the file as UTF-8.',
    );
  }
  return parseText(bytes.toString('utf8'), line, colons);
}

/** Parses the text of one record, like `parseRecord`. */
export function parseText(text: string, line: number, colons?: number): SourceRecord {
  try {
    const value: unknown = JSON.parse(text);
    const properties = countProperties(value);
    const isEachOnce =
      colons === undefined
        ? properties === mostMembers(text, maxColonsPerMember * properties) ||
          properties === colonsIn(Buffer.from(text))
        : properties === colons;
    return isEachOnce ? { ok: true, line, text, value } : repeated(text, line);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return refused(
      line,
      text.trim(),
      'not-json',
      `The record is not JSON: ${error.message.replace(/ \(line \d+ column \d+\)$/, '')}.`,
    );
  }
}

/** An instant with its zone has three, besides the one of its member. */
const maxColonsPerMember = 4;

/**
 * How many members the text has at most: the colons that follow a quote. A string may hold or begin with such a colon,
 * but seldom does, and to know which colons are in strings takes seven times as long for an article.
 * @param maxColons searching more of them would take longer than to know that; infinity where there are more
 */
function mostMembers(text: string, maxColons: number): number {
  let [count, colons] = [0, 0];
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) {
    colons += 1;
    if (colons > maxColons) return Number.POSITIVE_INFINITY;
    let before = at - 1;
    while (isBlank(text.charCodeAt(before))) before -= 1;
    if (text.charCodeAt(before) === QUOTE) count += 1;
  }
  return count;
}

function colonsIn(bytes: Buffer): number {
  const scan = newScan();
  scanOn(bytes, 0, bytes.length, scan);
  return scan.colons;
}

/** In characters; a longer pointer is omitted. */
const maxPointerLength = 300;

function repeated(text: string, line: number): SourceRecord {
  const [path = []] = repeatedProperties(text, 1);
  const place = pointer(path);
  const name = path.length === 0 ? 'A property' : JSON.stringify(String(path.at(-1)).slice(0, 64));
  const reason: Reason = {
    code: 'duplicate-property',
    pointer: place.length > maxPointerLength ? '' : place,
    detail: `${name} occurs twice in one object: keep one of the two.`,
  };
  return { ok: false, line, text: text.trim(), reason };
}

/** A record without a value, and its only reason. */
export function refused(line: number, text: string | null, code: ReasonCode, detail: string): SourceRecord {
  return { ok: false, line, text, reason: { code, pointer: '', detail } };
}

/** The refusal of a record of more than `limit` bytes, whose text is not kept. */
export function recordTooLong(line: number, limit: number): SourceRecord {
  return refused(
    line,
    null,
    'record-too-long',
    textBlock`
      The record is longer than ${limit} bytes; its text is left out here. Split it, or check that each record stands on
      a line of its own.
    `,
  );
}

/**
 * Interprets the last record of a file if nothing marks it as complete: a broken one was truncated, possibly within a
 * character.
 */
export function lastRecord(record: SourceRecord, unit: 'line' | 'record'): SourceRecord {
  if (record.ok || record.text === null || !isBroken(record)) return record;
  return refused(
    record.line,
    record.text,
    'truncated',
    `The file ends within this ${unit}: it was cut off. ${record.reason.detail}`,
  );
}

/**
 * Whether a record is corrupt or not a record at all. An intact one that is refused, for example because of its
 * encoding or a repeated member, is still recognizable.
 */
export function isBroken(record: SourceRecord): boolean {
  if (record.ok) return false;
  const { code } = record.reason;
  return broken.has(code) || (code === 'bad-encoding' && !isJson(record.text ?? ''));
}

const broken: ReadonlySet<string> = new Set([
  'not-json',
  'truncated',
  'trailing-text',
  'record-too-long',
  'bad-quotes',
  'column-count',
  'line-too-short',
  'line-ends',
  'after-trailer',
  'control-count',
]);

function isJson(text: string): boolean {
  const read = parseText(text, 0);
  return read.ok || read.reason.code === 'duplicate-property';
}
