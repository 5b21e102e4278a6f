// Looks for the ends of the elements of a JSON array, or of the members of an object, in bytes as they come and without
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

/** What has been seen of an element so far. */
interface Scan {
  inString: boolean;
  /** Within a string, right behind a backslash. */
  escaped: boolean;
  /** Brackets that are open at the moment, and at most. */
  depth: number;
  deepest: number;
  objects: number;
  /** Outside of strings: each property has one. */
  colons: number;
}

/** Nothing has been seen of the element yet. */
export function newScan(): Scan {
  return { inString: false, escaped: false, depth: 0, deepest: 0, objects: 0, colons: 0 };
}

/**
 * Goes on with an element. Only brackets, strings, commas and colons are looked at: whether the element is JSON shows
 * when it is parsed. One plain loop, because it sees every byte of every body and file.
 * @param stringsEndWithLine no JSON string holds a raw line feed: one without its closing quote ends with its line
 * @returns where the comma or the closing bracket stands that ends the element, or `until` where none has come yet
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
  // What the last byte escapes has been passed over: it is two beyond the end, as the loop went one on as well.
  Object.assign(scan, { inString, escaped: inString && at > until + 1, depth, deepest, objects, colons });
  return Math.min(at, until);
}

/** Where the quote or the line feed stands that ends a string; where none does, `until`, or one after it. */
function endOfString(bytes: Buffer, from: number, until: number, stringsEndWithLine: boolean): number {
  const lineEnd = stringsEndWithLine ? LINE_FEED : -1;
  let at = from;
  while (at < until && bytes[at] !== QUOTE && bytes[at] !== lineEnd)
    at += bytes[at] === BACKSLASH && bytes[at + 1] !== lineEnd ? 2 : 1;
  return at;
}

/** How many line feeds there are. Byte by byte: to look for each would cost much where there is nothing else. */
export function lineFeeds(bytes: Buffer): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === LINE_FEED) count += 1;
  return count;
}

/** Where the first byte is that is no blank; the length where all of them are. */
export function firstOfText(bytes: Buffer): number {
  let at = 0;
  while (at < bytes.length && isBlank(bytes[at])) at += 1;
  return at;
}

/** True for the four bytes that JSON takes as blanks. */
export function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
