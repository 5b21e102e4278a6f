// Reads a request body that is one JSON array, an element at a time, so that no body, however made, holds up others for long.
import { isAscii, isUtf8 } from 'node:buffer';
import { isObject } from '../model/check.ts';
import { Problem } from '../model/problem.ts';
import { quoted } from '../model/text.ts';
import { deepestNesting, jsonFault, repeatedProperties } from './json-fault.ts';

/** What a body may hold. */
export interface ArrayRule {
  /** What the elements are called, in the plural: `articles`. */
  readonly noun: string;
  readonly most: number;
}

/** What became of an element. */
export type ReadElement =
  | { readonly kind: 'value'; readonly value: unknown }
  /** A name occurs twice in one object; `path` leads from the element to it. The value has the last one. */
  | { readonly kind: 'repeated'; readonly value: unknown; readonly path: readonly (string | number)[]; readonly detail: string }
  | { readonly kind: 'unread'; readonly code: 'too-large' | 'too-deep' | 'too-many'; readonly detail: string };

/** A JSON array whose elements are not parsed yet. */
export interface ArrayBody {
  readonly length: number;
  /** @throws Problem `malformed-json` */
  readonly read: (index: number) => ReadElement;
}

/** Longest element in bytes; parsing one that is longer would take too long at a time. */
export const longestElement = 1_048_576;

/** Most objects in one element and in one body: a few bytes of each become many once every property is written out. */
export const mostObjects = { element: 2001, body: 50_000 };

/**
 * Finds the elements of the array. That they are JSON shows when they are read.
 * @throws Problem `malformed-json`; `validation-failed` where the body is something else than an array, or has too few or too many elements
 */
export function readArrayBody(body: Buffer, rule: ArrayRule): ArrayBody {
  requireUtf8(body, rule);
  const start = skipBlanks(body, 0);
  if (body[start] !== OPEN_ARRAY) throw noArray(body, rule);
  const { elements, end, closed } = elementsOf(body, start, rule.most);
  if (elements.length > rule.most) throw new Problem('validation-failed', `The body has more than ${rule.most} ${rule.noun}. Send them in several requests.`);
  const broken = (at: number, detail: string): Problem => firstFault(body, elements) ?? malformed(body, at, detail);
  if (!closed) throw broken(end, end < body.length ? 'The array is closed by } instead of ].' : 'The body ends before ] closes the array: it may have been cut off.');
  const rest = skipBlanks(body, end + 1);
  if (rest < body.length) throw broken(rest, 'Something follows the end of the array.');
  if (elements.length === 0) throw new Problem('validation-failed', `The array is empty. Send 1 to ${rule.most} ${rule.noun}.`);
  const objects = elements.reduce((sum, element) => sum + element.objects, 0);
  if (objects > mostObjects.body) throw new Problem('validation-failed', `The body has ${objects} objects, counting those inside of others; ${mostObjects.body} are allowed. Send fewer ${rule.noun} at a time.`);
  const encoding = isAscii(body) ? 'latin1' : 'utf8';
  return { length: elements.length, read: (index) => readElement(body, elements[index], encoding) };
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Where an element stands, and what was seen of it: levels of nesting, objects, and colons, of which each property has one. */
interface Element { readonly start: number; readonly end: number; readonly depth: number; readonly objects: number; readonly colons: number }

interface Elements {
  /** One more than allowed where there are more; the last one may be unfinished. */
  readonly elements: readonly Element[];
  /** Where the array ends, and whether it is closed there. */
  readonly end: number;
  readonly closed: boolean;
}

function elementsOf(body: Buffer, open: number, most: number): Elements {
  const elements: Element[] = [];
  let start = open + 1;
  for (;;) {
    const element = elementAt(body, start);
    const { end } = element;
    const [goesOn, closed] = [body[end] === COMMA, body[end] === CLOSE_ARRAY];
    // A comma before the bracket promises one more.
    if (goesOn || skipBlanks(body, start) < end || (closed && elements.length > 0)) elements.push(element);
    if (!goesOn || elements.length > most) return { elements, end, closed };
    start = end + 1;
  }
}

/** Looks for the comma or bracket after an element. One plain loop, because it sees every byte of every body. */
function elementAt(body: Buffer, start: number): Element {
  const { length } = body;
  let [depth, deepest, objects, colons] = [0, 0, 0, 0];
  let at = start;
  for (; at < length; at++) {
    const byte = body[at];
    if (byte === QUOTE) {
      at += 1;
      while (at < length && body[at] !== QUOTE) at += body[at] === BACKSLASH ? 2 : 1;
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
  return { start, end: Math.min(at, length), depth: deepest, objects, colons };
}

function readElement(body: Buffer, element: Element | undefined, encoding: 'latin1' | 'utf8'): ReadElement {
  if (element === undefined) throw new Error('the array has no such element');
  const { start, end, depth, objects, colons } = element;
  if (end - start > longestElement) return { kind: 'unread', code: 'too-large', detail: `The item is longer than ${longestElement} bytes.` };
  if (depth > deepestNesting) return { kind: 'unread', code: 'too-deep', detail: `The item nests values more than ${deepestNesting} levels deep.` };
  if (objects > mostObjects.element) return { kind: 'unread', code: 'too-many', detail: `The item has more than ${mostObjects.element - 1} objects inside.` };
  const text = body.toString(encoding, start, end);
  const value = parsed(text);
  if (value === undefined) throw elementFault(body, start, text);
  // JSON.parse keeps the last of several values under one name, without a word: the others would be lost.
  if (propertiesIn(value) === colons) return { kind: 'value', value };
  const [path = []] = repeatedProperties(text, 1);
  return { kind: 'repeated', value, path, detail: `${quoted(String(path.at(-1)))} occurs twice in one object: send each property once.` };
}

/** The value that a text stands for; undefined where it is no JSON. */
function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Properties of a value and of all that is inside; its nesting is limited. */
function propertiesIn(value: unknown): number {
  let count = 0;
  if (Array.isArray(value)) for (const element of value) count += propertiesIn(element);
  else if (isObject(value)) for (const name in value) count += 1 + propertiesIn(value[name]);
  return count;
}

function requireUtf8(body: Buffer, { noun, most }: ArrayRule): void {
  if (skipBlanks(body, 0) === body.length) throw new Problem('malformed-json', `The body is empty. Send a JSON array of 1 to ${most} ${noun}.`);
  const wide = (body[0] === 0xff && body[1] === 0xfe) || (body[0] === 0xfe && body[1] === 0xff) || body.subarray(0, 4).includes(0);
  if (wide) throw new Problem('malformed-json', 'The body is not UTF-8 but, as it seems, UTF-16 or UTF-32. Send it as UTF-8.');
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) throw new Problem('malformed-json', 'The body begins with a byte order mark (BOM). Send UTF-8 without one.');
  if (isUtf8(body)) return;
  const before = body.toString('utf8').split('\ufffd', 1).join('');
  throw malformed(body, Buffer.byteLength(before), 'A byte here is not UTF-8. Send the body as UTF-8, not in the code page of a system.');
}

function noArray(body: Buffer, { noun, most }: ArrayRule): Problem {
  const text = body.length > longestElement ? null : body.toString('utf8');
  const value = text === null ? null : parsed(text);
  if (text !== null && value === undefined) return elementFault(body, 0, text);
  const only = `The body must be a JSON array of 1 to ${most} ${noun}`;
  if (!isObject(value)) return new Problem('validation-failed', `${only}.`);
  const names = Object.keys(value);
  const wrapped = names.find((name) => Array.isArray(value[name]) && (name === noun || names.length === 1));
  const advice = wrapped === undefined ? 'put the object in brackets: [ … ].' : `send the array that is under ${JSON.stringify(wrapped.slice(0, 40))} by itself.`;
  return new Problem('validation-failed', `${only}, not an object: ${advice}`);
}

/** The fault of the first element that is no JSON, if any. */
function firstFault(body: Buffer, elements: readonly Element[]): Problem | null {
  for (const { start, end } of elements) {
    if (end - start > longestElement) return null;
    const text = body.toString('utf8', start, end);
    if (parsed(text) === undefined) return elementFault(body, start, text);
  }
  return null;
}

function elementFault(body: Buffer, start: number, text: string): Problem {
  if (text.trim() === '') return malformed(body, start + Buffer.byteLength(text), 'An element is missing here: there is a comma too many.');
  const fault = jsonFault(text) ?? { at: 0, detail: 'The value that begins here is not valid.' };
  return malformed(body, start + Buffer.byteLength(text.slice(0, fault.at)), fault.detail);
}

/** @param at in bytes */
function malformed(body: Buffer, at: number, detail: string): Problem {
  let line = 1;
  let lineStart = 0;
  for (let index = 0; index < at; index++) {
    if (body[index] !== 0x0a) continue;
    line += 1;
    lineStart = index + 1;
  }
  const column = body.toString('utf8', lineStart, at).length + 1;
  return new Problem('malformed-json', `The body is not valid JSON at line ${line}, column ${column}: ${detail}`);
}

function skipBlanks(body: Buffer, from: number): number {
  let at = from;
  while (body[at] === 0x20 || body[at] === 0x0a || body[at] === 0x0d || body[at] === 0x09) at += 1;
  return at;
}
