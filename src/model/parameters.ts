// Query parameters of any endpoint: refuses unknown and repeated ones, and reads values by name.
import type { QueryPair } from './cursor.ts';
import { readMoment } from './filter-values.ts';
import { Problem } from './problem.ts';
import { closestName } from './closest-name.ts';
import { excerpt } from './text.ts';

/**
 * The parameters of an endpoint that takes each of them once, by name.
 * @throws Problem `unknown-parameter`, `invalid-parameter`
 */
export function singleParameters(query: readonly QueryPair[], known: readonly string[]): ReadonlyMap<string, string> {
  refuseUnknownParameters(known, query);
  const given = new Map<string, string>();
  for (const [name, value] of query) {
    if (given.has(name)) invalidParameter(name, `Parameter '${name}' is given more than once: give it once.`);
    given.set(name, value);
  }
  return given;
}

/** @throws Problem `invalid-parameter` unless the text is one of the values */
export function readChoice<T extends string>(
  name: string,
  text: string | undefined,
  values: readonly T[],
  otherwise: T,
): T {
  if (text === undefined) return otherwise;
  return (
    values.find((value) => value === text) ??
    invalidParameter(name, `Parameter '${name}': expected ${values.join(' or ')}.`)
  );
}

/** @throws Problem `invalid-parameter` unless the text is a whole number in the range */
export function readWhole(
  name: string,
  text: string | undefined,
  { min, max, otherwise }: { readonly min: number; readonly max: number; readonly otherwise: number },
): number {
  if (text === undefined) return otherwise;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max
    ? value
    : invalidParameter(name, `Parameter '${name}': expected a whole number from ${min} to ${max}.`);
}

/**
 * Milliseconds of a day (its start) or date-time; null where none is given.
 * @throws Problem `invalid-parameter`
 */
export function readInstant(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const moment = readMoment(text);
  if (moment.kind === 'wrong') return invalidParameter(name, `Parameter '${name}': expected ${moment.expected}.`);
  return moment.kind === 'day' ? moment.from : Number(moment.value);
}

/** The most unknown names that are listed; the rest are counted. */
const maxUnknown = 20;

/**
 * A mistyped filter must not return everything (decision D10).
 * @throws Problem `unknown-parameter`
 */
export function refuseUnknownParameters(known: readonly string[], query: readonly QueryPair[]): void {
  const names = namesOf(known);
  if (query.every(([name]) => names.has(name))) return;
  const unknown = [...new Set(query.map(([name]) => name)).difference(names)];
  const [first] = unknown;
  if (first === undefined) return;
  const errors = new Map(unknown.slice(0, maxUnknown).map((name) => [excerpt(name), [unknownDetail(name, known)]]));
  if (unknown.length > maxUnknown)
    errors.set('', [`There are ${unknown.length - maxUnknown} more parameters that are not known.`]);
  const advice = known.length === 0 ? 'This endpoint takes none.' : `Known parameters: ${known.join(', ')}.`;
  throw new Problem('unknown-parameter', `${unknownDetail(first, known)} ${advice}`, {
    parameter: excerpt(first),
    knownParameters: known,
    errors: Object.fromEntries(errors),
  });
}

/** Each endpoint has one list of known names. */
const nameSets = new WeakMap<readonly string[], ReadonlySet<string>>();

function namesOf(list: readonly string[]): ReadonlySet<string> {
  const names = nameSets.get(list) ?? new Set(list);
  nameSets.set(list, names);
  return names;
}

function unknownDetail(name: string, known: readonly string[]): string {
  const near = closestName(name, known);
  return `Unknown parameter '${excerpt(name)}'${near === null ? '.' : `: did you mean '${near}'?`}`;
}

/** @throws Problem `invalid-parameter`, always */
export function invalidParameter(parameter: string, detail: string): never {
  throw new Problem('invalid-parameter', detail, { parameter, errors: { [parameter]: [detail] } });
}
