// What a list plan means, evaluated in plain JavaScript: the answer that every engine has to give.
import { isValuePosition } from '../../src/model/plan.ts';
import type { ChangePosition, Condition, ListPlan, StoredValue, ValuePosition } from '../../src/model/plan.ts';

type Value = StoredValue | null;

/** A record as a plan sees it. */
export interface EvaluatedRecord {
  readonly activity: string;
  readonly changeNumber: number;
  /**
   * Milliseconds of its last write (of an image's row: of its publication); read only where a plan has `updatedSince`.
   */
  readonly writtenAt?: number;
  /** Only a list of what was written since an instant has it. */
  readonly withdrawn?: boolean;
  /** By selector: the value of a column, or for a nested selector those of all elements. */
  readonly columns: ReadonlyMap<string, Value | readonly Value[]>;
}

interface EvaluatedPage<Row extends EvaluatedRecord> {
  readonly records: readonly Row[];
  readonly more: boolean;
  /** Position of the last record; `plan.after` on an empty page. */
  readonly next: ListPlan['after'];
}

/** Answers a plan over records (with images: over the rows of the image that `imageAt` asks for). */
export function evaluatePlan<Row extends EvaluatedRecord>(plan: ListPlan, records: readonly Row[]): EvaluatedPage<Row> {
  const { after } = plan;
  const matching = records
    .filter((record) => plan.activities.includes(record.activity))
    .filter((record) => plan.updatedSince === null || (record.writtenAt ?? Number.NaN) >= plan.updatedSince)
    .filter((record) => record.withdrawn !== true || asksSince(plan))
    .filter((record) => plan.where.every((condition) => holds(condition, record)))
    .filter((record) => after === null || comesAfter(plan, record, after))
    .toSorted((left, right) => compareRecords(plan, left, right));
  const page = matching.slice(0, plan.limit);
  return { records: page, more: matching.length > page.length, next: nextAfter(plan, page) };
}

/** Whether a plan is about what was written since an instant, the date of the last write at least or equal to one. */
function asksSince({ resource, where, updatedSince }: ListPlan): boolean {
  return (
    updatedSince !== null ||
    where.some(
      (condition) =>
        'selector' in condition &&
        resource.fields[condition.selector]?.assigned === 'updated' &&
        ['>', '>=', '==', 'range'].includes(condition.op),
    )
  );
}

/** Whether a condition holds for a record; on a nested selector, whether it does for any element. */
export function holds(condition: Condition, record: EvaluatedRecord): boolean {
  if ('of' in condition) {
    return condition.op === 'and'
      ? condition.of.every((part) => holds(part, record))
      : condition.of.some((part) => holds(part, record));
  }
  const held = record.columns.get(condition.selector);
  if (held === undefined) throw new Error(`The record has no ${condition.selector}`);
  const values = typeof held === 'object' && held !== null ? held : [held];
  return values.some((value) => matches(condition, value));
}

/** Order of two values: numbers by size, text by code point (which is the order of its UTF-8 bytes). */
function compareValues(left: StoredValue, right: StoredValue): number {
  if (typeof left === 'number' && typeof right === 'number') return Math.sign(left - right);
  if (typeof left === 'string' && typeof right === 'string')
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  throw new Error(`${typeof left} and ${typeof right} have no common order`);
}

function matches(condition: Exclude<Condition, { readonly op: 'and' | 'or' }>, value: Value): boolean {
  if (condition.op === 'null') return (value === null) === condition.is;
  if (value === null) return false;
  switch (condition.op) {
    case '==':
      return compareValues(value, condition.value) === 0;
    case '!=':
      return compareValues(value, condition.value) !== 0;
    case '<':
      return compareValues(value, condition.value) < 0;
    case '<=':
      return compareValues(value, condition.value) <= 0;
    case '>':
      return compareValues(value, condition.value) > 0;
    case '>=':
      return compareValues(value, condition.value) >= 0;
    case 'in':
      return condition.values.includes(value);
    case 'out':
      return !condition.values.includes(value);
    case 'prefix':
      return String(value).startsWith(condition.value);
    case 'not-prefix':
      return !String(value).startsWith(condition.value);
    case 'range':
      return Number(value) >= condition.from && Number(value) < condition.to;
    case 'not-range':
      return Number(value) < condition.from || Number(value) >= condition.to;
  }
}

function comesAfter(plan: ListPlan, record: EvaluatedRecord, after: ChangePosition | ValuePosition): boolean {
  if (!isValuePosition(after)) return record.changeNumber > (after[record.activity] ?? 0);
  return comparePlaces(plan, placeOf(plan, record), after) > 0;
}

function compareRecords(plan: ListPlan, left: EvaluatedRecord, right: EvaluatedRecord): number {
  if (plan.sort.length > 0) return comparePlaces(plan, placeOf(plan, left), placeOf(plan, right));
  return compareValues(left.activity, right.activity) || left.changeNumber - right.changeNumber;
}

function placeOf(plan: ListPlan, record: EvaluatedRecord): ValuePosition {
  const values = plan.sort.map(({ field }) => {
    const held = record.columns.get(field);
    if (held === undefined || (typeof held === 'object' && held !== null))
      throw new Error(`The record has no column ${field}`);
    return held;
  });
  return { values, activity: record.activity, tieBreaker: tieBreakerOf(plan, record) };
}

/** What no write changes: the id of a record, the place of a row in its image. */
function tieBreakerOf({ resource }: ListPlan, record: EvaluatedRecord): StoredValue {
  if (resource.storage === 'images') return record.changeNumber;
  const id = record.columns.get('id');
  if (typeof id !== 'string' && typeof id !== 'number') throw new Error('The record has no id');
  return id;
}

/**
 * Nulls come last whichever way a key runs. Among equals the activity ascends, then the tie-breaker runs as the last
 * key does (so that engines can read an index in one direction).
 */
function comparePlaces(plan: ListPlan, left: ValuePosition, right: ValuePosition): number {
  for (const [index, { descending }] of plan.sort.entries()) {
    const order = compareKeys(left.values[index] ?? null, right.values[index] ?? null, descending);
    if (order !== 0) return order;
  }
  const ties = compareValues(left.tieBreaker, right.tieBreaker);
  return compareValues(left.activity, right.activity) || (plan.sort.at(-1)?.descending ? -ties : ties);
}

function compareKeys(left: Value, right: Value, descending: boolean): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  return descending ? compareValues(right, left) : compareValues(left, right);
}

function nextAfter(plan: ListPlan, page: readonly EvaluatedRecord[]): ListPlan['after'] {
  const last = page.at(-1);
  if (last === undefined) return plan.after;
  if (plan.sort.length > 0) return placeOf(plan, last);
  const reached: ChangePosition = plan.after === null || isValuePosition(plan.after) ? {} : plan.after;
  return { ...reached, ...Object.fromEntries(page.map((record) => [record.activity, record.changeNumber])) };
}
