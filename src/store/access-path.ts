// In charge of how the rows of a plan are found: in the order of an index, among few that an index finds, or by looking
// at many.
import { derived } from '../model/derived.ts';
import type { Condition, ListPlan, StoredValue } from '../model/plan.ts';
import { columnFields, type Resource } from '../model/resource.ts';

/** A plan, and by which values its rows are looked up where that was found out to give few. */
export interface ReadPlan extends ListPlan {
  readonly lookup?: FieldValues;
}

/** Values of one field, none of them twice. */
export interface FieldValues {
  readonly field: string;
  readonly values: readonly StoredValue[];
}

/**
 * True when an index leads straight to the rows of a page: change order without conditions, with one indexed field
 * given (or some values of it), or within a span of write times; value order by one indexed field without conditions.
 * Anything else may look at many rows that do not fit.
 */
export function isServedByIndex(plan: ListPlan): boolean {
  const { resource, sort, where } = plan;
  const leads = (indexes: Resource['indexes'], field: string): boolean => indexes.some(([first]) => first === field);
  const [key, ...others] = sort;
  if (key !== undefined) {
    const isOrdered = leads(resource.indexes, key.field) || leads(resource.sortIndexes, key.field);
    return where.length === 0 && plan.updatedSince === null && others.length === 0 && isOrdered;
  }
  if (where.every((condition) => writeTimesOf(resource, condition) !== null)) return true;
  const [condition] = where;
  if (where.length === 1 && condition?.op === '==') return leads(resource.indexes, condition.selector);
  return (valuesInTurn(plan)?.values.length ?? Infinity) <= maxValuesInTurn;
}

/**
 * The values by which an index finds all rows that a plan can be about, in no order: they need only be counted before
 * they are looked at. Null where there are none, of images, whose rows are found by their image, and where looking at
 * one row is a search of its own.
 */
export function lookupOf({ resource, where }: ListPlan): FieldValues | null {
  if (resource.storage === 'images' || !where.every((condition) => isOfColumns(resource, condition))) return null;
  const isIndexed = ({ field }: FieldValues): boolean =>
    [...resource.indexes, ...resource.sortIndexes].some(([first]) => first === field);
  return where.map(valuesOf).find((values) => values !== null && isIndexed(values)) ?? null;
}

function isOfColumns(resource: Resource, condition: Condition): boolean {
  return 'of' in condition
    ? condition.of.every((part) => isOfColumns(resource, part))
    : columnFields(resource).has(condition.selector);
}

/** Values of one field that an index finds without delay, one after the other. */
const maxValuesInTurn = 20;

/** The values of a plan that asks for nothing but several of one field, of which change order has an index. */
export function valuesInTurn({ resource, sort, where }: ListPlan): FieldValues | null {
  const [condition] = where;
  const asked = condition === undefined || where.length > 1 || sort.length > 0 ? null : valuesOf(condition);
  return asked !== null && asked.values.length > 1 && resource.indexes.some(([first]) => first === asked.field)
    ? asked
    : null;
}

function valuesOf(condition: Condition): FieldValues | null {
  if (condition.op === '==') return { field: condition.selector, values: [condition.value] };
  if (condition.op === 'in')
    return condition.values.length === 0 ? null : { field: condition.selector, values: [...new Set(condition.values)] };
  if (condition.op !== 'or') return null;
  const equal = condition.of.flatMap((part) => (part.op === '==' ? [part] : []));
  const [first] = equal;
  const isOne = equal.length === condition.of.length && equal.every(({ selector }) => selector === first?.selector);
  return first !== undefined && isOne
    ? { field: first.selector, values: [...new Set(equal.map(({ value }) => value))] }
    : null;
}

/**
 * The span of write times, `to` excluded, outside of which no record fits a condition; null where it is about something
 * else.
 */
export function writeTimesOf(
  resource: Resource,
  condition: Condition,
): { readonly from: number | null; readonly to: number | null } | null {
  if (resource.storage === 'images' || !('selector' in condition) || condition.selector !== updatedField(resource))
    return null;
  switch (condition.op) {
    case '>=':
      return { from: Number(condition.value), to: null };
    case '>':
      return { from: Number(condition.value) + 1, to: null };
    case '<':
      return { from: null, to: Number(condition.value) };
    case '<=':
      return { from: null, to: Number(condition.value) + 1 };
    case '==':
      return { from: Number(condition.value), to: Number(condition.value) + 1 };
    case 'range':
      return { from: condition.from, to: condition.to };
    default:
      return null;
  }
}

/**
 * True for a list of records that asks for what was written since an instant: it is how clients that keep no cursor
 * learn of changes, withdrawals among them.
 */
export function isIncremental({ resource, where, updatedSince }: ListPlan): boolean {
  if (resource.storage === 'images') return false;
  return (
    updatedSince !== null || where.some((condition) => typeof writeTimesOf(resource, condition)?.from === 'number')
  );
}

/** The column that dates the last write of a record. */
export const updatedField = derived((resource: Resource): string => {
  const found = Object.entries(resource.fields).find(([, field]) => field.assigned === 'updated');
  if (found === undefined) throw new Error(`${resource.name} has no field that dates its last update`);
  return found[0];
});
