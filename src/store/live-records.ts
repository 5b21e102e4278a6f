// How statements leave out withdrawn records (decision 49).
import type { Resource } from '../model/resource.ts';
import type { Scope } from './list-sql.ts';
import { perEngine, type Sql, sql, type Statement } from './statement.ts';

/**
 * True for records that are not withdrawn. While PostgreSQL has no statistics on a table, it estimates `is null` as
 * rare and would prefer to read and sort all such rows; for this comparison it estimates a third of the rows.
 * @param column `withdrawn_at` of the rows
 */
export function isLive(column: Sql): Statement {
  return perEngine({
    sqlite: () => sql`${column} is null`,
    postgres: () => sql`coalesce(${column}, -1) < 0`,
  });
}

/** One row if the record that has this change number is not withdrawn. */
export function liveChange({ table }: Resource, activity: string, change: number): Statement {
  return sql`
    select 1 from ${sql.quoted(table)} where owner = ${activity} and change_number = ${change}
    and ${isLive(sql`withdrawn_at`)}
  `;
}

/** The condition that a row is not a withdrawn one that the scope leaves out; empty if it leaves out none. */
export function notWithdrawn({ imageId, withdrawnAfter }: Scope, of: Sql): readonly Statement[] {
  if (imageId !== null || withdrawnAfter === 0) return [];
  const live = isLive(sql`${of}withdrawn_at`);
  return [withdrawnAfter === null ? live : sql`(${live} or ${of}change_number > ${withdrawnAfter})`];
}
