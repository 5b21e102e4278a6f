// Locates the elements of a JSON array or object in the bytes of a body, in stretches and without parsing them.
import type { Pause } from './record-reader.ts';
import { isBlank, newScan, scanOn } from './json-scan.ts';

/**
 * The extent of an element without surrounding blanks, and what was counted in it: nesting levels, objects, and colons,
 * one for each property.
 */
export interface Element {
  readonly start: number;
  readonly end: number;
  readonly depth: number;
  readonly objects: number;
  readonly colons: number;
}

interface Elements {
  /** At most one more than allowed; the last one may be incomplete. */
  readonly elements: readonly Element[];
  /** Where the array or object ends, and whether it was closed by the matching bracket. */
  readonly end: number;
  readonly closed: boolean;
}

/**
 * Locates the elements of an array, or the members of an object.
 * @param open index of its opening bracket
 */
export async function scanElements(body: Buffer, open: number, max: number, pause: Pause): Promise<Elements> {
  const elements: Element[] = [];
  const closing = body[open] === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_ARRAY;
  let from = open + 1;
  for (;;) {
    const element = await elementAt(body, from, pause);
    const { end } = element;
    const start = skipBlanks(body, from);
    const [goesOn, closed] = [body[end] === COMMA, body[end] === closing];
    // A comma before the closing bracket announces another element.
    if (goesOn || start < end || (closed && elements.length > 0))
      elements.push({ ...element, start, end: endWithoutBlanks(body, start, end) });
    if (!goesOn || elements.length > max) return { elements, end, closed };
    from = end + 1;
  }
}

/** Index of the first byte from `from` that is not JSON whitespace. */
export function skipBlanks(body: Buffer, from: number): number {
  const near = Math.min(from + fewBlanks, body.length);
  for (let at = from; at < near; at += 1) {
    if (!isBlank(body[at])) return at;
  }
  // A body may consist of megabytes of whitespace, for which the regular expression takes a tenth of the time.
  for (let at = near; at < body.length; at += maxBlanksAtOnce) {
    const found = body.toString('latin1', at, at + maxBlanksAtOnce).search(/[^ \n\r\t]/);
    if (found >= 0) return at + found;
  }
  return body.length;
}

function endWithoutBlanks(body: Buffer, start: number, end: number): number {
  let last = end;
  while (last > start && isBlank(body[last - 1])) last -= 1;
  return last;
}

/** Bytes. */
const fewBlanks = 64;
const maxBlanksAtOnce = 65_536;

const COMMA = 0x2c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Bytes examined in one stretch: some eight milliseconds. */
const stretchBytes = 1_048_576;

/** Finds the comma or bracket after an element; the result still includes surrounding blanks. */
async function elementAt(body: Buffer, start: number, pause: Pause): Promise<Element> {
  const scan = newScan();
  let end = start;
  for (;;) {
    const until = Math.min(end + stretchBytes, body.length);
    end = scanOn(body, end, until, scan);
    await pause();
    if (end < until || until === body.length) break;
  }
  return { start, end, depth: scan.deepest, objects: scan.objects, colons: scan.colons };
}
