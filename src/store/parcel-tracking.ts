// In charge of the last answers about parcels: what a carrier said, and when.
import type { Kysely } from 'kysely';
import { removeInBatches } from './batches.ts';
import type { Engine } from './engine.ts';
import { sql } from './statement.ts';
import type { Tables } from './tables.ts';

/** The last answer about a parcel: JSON text of the Tracking, and when it was given (milliseconds). */
export async function lastTracking(
  db: Kysely<Tables>,
  accountId: string,
  expeditionNumber: string,
): Promise<{ readonly tracking: string; readonly fetchedAt: number } | null> {
  const row = await db
    .selectFrom('parcel_tracking')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('expedition_number', '=', expeditionNumber)
    .executeTakeFirst();
  return row === undefined ? null : { tracking: row.tracking, fetchedAt: Number(row.fetched_at) };
}

/** Keeps an answer about a parcel in the place of the one before. */
export async function keepTracking(
  db: Kysely<Tables>,
  accountId: string,
  expeditionNumber: string,
  tracking: string,
  now: number,
): Promise<void> {
  await db
    .insertInto('parcel_tracking')
    .values({ account_id: accountId, expedition_number: expeditionNumber, tracking, fetched_at: now })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'expedition_number']).doUpdateSet({ tracking, fetched_at: now }),
    )
    .execute();
}

/** Drops the answer about a parcel that the carrier no longer knows. */
export async function dropTracking(db: Kysely<Tables>, accountId: string, expeditionNumber: string): Promise<void> {
  await db
    .deleteFrom('parcel_tracking')
    .where('account_id', '=', accountId)
    .where('expedition_number', '=', expeditionNumber)
    .execute();
}

/** Forgets what was known of parcels that nobody has asked about since an instant (milliseconds). Returns how many. */
export function forgetTracking(engine: Engine, before: number): Promise<number> {
  return removeInBatches(engine, { table: 'parcel_tracking', where: sql`fetched_at < ${before}`, by: 'fetched_at' });
}
