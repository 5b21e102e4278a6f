// Parses small JSON objects in request bodies: strings by name, without unknown properties.
import { isObject } from '../model/check.ts';
import { Problem } from '../model/problem.ts';
import { excerpt } from '../model/text.ts';

/**
 * Reads a body that is one JSON object of strings, without duplicates.
 * @throws Problem `malformed-json`, `validation-failed`
 */
export function jsonObject<Names extends string>(
  body: Buffer,
  known: Readonly<Record<Names, 'required' | 'optional'>>,
): Readonly<Partial<Record<Names, string>>> {
  const names = Object.keys(known).filter((name): name is Names => name in known);
  const { value, errors } = objectIn(body, names);
  const read: Partial<Record<Names, string>> = {};
  for (const name of names) {
    const text = value[name];
    if (typeof text === 'string') read[name] = text;
    else if (text !== undefined)
      errors.set(name, `${name} must be a text${known[name] === 'optional' ? ', or be left out' : ''}.`);
    else if (known[name] === 'required') errors.set(name, `${name} is required.`);
  }
  if (errors.size > 0) throw invalidBody(errors);
  return read;
}

/**
 * Reads a body that is one JSON object.
 * @param names the properties that it may have
 * @returns its values, and the faults found so far by property: unknown and repeated ones
 * @throws Problem `malformed-json`, `validation-failed`
 */
export function objectIn(
  body: Buffer,
  names: readonly string[],
): { readonly value: Readonly<Record<string, unknown>>; readonly errors: Map<string, string> } {
  const { text: json, value } = parsed(body);
  if (!isObject(value)) throw invalidBody(new Map([['body', 'The body must be a JSON object.']]));
  const errors = new Map(
    repeatedNames(json).map((name) => [shown(name), 'A property of this name is there more than once: send it once.']),
  );
  const unknown = Object.keys(value).filter((name) => !names.includes(name));
  for (const name of unknown.slice(0, maxReasons))
    errors.set(shown(name), `There is no property of this name here; known are ${names.join(', ')}.`);
  if (unknown.length > maxReasons)
    errors.set('body', `There are ${unknown.length - maxReasons} more properties that are not known.`);
  return { value, errors };
}

/** The most repeated and the most unknown properties that are reported. */
const maxReasons = 20;

function parsed(body: Buffer): { readonly text: string; readonly value: unknown } {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    return { text, value: JSON.parse(text) };
  } catch (error) {
    throw new Problem(
      'malformed-json',
      `The body is not valid JSON in UTF-8: ${error instanceof Error ? error.message : 'unreadable'}.`,
    );
  }
}

/** Repeated names in an object of strings, of which JSON.parse silently keeps the last. */
function repeatedNames(json: string): readonly string[] {
  const seen = new Set<string>();
  const repeated: string[] = [];
  // Every string, with the colon that makes it a name.
  for (const [, text = '', colon] of json.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?/g)) {
    if (colon === undefined) continue;
    const name = String(JSON.parse(text));
    if (seen.has(name)) repeated.push(name);
    if (repeated.length === maxReasons) break;
    seen.add(name);
  }
  return repeated;
}

/** A property name as shown in an error; an empty one is shown as `body`. */
function shown(name: string): string {
  return excerpt(name) || 'body';
}

/** @param errors a sentence per property */
export function invalidBody(errors: ReadonlyMap<string, string>): Problem {
  return new Problem('validation-failed', [...new Set(errors.values())].join(' '), {
    errors: Object.fromEntries([...errors].map(([name, sentence]) => [name, [sentence]])),
  });
}
