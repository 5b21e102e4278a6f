// In charge of rows that are looked up by a value: few enough to be found first, and put in order and filtered then.
import type { Condition } from '../model/plan.ts';
import type { Resource } from '../model/resource.ts';
import type { Lookup, ReadPlan } from './access-path.ts';
import { conditionSql } from './condition-sql.ts';
import { limitTo, withoutLimit } from './engine-words.ts';
import { isLive } from './live-records.ts';
import { allValues, intersection, liesIn, type ValueSpan, spanOf } from './span.ts';
import { rowsAs, type Sql, sql, type Statement } from './statement.ts';

/** Most rows that a read may look at, of all its activities, when no index has them in order. */
export const maxLookedUp = 1000;

/** How many rows of an activity are found; those beyond `maxLookedUp + 1` are not counted. */
export function lookedUpCount(resource: Resource, activity: string, lookup: Lookup): Statement<number> {
  const most = limitTo(maxLookedUp + 1);
  const found = joined(lookedUp(sql`1`, resource, activity, lookup).map((rows) => sql`${rows} ${most}`));
  return rowsAs(sql`select count(*) from (${found} ${most}) found`, ([cell]) => Number(cell));
}

/**
 * The rows `t` of a statement: those that are looked up, where the plan says so, else the table. A limit that limits
 * nothing keeps each engine from taking the rows in the order of another index, through which it would look for long.
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
 * One statement for each value, or one for a span. Each asks for the order of the field, which nothing but its index
 * has: PostgreSQL would else read the table from its beginning where it takes the rows for frequent, however far behind
 * they lie. A single value is written as a span from itself to itself, since equal rows have any order.
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

/** Spans that have no value in common. */
function spansOf(field: string, conditions: readonly Condition[]): readonly ValueSpan[] {
  const [first] = conditions;
  if (first?.op === 'in')
    return first.values.flatMap((value) => spanOf({ op: '==', selector: field, value }, field) ?? []);
  return [conditions.map((condition) => spanOf(condition, field) ?? allValues).reduce(intersection, allValues)];
}

/** One row when a record of the activity that is not withdrawn has this value. */
export function existsWith(resource: Resource, activity: string, condition: Condition): Statement {
  const fits = conditionSql(condition, resource, activity);
  const where = sql`t.owner = ${activity} and ${fits} and ${isLive(sql`t.withdrawn_at`)}`;
  return sql`select 1 from ${sql.quoted(resource.table)} t where ${where} limit 1`;
}
