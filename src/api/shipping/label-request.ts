// Reads the body of a label request: texts by name, presets of the context filled in, every fault by field.
import { isObject } from '../../model/check.ts';
import { Problem } from '../../model/problem.ts';
import { scalarReader } from '../../model/scalar.ts';
import { type LabelField, type LabelRequest, labelRequestFields } from '../../model/shipping.ts';
import { closestName } from '../../model/spelling.ts';
import { jsonFault } from '../json-fault.ts';
import { isLabelRequest } from './parcels.ts';

/** Sentences by field. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

const names = Object.keys(labelRequestFields).filter((name): name is LabelField => name in labelRequestFields);
const readers = Object.fromEntries(names.map((name) => [name, scalarReader({ kind: 'text', max: labelRequestFields[name].max, meaning: labelRequestFields[name].meaning })]));

/** What every carrier needs (decision D25); the sender may come from the context. */
const needed: readonly LabelField[] = [
  'modeCol', 'modeLiv', 'expAddr1', 'expCity', 'expZip', 'expCountry', 'destAddr1', 'destCity', 'destZip', 'destCountry', 'weight', 'nbPackage',
];

/**
 * Reads a label request.
 * @param sender presets of the context, used where the request leaves a field of the sender out
 * @throws Problem `malformed-json`; `validation-failed` with every fault
 */
export function readLabelRequest(body: Buffer, sender: Readonly<Record<string, string>>): LabelRequest {
  const given = parsed(body);
  if (!isObject(given)) throw invalidLabel({ '': ['The body must be one JSON object.'] });
  const errors: Record<string, readonly string[]> = {};
  for (const name of Object.keys(given)) if (!Object.hasOwn(labelRequestFields, name)) errors[name.slice(0, 64)] = [unknownProperty(name)];
  const request: Record<string, string> = {};
  for (const name of names) {
    const value = given[name] ?? null;
    const read = value === null ? '' : readers[name]?.(value) ?? '';
    if (typeof read === 'object') errors[name] = [`${name} ${read.detail}.`];
    const text = typeof read === 'string' ? read.trim() : '';
    request[name] = text === '' ? sender[name] ?? '' : text;
  }
  for (const name of needed) if (request[name] === '' && errors[name] === undefined) errors[name] = [`${name} is required.`];
  if (Object.keys(errors).length > 0) throw invalidLabel(errors);
  if (!isLabelRequest(request)) throw new Error('a label request is incomplete');
  return request;
}

/** The 400 for fields of a label request. */
export function invalidLabel(errors: FieldErrors): Problem {
  return new Problem('validation-failed', Object.values(errors).flat().join(' '), { errors });
}

function unknownProperty(name: string): string {
  const near = closestName(name, names);
  return `There is no property ${JSON.stringify(name.slice(0, 64))} here; ${near === null ? 'leave it out' : `did you mean ${near}?`}`;
}

function parsed(body: Buffer): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(body);
  } catch {
    throw new Problem('malformed-json', 'The body is not UTF-8.');
  }
  const fault = jsonFault(text);
  if (fault !== null) throw new Problem('malformed-json', `Position ${fault.at}: ${fault.detail}`, { position: fault.at });
  return JSON.parse(text);
}
