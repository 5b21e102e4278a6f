// Fields whose value the service determines, whoever sends the record: those that publish its activity, and those that
// only the service writes.
import { isDeepStrictEqual } from 'node:util';
import { derived } from './derived.ts';
import type { Reason } from './record.ts';
import { newPass, type Pass, type ReasonBudget, refuse } from './reasons.ts';
import { type Field, type Fields, isScalar, type Resource } from './resource.ts';
import { isObject } from './scalar.ts';

/** A value that a client sent for a read-only field, with its place in the body. */
export interface ReadOnlyValue {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

/** The fields that publish the activity may be left out, but must not name another activity. */
export function readOwn(name: string, given: unknown, own: string, what: string, pass: Pass): string {
  if (given !== undefined && given !== null && given !== own) {
    refuse(
      pass,
      name,
      'wrong-activity',
      `must be ${JSON.stringify(own)}, the ${what} of the activity that the record is written for, or be left out`,
    );
  }
  return own;
}

/**
 * Notes what a client sent for a read-only field, to be compared with what is stored (decision D3). Null counts as
 * absent; a value that cannot be the service's own is refused at once.
 */
export function readReadOnly(name: string, given: unknown, { field, advice }: ReadOnlyField, pass: Pass): void {
  if (given === null || given === undefined) return;
  if (isScalar(field) ? typeof given === 'string' && uuid.test(given) : isObject(given))
    pass.readOnlyValues.push({ path: [...pass.path, name], value: given });
  else refuse(pass, name, 'read-only', advice);
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface ReadOnlyField {
  readonly field: Field;
  /** See `readOnlyAdvice`. */
  readonly advice: string;
}

const activityNameAdvice =
  'must be the name of the activity that the record is written for, or that the record was read with, or be left out';

/** What to do about a read-only property; continues a sentence that starts with its name. */
export const readOnlyAdvice = derived(({ record, fields }: Resource): string => {
  const paths = readOnlyPaths(fields, '').join(', ');
  return `is read-only: leave it out, or send it as it was read of this ${record}. Read-only are ${paths}`;
});

/**
 * Refuses values of read-only fields that differ from the service's own. An id may be that of any element of the same
 * list, because elements are matched by key and not by id: a client that changes the key of an element need not adjust
 * its id.
 * @param stored the published record to be replaced; null when there is none
 */
export function foreignValues(
  resource: Resource,
  sent: readonly ReadOnlyValue[],
  stored: unknown,
  budget: ReasonBudget,
): { readonly reasons: readonly Reason[]; readonly unlisted: number } {
  const pass = newPass({ activity: '', activityName: '' }, [], budget);
  if (sent.length === 0) return pass;
  const advice = readOnlyAdvice(resource);
  const ownOf = new Map<string, Set<unknown>>();
  for (const { path, value } of sent) {
    const names = path.filter((step) => typeof step === 'string');
    const place = names.join('.');
    const own = ownOf.get(place) ?? new Set(valuesAt(stored, names));
    ownOf.set(place, own);
    if (own.has(value) || (isObject(value) && [...own].some((known) => isSame(value, known)))) continue;
    pass.path.splice(0, pass.path.length, ...path.slice(0, -1));
    if (place === resource.activityNameField) refuse(pass, place, 'wrong-activity', activityNameAdvice);
    else refuse(pass, names.at(-1) ?? '', 'read-only', advice);
  }
  return pass;
}

/** Values at the end of a path of names, in all elements of the lists along it. */
function valuesAt(at: unknown, names: readonly string[]): readonly unknown[] {
  if (Array.isArray(at)) return at.flatMap((element: unknown) => valuesAt(element, names));
  const [name, ...rest] = names;
  if (name === undefined) return [at];
  return isObject(at) ? valuesAt(at[name], rest) : [];
}

/** Null properties count as absent. */
function isSame(sent: Readonly<Record<string, unknown>>, known: unknown): boolean {
  return isObject(known) && isDeepStrictEqual(withoutNulls(sent), withoutNulls(known));
}

function withoutNulls(value: Readonly<Record<string, unknown>>): unknown {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== null));
}

/** Dotted paths of all fields that a create request does not include. */
function readOnlyPaths(fields: Fields, prefix: string): readonly string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    if (field.readOnly) return [prefix + name];
    return isScalar(field) ? [] : readOnlyPaths(field.fields, `${prefix}${name}.`);
  });
}
