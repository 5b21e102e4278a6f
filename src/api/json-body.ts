// Reads a request body that is one JSON array, an element at a time, so that no body, however made, holds up others for
// long.
import { textBlock } from '../model/text-block.ts';
import { isAscii, isUtf8 } from 'node:buffer';
import { isObject } from '../model/check.ts';
import { deepestNesting, jsonFault, repeatedProperties } from '../model/json-fault.ts';
import { Problem } from '../model/problem.ts';
import { quoted } from '../model/text.ts';
import { type Element, elementsOf, type Pause, skipBlanks } from './json-elements.ts';

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
  | {
      readonly kind: 'repeated';
      readonly value: unknown;
      readonly path: readonly (string | number)[];
      readonly detail: string;
    }
  | { readonly kind: 'unread'; readonly code: 'too-large' | 'too-deep' | 'too-many'; readonly detail: string };

/** A JSON array whose elements are not parsed yet. */
export interface ArrayBody {
  readonly length: number;
  /** @throws Problem `malformed-json` */
  readonly read: (index: number) => ReadElement;
}

/** Longest element in bytes; parsing one that is longer would take too long at a time. */
export const maxElementBytes = 1_048_576;

/** Most objects in one element and in one body: a few bytes of each become many once every property is written out. */
export const maxObjects = { element: 2001, body: 50_000 };

/** Most properties in one element, those of objects inside of it too: what is parsed at once must not take long. */
export const maxProperties = 40_000;

/**
 * Finds the elements of the array. That they are JSON shows when they are read.
 * @param pause lets others have their turn: looking at all of a body takes a while
 * @throws Problem `malformed-json`; `validation-failed` where the body is something else than an array, or has too few
 * or too many elements
 */
export async function readArrayBody(sent: Buffer, rule: ArrayRule, pause: Pause): Promise<ArrayBody> {
  const body = withoutMark(sent);
  requireUtf8(body, rule);
  await pause();
  const start = skipBlanks(body, 0);
  if (body[start] !== OPEN_ARRAY) throw noArray(body, rule);
  const { elements, end, closed } = await elementsOf(body, start, rule.most, pause);
  if (elements.length > rule.most)
    throw new Problem(
      'validation-failed',
      `The body has more than ${rule.most} ${rule.noun}. Send them in several requests.`,
    );
  const broken = async (at: number, detail: string): Promise<Problem> =>
    (await firstFault(body, elements, pause)) ?? malformed(body, at, detail);
  if (!closed)
    throw await broken(
      end,
      end < body.length
        ? 'The array is closed by } instead of ].'
        : 'The body ends before ] closes the array: it may have been cut off.',
    );
  const rest = skipBlanks(body, end + 1);
  if (rest < body.length) throw await broken(rest, 'Something follows the end of the array.');
  if (elements.length === 0)
    throw new Problem('validation-failed', `The array is empty. Send 1 to ${rule.most} ${rule.noun}.`);
  const objects = elements.reduce((sum, element) => sum + element.objects, 0);
  if (objects > maxObjects.body)
    throw new Problem(
      'validation-failed',
      textBlock`
        The body has ${objects} objects, counting those inside of others; ${maxObjects.body} are allowed. Send fewer
        ${rule.noun} at a time.
      `,
    );
  const encoding = isAscii(body) ? 'latin1' : 'utf8';
  return { length: elements.length, read: (index) => readElement(body, elements[index], encoding) };
}

const OPEN_ARRAY = 0x5b;

function readElement(body: Buffer, element: Element | undefined, encoding: 'latin1' | 'utf8'): ReadElement {
  if (element === undefined) throw new Error('the array has no such element');
  const { start, end, depth, objects, colons } = element;
  if (end - start > maxElementBytes)
    return { kind: 'unread', code: 'too-large', detail: `The item is longer than ${maxElementBytes} bytes.` };
  if (depth > deepestNesting)
    return {
      kind: 'unread',
      code: 'too-deep',
      detail: `The item nests values more than ${deepestNesting} levels deep.`,
    };
  if (objects > maxObjects.element)
    return {
      kind: 'unread',
      code: 'too-many',
      detail: `The item has more than ${maxObjects.element - 1} objects inside.`,
    };
  if (colons > maxProperties)
    return { kind: 'unread', code: 'too-many', detail: `The item has more than ${maxProperties} properties.` };
  const text = body.toString(encoding, start, end);
  const value = parsed(text);
  if (value === undefined) throw elementFault(body, start, text);
  // JSON.parse keeps the last of several values under one name, without a word: the others would be lost.
  if (propertiesIn(value) === colons) return { kind: 'value', value };
  const [path = []] = repeatedProperties(text, 1);
  return {
    kind: 'repeated',
    value,
    path,
    detail: `${quoted(String(path.at(-1)))} occurs twice in one object: send each property once.`,
  };
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
  if (skipBlanks(body, 0) === body.length)
    throw new Problem('malformed-json', `The body is empty. Send a JSON array of 1 to ${most} ${noun}.`);
  const wide =
    (body[0] === 0xff && body[1] === 0xfe) || (body[0] === 0xfe && body[1] === 0xff) || body.subarray(0, 4).includes(0);
  if (wide)
    throw new Problem('malformed-json', 'The body is not UTF-8 but, as it seems, UTF-16 or UTF-32. Send it as UTF-8.');
  if (isUtf8(body)) return;
  throw malformed(
    body,
    firstForeignByte(body),
    'A byte here is not UTF-8. Send the body as UTF-8, not in the code page of a system.',
  );
}

/** A byte order mark says nothing of UTF-8 that a parser needs (RFC 8259, section 8.1): it is read over. */
function withoutMark(body: Buffer): Buffer {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;
}

/** Where a body stops being UTF-8. Only the block that holds it is decoded: checking is a hundred times as fast. */
function firstForeignByte(body: Buffer): number {
  for (let start = 0; start < body.length; ) {
    let end = Math.min(start + 65_536, body.length);
    // A block ends in front of a character.
    while (end < body.length && end > start + 1 && ((body[end] ?? 0) & 0xc0) === 0x80) end -= 1;
    const block = body.subarray(start, end);
    if (!isUtf8(block)) return start + Buffer.byteLength(block.toString('utf8').split('\ufffd', 1).join(''));
    start = end;
  }
  return body.length;
}

function noArray(body: Buffer, { noun, most }: ArrayRule): Problem {
  const text = body.length > maxElementBytes ? null : body.toString('utf8');
  const value = text === null ? null : parsed(text);
  if (text !== null && value === undefined) return elementFault(body, 0, text);
  const only = `The body must be a JSON array of 1 to ${most} ${noun}`;
  if (!isObject(value)) return new Problem('validation-failed', `${only}.`);
  const names = Object.keys(value);
  const wrapped = names.find((name) => Array.isArray(value[name]) && (name === noun || names.length === 1));
  const advice =
    wrapped === undefined
      ? 'put the object in brackets: [ … ].'
      : `send the array that is under ${JSON.stringify(wrapped.slice(0, 40))} by itself.`;
  return new Problem('validation-failed', `${only}, not an object: ${advice}`);
}

/** The fault of the first element that is no JSON, if any. */
async function firstFault(body: Buffer, elements: readonly Element[], pause: Pause): Promise<Problem | null> {
  for (const { start, end } of elements) {
    await pause();
    if (end - start > maxElementBytes) return null;
    const text = body.toString('utf8', start, end);
    if (parsed(text) === undefined) return elementFault(body, start, text);
  }
  return null;
}

function elementFault(body: Buffer, start: number, text: string): Problem {
  if (text.trim() === '')
    return malformed(body, start + Buffer.byteLength(text), 'An element is missing here: there is a comma too many.');
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
