// Rows looked up by a value: few enough to be found first, then sorted and filtered.
import type { Condition } from '../model/plan.ts';
import type { Resource } from '../model/resource.ts';
import type { Lookup, ReadPlan } from './access-path.ts';
import { conditionSql } from './condition-sql.ts';
import { limitTo, withoutLimit } from './sql-dialects.ts';
import { isLive } from './live-records.ts';
import { allValues, intersection, liesIn, type ValueSpan, spanOf } from './span.ts';
import { rowsAs, type Sql, sql, type Statement } from './statement.ts';

/** Most rows that a read may look up, over all its activities, when no index has them in order. */
export const maxLookedUp = 1000;

/** The number of rows that a look-up finds in an activity; counting stops at `maxLookedUp + 1`. */
export function lookedUpCount(resource: Resource, activity: string, lookup: Lookup): Statement<number> {
  const most = limitTo(maxLookedUp + 1);
  const found = joined(lookedUp(sql`1`, resource, activity, lookup).map((rows) => sql`${rows} ${most}`));
  return rowsAs(sql`select count(*) from (${found} ${most}) found`, ([cell]) => Number(cell));
}

/**
 * The rows `t` of a statement: the looked-up ones if the plan says so, otherwise the table. A limit that limits nothing
 * keeps each engine from walking another index in its order, which would take long.
 */
export function rowsToRead({ resource, lookup }: ReadPlan, activity: string): Statement {
  if (lookup === undefined) return sql`${sql.quoted(resource.table)} t`;
  return sql`(${joined(lookedUp(sql`t.*`, resource, activity, lookup))} ${withoutLimit}) t`;
}

function joined(selects: readonly Statement[]): Statement {
  const parts = selects.map((select, index) => sql`select * from (${select}) ${sql.quoted(`part${index}`)}`);
  return sql.join(parts, ' union all ');
}

/**
 * One statement for each value, or one for a span. Each asks for the order of the field, which only its index has:
 * otherwise PostgreSQL, if it considers the rows frequent, would read the table from its beginning, however far back
 * they lie. A single value is written as a span from itself to itself, because equal rows are in any order.
 */
function lookedUp(
  columns: Sql,
  resource: Resource,
  activity: string,
  { field, conditions }: Lookup,
): readonly Statement[] {
  const column = sql`t.${sql.quoted(field)}`;
  return spansOf(field, conditions).map(
    (span) => sql`
      select ${columns} from ${sql.quoted(resource.table)} t
      where ${sql.all([sql`t.owner = ${activity}`, ...liesIn(column, span)])} order by ${column}
    `,
  );
}

/** Disjoint spans. */
function spansOf(field: string, conditions: readonly Condition[]): readonly ValueSpan[] {
  const [first] = conditions;
  if (first?.op === 'in')
    return first.values.flatMap((value) => spanOf({ op: '==', selector: field, value }, field) ?? []);
  return [conditions.map((condition) => spanOf(condition, field) ?? allValues).reduce(intersection, allValues)];
}

/** One row if a record of the activity that is not withdrawn has this value. */
export function existsWith(resource: Resource, activity: string, condition: Condition): Statement {
  const fits = conditionSql(condition, resource, activity);
  const where = sql`t.owner = ${activity} and ${fits} and ${isLive(sql`t.withdrawn_at`)}`;
  return sql`select 1 from ${sql.quoted(resource.table)} t where ${where} limit 1`;
}
