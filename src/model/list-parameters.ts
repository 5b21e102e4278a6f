// The query parameters of a list: which ones a resource has, and what a given query means.
import type { QueryPair } from './cursor.ts';
import { derived } from './derived.ts';
import { compareList, compareOne, readMoment, readValue } from './filter-values.ts';
import type { Operand } from './filter-values.ts';
import { filterFields, filterLimits, parseFilter } from './filter.ts';
import type { FilterFields } from './filter.ts';
import { invalidParameter as invalid, refuseUnknownParameters } from './parameters.ts';
import type { Condition, SortKey } from './plan.ts';
import type { Resource, ScalarField } from './resource.ts';
import { parseSort, sortFields } from './sort.ts';
import { textBlock } from './text-block.ts';
import { characters, excerpt } from './text.ts';

/** The largest page size, which is also the default (interface part 8). */
export const maxPageSize = 100;

/** The parameters of one request. */
export interface ListQuery {
  /** The given parameters except `cursor`, `limit` and an empty `filter` or `sort`; sorted by name, then value. */
  readonly pairs: readonly QueryPair[];
  readonly cursor: string | null;
  /** Null when not given. */
  readonly limit: number | null;
  /** What each of `pairs` means, by name. */
  readonly meanings: ReadonlyMap<string, ParameterMeaning>;
}

type ParameterMeaning =
  | { readonly kind: 'condition'; readonly condition: Condition }
  | { readonly kind: 'sort'; readonly keys: readonly SortKey[] }
  /** Code of the single activity asked for; whether it belongs to the client is not known here. */
  | { readonly kind: 'activity'; readonly code: string }
  /** Milliseconds since 1970. */
  | { readonly kind: 'instant'; readonly at: number };

/** Names of all query parameters of the lists of a resource (decisions D10, D11, D19). */
export const listParameters = derived((resource): readonly string[] => {
  const own = ['filter', 'sort', 'limit', 'cursor', 'updatedSince', 'ownerActivity'];
  return [...own, ...(resource.storage === 'images' ? ['date'] : []), ...equalityFields(resource).keys()];
});

/**
 * The fields that have an equality parameter of the same name: the filterable ones of the top level, except the instant
 * of an image, because a list shows the one image that `date` selects.
 */
export const equalityFields = derived((resource): FilterFields => {
  const isOne = (selector: string): boolean => !selector.includes('.') && selector !== resource.imageField;
  return new Map([...filterFields(resource)].filter(([selector]) => isOne(selector)));
});

/**
 * Reads the query of a list request.
 * @param now milliseconds; a later `date` is refused
 * @param known a query that has already been read: pairs that are identical in it are not read again
 * @throws Problem `unknown-parameter`, `invalid-parameter`, `invalid-filter`, `invalid-sort`
 */
export function readListQuery(
  resource: Resource,
  query: readonly QueryPair[],
  now: number,
  known: ListQuery | null = null,
): ListQuery {
  // Nearly all requests ask for the first page or for the next one.
  const [first, second] = query;
  if (second === undefined && (first === undefined || first[0] === 'cursor'))
    return { pairs: [], cursor: first?.[1] ?? null, limit: null, meanings: new Map() };
  refuseImageField(resource, query);
  refuseUnknownParameters(listParameters(resource), query);
  const given = textsByName(query.filter(([name, value]) => value !== '' || (name !== 'filter' && name !== 'sort')));
  const before = known === null ? null : { ...known, texts: textsByName(known.pairs) };
  const meanings = new Map<string, ParameterMeaning>();
  let cursor: string | null = null;
  let limit: number | null = null;
  for (const [name, texts] of given) {
    if (name === 'cursor') cursor = single(name, texts);
    else if (name === 'limit') limit = readLimit(single(name, texts));
    else {
      const isKnown = before !== null && isSame(before.texts.get(name), texts);
      meanings.set(name, (isKnown ? before.meanings.get(name) : undefined) ?? readMeaning(resource, name, texts, now));
    }
  }
  const kept = query.filter(([name, value]) => meanings.has(name) && given.get(name)?.includes(value) === true);
  return { pairs: kept.toSorted(byNameThenValue), cursor, limit, meanings };
}

/** A condition on the instant of an image means an image other than the latest, and would yield an empty list. */
function refuseImageField({ imageField }: Resource, query: readonly QueryPair[]): void {
  const [name, value = ''] = query.find(([given]) => given === imageField) ?? [];
  if (name === undefined) return;
  const instead = readMoment(value).kind === 'wrong' ? '2026-01-31' : value;
  invalid(name, `Parameter '${name}': write date=${encodeURIComponent(instead)} to see the stock image of that time.`);
}

function textsByName(query: readonly QueryPair[]): ReadonlyMap<string, readonly string[]> {
  const texts = new Map<string, string[]>();
  for (const [name, value] of query) {
    const own = texts.get(name);
    if (own === undefined) texts.set(name, [value]);
    else own.push(value);
  }
  return texts;
}

function isSame(left: readonly string[] | undefined, right: readonly string[]): boolean {
  return left?.length === right.length && left.every((text, index) => text === right[index]);
}

function single(name: string, [text = '', second]: readonly string[]): string {
  return second === undefined ? text : invalid(name, `Parameter '${name}' is given more than once: give it once.`);
}

function readMeaning(resource: Resource, name: string, texts: readonly string[], now: number): ParameterMeaning {
  const field = equalityFields(resource).get(name);
  return field === undefined
    ? readSingle(resource, name, single(name, texts), now)
    : { kind: 'condition', condition: anyOf(name, field, texts) };
}

function readSingle(resource: Resource, name: string, text: string, now: number): ParameterMeaning {
  switch (name) {
    case 'filter':
      return { kind: 'condition', condition: parseFilter(text, filterFields(resource)) };
    case 'sort':
      return { kind: 'sort', keys: parseSort(text, sortFields(resource)) };
    case 'ownerActivity':
      return { kind: 'activity', code: text };
    case 'date':
      return { kind: 'instant', at: readDate(text, now) };
    default:
      return { kind: 'instant', at: readStart(name, text) };
  }
}

/** True for a record whose field equals one of the texts, taken literally. */
function anyOf(name: string, field: ScalarField, texts: readonly string[]): Condition {
  const different = [...new Set(texts)].toSorted();
  if (different.length > filterLimits.listValues)
    invalid(name, `Parameter '${name}' has more than ${filterLimits.listValues} values.`);
  const operands = different.map((text) => readOperand(name, field, text));
  const [first] = operands;
  return operands.length === 1 && first ? compareOne(name, '==', first) : compareList(name, 'in', operands);
}

function readOperand(name: string, field: ScalarField, text: string): Operand {
  if (text === '') invalid(name, emptyDetail(name, field));
  if (field.kind === 'text' && text.includes(',')) invalid(name, commaDetail(name, text));
  if (characters(text) > filterLimits.valueLength)
    invalid(name, `A value of parameter '${name}' is longer than ${filterLimits.valueLength} characters.`);
  const meaning = readValue(field, text);
  if (meaning.kind !== 'wrong') return meaning;
  const several = text.includes(',') ? ` Several values are written ${name}=…&${name}=….` : '';
  return invalid(name, `Parameter '${name}': expected ${meaning.expected}.${several}`);
}

/** Most programs that send a parameter without a value mean to omit it. */
function emptyDetail(name: string, { kind }: ScalarField): string {
  const empty = kind === 'text' ? ` and filter=${name}=="" for those with an empty one` : '';
  return textBlock`
    Parameter '${name}' has no value: leave it out, or write filter=${name}=null=true for records without a
    value${empty}.
  `;
}

/** Many interfaces accept `a,b` as a list; a client that means one here would get an empty result. */
function commaDetail(name: string, text: string): string {
  const [one = '', other = ''] = text.split(',', 2).map((part) => encodeURIComponent(excerpt(part.trim())));
  return textBlock`
    Parameter '${name}' has a comma: several values are written ${name}=${one}&${name}=${other}, and a value that has a
    comma itself filter=${name}=="…".
  `;
}

function readLimit(text: string): number {
  const limit = /^\d+$/.test(text) ? Number(text) : 0;
  return limit >= 1
    ? Math.min(limit, maxPageSize)
    : invalid('limit', `Parameter 'limit': expected a whole number from 1 to ${maxPageSize}.`);
}

/** A day means its start. */
function readStart(name: string, text: string): number {
  const moment = readMoment(text);
  if (moment.kind === 'wrong') return invalid(name, `Parameter '${name}': expected ${moment.expected}.`);
  return moment.kind === 'day' ? moment.from : Number(moment.value);
}

/**
 * A day means its last millisecond, so that the image of that day is included (decision D11); today is not in the
 * future.
 */
function readDate(text: string, now: number): number {
  const start = readStart('date', text);
  if (start > now) invalid('date', "Parameter 'date' lies in the future: give a day or date-time up to now.");
  const moment = readMoment(text);
  return moment.kind === 'day' ? moment.to - 1 : start;
}

function byNameThenValue([leftName, left]: QueryPair, [rightName, right]: QueryPair): number {
  if (leftName !== rightName) return leftName < rightName ? -1 : 1;
  return left < right ? -1 : Number(left > right);
}
