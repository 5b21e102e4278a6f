// The name of the history that change numbers belong to; begins a new history after a restore.
import { randomBytes } from 'node:crypto';
import { appendEntryOf } from './audit.ts';
import type { EntryOf } from './audit-contract.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { readFirst } from './single-statements.ts';
import { sql } from './statement.ts';
import { selectRows, update, upsert } from './table-statements.ts';
import { activityTable } from './tables/activities.ts';
import { secretTable } from './tables/processes.ts';
import { carrierAccountTable, numberSeriesTable } from './tables/shipping.ts';

/** Name of the row in table `secret`. */
export const historySecret = 'history';

export function newHistory(): string {
  return randomBytes(9).toString('base64url');
}

/**
 * When the history of this database began, milliseconds since 1970: when the database was created, or last restored.
 */
export async function historySince(engine: Pick<Engine, 'read'>): Promise<number> {
  return (await readFirst(engine, selectRows(secretTable, { name: historySecret })))?.createdAt ?? 0;
}

/**
 * More changes, and more ids, than can have been lost between a backup and its restore. An activity has ten thousand
 * million ids.
 */
const lostChanges = 1_000_000_000;
const lostIds = 10_000_000;
/** More labels than can have been made in that time; a GS1 company prefix has 100 million numbers or more. */
const lostLabels = 100_000;

/**
 * Begins a new history: what was written after the backup is missing here, but clients and the warehouse have seen it.
 * Earlier cursors and ETags no longer match, and no change number, id or parcel number that was lost is given out
 * again. A running server uses the old name until it is restarted.
 * @returns number of activities
 */
export function beginHistory(engine: Engine, entryOf?: EntryOf<number>): Promise<number> {
  return engine.write(async (transaction) => {
    const activities = await beginHistoryWithin(transaction);
    await appendEntryOf(transaction, activities, entryOf);
    return activities;
  });
}

/** The same within a transaction in progress. */
export async function beginHistoryWithin(transaction: WriteTransaction): Promise<number> {
  const history = { name: historySecret, value: newHistory(), createdAt: Date.now() };
  await transaction.query(upsert(secretTable, history));
  const [{ lastChange, lastId }, series, account] = [
    activityTable.column,
    numberSeriesTable.column.lastNumber,
    carrierAccountTable.column.lastSequence,
  ];
  const counters = { lastChange: sql`${lastChange} + ${lostChanges}`, lastId: sql`${lastId} + ${lostIds}` };
  const activities = await transaction.query(update(activityTable, counters, {}));
  await transaction.query(update(numberSeriesTable, { lastNumber: sql`${series} + ${lostLabels}` }, {}));
  await transaction.query(update(carrierAccountTable, { lastSequence: sql`${account} + ${lostLabels}` }, {}));
  return activities.length;
}
