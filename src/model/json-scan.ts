// Finds the ends of the elements of a JSON array, or of the members of an object, in bytes as they arrive and without
// parsing them.

import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  LINE_FEED,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
} from './json-bytes.ts';

/** The state of scanning one element. */
interface Scan {
  inString: boolean;
  /** Inside a string, right after a backslash. */
  escaped: boolean;
  /** Brackets open now, and the most that were open at once. */
  depth: number;
  deepest: number;
  objects: number;
  /** Outside strings: one for each property. */
  colons: number;
}

/** The state before the first byte of an element. */
export function newScan(): Scan {
  return { inString: false, escaped: false, depth: 0, deepest: 0, objects: 0, colons: 0 };
}

/**
 * Continues scanning an element. Only brackets, strings, commas and colons matter here: whether the element is JSON
 * shows when it is parsed. One plain loop, because it sees every byte of every body and file.
 * @param stringsEndWithLine a JSON string holds no raw line feed, so one without its closing quote ends with its line
 * @returns index of the comma or closing bracket that ends the element, or `until` when it has not arrived yet
 */
export function scanOn(bytes: Buffer, from: number, until: number, scan: Scan, stringsEndWithLine = false): number {
  if (from >= until) return until;
  let { inString, depth, deepest, objects, colons } = scan;
  let at = from;
  if (inString) {
    const start = scan.escaped && !(stringsEndWithLine && bytes[at] === LINE_FEED) ? at + 1 : at;
    at = endOfString(bytes, start, until, stringsEndWithLine) + 1;
    inString = at > until;
  }
  for (; at < until; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at += 1;
      if (stringsEndWithLine) at = endOfString(bytes, at, until, true);
      else while (at < until && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
      inString = at >= until;
    } else if (byte === COLON) {
      colons += 1;
    } else if (byte === COMMA) {
      if (depth === 0) break;
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (byte === OPEN_OBJECT) objects += 1;
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      if (depth === 0) break;
      depth -= 1;
    }
  }
  // The character that the last byte escapes has been skipped: the index is then two beyond the end, because the loop
  // advanced it as well.
  Object.assign(scan, { inString, escaped: inString && at > until + 1, depth, deepest, objects, colons });
  return Math.min(at, until);
}

/** Index of the quote or line feed that ends a string; if there is none, `until` or one more. */
function endOfString(bytes: Buffer, from: number, until: number, stringsEndWithLine: boolean): number {
  const lineEnd = stringsEndWithLine ? LINE_FEED : -1;
  let at = from;
  while (at < until && bytes[at] !== QUOTE && bytes[at] !== lineEnd)
    at += bytes[at] === BACKSLASH && bytes[at + 1] !== lineEnd ? 2 : 1;
  return at;
}

/**
 * Number of line feeds. The next one is searched only where the last few bytes held none: a search costs as much as
 * looking at some dozen bytes, and there is data that is nothing but line feeds.
 */
export function lineFeeds(bytes: Buffer): number {
  let count = 0;
  for (let at = 0; at >= 0 && at < bytes.length; ) {
    const near = Math.min(at + 64, bytes.length);
    const before = count;
    for (; at < near; at += 1) if (bytes[at] === LINE_FEED) count += 1;
    if (count === before) at = bytes.indexOf(LINE_FEED, at);
  }
  return count;
}

/** Index of the first byte that is not whitespace; the length when there is none. */
export function firstOfText(bytes: Buffer): number {
  let at = 0;
  while (at < bytes.length && isBlank(bytes[at])) at += 1;
  return at;
}

/** True for the four whitespace bytes of JSON. */
export function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
