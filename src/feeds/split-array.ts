// Splits one JSON array into its elements without parsing the array as a whole.
import { CLOSE_ARRAY, CLOSE_OBJECT, COMMA, LINE_FEED } from '../model/json-bytes.ts';
import { isBlank, lineFeeds, newScan, scanOn } from '../model/json-scan.ts';
import { textBlock } from '../model/text-block.ts';
import { lastRecord, parseRecord, refused, recordTooLong } from './record-splitter.ts';
import type { SourceRecord, Splitter } from './record-splitter.ts';

/** A splitter that reports where its array ended. */
interface ArraySplitter extends Splitter {
  /** Index after the closing bracket in the last chunk; null before it has arrived. */
  readonly endOfArray: () => number | null;
}

/**
 * Each element is a record, with its number; its line is the one on which it starts. A string without its closing quote
 * is assumed to end with its line, so that the damage stays within one element if each member is on a line of its own.
 * An array that is not closed ends with a refusal `truncated`; what was read before it counts.
 * @param firstLine number of the line of the first byte; the first byte that is not white space is `[`
 * @param limit most bytes of one element; a longer one is refused and never held in memory
 */
export function splitArray(firstLine: number, limit: number): ArraySplitter {
  let line = firstLine;
  let opened = false;
  let closed = false;
  let endOfArray: number | null = null;
  let afterComma = false;
  /** Line of the first text after the array; 0 when there is none. */
  let trailing = 0;
  /** Line of the element being read; 0 between elements. */
  let elementLine = 0;
  let elements = 0;
  let scan = newScan();
  let carried: Buffer[] = [];
  let carriedLength = 0;

  const carry = (part: Buffer): void => {
    line += lineFeeds(part);
    carriedLength += part.length;
    if (carriedLength > limit) carried = [];
    else carried.push(part);
  };

  const takeElement = (part: Buffer): SourceRecord => {
    line += lineFeeds(part);
    const length = carriedLength + part.length;
    const bytes = length > limit || carriedLength === 0 ? part : Buffer.concat([...carried, part]);
    const record =
      length > limit ? recordTooLong(elementLine, limit) : parseRecord(bytes, elementLine, false, scan.colons);
    carried = [];
    carriedLength = 0;
    elementLine = 0;
    return numbered(record);
  };

  const numbered = (record: SourceRecord): SourceRecord => {
    elements += 1;
    return { ...record, element: elements };
  };

  const push = (chunk: Buffer): SourceRecord[] => {
    const found: SourceRecord[] = [];
    let start = 0;
    for (let at = opened ? 0 : 1; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (elementLine === 0) {
        if (isBlank(byte)) {
          if (byte === LINE_FEED) line += 1;
          continue;
        }
        if (closed) {
          if (trailing === 0) trailing = line;
          continue;
        }
        if (byte === COMMA || byte === CLOSE_ARRAY) {
          if (byte === COMMA || afterComma) found.push(numbered(missing(line)));
          afterComma = byte === COMMA;
          closed = !afterComma;
          if (closed) endOfArray = at + 1;
          continue;
        }
        elementLine = line;
        start = at;
        scan = newScan();
      }
      at = scanOn(chunk, at, chunk.length, scan, true);
      // The parser refuses an extra brace.
      if (at === chunk.length || chunk[at] === CLOSE_OBJECT) continue;
      afterComma = chunk[at] === COMMA;
      closed = !afterComma;
      if (closed) endOfArray = at + 1;
      found.push(takeElement(chunk.subarray(start, at)));
    }
    opened = true;
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
    const cut = last === null ? null : { ...lastRecord(last, 'record'), element: elements };
    if (cut !== null && !cut.ok && cut.reason.code === 'truncated') return [cut];
    const open = refused(
      line,
      null,
      'truncated',
      'The file ends before "]" closes the array: records may be missing. What was read before counts.',
    );
    return cut === null ? [open] : [cut, open];
  };

  return { push, end, endOfArray: () => endOfArray };
}

function missing(line: number): SourceRecord {
  return refused(
    line,
    '',
    'not-json',
    'An element is missing: two commas follow each other, or one stands at an end of the array.',
  );
}
