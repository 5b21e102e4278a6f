// Removes many rows in short transactions, so that others get their turn in between.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Engine } from './engine.ts';
import { alongTheIndex } from './sql-dialects.ts';
import { perEngine, planAnew, type Sql, sql, type Statement } from './statement.ts';

/** Rows removed in one transaction: on the embedded database nobody else can write meanwhile. */
export const maxRemovedAtOnce = 1000;

/**
 * Removes batches until one is not full.
 * @param removeBatch removes at most `maxRemovedAtOnce` rows in a transaction of its own and returns their number
 * @returns the number of rows removed
 */
export async function inBatches(removeBatch: () => Promise<number>): Promise<number> {
  let count = 0;
  for (let batch = maxRemovedAtOnce; batch === maxRemovedAtOnce; await nextTurn()) {
    batch = await removeBatch();
    count += batch;
  }
  return count;
}

/** Some rows of a table: the first ones by an indexed column. */
export interface SomeRows {
  readonly table: string;
  /** The condition that they match. The index begins with the columns compared for equality here. */
  readonly where: Sql;
  /** The column that follows in the index. */
  readonly by: string;
}

/**
 * Removes (or updates) all matching rows, in batches.
 * @param verb the statement up to `where`; a row that it updates must no longer match
 * @returns the number of rows; rows that another process is working on are left to it
 */
export function removeInBatches(engine: Engine, rows: SomeRows, verb?: Sql): Promise<number> {
  return inBatches(() => removeBatch(engine, rows, verb));
}

/** Removes one batch in a transaction of its own; returns the number of rows. */
export async function removeBatch(engine: Engine, rows: SomeRows, verb?: Sql): Promise<number> {
  return engine.writeInBackground(async (transaction) => {
    let removed = 0;
    for (const statement of batchStatements(rows, verb)) removed = (await transaction.query(statement)).length;
    return removed;
  });
}

/**
 * One batch, found by one short index walk and removed by physical row position. This stays fast on a table about which
 * PostgreSQL has no statistics or misleading ones, where a delete by a subquery of keys becomes a nested loop. Two
 * processes that remove the same rows neither wait for each other nor deadlock.
 * @returns the statements of a transaction; the last one returns one row for each row removed
 */
export function batchStatements(
  { table, where, by }: SomeRows,
  verb: Sql = sql`delete from ${sql.quoted(table)}`,
): readonly Statement[] {
  const some = (place: Sql): Statement => sql`
    select ${place} from ${sql.quoted(table)} where ${where} order by ${sql.quoted(by)} limit ${maxRemovedAtOnce}
  `;
  const isOneOfThem = perEngine({
    sqlite: () => sql`rowid in (${some(sql`rowid`)})`,
    postgres: () => sql`ctid = any(array(${some(sql`ctid`)} for update skip locked))`,
  });
  // The condition is repeated because a row changed by somebody else in the meantime may no longer match. In this form
  // no index serves it.
  const isStillMeant = perEngine({
    sqlite: () => sql`(${where}) is true`,
    postgres: () => sql`(${where}) is true`,
    // Citus looks for the activity here, and finds it only in a plain condition.
    citus: () => sql`(${where})`,
  });
  return [alongTheIndex, planAnew(sql`${verb} where ${isOneOfThem} and ${isStillMeant} returning 1`)];
}
