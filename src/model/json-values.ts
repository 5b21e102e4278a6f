// Values in the bytes of a body: each parsed, or the place and kind of its fault told.
import { countProperties } from './json-properties.ts';
import { jsonFault, repeatedProperties } from './json-fault.ts';
import { Problem } from './problem.ts';
import { quoted } from './text.ts';

/** A body of JSON; `latin1` where it is ASCII, which is read faster. */
export interface JsonSource {
  readonly body: Buffer;
  readonly encoding: 'latin1' | 'utf8';
}

/** A value, and where in it a name occurs twice in one object, if anywhere; the value then has the last one. */
export interface ParsedValue {
  readonly value: unknown;
  readonly repeated: readonly (string | number)[] | null;
}

/**
 * The value of a stretch of a body.
 * @param place `colons` tells how many properties the text has
 * @throws Problem `malformed-json`
 */
export function parsedAt(
  { body, encoding }: JsonSource,
  place: { readonly start: number; readonly end: number; readonly colons: number },
): ParsedValue {
  const text = body.toString(encoding, place.start, place.end);
  const value = parsed(text);
  if (value === undefined) throw faultOf(body, place.start, text);
  // JSON.parse keeps the last of several values under one name, without a word: the others would be lost.
  if (countProperties(value) === place.colons) return { value, repeated: null };
  const [repeated = []] = repeatedProperties(text, 1);
  return { value, repeated };
}

/** The sentence about a name that occurs twice. */
export function repetition(path: readonly (string | number)[]): string {
  return `${quoted(String(path.at(-1)))} occurs twice in one object: send each property once.`;
}

/** The value that a text stands for; undefined where it is no JSON. */
export function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** What is wrong with a text that stands at `start` and is no JSON. */
export function faultOf(body: Buffer, start: number, text: string): Problem {
  if (text.trim() === '')
    return malformed(body, start + Buffer.byteLength(text), 'An element is missing here: there is a comma too many.');
  const fault = jsonFault(text) ?? { at: 0, detail: 'The value that begins here is not valid.' };
  return malformed(body, start + Buffer.byteLength(text.slice(0, fault.at)), fault.detail);
}

/** @param at in bytes */
export function malformed(body: Buffer, at: number, detail: string): Problem {
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
