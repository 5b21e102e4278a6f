// In charge of how statements leave out withdrawn records (decision 49).
import type { Resource } from '../model/resource.ts';
import type { Scope } from './list-sql.ts';
import { perEngine, type Sql, sql, type Statement } from './statement.ts';

/**
 * True of records that are not withdrawn. PostgreSQL takes `is null` for rare as long as it knows nothing of a table,
 * and would then prefer to read and sort all of it; of this comparison it takes a third of the rows for fitting.
 * @param column `withdrawn_at` of the rows
 */
export function isLive(column: Sql): Statement {
  return perEngine({
    sqlite: () => sql`${column} is null`,
    postgres: () => sql`coalesce(${column}, -1) < 0`,
  });
}

/** One row where the record that has this change number is not withdrawn. */
export function liveChange({ table }: Resource, activity: string, change: number): Statement {
  return sql`
    select 1 from ${sql.quoted(table)} where owner = ${activity} and change_number = ${change}
    and ${isLive(sql`withdrawn_at`)}
  `;
}

/** That a row is none of the withdrawn ones that the scope leaves out; nothing where it leaves out none. */
export function notWithdrawn({ imageId, withdrawnAfter }: Scope, of: Sql): readonly Statement[] {
  if (imageId !== null || withdrawnAfter === 0) return [];
  const live = isLive(sql`${of}withdrawn_at`);
  return [withdrawnAfter === null ? live : sql`(${live} or ${of}change_number > ${withdrawnAfter})`];
}
