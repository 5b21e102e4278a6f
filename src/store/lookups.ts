// In charge of rows that are looked up by a value: few enough to be found first, and put in order and filtered then.
import type { Condition } from '../model/plan.ts';
import type { Resource } from '../model/resource.ts';
import type { FieldValues, ReadPlan } from './access-path.ts';
import { conditionSql } from './condition-sql.ts';
import { withoutLimit } from './engine-words.ts';
import { isLive } from './live-records.ts';
import { rowsAs, type Sql, sql, type Statement } from './statement.ts';

/** Most rows that a read may look at, of all its activities, when no index has them in order. */
export const maxLookedUp = 1000;

/** How many rows of an activity have one of the values; those beyond `maxLookedUp + 1` are not counted. */
export function lookedUpCount(resource: Resource, activity: string, lookup: FieldValues): Statement<number> {
  const found = lookedUp(sql`1`, resource, activity, lookup);
  const count = sql`select count(*) from (${found} limit ${maxLookedUp + 1}) found`;
  return rowsAs(count, ([cell]) => Number(cell));
}

/**
 * The rows `t` of a statement: those that are looked up, where the plan says so, else the table. A limit that limits
 * nothing keeps each engine from taking the rows in the order of another index, through which it would look for long.
 */
export function rowsToRead({ resource, lookup }: ReadPlan, activity: string): Statement {
  if (lookup === undefined) return sql`${sql.quoted(resource.table)} t`;
  return sql`(${lookedUp(sql`*`, resource, activity, lookup)} ${withoutLimit}) t`;
}

function lookedUp(columns: Sql, resource: Resource, activity: string, { field, values }: FieldValues): Statement {
  const has = conditionSql({ op: 'in', selector: field, values }, resource);
  return sql`select ${columns} from ${sql.quoted(resource.table)} t where t.owner = ${activity} and ${has}`;
}

/** One row when a record of the activity that is not withdrawn has this value. */
export function existsWith(resource: Resource, activity: string, condition: Condition): Statement {
  const where = sql`t.owner = ${activity} and ${conditionSql(condition, resource)} and ${isLive(sql`t.withdrawn_at`)}`;
  return sql`select 1 from ${sql.quoted(resource.table)} t where ${where} limit 1`;
}
