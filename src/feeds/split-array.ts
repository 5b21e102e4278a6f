// Splits one JSON array into its elements without parsing the array as a whole.
import { textBlock } from '../model/text-block.ts';
import { lastRecord, parseRecord, refused, tooLong } from './record-splitter.ts';
import type { SourceRecord, Splitter } from './record-splitter.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;
const CLOSE_ARRAY = 0x5d;

const OTHER = 0;
const BLANK = 1;
const NEW_LINE = 2;
const STRING = 3;
const OPENING = 4;
const CLOSING = 5;
const COMMA = 6;
/** What each byte means outside of a string. */
const MEANING = Uint8Array.from({ length: 256 }, (_, byte) => {
  const found = [' \t\r', '\n', '"', '[{', ']}', ','].findIndex((bytes) => bytes.includes(String.fromCharCode(byte)));
  return found < 0 ? OTHER : found + 1;
});

/**
 * Each element is a record; its line is the one on which it starts. Only brackets, strings and commas are looked at:
 * whether an element is JSON is decided by parsing it. No JSON string holds a raw line feed, so a string that lacks its
 * closing quote is taken to end with its line, and the damage stays within one element where each member stands on a
 * line of its own. An array that is not closed ends with a refusal `truncated`; what was read before it counts.
 * @param firstLine number of the line that the first byte stands on; the first byte that is no blank is `[`
 * @param limit most bytes of one element; a longer one is refused and never held in memory
 */
export function splitArray(firstLine: number, limit: number): Splitter {
  let line = firstLine;
  /** 0 before the array, 1 between its elements, more inside of one. */
  let depth = 0;
  let inString = false;
  let escaped = false;
  let closed = false;
  let afterComma = false;
  /** Line of the first text after the array; 0 while there is none. */
  let trailing = 0;
  /** Line of the element that is being read; 0 between elements. */
  let elementLine = 0;
  let carried: Buffer[] = [];
  let carriedLength = 0;

  const carry = (part: Buffer): void => {
    carriedLength += part.length;
    if (carriedLength > limit) carried = [];
    else carried.push(part);
  };

  const takeElement = (part: Buffer): SourceRecord => {
    const length = carriedLength + part.length;
    const bytes = length > limit || carriedLength === 0 ? part : Buffer.concat([...carried, part]);
    const record = length > limit ? tooLong(elementLine, limit) : parseRecord(bytes, elementLine, false);
    carried = [];
    carriedLength = 0;
    elementLine = 0;
    return record;
  };

  /** Index of the last byte of the string that `from` lies in, or the end of the chunk. */
  const skipString = (chunk: Buffer, from: number): number => {
    let at = from;
    if (escaped && at < chunk.length) {
      escaped = false;
      if (chunk[at] !== LINE_FEED) at += 1;
    }
    while (at < chunk.length) {
      const byte = chunk[at];
      if (byte === BACKSLASH) {
        escaped = at + 1 === chunk.length;
        at += chunk[at + 1] === LINE_FEED ? 1 : 2;
      } else if (byte === QUOTE || byte === LINE_FEED) {
        inString = false;
        return byte === QUOTE ? at : at - 1;
      } else at += 1;
    }
    return chunk.length;
  };

  const push = (chunk: Buffer): SourceRecord[] => {
    const found: SourceRecord[] = [];
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      if (inString) {
        at = skipString(chunk, at);
        continue;
      }
      const meaning = MEANING[chunk[at] ?? 0];
      if (meaning === BLANK || (meaning === OTHER && elementLine > 0)) continue;
      if (meaning === NEW_LINE) {
        line += 1;
      } else if (closed) {
        if (trailing === 0) trailing = line;
      } else if (depth === 0) {
        depth = 1;
      } else if (depth === 1 && (meaning === COMMA || chunk[at] === CLOSE_ARRAY)) {
        if (elementLine > 0) found.push(takeElement(chunk.subarray(start, at)));
        else if (meaning === COMMA || afterComma) found.push(missing(line));
        afterComma = meaning === COMMA;
        closed = !afterComma;
      } else {
        if (elementLine === 0) {
          elementLine = line;
          start = at;
        }
        if (meaning === STRING) inString = true;
        else if (meaning === OPENING) depth += 1;
        else if (meaning === CLOSING && depth > 1) depth -= 1;
      }
    }
    if (elementLine > 0) carry(chunk.subarray(start));
    return found;
  };

  const end = (): SourceRecord[] => {
    if (trailing > 0)
      return [
        refused(
          trailing,
          null,
          'trailing-text',
          textBlock`
            Text follows the end of the array; only the elements of the array were read. Join the arrays, or write a
            record on each line.
          `,
        ),
      ];
    if (closed) return [];
    const last = elementLine > 0 ? takeElement(Buffer.alloc(0)) : null;
    const cut = last === null ? null : lastRecord(last, 'record');
    if (cut !== null && !cut.ok && cut.reason.code === 'truncated') return [cut];
    const open = refused(
      line,
      null,
      'truncated',
      'The file ends before "]" closes the array: records may be missing. What was read before counts.',
    );
    return cut === null ? [open] : [cut, open];
  };

  return { push, end };
}

function missing(line: number): SourceRecord {
  return refused(
    line,
    '',
    'not-json',
    'An element is missing: two commas follow each other, or one stands at an end of the array.',
  );
}
