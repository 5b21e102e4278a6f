// In charge of how the rows of a plan are found: in the order of an index, among few that an index finds, or by looking
// at many.
import { derived } from '../model/derived.ts';
import { type Condition, isValuePosition, type ListPlan, type StoredValue } from '../model/plan.ts';
import { columnFields, type Resource } from '../model/resource.ts';
import { type ValueSpan, spanOf } from './span.ts';
import type { Revision } from './store.ts';

/** A plan, and by what its rows are looked up where that was found out to give few. */
export interface ReadPlan extends ListPlan {
  readonly lookup?: Lookup;
  /** True where so little comes after the position that all of it is looked at (`isNearlyRead`). */
  readonly nearlyRead?: true;
}

/** Conditions on one field, which an index finds the rows of: its values, or a span of them. */
export interface Lookup {
  readonly field: string;
  readonly conditions: readonly Condition[];
}

/** Values of one field, none of them twice. */
export interface FieldValues {
  readonly field: string;
  readonly values: readonly StoredValue[];
}

/**
 * What a plan costs. `index`: an index has the rows of a page in order. `few`: as much where an index finds no more
 * than a thousand rows for one of the conditions, else `many`: it may look at all rows.
 */
export type Access = 'index' | 'few' | 'many';

export function accessOf(plan: ListPlan): Access {
  if (isServedByIndex(plan)) return 'index';
  return lookupOf(plan) === null ? 'many' : 'few';
}

/**
 * True when an index leads straight to the rows of a page: change order without conditions, with one indexed field
 * given (or some values of it), or within a span of write times; value order by one indexed field, with no conditions
 * or those that are a span of its values. Anything else may look at many rows that do not fit.
 */
export function isServedByIndex(plan: ListPlan): boolean {
  const { resource, sort, where } = plan;
  const [key, ...others] = sort;
  if (key !== undefined) {
    const isSpan = where.every((condition) => spanOf(condition, key.field) !== null);
    return isSpan && plan.updatedSince === null && others.length === 0 && isOrderedBy(resource, key.field);
  }
  if (where.every((condition) => writeTimesOf(resource, condition) !== null)) return true;
  const [condition] = where;
  if (where.length === 1 && condition?.op === '==') return leads(resource.indexes, condition.selector);
  return (valuesInTurn(plan)?.values.length ?? Infinity) <= maxValuesInTurn;
}

/** True where one of the indexes begins with the field. */
export function leads(indexes: Resource['indexes'], field: string): boolean {
  return indexes.some(([first]) => first === field);
}

/**
 * True where an index has records in the order of a field. One for change order does where few records share a value,
 * so that there is little to put in order: what names a record, what the service gives, and the time of the last write,
 * which those of a batch share.
 */
function isOrderedBy({ storage, key, fields, indexes, sortIndexes }: Resource, field: string): boolean {
  if (leads(sortIndexes, field)) return true;
  if (!leads(indexes, field)) return false;
  return storage === 'images' || key[0] === field || fields[field]?.assigned !== undefined;
}

/**
 * The conditions by which an index finds all rows that a plan can be about, in no order: they need only be counted
 * before they are looked at. Null where there are none, of images, whose rows are found by their image, and where
 * looking at one row is a search of its own. Values come before spans, which rather have many rows.
 */
export function lookupOf({ resource, where, updatedSince }: ListPlan): Lookup | null {
  if (resource.storage === 'images' || !where.every((condition) => isOfColumns(resource, condition))) return null;
  const isIndexed = (field: string): boolean => leads(resource.indexes, field) || leads(resource.sortIndexes, field);
  for (const condition of where) {
    const values = valuesOf(condition);
    if (values !== null && isIndexed(values.field))
      return { field: values.field, conditions: [{ op: 'in', selector: values.field, values: values.values }] };
  }
  const updated = updatedField(resource);
  const all: readonly Condition[] =
    updatedSince === null ? where : [...where, { op: '>=', selector: updated, value: updatedSince }];
  for (const condition of all) {
    if (!('selector' in condition) || !isIndexed(condition.selector)) continue;
    const field = condition.selector;
    const conditions = all.filter((each) => isBound(spanOf(each, field)));
    if (conditions.length > 0) return { field, conditions };
  }
  return null;
}

function isBound(span: ValueSpan | null): boolean {
  return span !== null && (span.from !== null || span.to !== null);
}

/**
 * True where so little was written after the position of a plan in change order that all of it can be looked at,
 * whatever the conditions: so it is with who follows a list.
 * @param most rows
 */
export function isNearlyRead(
  { resource, sort, where, after, activities }: ListPlan,
  revision: Revision,
  most: number,
): boolean {
  if (sort.length > 0 || after === null || isValuePosition(after) || resource.storage === 'images') return false;
  if (!where.every((condition) => isOfColumns(resource, condition))) return false;
  const left = activities.reduce((sum, activity) => sum + (revision[activity] ?? 0) - (after[activity] ?? 0), 0);
  return left <= most;
}

function isOfColumns(resource: Resource, condition: Condition): boolean {
  return 'of' in condition
    ? condition.of.every((part) => isOfColumns(resource, part))
    : columnFields(resource).has(condition.selector);
}

/** Values of one field that an index finds without delay, one after the other. */
export const maxValuesInTurn = 20;

/** The values of a plan that asks for nothing but several of one field, of which change order has an index. */
export function valuesInTurn({ resource, sort, where }: ListPlan): FieldValues | null {
  const [condition] = where;
  if (condition === undefined || condition.op === '==' || where.length > 1 || sort.length > 0) return null;
  const asked = valuesOf(condition);
  return asked !== null && leads(resource.indexes, asked.field) ? asked : null;
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
