// A small JSON object in a request body: texts by name, nothing unknown.
import { isObject } from '../model/check.ts';
import { Problem } from '../model/problem.ts';

/**
 * Reads a body that is one JSON object of texts.
 * @throws Problem `malformed-json`, `validation-failed`
 */
export function jsonObject<Names extends string>(body: Buffer, known: Readonly<Record<Names, 'required' | 'optional'>>): Readonly<Partial<Record<Names, string>>> {
  const value = parsed(body);
  if (!isObject(value)) throw refusal(new Map([['body', 'The body must be a JSON object.']]));
  const errors = new Map<string, string>();
  const read: Partial<Record<Names, string>> = {};
  const names = Object.keys(known).filter((name): name is Names => name in known);
  for (const name of Object.keys(value)) if (!Object.hasOwn(known, name)) errors.set(name.slice(0, 40).toWellFormed() || 'body', `There is no property of this name here; known are ${names.join(', ')}.`);
  for (const name of names) {
    const text = value[name] ?? null;
    if (typeof text === 'string') read[name] = text;
    else if (text !== null) errors.set(name, `${name} must be a text.`);
    else if (known[name] === 'required') errors.set(name, `${name} is required.`);
  }
  if (errors.size > 0) throw refusal(errors);
  return read;
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (error) {
    throw new Problem('malformed-json', `The body is not valid JSON in UTF-8: ${error instanceof Error ? error.message : 'unreadable'}.`);
  }
}

/** @param errors sentence by property */
export function refusal(errors: ReadonlyMap<string, string>): Problem {
  return new Problem('validation-failed', [...new Set(errors.values())].join(' '), { errors: Object.fromEntries([...errors].map(([name, sentence]) => [name, [sentence]])) });
}
