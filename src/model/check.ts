// From untrusted JSON to a record in canonical form, or to every reason why it is refused; one checker per definition.
import { hash } from 'node:crypto';
import type { Checked, Reason } from './record.ts';
import { type Field, type Fields, isScalar, type Resource } from './resource.ts';
import { kindOf, type Scalar, scalarReader } from './scalar.ts';
import { closestName } from './spelling.ts';

/** The activity that the record is written for: its code and name. */
export interface CheckContext { readonly owner: string; readonly ownerName: string }

export type Checker = (input: unknown, context: CheckContext) => Checked;

/** Most elements that a list may have (decision D4). */
export const maxElements = 1000;

/**
 * Makes the checker of a resource. A checker takes parsed JSON in the shape that the interface publishes, plus the
 * unpublished fields. What the service assigns may be there (an exported file) and is ignored, with one exception: where
 * the definition has no key, the record's own id identifies it.
 */
export function createChecker(resource: Resource): Checker {
  const read = recordReader({ ...resource.fields, ...resource.unpublished }, resource);
  const sourceId = resource.key.length > 0 ? undefined : Object.keys(resource.fields).find((name) => resource.fields[name]?.assigned === 'number');
  return (input, context) => {
    const pass: Pass = { context, path: [], reasons: [], compact: [] };
    if (!isObject(input)) return { ok: false, reasons: [{ code: 'wrong-type', pointer: '', detail: `A record must be an object, not ${kindOf(input)}.` }] };
    const value = read(input, pass);
    const id = sourceId === undefined ? null : input[sourceId] ?? null;
    if (sourceId !== undefined && id !== null && !Number.isSafeInteger(id)) refuse(pass, sourceId, 'wrong-type', 'must be a whole number, null or absent');
    if (pass.reasons.length > 0) return { ok: false, reasons: pass.reasons };
    const contentHash = hash('sha512', JSON.stringify(pass.compact), 'base64url').slice(0, 22);
    const naturalKey = resource.key.length > 0 ? JSON.stringify(resource.key.map((name) => value[name]))
      : id === null ? `#${leadOf(resource, value)}${contentHash}` : `id:${String(id).padStart(16, '0')}`;
    return { ok: true, record: { value, naturalKey, contentHash } };
  };
}

/** True for what JSON calls an object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Nine characters that sort like the instant of the leading field; instants before 1970 and missing ones come first. */
function leadOf({ keyLead }: Resource, value: Canonical): string {
  const lead = keyLead === undefined ? null : value[keyLead];
  const instant = typeof lead === 'string' ? Date.parse(lead) : 0;
  return Math.max(instant, 0).toString(36).padStart(9, '0');
}

/** State of one check. */
interface Pass {
  readonly context: CheckContext;
  /** Where the record that is being read stands. */
  readonly path: (string | number)[];
  readonly reasons: Reason[];
  /** The record or list read last, without names and nulls: what the content hash is made from, at half the cost. */
  compact: readonly unknown[];
}

type Canonical = Record<string, unknown>;
type RecordReader = (input: Readonly<Record<string, unknown>>, pass: Pass) => Canonical;
type FieldReader = (given: unknown, pass: Pass) => Scalar | object | null;

/** `resource` for the record as a whole, null for nested ones. */
function recordReader(fields: Fields, resource: Resource | null): RecordReader {
  const kept = Object.entries(fields).filter(([, field]) => field.assigned === undefined);
  const parts = kept.map(([name, field], place) => ({ place, name, read: fieldReader(name, field, resource), nested: !isScalar(field) }));
  const blank: Canonical = Object.fromEntries(kept.map(([name, field]) => [name, field.kind === 'list' ? [] : null]));
  // What the service assigns is known, but has no place: it is ignored.
  const places = new Map([...Object.keys(fields).map((name) => [name, null] as const), ...kept.map(([name], place) => [name, place] as const)]);
  const nothing: readonly unknown[] = kept.map(() => undefined);
  return (input, pass) => {
    const given = nothing.slice();
    for (const name in input) {
      const place = places.get(name);
      if (place === undefined) refuseUnknown(name, places, pass);
      else if (place !== null) given[place] = input[name];
    }
    const value = { ...blank };
    const compact: unknown[] = [];
    for (const { place, name, read, nested } of parts) {
      const canonical = read(given[place], pass);
      if (canonical === null) continue;
      value[name] = canonical;
      compact.push(place, nested ? pass.compact : canonical);
    }
    pass.compact = compact;
    return value;
  };
}

function fieldReader(name: string, field: Field, resource: Resource | null): FieldReader {
  if (resource !== null && name === resource.ownerField) return (given, pass) => readOwn(name, given, pass.context.owner, 'code', pass);
  if (resource !== null && name === resource.ownerNameField) return (given, pass) => readOwn(name, given, pass.context.ownerName, 'name', pass);
  if (field.kind === 'list') return listReader(name, field.fields);
  if (field.kind === 'object') return objectReader(name, field.fields);
  const read = scalarReader(field);
  return (given, pass) => {
    if (given === undefined || given === null) {
      if (field.required) refuse(pass, name, 'required', 'is required');
      return null;
    }
    const value = read(given);
    if (typeof value !== 'object') return value;
    refuse(pass, name, value.code, value.detail);
    return null;
  };
}

/** The fields that publish the owner may be left out, but they may not name another activity. */
function readOwn(name: string, given: unknown, own: string, what: string, pass: Pass): string {
  if (given !== undefined && given !== null && given !== own) {
    refuse(pass, name, 'wrong-activity', `must be ${JSON.stringify(own)}, the ${what} of the activity that the record is written for, or be left out`);
  }
  return own;
}

function objectReader(name: string, fields: Fields): FieldReader {
  const read = recordReader(fields, null);
  return (given, pass) => {
    if (given === undefined || given === null) return null;
    if (!isObject(given)) {
      refuse(pass, name, 'wrong-type', `must be an object, not ${kindOf(given)}`);
      return null;
    }
    pass.path.push(name);
    const value = read(given, pass);
    pass.path.pop();
    return value;
  };
}

function listReader(name: string, fields: Fields): FieldReader {
  const read = recordReader(fields, null);
  return (given, pass) => {
    // Null is what many exports write for a list without elements.
    if (given === undefined || given === null) return null;
    if (!Array.isArray(given)) {
      refuse(pass, name, 'wrong-type', `must be a list, not ${kindOf(given)}`);
      return null;
    }
    if (given.length > maxElements) {
      refuse(pass, name, 'too-many', `has ${given.length} elements; at most ${maxElements} are allowed`);
      return null;
    }
    if (given.length === 0) return null;
    const values: Canonical[] = [];
    const compact: (readonly unknown[])[] = [];
    const elements: readonly unknown[] = given;
    pass.path.push(name);
    for (const [index, element] of elements.entries()) {
      if (!isObject(element)) {
        refuse(pass, index, 'wrong-type', `must be an object, not ${kindOf(element)}`);
        continue;
      }
      pass.path.push(index);
      values.push(read(element, pass));
      compact.push(pass.compact);
      pass.path.pop();
    }
    pass.path.pop();
    pass.compact = compact;
    return values;
  };
}

function refuseUnknown(name: string, known: ReadonlyMap<string, unknown>, pass: Pass): void {
  // A record with many unknown names is no mistyped one, and near names cost time.
  const near = pass.reasons.length < 20 ? closestName(name, known.keys()) : null;
  const shown = JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}…` : name);
  const advice = near === null ? 'leave it out.' : `did you mean ${near}?`;
  pass.reasons.push({ code: 'unknown-property', pointer: pointerTo(pass, name), detail: `There is no property ${shown} here; ${advice}` });
}

function refuse(pass: Pass, name: string | number, code: string, detail: string): void {
  const subject = typeof name === 'number' ? `Element ${name + 1}` : name;
  pass.reasons.push({ code, pointer: pointerTo(pass, name), detail: `${subject} ${detail}.` });
}

/** JSON Pointer (RFC 6901) to a property or element of the record that is being read. */
function pointerTo(pass: Pass, name: string | number): string {
  return [...pass.path, name].map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
