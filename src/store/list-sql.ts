// In charge of the SQL of lists: a list plan, one activity at a time, to one statement.
import { textBlock } from '../model/text-block.ts';
import {
  type Condition,
  type ListPlan,
  type SortKey,
  type StoredValue,
  type ValuePosition,
  isValuePosition,
} from '../model/plan.ts';
import type { Resource } from '../model/resource.ts';
import { type FieldValues, type ReadPlan, updatedField, valuesInTurn, writeTimesOf } from './access-path.ts';
import { conditionText } from './condition-sql.ts';
import { type Dialect, type Placeholders, type Statement, placeholders, quoted } from './engine.ts';
import { rowsToRead } from './lookups.ts';

/**
 * The rows of one activity that a list reads: for images those of one image, and none once that is published no more.
 */
export interface Scope {
  readonly owner: string;
  readonly imageId: string | null;
}

/** Column that orders the rows of a scope: the change number, or the row's place in its image. */
export function orderColumn(resource: Resource): 'change_number' | 'position' {
  return resource.storage === 'images' ? 'position' : 'change_number';
}

/**
 * Column that never changes of a record and tells it from all others of its scope: it orders records with equal sort
 * values.
 */
export function tieBreakerColumn(resource: Resource): 'id' | 'position' {
  return resource.storage === 'images' ? 'position' : 'id';
}

/**
 * A page in change order: one row of (bytes of the JSON array, count, order column of the last record).
 * @param after order column of the last record delivered
 */
export function changePage(dialect: Dialect, plan: ReadPlan, scope: Scope, after: number, limit: number): Statement {
  const { values, add } = placeholders(dialect);
  const order = orderColumn(plan.resource);
  const rows = rowsAfter({ dialect, plan, scope, after, limit, add }, `t.body, t.${order} as position`);
  const joined =
    dialect === 'sqlite'
      ? `cast('[' || group_concat(body, ',') || ']' as blob)`
      : `'[' || string_agg(body, ',') || ']'`;
  return { text: `select ${joined} as bytes, count(*) as count, max(position) as last from (${rows}) page`, values };
}

/**
 * At most one row: the change number of the last record of an activity that was written before an instant. Write times
 * increase with change numbers, so everything after it was written at or after the instant.
 * @param before milliseconds
 */
export function lastChangeBefore(dialect: Dialect, resource: Resource, owner: string, before: number): Statement {
  const { values, add } = placeholders(dialect);
  const updated = `t.${quoted(updatedField(resource))}`;
  const where = `t.owner = ${add(owner)} and ${updated} < ${add(before)}`;
  return {
    text: textBlock`
      select t.change_number from ${quoted(resource.table)} t where ${where} order by ${updated} desc, t.change_number
      desc limit 1
    `,
    values,
  };
}

/** One row when a record that fits the plan comes after this place in change order, else none. */
export function existsAfter(dialect: Dialect, plan: ReadPlan, scope: Scope, after: number): Statement {
  const { values, add } = placeholders(dialect);
  return { text: rowsAfter({ dialect, plan, scope, after, limit: 1, add }, '1'), values };
}

interface RowsAfter {
  readonly dialect: Dialect;
  readonly plan: ReadPlan;
  readonly scope: Scope;
  readonly after: number;
  readonly limit: number;
  readonly add: Add;
}

/** The first rows after a place in change order that fit the plan. */
function rowsAfter(asked: RowsAfter, columns: string): string {
  const { dialect, plan, scope, after, limit, add } = asked;
  const values = plan.lookup === undefined ? valuesInTurn(plan) : null;
  const from = rowsToRead(dialect, plan, scope.owner, add);
  const where =
    scopeText(scope, add) +
    (values === null
      ? spanText(dialect, plan, scope, after, add) + conditionsText(plan, timeless(plan), add)
      : ` and t.${orderColumn(plan.resource)} in (${placesOf(asked, values)})`);
  return textBlock`
    select ${columns} from ${from} where ${where} order by t.${orderColumn(plan.resource)}
    ${limitText(dialect, limit, add)}
  `;
}

/**
 * The places of the first rows that have one of several values: an index has them in order for each value, but not for
 * all, so that each is asked for as many as are wanted.
 */
function placesOf({ dialect, plan, scope, after, limit, add }: RowsAfter, { field, values }: FieldValues): string {
  const place = orderColumn(plan.resource);
  const runs = values.map((value, index) => {
    const image = scope.imageId === null ? '' : ` and r.image_id = ${add(scope.imageId)}`;
    const where = `r.owner = ${add(scope.owner)}${image} and r.${quoted(field)} = ${add(value)}`;
    const next = `r.${place} > ${add(after)} order by r.${place} ${limitText(dialect, limit, add)}`;
    const run = `select r.${place} as place from ${quoted(plan.resource.table)} r where ${where} and ${next}`;
    return `select place from (${run}) run${index}`;
  });
  return `select place from (${runs.join(' union all ')}) runs order by place ${limitText(dialect, limit, add)}`;
}

/** Which of the two runs of a value order is read: records with a value in the first sort field come first. */
export type ValueRun = 'present' | 'missing';

/**
 * A page in value order: rows of (bytes of the record, tie-breaker, sort values …), nulls last in both directions,
 * ties in the direction of the last sort field. Split in two runs so that an index serves the first sort field.
 */
export function valuePage(dialect: Dialect, plan: ReadPlan, scope: Scope, run: ValueRun, limit: number): Statement {
  const { values, add } = placeholders(dialect);
  const tieBreaker = `t.${quoted(tieBreakerColumn(plan.resource))}`;
  const [first] = plan.sort;
  if (first === undefined) throw new Error('a value page needs a sort field');
  const keys = run === 'present' ? plan.sort : plan.sort.slice(1);
  const tieDirection = direction(plan.sort.at(-1) ?? first);
  const from = rowsToRead(dialect, plan, scope.owner, add);
  let where = scopeText(scope, add) + conditionsText(plan, plan.where, add);
  if (plan.updatedSince !== null && plan.resource.storage === 'records')
    where += ` and t.${quoted(updatedField(plan.resource))} >= ${add(plan.updatedSince)}`;
  where += run === 'present' ? ` and t.${quoted(first.field)} is not null` : ` and t.${quoted(first.field)} is null`;
  if (plan.after !== null && isValuePosition(plan.after))
    where += ` and ${afterText(plan, scope, plan.after, run, add)}`;
  const orderBy = [
    ...keys.map((key, index) =>
      run === 'present' && index === 0
        ? `t.${quoted(key.field)} ${direction(key)}`
        : `t.${quoted(key.field)} is null, t.${quoted(key.field)} ${direction(key)}`,
    ),
    `${tieBreaker} ${tieDirection}`,
  ].join(', ');
  const body = dialect === 'sqlite' ? 'cast(t.body as blob)' : 't.body';
  const sortColumns = plan.sort.map((key) => `, t.${quoted(key.field)}`).join('');
  return {
    text: textBlock`
      select ${body} as bytes, ${tieBreaker} as tie_breaker${sortColumns} from ${from} where
      ${where} order by ${orderBy} ${limitText(dialect, limit, add)}
    `,
    values,
  };
}

/** One row when a record of the owner has this value. */
export function existsWith(dialect: Dialect, resource: Resource, owner: string, condition: Condition): Statement {
  const { values, add } = placeholders(dialect);
  const where = `t.owner = ${add(owner)} and ${conditionText(condition, resource, add)}`;
  return { text: `select 1 from ${quoted(resource.table)} t where ${where} limit 1`, values };
}

type Add = Placeholders['add'];

/**
 * SQLite looks at a bare parameter of LIMIT when it plans, and therefore plans the statement anew each time it is run.
 */
function limitText(dialect: Dialect, limit: number, add: Add): string {
  return `limit ${dialect === 'sqlite' ? '+' : ''}${add(limit)}`;
}

/**
 * An image that is being removed loses its rows one by one after it has ceased to be published: all of them are read,
 * or none.
 */
function scopeText(scope: Scope, add: Add): string {
  const owner = `t.owner = ${add(scope.owner)}`;
  if (scope.imageId === null) return owner;
  const rows = `${owner} and t.image_id = ${add(scope.imageId)}`;
  const header = `i.owner = ${add(scope.owner)} and i.image_id = ${add(scope.imageId)} and i.state = 'published'`;
  return `${rows} and exists (select 1 from stock_image i where ${header})`;
}

function conditionsText(plan: ReadPlan, conditions: readonly Condition[], add: Add): string {
  return conditions.map((condition) => ` and ${conditionText(condition, plan.resource, add)}`).join('');
}

/**
 * The span of change order in which a page lies: after a place, and, where conditions are about the time of the last
 * write, among the change numbers of such times. Times increase with change numbers, so that an index leads to such
 * records wherever in the history they are. One bound on each side, because SQLite takes one of several for its index;
 * and the conditions themselves are left out (`timeless`), lest PostgreSQL reads all that fits them and sorts it.
 */
function spanText(dialect: Dialect, plan: ReadPlan, scope: Scope, after: number, add: Add): string {
  const { resource, where } = plan;
  const place = `t.${orderColumn(resource)}`;
  const times = where.flatMap((condition) => writeTimesOf(resource, condition) ?? []);
  const lastBefore = (instant: number): string => {
    const updated = `b.${quoted(updatedField(resource))}`;
    const earlier = `b.owner = ${add(scope.owner)} and ${updated} < ${add(instant)}`;
    const last = textBlock`
      select b.change_number from ${quoted(resource.table)} b where ${earlier} order by ${updated} desc, b.change_number
      desc limit 1
    `;
    return `coalesce((${last}), 0)`;
  };
  const [greatest, least] = dialect === 'sqlite' ? ['max', 'min'] : ['greatest', 'least'];
  const chosen = (choose: string, [first = '', ...others]: readonly string[]): string =>
    others.length === 0 ? first : `${choose}(${[first, ...others].join(', ')})`;
  const starts = [
    dialect === 'sqlite' ? add(after) : `${add(after)}::bigint`,
    ...times.flatMap(({ from }) => (from === null ? [] : [lastBefore(from)])),
  ];
  const start = ` and ${place} > ${chosen(greatest, starts)}`;
  const ends = times.flatMap(({ to }) => (to === null ? [] : [lastBefore(to)]));
  return ends.length === 0 ? start : `${start} and ${place} <= ${chosen(least, ends)}`;
}

/** The conditions that `spanText` does not stand for. */
function timeless({ resource, where }: ListPlan): readonly Condition[] {
  return where.filter((condition) => writeTimesOf(resource, condition) === null);
}

function direction(key: SortKey): 'asc' | 'desc' {
  return key.descending ? 'desc' : 'asc';
}

/**
 * Rows after a position in one run: greater in the first key, or equal there and greater in the next, …; among equals
 * the owner decides (activities are merged in code order), then the tie-breaker.
 */
function afterText(plan: ReadPlan, scope: Scope, after: ValuePosition, run: ValueRun, add: Add): string {
  const firstValue = after.values[0] ?? null;
  if (run === 'missing' && firstValue !== null) return 'true';
  const start = run === 'missing' ? 1 : 0;
  const keys = plan.sort.slice(start).map((key, index) => ({ key, value: after.values[index + start] ?? null }));
  const tieBreaker = `t.${quoted(tieBreakerColumn(plan.resource))}`;
  const tieSign = plan.sort.at(-1)?.descending ? '<' : '>';
  const [first] = keys;
  if (first === undefined) return tieText(scope, after, tieBreaker, tieSign, add);
  if (run === 'present' && keys.length === 1 && scope.owner === after.owner) {
    return `(${column(first.key)}, ${tieBreaker}) ${tieSign} (${add(first.value)}, ${add(after.tieBreaker)})`;
  }
  // The bound on the first key is implied by the rest; it is what lets an index start at the right place.
  const bound =
    run === 'present' ? `${column(first.key)} ${first.key.descending ? '<=' : '>='} ${add(first.value)} and ` : '';
  const branches = [...keys.keys(), keys.length].map((depth) => {
    const equal = keys
      .slice(0, depth)
      .map(({ key, value }) => (value === null ? `${column(key)} is null` : `${column(key)} = ${add(value)}`));
    const current = keys[depth];
    const beyond =
      current === undefined
        ? tieText(scope, after, tieBreaker, tieSign, add)
        : beyondText(current.key, current.value, add);
    return `(${[...equal, beyond].join(' and ')})`;
  });
  return `${bound}(${branches.join(' or ')})`;
}

function column(key: SortKey): string {
  return `t.${quoted(key.field)}`;
}

/** Nulls are last in both directions: nothing comes after null, null comes after every value. */
function beyondText(key: SortKey, value: StoredValue | null, add: Add): string {
  return value === null
    ? 'false'
    : `(${column(key)} ${key.descending ? '<' : '>'} ${add(value)} or ${column(key)} is null)`;
}

function tieText(scope: Scope, after: ValuePosition, tieBreaker: string, sign: string, add: Add): string {
  if (scope.owner === after.owner) return `${tieBreaker} ${sign} ${add(after.tieBreaker)}`;
  return scope.owner > after.owner ? 'true' : 'false';
}
