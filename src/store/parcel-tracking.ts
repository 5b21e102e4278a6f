// The last tracking answers about parcels: what a carrier said, and when.
import { removeInBatches } from './batches.ts';
import type { Engine } from './engine.ts';
import { sql } from './statement.ts';
import { readFirst, writeOnce } from './single-statements.ts';
import type { RowOf } from './table.ts';
import { remove, selectRows, upsert } from './table-statements.ts';
import { parcelTrackingTable } from './tables/shipping.ts';

/** An answer about a parcel: JSON text of the Tracking, and when it was given (milliseconds). */
type StoredTracking = RowOf<typeof parcelTrackingTable>;

export interface ParcelTracking {
  /** The last answer about a parcel; null: there is none. */
  last(accountId: string, expeditionNumber: string): Promise<StoredTracking | null>;
  /** Stores an answer about a parcel in place of the previous one. */
  put(tracking: StoredTracking): Promise<void>;
  /** Drops the answer about a parcel that the carrier no longer knows. */
  drop(accountId: string, expeditionNumber: string): Promise<void>;
  /** Forgets answers about parcels that nobody has asked about since an instant (milliseconds). Returns how many. */
  forget(before: number): Promise<number>;
}

/** The last answers about parcels of a database. */
export function createParcelTracking(engine: Engine): ParcelTracking {
  return {
    last: (accountId, expeditionNumber) =>
      readFirst(engine, selectRows(parcelTrackingTable, { accountId, expeditionNumber })),
    put: async (tracking) => void (await writeOnce(engine, upsert(parcelTrackingTable, tracking))),
    drop: async (accountId, expeditionNumber) =>
      void (await writeOnce(engine, remove(parcelTrackingTable, { accountId, expeditionNumber }))),
    forget: (before) =>
      removeInBatches(engine, {
        table: parcelTrackingTable.name,
        where: sql`fetched_at < ${before}`,
        by: 'fetched_at',
      }),
  };
}
