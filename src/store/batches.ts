// In charge of removing many rows in short transactions, between which others have their turn.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Engine } from './engine.ts';
import { onPostgres, perEngine, planAnew, type Sql, sql, type Statement } from './statement.ts';

/** Rows that are removed in one transaction: on the embedded database no one else writes meanwhile. */
export const removedAtOnce = 1000;

/**
 * Removes batch after batch until one is not full.
 * @param removeBatch removes at most `removedAtOnce` rows in a transaction of its own and says how many
 * @returns how many rows were removed
 */
export async function inBatches(removeBatch: () => Promise<number>): Promise<number> {
  let count = 0;
  for (let batch = removedAtOnce; batch === removedAtOnce; await nextTurn()) {
    batch = await removeBatch();
    count += batch;
  }
  return count;
}

/** Some rows of a table: the first ones by a column with an index. */
export interface SomeRows {
  readonly table: string;
  /** What holds of them. The index begins with what is said to be equal here. */
  readonly where: Sql;
  /** The column that follows in the index. */
  readonly by: string;
}

/**
 * Removes (or updates) all rows that are meant, in batches.
 * @param verb what stands before `where`; a row that it updates must no longer be meant
 * @returns how many rows; those that another process is at work on are left to it
 */
export function removeInBatches(engine: Engine, rows: SomeRows, verb?: Sql): Promise<number> {
  return inBatches(() => removeBatch(engine, rows, verb));
}

/** Removes one batch in a transaction of its own, and says how many rows. */
export async function removeBatch(engine: Engine, rows: SomeRows, verb?: Sql): Promise<number> {
  return engine.writeInBackground(async (transaction) => {
    let removed = 0;
    for (const statement of batchStatements(rows, verb)) removed = (await transaction.query(statement)).length;
    return removed;
  });
}

/**
 * One batch: found by one short walk along the index, and removed by where the rows lie. So it is as fast on a table of
 * which PostgreSQL knows nothing yet or something else, where a delete by a subquery of keys becomes a loop within a
 * loop; and two processes that remove the same rows neither wait for each other nor come to a deadlock.
 * @returns the statements of a transaction; the last one gives a row for each that was removed
 */
export function batchStatements(
  { table, where, by }: SomeRows,
  verb: Sql = sql`delete from ${sql.quoted(table)}`,
): readonly Statement[] {
  const some = (place: Sql): Statement => sql`
    select ${place} from ${sql.quoted(table)} where ${where} order by ${sql.quoted(by)} limit ${removedAtOnce}
  `;
  const isOneOfThem = perEngine({
    sqlite: () => sql`rowid in (${some(sql`rowid`)})`,
    postgres: () => sql`ctid = any(array(${some(sql`ctid`)} for update skip locked))`,
  });
  // Said twice: a row that somebody changed while this statement came to it may no longer be meant. So said, no index
  // serves it.
  const isStillMeant = perEngine({
    sqlite: () => sql`(${where}) is true`,
    postgres: () => sql`(${where}) is true`,
    // It looks for the activity here, and finds it in a plain condition alone.
    citus: () => sql`(${where})`,
  });
  return [alongTheIndex, planAnew(sql`${verb} where ${isOneOfThem} and ${isStillMeant} returning 1`)];
}

/** There is an index in this order: all rows that are meant are never read and sorted for the sake of a few. */
const alongTheIndex = onPostgres(() => sql`set local enable_sort = off`);
