// Erases the content of old labels, and forgets their files.
import { removeInBatches, type SomeRows } from './batches.ts';
import { allCodes } from './activities.ts';
import type { Engine } from './engine.ts';
import type { StoredLabel } from './labels.ts';
import { emptyRequest } from './label-writes.ts';
import { type Sql, sql } from './statement.ts';

/** Forgets files that have expired. Returns how many; the sweep of the document storage deletes their bytes. */
export function forgetLabelFiles(engine: Engine, now: number): Promise<number> {
  return removeInBatches(engine, {
    table: 'label_file',
    where: sql`expires_at <= ${now}`,
    by: 'expires_at',
  });
}

/**
 * Erases personal data from labels requested at or before an instant (milliseconds): labels that were refused or not
 * made here are removed, and every other one loses the request, its hash, the client's number and the result. What
 * stays is which label a parcel number belongs to, and that the request's key was used.
 * @returns the number of labels
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

/** @param and a further condition */
function oldLabels(state: StoredLabel['state'], until: number, and: Sql): SomeRows {
  return {
    table: 'shipping_label',
    where: sql`state = ${state} and created_at <= ${until} and ${and}`,
    by: 'created_at',
  };
}
