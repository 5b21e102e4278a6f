// Decides how the rows of a plan are found: in index order, among the few rows that an index finds, or by scanning
// many.
import { derived } from '../model/derived.ts';
import { type Condition, isValuePosition, type ListPlan, type StoredValue } from '../model/plan.ts';
import { columnFields, type Resource } from '../model/resource.ts';
import { type ValueSpan, spanOf } from './span.ts';
import type { Revision } from './store.ts';

/** A plan, with the conditions to look its rows up by if these are known to match few. */
export interface ReadPlan extends ListPlan {
  readonly lookup?: Lookup;
  /** True if so few changes follow the position that all of them are read (`hasFewChangesLeft`). */
  readonly nearlyRead?: true;
}

/** Conditions on one field whose rows an index finds: its values, or a span of them. */
export interface Lookup {
  readonly field: string;
  readonly conditions: readonly Condition[];
}

/** Distinct values of one field. */
export interface FieldValues {
  readonly field: string;
  readonly values: readonly StoredValue[];
}

/**
 * The cost of a plan. `index`: an index yields the rows of a page in order. `few`: equally cheap if an index finds at
 * most a thousand rows for one of the conditions, otherwise `many`: it may scan all rows.
 */
export type Access = 'index' | 'few' | 'many';

export function accessOf(plan: ListPlan): Access {
  if (isServedByIndex(plan)) return 'index';
  return lookupOf(plan) === null ? 'many' : 'few';
}

/**
 * True when an index leads straight to the rows of a page: change order without conditions, with one indexed field
 * given (or several values of it), or within a span of write times; value order by one indexed field, with no
 * conditions or with conditions that form a span of its values. Anything else may read many rows that do not match.
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
  return (lookupValues(plan)?.values.length ?? Infinity) <= maxLookupValues;
}

/** True if one of the indexes begins with the field. */
export function leads(indexes: Resource['indexes'], field: string): boolean {
  return indexes.some(([first]) => first === field);
}

/**
 * True if an index holds the records in the order of a field. An index for change order does so if few records share a
 * value, so that little remains to be sorted: the fields of the key, values that the service assigns, and the time of
 * the last write, which only the records of one batch share.
 */
function isOrderedBy({ storage, key, fields, indexes, sortIndexes }: Resource, field: string): boolean {
  if (leads(sortIndexes, field)) return true;
  if (!leads(indexes, field)) return false;
  return storage === 'images' || key[0] === field || fields[field]?.assigned !== undefined;
}

/**
 * The conditions by which an index finds, unordered, every row that can match a plan: these rows only need to be
 * counted before they are read. Null if there are no such conditions, for images, whose rows are found by their image,
 * and if testing one row is a search in itself. Values come before spans, which tend to match more rows.
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
 * True if so few changes follow the position of a plan in change order that all of them can be read, whatever the
 * conditions. This is the case of a client that follows a list.
 * @param most rows
 */
export function hasFewChangesLeft(
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

/** The number of values of one field that can be looked up in an index one after another without delay. */
export const maxLookupValues = 20;

/** The values of a plan whose only condition is several values of one field that a change-order index covers. */
export function lookupValues({ resource, sort, where }: ListPlan): FieldValues | null {
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
 * The span of write times, `to` excluded, that contains every record matching a condition; null if the condition is not
 * about write times.
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
 * True for a list of records written since an instant: clients that keep no cursor learn of changes this way,
 * withdrawals included.
 */
export function isIncremental({ resource, where, updatedSince }: ListPlan): boolean {
  if (resource.storage === 'images') return false;
  return (
    updatedSince !== null || where.some((condition) => typeof writeTimesOf(resource, condition)?.from === 'number')
  );
}

/** The column that holds the time of a record's last write. */
export const updatedField = derived((resource: Resource): string => {
  const found = Object.entries(resource.fields).find(([, field]) => field.assigned === 'updated');
  if (found === undefined) throw new Error(`${resource.name} has no field that dates its last update`);
  return found[0];
});
