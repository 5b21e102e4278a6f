// Reads a request body that is one JSON array, one element at a time, so that no body, however crafted, delays others
// for long.
import { OPEN_ARRAY } from '../model/json-bytes.ts';
import { isAscii, isUtf8 } from 'node:buffer';
import { isObject } from '../model/check.ts';
import { maxNesting } from '../model/json-fault.ts';
import { Problem } from '../model/problem.ts';
import type { Pause } from '../model/record-reader.ts';
import { type Element, scanElements, skipBlanks } from '../model/json-elements.ts';
import { isLong, maxAtOnce, readInPieces, type Unread } from '../model/json-pieces.ts';
import {
  faultOf,
  type JsonSource,
  type ParsedValue,
  malformed,
  parsed,
  repetition,
  parsedAt,
} from '../model/json-values.ts';

/** What a body may contain. */
export interface ArrayRule {
  /** Name of the elements, in the plural: `articles`. */
  readonly noun: string;
  readonly max: number;
}

/** The result of reading an element. */
export type ReadElement =
  | { readonly kind: 'value'; readonly value: unknown }
  /** An object repeats a name; `path` leads from the element to it. The value contains the last occurrence. */
  | {
      readonly kind: 'repeated';
      readonly value: unknown;
      readonly path: readonly (string | number)[];
      readonly detail: string;
    }
  | ({ readonly kind: 'unread' } & Unread);

/** A JSON array whose elements have not been parsed yet. */
export interface ArrayBody {
  readonly length: number;
  /** Number of all objects in the body, including nested ones. */
  readonly objects: number;
  /** @throws Problem `malformed-json` */
  readonly read: (index: number) => Promise<ReadElement>;
  /** True when an element takes long to read and to check. */
  readonly isLong: (index: number) => boolean;
}

/**
 * Finds the elements of the array. Whether they are valid JSON shows when they are read.
 * @param pause lets other work run: scanning a whole body takes a while
 * @throws Problem `malformed-json`; `validation-failed` when the body is not an array, or has too few or too many
 *   elements
 */
export async function readArrayBody(sent: Buffer, rule: ArrayRule, pause: Pause): Promise<ArrayBody> {
  const body = withoutMark(sent);
  requireUtf8(body, rule);
  await pause();
  const start = skipBlanks(body, 0);
  if (body[start] !== OPEN_ARRAY) throw noArray(body, rule);
  const { elements, end, closed } = await scanElements(body, start, rule.max, pause);
  if (elements.length > rule.max)
    throw new Problem(
      'validation-failed',
      `The body has more than ${rule.max} ${rule.noun}. Send them in several requests.`,
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
    throw new Problem('validation-failed', `The array is empty. Send 1 to ${rule.max} ${rule.noun}.`);
  const source: JsonSource = { body, encoding: isAscii(body) ? 'latin1' : 'utf8' };
  const at = (index: number): Element => {
    const element = elements[index];
    if (element === undefined) throw new Error('the array has no such element');
    return element;
  };
  return {
    length: elements.length,
    objects: elements.reduce((sum, element) => sum + element.objects, 0),
    read: (index) => readElement(source, at(index), pause),
    isLong: (index) => isLong(at(index)),
  };
}

async function readElement(source: JsonSource, element: Element, pause: Pause): Promise<ReadElement> {
  if (element.depth > maxNesting)
    return {
      kind: 'unread',
      code: 'too-deep',
      detail: `The item nests values more than ${maxNesting} levels deep.`,
    };
  const read: ParsedValue | Unread = isLong(element)
    ? await readInPieces(source, element, pause)
    : parsedAt(source, element);
  if ('code' in read) return { kind: 'unread', ...read };
  const { value, repeated } = read;
  return repeated === null
    ? { kind: 'value', value }
    : { kind: 'repeated', value, path: repeated, detail: repetition(repeated) };
}

function requireUtf8(body: Buffer, { noun, max }: ArrayRule): void {
  if (skipBlanks(body, 0) === body.length)
    throw new Problem('malformed-json', `The body is empty. Send a JSON array of 1 to ${max} ${noun}.`);
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

/** A byte order mark tells a parser of UTF-8 nothing (RFC 8259, section 8.1): it is skipped. */
function withoutMark(body: Buffer): Buffer {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;
}

/**
 * Where a body stops being UTF-8. Only the block that contains the fault is decoded, because validating is a hundred
 * times as fast.
 */
function firstForeignByte(body: Buffer): number {
  for (let start = 0; start < body.length; ) {
    let end = Math.min(start + 65_536, body.length);
    // Blocks end at character boundaries.
    while (end < body.length && end > start + 1 && ((body[end] ?? 0) & 0xc0) === 0x80) end -= 1;
    const block = body.subarray(start, end);
    if (!isUtf8(block)) return start + Buffer.byteLength(block.toString('utf8').split('\ufffd', 1).join(''));
    start = end;
  }
  return body.length;
}

function noArray(body: Buffer, { noun, max }: ArrayRule): Problem {
  const text = body.length > maxAtOnce.bytes ? null : body.toString('utf8');
  const value = text === null ? null : parsed(text);
  if (text !== null && value === undefined) return faultOf(body, 0, text);
  const only = `The body must be a JSON array of 1 to ${max} ${noun}`;
  if (!isObject(value)) return new Problem('validation-failed', `${only}.`);
  const names = Object.keys(value);
  const wrapped = names.find((name) => Array.isArray(value[name]) && (name === noun || names.length === 1));
  const advice =
    wrapped === undefined
      ? 'put the object in brackets: [ … ].'
      : `send the array that is under ${JSON.stringify(wrapped.slice(0, 40))} by itself.`;
  return new Problem('validation-failed', `${only}, not an object: ${advice}`);
}

/** The fault of the first element that is not JSON, if any. */
async function firstFault(body: Buffer, elements: readonly Element[], pause: Pause): Promise<Problem | null> {
  for (const { start, end } of elements) {
    await pause();
    if (end - start > maxAtOnce.bytes) return null;
    const text = body.toString('utf8', start, end);
    if (parsed(text) === undefined) return faultOf(body, start, text);
  }
  return null;
}
