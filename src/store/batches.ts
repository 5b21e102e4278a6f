// In charge of removing many rows in short transactions, between which others have their turn.
import { setImmediate as nextTurn } from 'node:timers/promises';

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
