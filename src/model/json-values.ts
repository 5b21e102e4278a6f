// Parses values in the bytes of a body, or reports the place and kind of their faults.
import { countProperties } from './json-properties.ts';
import { jsonFault, repeatedProperties } from './json-fault.ts';
import { Problem } from './problem.ts';
import { quoted } from './text.ts';

/** A body of JSON; `latin1` when it is ASCII, which is decoded faster. */
export interface JsonSource {
  readonly body: Buffer;
  readonly encoding: 'latin1' | 'utf8';
}

/** A value, and where in it an object repeats a name, if anywhere; the value then holds the last one. */
export interface ParsedValue {
  readonly value: unknown;
  readonly repeated: readonly (string | number)[] | null;
}

/**
 * Parses a range of a body.
 * @param place `colons` is the number of properties in the text
 * @throws Problem `malformed-json`
 */
export function parsedAt(
  { body, encoding }: JsonSource,
  place: { readonly start: number; readonly end: number; readonly colons: number },
): ParsedValue {
  const text = body.toString(encoding, place.start, place.end);
  const value = parsed(text);
  if (value === undefined) throw faultOf(body, place.start, text);
  // JSON.parse silently keeps the last of several values with one name; the others would be lost.
  if (countProperties(value) === place.colons) return { value, repeated: null };
  const [repeated = []] = repeatedProperties(text, 1);
  return { value, repeated };
}

/** The sentence that reports a repeated name. */
export function repetition(path: readonly (string | number)[]): string {
  return `${quoted(String(path.at(-1)))} occurs twice in one object: send each property once.`;
}

/** The value of a text; undefined when it is not JSON. */
export function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The problem for text at `start` that is not JSON. */
export function faultOf(body: Buffer, start: number, text: string): Problem {
  if (text.trim() === '')
    return malformed(body, start + Buffer.byteLength(text), 'An element is missing here: there is a comma too many.');
  const fault = jsonFault(text) ?? { at: 0, detail: 'The value that begins here is not valid.' };
  return malformed(body, start + Buffer.byteLength(text.slice(0, fault.at)), fault.detail);
}

/** @param at index in bytes */
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
