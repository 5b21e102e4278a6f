// In charge of the name of the history that change numbers belong to, and of beginning a new one after a restore.
import { randomBytes } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

/** Name of the row of table `secret`. */
export const historySecret = 'history';

export function newHistory(): string {
  return randomBytes(9).toString('base64url');
}

/**
 * More changes, and more ids, than can have been lost between a backup and its restore. Of ids an activity has ten
 * thousand million.
 */
const lostChanges = 1_000_000_000;
const lostIds = 10_000_000;
/** More labels than can have been made meanwhile; a GS1 company prefix has numbers for 100 million and more. */
const lostLabels = 100_000;

/**
 * Begins a new history: what was written after the backup is gone here, but clients and the warehouse have seen it.
 * Cursors and ETags of before fit no longer, and no change number, id or parcel number that was lost is given out
 * again. A server that runs goes on with the old name until it is started again.
 * @returns number of activities
 */
export async function beginHistory(db: Kysely<Tables>): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    await transaction
      .insertInto('secret')
      .values({ name: historySecret, value: newHistory(), created_at: Date.now() })
      .onConflict((conflict) =>
        conflict.column('name').doUpdateSet((excluded) => ({
          value: excluded.ref('excluded.value'),
          created_at: excluded.ref('excluded.created_at'),
        })),
      )
      .execute();
    const { numUpdatedRows } = await transaction
      .updateTable('activity')
      .set({ last_change: sql`last_change + ${sql.lit(lostChanges)}`, last_id: sql`last_id + ${sql.lit(lostIds)}` })
      .executeTakeFirstOrThrow();
    await transaction
      .updateTable('number_series')
      .set({ last_number: sql`last_number + ${sql.lit(lostLabels)}` })
      .execute();
    await transaction
      .updateTable('carrier_account')
      .set({ last_sequence: sql`last_sequence + ${sql.lit(lostLabels)}` })
      .execute();
    return Number(numUpdatedRows);
  });
}
