// The row of the demonstration's clock, whose lock gives one process exclusive access to received records and requests.
import type { WriteTransaction } from './engine.ts';
import type { RowOf } from './table.ts';
import { selectRows, update } from './table-statements.ts';
import { demoClockTable } from './tables/demonstration.ts';

export type StoredDemoClock = Omit<RowOf<typeof demoClockTable>, 'name'>;

/** Key of the row. */
export const clockName = 'demo';

/** Locks the row until the end of the transaction. @returns null: this database holds no live demonstration */
export async function lockedClock({ query }: WriteTransaction): Promise<StoredDemoClock | null> {
  await query(update(demoClockTable, { name: clockName }, { name: clockName }));
  const [clock] = await query(selectRows(demoClockTable, { name: clockName }));
  return clock ?? null;
}
