// Conditions that hold for one span of a field's values: equality, comparison, range, prefix.
import type { Condition, StoredValue } from '../model/plan.ts';
import { successor } from './condition-sql.ts';
import { type Sql, sql, type Statement } from './statement.ts';

/** One end of a span. */
export interface End {
  readonly value: StoredValue;
  /** The value itself is included. */
  readonly inclusive: boolean;
}

/** Values between two ends, each of which may be absent; never null. */
export interface ValueSpan {
  readonly from: End | null;
  readonly to: End | null;
}

export const allValues: ValueSpan = { from: null, to: null };

/**
 * The span of a field's values for which a condition holds; null if it concerns another field or is not a single span.
 */
export function spanOf(condition: Condition, field: string): ValueSpan | null {
  if (!('selector' in condition) || condition.selector !== field) return null;
  switch (condition.op) {
    case '==':
      return between(condition.value, condition.value, true);
    case 'in': {
      const [value] = condition.values;
      return value !== undefined && condition.values.length === 1 ? between(value, value, true) : null;
    }
    case '<':
    case '<=':
      return { from: null, to: { value: condition.value, inclusive: condition.op === '<=' } };
    case '>':
    case '>=':
      return { from: { value: condition.value, inclusive: condition.op === '>=' }, to: null };
    case 'range':
      return between(condition.from, condition.to, false);
    case 'prefix': {
      const next = successor(condition.value);
      return next === null
        ? { from: { value: condition.value, inclusive: true }, to: null }
        : between(condition.value, next, false);
    }
    case 'null':
      return condition.is ? null : allValues;
    default:
      return null;
  }
}

function between(from: StoredValue, to: StoredValue, inclusive: boolean): ValueSpan {
  return { from: { value: from, inclusive: true }, to: { value: to, inclusive } };
}

/** The values that are in both. */
export function intersection(left: ValueSpan, right: ValueSpan): ValueSpan {
  return { from: innermost(left.from, right.from, 1), to: innermost(left.to, right.to, -1) };
}

function innermost(left: End | null, right: End | null, sign: 1 | -1): End | null {
  if (left === null || right === null) return left ?? right;
  const order = sign * compareValues(left.value, right.value);
  if (order === 0) return left.inclusive ? right : left;
  return order > 0 ? left : right;
}

/** The value of a span that contains only one. */
export function onlyValue({ from, to }: ValueSpan): StoredValue | null {
  return from !== null && to !== null && from.inclusive && to.inclusive && from.value === to.value ? from.value : null;
}

/**
 * SQL that is true for rows whose column lies in the span; one condition on each side, because an engine uses only one
 * for its index.
 */
export function liesIn(column: Sql, { from, to }: ValueSpan): readonly Statement[] {
  return [
    ...(from === null ? [] : [sql`${column} ${from.inclusive ? sql`>=` : sql`>`} ${from.value}`]),
    ...(to === null ? [] : [sql`${column} ${to.inclusive ? sql`<=` : sql`<`} ${to.value}`]),
  ];
}

/** Numbers by value, text by code point (JavaScript's own order is by UTF-16 unit). */
export function compareValues(a: StoredValue, b: StoredValue): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
}
