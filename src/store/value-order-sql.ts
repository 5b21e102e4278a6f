// The SQL of value order: the rows of one activity in the order that a client asked for, in two runs.
import { isValuePosition, type SortKey, type StoredValue, type ValuePosition } from '../model/plan.ts';
import { isServedByIndex, leads, type ReadPlan, updatedField } from './access-path.ts';
import { conditionSql } from './condition-sql.ts';
import { limitTo, notByIndex } from './sql-dialects.ts';
import { orderOf, type PageRows, rowsInScope, type Scope, sizedBody, tieBreakerColumn } from './list-sql.ts';
import { notWithdrawn } from './live-records.ts';
import { rowsToRead } from './lookups.ts';
import { allValues, type End, intersection, liesIn, onlyValue, type ValueSpan, spanOf } from './span.ts';
import { perEngine, sql, type Statement } from './statement.ts';

/** Which of the two runs of a value order is read: records with a value in the first sort field come first. */
export type ValueRun = 'present' | 'missing';

/** The rows of a scope that a page in value order holds. */
interface ValueRows extends Omit<PageRows, 'after'> {
  readonly run: ValueRun;
}

/**
 * A page in value order: rows of (bytes of the record or null if it is too long, length in bytes, order column,
 * tie-breaker, sort values …), nulls last in both directions, ties in the direction of the last sort field. Split into
 * two runs so that an index serves the first sort field.
 */
export function valuePage({ plan, scope, run, limit, maxBytesEach }: ValueRows): Statement {
  const tieBreaker = tieBreakerOf(plan);
  const [first] = plan.sort;
  if (first === undefined) throw new Error('a value page needs a sort field');
  const isPresent = run === 'present';
  const where = sql.all([
    rowsInScope(scope),
    ...(plan.updatedSince !== null && plan.resource.storage === 'records'
      ? [sql`t.${sql.quoted(updatedField(plan.resource))} >= ${plan.updatedSince}`]
      : []),
    ...notWithdrawn(scope, sql`t.`),
    ...(isPresent ? presentRun(plan, scope, first) : missingRun(plan, scope, first)),
  ]);
  const isFound = isFoundByValue(plan, first);
  // The first field is included in both runs: rows without a value are also in the order of its index.
  const orderBy = [
    ...plan.sort.map((key, index) =>
      index === 0
        ? sql`${column(key)} ${direction(key)}`
        : sql`${column(key)} is null, ${column(key)} ${direction(key)}`,
    ),
    sql`${isFound ? notByIndex(tieBreaker) : tieBreaker} ${direction(plan.sort.at(-1) ?? first)}`,
  ];
  const rows = sql`${rowsToRead(plan, scope.activity)} where ${where}`;
  return sql`
    select ${sizedBody(plan.resource, maxBytesEach)}, t.${orderOf(plan.resource)} as place, ${sql.join([
      sql`${tieBreaker} as tie_breaker`,
      ...plan.sort.map(column),
    ])} from ${isFound && isPresent && isServedByIndex(plan) ? withTies(rows, first, limit) : rows}
    order by ${sql.join(orderBy)} ${limitTo(limit)}
  `;
}

/**
 * The rows that a page in the order of a field needs, if an index has that order but not the order of records with
 * equal values, which are few. PostgreSQL would read them in the order of any index that it estimates to be cheaper,
 * and sort all of them.
 */
function withTies(rows: Statement, key: SortKey, limit: number): Statement {
  return perEngine({
    sqlite: () => rows,
    citus: () => rows,
    postgres: () => sql`
      (select t.* from ${rows} order by ${column(key)} ${direction(key)} fetch first ${limit} rows with ties) t
    `,
  });
}

function direction({ descending }: SortKey): Statement {
  return descending ? sql`desc` : sql`asc`;
}

/**
 * The records with a value in the first sort field that match the plan and follow its position. The conditions on that
 * field and the position are combined into one span of its values: its beginning is where the index scan has to begin,
 * whereas of two such conditions an engine uses one, maybe the wrong one.
 */
function presentRun(plan: ReadPlan, scope: Scope, key: SortKey): readonly Statement[] {
  const asked = plan.where.map((condition) => spanOf(condition, key.field));
  const others = plan.where
    .filter((_, index) => asked[index] === null)
    .map((each) => conditionSql(each, plan.resource, scope.activity));
  const span = asked.reduce<ValueSpan>((all, each) => intersection(all, each ?? allValues), allValues);
  const after = plan.after !== null && isValuePosition(plan.after) ? plan.after : null;
  if (after === null) return [...valuesIn(key, span), ...others];
  const {
    values: [value = null],
  } = after;
  // No record with a value follows one without.
  if (value === null) return [sql`false`];
  if (plan.sort.length > 1)
    return [
      ...valuesIn(key, onwards(span, key, { value, inclusive: true })),
      ...others,
      laterKeys(plan, scope, after, 0),
    ];
  if (scope.activity !== after.activity) {
    const inclusive = scope.activity > after.activity;
    return [...valuesIn(key, onwards(span, key, { value, inclusive })), ...others];
  }
  const tie = tieAfter(plan, scope, after);
  const ahead = onwards(span, key, { value, inclusive: true });
  const sign = key.descending ? sql`<` : sql`>`;
  const rest = key.descending ? { from: span.from, to: null } : { from: null, to: span.to };
  const beyondPosition = sql.all([
    sql`(${column(key)}, ${tieBreakerOf(plan)}) ${sign} (${value}, ${after.tieBreaker})`,
    ...liesIn(column(key), rest),
  ]);
  if (onlyValue(ahead) === null) return [beyondPosition, ...others];
  const amongEquals = sql.all([...valuesIn(key, ahead), tie]);
  return [perEngine({ sqlite: () => amongEquals, postgres: () => beyondPosition }), ...others];
}

/**
 * True if an index has records in the order of the field, but those with equal values not in the order of the
 * tie-breaker. They are few; if only one value is possible, an engine would rather walk all records by id.
 */
function isFoundByValue({ resource }: ReadPlan, { field }: SortKey): boolean {
  const { storage, indexes, sortIndexes } = resource;
  const isTieBreaker = field === tieBreakerColumn(resource);
  return storage === 'records' && leads(indexes, field) && !leads(sortIndexes, field) && !isTieBreaker;
}

/**
 * SQLite gets a single value as an equality: the rows with it are in the order of the next index column. PostgreSQL
 * gets it as a span: with an equality it would drop the order by this field, and use another index that has the order
 * of the tie-breaker.
 */
function valuesIn(key: SortKey, span: ValueSpan): readonly Statement[] {
  const only = onlyValue(span);
  if (only !== null)
    return [
      perEngine({
        sqlite: () => sql`${column(key)} = ${only}`,
        postgres: () => sql.all(liesIn(column(key), span)),
      }),
    ];
  return span.from === null && span.to === null ? [sql`${column(key)} is not null`] : liesIn(column(key), span);
}

/** The part of a span from a value on, in the direction of a key. */
function onwards(span: ValueSpan, { descending }: SortKey, end: End): ValueSpan {
  return intersection(span, descending ? { from: null, to: end } : { from: end, to: null });
}

/** The records without a value in the first sort field that match the plan and follow its position. */
function missingRun(plan: ReadPlan, scope: Scope, key: SortKey): readonly Statement[] {
  // No record matches, and SQLite would scan all of them to find that out.
  if (plan.where.some((condition) => spanOf(condition, key.field) !== null)) return [sql`false`];
  const conditions = plan.where.map((condition) => conditionSql(condition, plan.resource, scope.activity));
  const rows = [sql`${column(key)} is null`, ...conditions];
  const after = plan.after !== null && isValuePosition(plan.after) ? plan.after : null;
  // All of them follow a record with a value.
  if (after === null || (after.values[0] ?? null) !== null) return rows;
  return [...rows, laterKeys(plan, scope, after, 1)];
}

/**
 * Rows after a position by the keys from `start` on: greater in the first of them, or equal there and greater in the
 * next, …; between equal rows the activity decides (activities are merged in code order), then the tie-breaker.
 */
function laterKeys(plan: ReadPlan, scope: Scope, after: ValuePosition, start: 0 | 1): Statement {
  const keys = plan.sort.slice(start).map((key, index) => ({ key, value: after.values[index + start] ?? null }));
  const tie = tieAfter(plan, scope, after);
  if (keys.length === 0) return tie;
  const branches = [...keys.keys(), keys.length].map((depth) => {
    const equal = keys
      .slice(0, depth)
      .map(({ key, value }) => (value === null ? sql`${column(key)} is null` : sql`${column(key)} = ${value}`));
    const current = keys[depth];
    return sql`(${sql.all([...equal, current === undefined ? tie : beyond(current.key, current.value)])})`;
  });
  return sql`(${sql.join(branches, ' or ')})`;
}

function column({ field }: SortKey): Statement {
  return sql`t.${sql.quoted(field)}`;
}

/** Nulls are last in both directions: nothing follows null, null follows every value. */
function beyond(key: SortKey, value: StoredValue | null): Statement {
  if (value === null) return sql`false`;
  return sql`(${column(key)} ${key.descending ? sql`<` : sql`>`} ${value} or ${column(key)} is null)`;
}

function tieAfter(plan: ReadPlan, scope: Scope, after: ValuePosition): Statement {
  if (scope.activity !== after.activity) return scope.activity > after.activity ? sql`true` : sql`false`;
  const sign = plan.sort.at(-1)?.descending ? sql`<` : sql`>`;
  return sql`${tieBreakerOf(plan)} ${sign} ${after.tieBreaker}`;
}

function tieBreakerOf({ resource }: ReadPlan): Statement {
  return sql`t.${sql.quoted(tieBreakerColumn(resource))}`;
}
