// In charge of emptying labels that are old, and of forgetting their files.
import { removeInBatches, type SomeRows } from './batches.ts';
import { allCodes } from './activities.ts';
import type { Engine } from './engine.ts';
import type { StoredLabel } from './labels.ts';
import { emptyRequest } from './label-writes.ts';
import { type Sql, sql } from './statement.ts';

/** Forgets files that have expired. Returns how many; the sweep of the document storage takes their bytes. */
export function forgetLabelFiles(engine: Engine, now: number): Promise<number> {
  return removeInBatches(engine, {
    table: 'label_file',
    where: sql`expires_at <= ${now}`,
    by: 'expires_at',
  });
}

/**
 * Removes what labels say of people, as far as they were asked for at an instant (milliseconds) or before it: labels
 * that were refused or not made here as a whole, of every other one the request, its hash, the client's number and the
 * result. What stays is whose parcel a number is, and that the key of a request has been used.
 * @returns of how many labels
 */
export async function forgetLabels(engine: Engine, until: number): Promise<number> {
  // Rows are found and locked on one machine at a time.
  if (engine.isDistributed !== true) return forgetLabelsOf(engine, until, sql`true`);
  let count = 0;
  for (const activity of await allCodes(engine)) count += await forgetLabelsOf(engine, until, sql`owner = ${activity}`);
  return count;
}

async function forgetLabelsOf(engine: Engine, until: number, whose: Sql): Promise<number> {
  let count = 0;
  for (const state of ['refused', 'fetched'] as const)
    count += await removeInBatches(engine, oldLabels(state, until, whose));
  for (const state of ['made', 'asked', 'unknown', 'voided'] as const) {
    const after: StoredLabel['state'] = state === 'made' ? 'past' : state;
    const emptied = sql`
      update shipping_label set state = ${after}, request = ${emptyRequest}, fingerprint = '', n_dossier = null,
      result = null
    `;
    count += await removeInBatches(engine, oldLabels(state, until, sql`${whose} and fingerprint <> ''`), emptied);
  }
  return count;
}

/** @param and what else holds of them */
function oldLabels(state: StoredLabel['state'], until: number, and: Sql): SomeRows {
  return {
    table: 'shipping_label',
    where: sql`state = ${state} and created_at <= ${until} and ${and}`,
    by: 'created_at',
  };
}
