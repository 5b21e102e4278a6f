// Reads an element that is too long to parse at once: member by member and element by element, with pauses in between.
import { BACKSLASH, COLON, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './json-bytes.ts';
import { isAscii } from 'node:buffer';
import { maxElements } from './record-reader.ts';
import type { Pause } from './record-reader.ts';
import { type Element, scanElements, skipBlanks } from './json-elements.ts';
import { type JsonSource, type ParsedValue, malformed, parsed, parsedAt } from './json-values.ts';

/** Why an element was not read. */
export interface Unread {
  readonly code: 'too-deep' | 'too-many';
  readonly detail: string;
}

/** The most that is parsed at once: one millisecond per 20,000 bytes or 1,000 properties, about 50 at most. */
export const maxAtOnce = { bytes: 1_048_576, objects: 2_001, properties: 40_000 };

/** True for an element that has to be read in pieces. */
export function isLong({ start, end, objects, colons }: Element): boolean {
  return end - start > maxAtOnce.bytes || objects > maxAtOnce.objects || colons > maxAtOnce.properties;
}

/**
 * Parses text that this program wrote, in pieces when it is long.
 * @throws Error when it is not JSON
 */
export async function parseInSteps(text: string, pause: Pause): Promise<unknown> {
  if (text.length <= maxAtOnce.bytes) return JSON.parse(text);
  const body = Buffer.from(text);
  const whole = { start: 0, end: body.length, depth: 0, objects: Infinity, colons: Infinity };
  const read = await readInPieces({ body, encoding: isAscii(body) ? 'latin1' : 'utf8' }, whole, pause);
  if ('code' in read) throw new Error(`a stored text cannot be read: ${read.detail}`);
  return read.value;
}

/**
 * Reads a long element. Stops early at anything that no record can contain: a list with more elements than allowed, an
 * object with far more properties than any record has, or long values nested deeper than in any record.
 * @throws Problem `malformed-json`
 */
export async function readInPieces(
  source: JsonSource,
  element: Element,
  pause: Pause,
  level = 0,
): Promise<ParsedValue | Unread> {
  await pause();
  const { body } = source;
  const isArray = body[element.start] === OPEN_ARRAY;
  if (!isLong(element) || (!isArray && body[element.start] !== OPEN_OBJECT)) return parsedAt(source, element);
  if (level > maxLongNesting)
    return { code: 'too-deep', detail: 'The item nests very long values deeper than any that it can have.' };
  const most = isArray ? maxElements : maxProperties;
  const { elements: members, end, closed } = await scanElements(body, element.start, most, pause);
  if (members.length > most)
    return {
      code: 'too-many',
      detail: isArray
        ? `The item has a list of more than ${most} elements.`
        : `The item has an object of more than ${most} properties.`,
    };
  if (!closed) throw malformed(body, end, `The value is closed by ${isArray ? '} instead of ]' : '] instead of }'}.`);
  if (end + 1 < element.end)
    throw malformed(body, skipBlanks(body, end + 1), 'Something follows the end of the value.');
  return isArray ? readList(source, members, pause, level) : readObject(source, members, pause, level);
}

/** A record, its list, an element, that element's list, an element of that. */
const maxLongNesting = 4;
/** Some twenty times as many as a record has. */
const maxProperties = 2_000;

async function readList(
  source: JsonSource,
  elements: readonly Element[],
  pause: Pause,
  level: number,
): Promise<ParsedValue | Unread> {
  const value: unknown[] = [];
  let repeated: ParsedValue['repeated'] = null;
  for (const [index, element] of elements.entries()) {
    const read = await readInPieces(source, element, pause, level + 1);
    if ('code' in read) return read;
    value.push(read.value);
    if (read.repeated !== null) repeated ??= [index, ...read.repeated];
  }
  return { value, repeated };
}

async function readObject(
  source: JsonSource,
  members: readonly Element[],
  pause: Pause,
  level: number,
): Promise<ParsedValue | Unread> {
  const value: Record<string, unknown> = {};
  let repeated: ParsedValue['repeated'] = null;
  for (const each of members) {
    const { name, valuePlace } = memberOf(source, each);
    const read = await readInPieces(source, valuePlace, pause, level + 1);
    if ('code' in read) return read;
    if (Object.hasOwn(value, name)) repeated ??= [name];
    if (read.repeated !== null) repeated ??= [name, ...read.repeated];
    // Like JSON.parse: creates a property of that name instead of setting the prototype.
    if (name === '__proto__')
      Object.defineProperty(value, name, { value: read.value, enumerable: true, configurable: true, writable: true });
    else value[name] = read.value;
  }
  return { value, repeated };
}

/** The name of a property and the position of its value. */
function memberOf(
  { body, encoding }: JsonSource,
  member: Element,
): { readonly name: string; readonly valuePlace: Element } {
  const { start, end } = member;
  const nameEnd = body[start] === QUOTE ? endOfText(body, start, end) : start;
  const name = parsed(body.toString(encoding, start, nameEnd));
  const colon = skipBlanks(body, nameEnd);
  const valueStart = skipBlanks(body, colon + 1);
  if (typeof name !== 'string' || body[colon] !== COLON || valueStart >= end)
    throw malformed(body, start, 'Expected a property here: a name in double quotes, a colon and a value.');
  return { name, valuePlace: { ...member, start: valueStart, colons: member.colons - 1 } };
}

/** Index after the closing quote of the string that begins at `start`; at most `end`. */
function endOfText(body: Buffer, start: number, end: number): number {
  let at = start + 1;
  while (at < end && body[at] !== QUOTE) at += body[at] === BACKSLASH ? 2 : 1;
  return Math.min(at + 1, end);
}
