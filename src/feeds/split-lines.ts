// Splits newline-delimited JSON into records, one per line.
import { LINE_FEED } from '../model/json-bytes.ts';
import { isUtf8 } from 'node:buffer';
import { isBlank } from '../model/json-scan.ts';
import { lastRecord, parseRecord, recordTooLong } from './record-splitter.ts';
import type { SourceRecord, Splitter } from './record-splitter.ts';

/**
 * Each line that is not blank is a record; JSON treats a carriage return before the line feed as white space. The last
 * line needs no line feed; if it also is not JSON, it was truncated and is refused as `truncated`.
 * @param firstLine number of the line of the first byte
 * @param limit most bytes of one line; a longer one is refused and never held in memory
 */
export function splitLines(firstLine: number, limit: number): Splitter {
  let line = firstLine;
  let carried: Buffer[] = [];
  let carriedLength = 0;
  let skipping = false;

  const carry = (rest: Buffer): void => {
    if (skipping || rest.length === 0) return;
    carried.push(rest);
    carriedLength += rest.length;
    if (carriedLength <= limit) return;
    carried = [];
    carriedLength = 0;
    skipping = true;
  };

  const takeCarried = (rest: Buffer): Buffer => {
    const whole = carriedLength === 0 ? rest : Buffer.concat([...carried, rest]);
    carried = [];
    carriedLength = 0;
    return whole;
  };

  const splitBlock = (block: Buffer, found: SourceRecord[]): void => {
    const valid = isUtf8(block);
    for (let start = 0; start < block.length; ) {
      // Blank lines, of which there may be as many as bytes, are not searched.
      let text = start;
      while (isBlank(block[text]) && block[text] !== LINE_FEED) text += 1;
      const isEmpty = block[text] === LINE_FEED;
      const end = isEmpty ? text : block.indexOf(LINE_FEED, text);
      if (end - start > limit) found.push(recordTooLong(line, limit));
      else if (!isEmpty) found.push(parseRecord(block.subarray(start, end), line, valid));
      start = end + 1;
      line += 1;
    }
  };

  return {
    push(chunk) {
      const found: SourceRecord[] = [];
      let rest = chunk;
      if (skipping) {
        const end = rest.indexOf(LINE_FEED);
        if (end < 0) return found;
        found.push(recordTooLong(line, limit));
        skipping = false;
        line += 1;
        rest = rest.subarray(end + 1);
      }
      const last = rest.lastIndexOf(LINE_FEED);
      if (last >= 0) splitBlock(takeCarried(rest.subarray(0, last + 1)), found);
      carry(rest.subarray(last + 1));
      return found;
    },
    end() {
      if (skipping) return [recordTooLong(line, limit)];
      const last = takeCarried(Buffer.alloc(0));
      if (isBlankBetween(last, 0, last.length)) return [];
      return [lastRecord(parseRecord(last, line, false), 'line')];
    },
  };
}

function isBlankBetween(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (!isBlank(bytes[at])) return false;
  return true;
}
