// A small JSON object in a request body: texts by name, nothing unknown.
import { isObject } from '../model/check.ts';
import { Problem } from '../model/problem.ts';

/**
 * Reads a body that is one JSON object of texts.
 * @throws Problem `malformed-json`, `validation-failed`
 */
export function jsonObject<Names extends string>(body: Buffer, known: Readonly<Record<Names, 'required' | 'optional'>>): Readonly<Partial<Record<Names, string>>> {
  const value = parsed(body);
  if (!isObject(value)) throw refusal({ '': ['The body must be a JSON object.'] });
  const errors: Record<string, readonly string[]> = {};
  const read: Partial<Record<Names, string>> = {};
  const names = Object.keys(known).filter((name): name is Names => name in known);
  for (const name of Object.keys(value)) if (!Object.hasOwn(known, name)) errors[name.slice(0, 40)] = [`There is no property of this name here; known are ${names.join(', ')}.`];
  for (const name of names) {
    const text = value[name] ?? null;
    if (typeof text === 'string') read[name] = text;
    else if (text !== null) errors[name] = [`${name} must be a text.`];
    else if (known[name] === 'required') errors[name] = [`${name} is required.`];
  }
  if (Object.keys(errors).length > 0) throw refusal(errors);
  return read;
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (error) {
    throw new Problem('malformed-json', `The body is not valid JSON in UTF-8: ${error instanceof Error ? error.message : 'unreadable'}.`);
  }
}

function refusal(errors: Readonly<Record<string, readonly string[]>>): Problem {
  return new Problem('validation-failed', Object.values(errors).flat().join(' '), { errors });
}
