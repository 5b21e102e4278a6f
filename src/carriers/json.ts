// Reads the JSON of carriers: reading never fails, and no value is taken for a type that it does not have.
import { endOfString, mayHaveLongNumbers, quoteLongNumbers } from '../model/long-numbers.ts';
import { maxAnswerBytes } from './answer-bodies.ts';
import { CarrierError, type CarrierAnswer } from './carrier.ts';

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

/** Names of members and positions in lists, from the outside in. */
type JsonPath = readonly (string | number)[];

/** Characters beside long texts, such as a label in base64, which cost little: each can become a value of its own. */
const maxStructure = 8 * 1024 * 1024;
const longText = 1000;

/**
 * Parses JSON in bytes; undefined if they are not JSON. Numbers too long to be exact stay text: carriers send
 * parcel numbers as numbers. Bytes that are not UTF-8 become U+FFFD, a byte order mark is dropped. Undefined also for
 * more bytes than an answer may have, and for more than 8 MiB beside long texts.
 */
export function parseJson(bytes: Uint8Array): JsonValue | undefined {
  if (bytes.length === 0 || bytes.length > maxAnswerBytes) return undefined;
  const text = new TextDecoder().decode(bytes);
  if (hasMoreStructure(text, maxStructure)) return undefined;
  try {
    const value: JsonValue = JSON.parse(text);
    if (!mayHaveLongNumbers(text)) return value;
    const exact: JsonValue = JSON.parse(quoteLongNumbers(text));
    return exact;
  } catch {
    // Also if the nesting is too deep for the stack.
    return undefined;
  }
}

/**
 * The JSON of an answer.
 * @param carrier title of the carrier, for the sentence
 * @throws CarrierError `unavailable` if the body is not JSON
 */
export function answeredJson(answer: CarrierAnswer, carrier: string): JsonValue {
  const value = parseJson(answer.body);
  if (value === undefined)
    throw new CarrierError(
      'unavailable',
      `${carrier} answered with status ${answer.status} and something that is not JSON.`,
    );
  return value;
}

/** The value at a path; undefined if there is none, or if something on the way is neither object nor list. */
export function valueAt(value: JsonValue | undefined, ...path: JsonPath): JsonValue | undefined {
  let found = value;
  for (const name of path) found = memberOf(found, name);
  return found;
}

/** The text at a path, a number as its text, trimmed; '' for anything else. */
export function textAt(value: JsonValue | undefined, ...path: JsonPath): string {
  const found = valueAt(value, ...path);
  return typeof found === 'string' ? found.trim() : typeof found === 'number' ? String(found) : '';
}

/**
 * The list at a path; a single object counts as a list of one, since some carriers write it so. Empty for anything
 * else.
 */
export function listAt(value: JsonValue | undefined, ...path: JsonPath): readonly JsonValue[] {
  const found = valueAt(value, ...path);
  if (isList(found)) return found;
  return isJsonObject(found) ? [found] : [];
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Base64 at a path as bytes; null if there is none, or something else. */
export function bytesAt(value: JsonValue | undefined, ...path: JsonPath): Buffer | null {
  const text = textAt(value, ...path).replace(/\s+/g, '');
  if (text === '' || !/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.length % 4 === 1) return null;
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === 0 ? null : bytes;
}

/**
 * An object without its empty members: '', undefined, empty objects and lists. Carriers treat those as wrong values.
 */
export function withoutEmpty(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).filter((member): member is [string, JsonValue] => !isEmpty(member[1])),
  );
}

function isEmpty(value: JsonValue | undefined): boolean {
  if (value === undefined || value === '') return true;
  if (isList(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** `Array.isArray` does not narrow readonly lists. */
function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function memberOf(value: JsonValue | undefined, name: string | number): JsonValue | undefined {
  if (typeof name === 'number') return isList(value) ? value[name] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Whether a JSON text has more than so many characters beside its long texts. */
function hasMoreStructure(json: string, max: number): boolean {
  let left = json.length - max;
  for (let start = json.indexOf('"'); left > 0 && start !== -1; ) {
    const end = endOfString(json, start);
    if (end - start >= longText) left -= end - start;
    start = json.indexOf('"', end);
    // What is left cannot be enough.
    if (json.length - end < left) return true;
  }
  return left > 0;
}
