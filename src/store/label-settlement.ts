// Settles labels of which it is unknown whether the carrier made them, with what somebody has found out.
import type { LabelResult } from '../model/shipping.ts';
import type { WriteTransaction } from './engine.ts';
import { isNumberOf } from './label-numbers.ts';
import { putNumbers, spellingsOf } from './label-numbers.ts';
import { nothingMade } from './label-writes.ts';
import type { StoredLabel } from './labels.ts';
import { forUpdate } from './sql-dialects.ts';
import { rowsAs, sql } from './statement.ts';
import { remove, selectRows, update } from './table-statements.ts';
import { labelAliasTable, labelFileTable, labelParcelTable, shippingLabelTable } from './tables/shipping.ts';

/**
 * `no-doubt`: somebody was faster, or there never was a doubt. `number-taken`: another parcel of the carrier has the
 * number.
 */
export type Settlement = 'settled' | 'no-doubt' | 'number-taken';

const { column } = shippingLabelTable;

/** States in which somebody has to find out whether there is a parcel, if the requesting process was killed. */
export const doubtful = ['unknown', 'asked'] as const;
export const isDoubtful = sql`${column.state} in (${sql.join(doubtful)})`;

/** There is no parcel: the key of the request becomes free. */
export async function settleAsLost(transaction: WriteTransaction, label: StoredLabel): Promise<Settlement> {
  const { activity, id: labelId } = label;
  if ((await lockDoubtful(transaction, label)) === null) return 'no-doubt';
  await transaction.query(update(shippingLabelTable, nothingMade, { activity, id: labelId }));
  await transaction.query(remove(labelParcelTable, { activity, labelId }));
  await transaction.query(remove(labelAliasTable, { activity, labelId }));
  await transaction.query(remove(labelFileTable, { activity, labelId }));
  return 'settled';
}

/**
 * There is a parcel.
 * @param spellings of its number, as it was given first
 */
export async function settleAsMade(
  transaction: WriteTransaction,
  label: StoredLabel,
  spellings: readonly [string, ...string[]],
): Promise<Settlement> {
  for (const spelling of spellings) if (await isTaken(transaction, label, spelling)) return 'number-taken';
  const doubtful = await lockDoubtful(transaction, label);
  if (doubtful === null) return 'no-doubt';
  const { activity, id: labelId } = label;
  const rows = await transaction.query(selectRows(labelParcelTable, { activity, labelId }));
  const aliases = await transaction.query(selectRows(labelAliasTable, { activity, labelId }));
  const parcels = new Set(rows.map(({ parcelNumber }) => parcelNumber));
  if (doubtful.expeditionNumber !== null) parcels.add(doubtful.expeditionNumber);
  const known = new Set([...parcels, ...aliases.map(({ alias }) => alias)]);
  const [given, ...others] = spellings;
  const isKnown = spellings.flatMap(spellingsOf).some((spelling) => known.has(spelling));
  const expeditionNumber = isKnown && !parcels.has(given) ? (doubtful.expeditionNumber ?? given) : given;
  if (parcels.size > 0) parcels.add(expeditionNumber);
  await putNumbers(
    transaction,
    { ...label, expeditionNumber },
    { parcels: parcels.size > 1 ? [...parcels] : [], aliases: isKnown ? [] : others },
  );
  await transaction.query(
    update(
      shippingLabelTable,
      { state: 'made', expeditionNumber, result: underNumber(doubtful.result, expeditionNumber) },
      { activity, id: labelId },
    ),
  );
  return 'settled';
}

/** The label as it is stored, locked until the transaction ends; null if there is no doubt about it. */
async function lockDoubtful(transaction: WriteTransaction, { activity, id }: StoredLabel): Promise<StoredLabel | null> {
  const where = sql`${column.activity} = ${activity} and ${column.id} = ${id} and ${isDoubtful}`;
  const locked = sql`${selectRows(shippingLabelTable, where)}${forUpdate}`;
  return (await transaction.query(rowsAs(locked, shippingLabelTable.toRow)))[0] ?? null;
}

/** What the carrier had given of a label, under the number that stands for its parcels now. */
function underNumber(result: string | null, expeditionNumber: string): string | null {
  if (result === null) return null;
  const given: LabelResult = JSON.parse(result);
  return JSON.stringify({ ...given, expeditionNumber });
}

function isTaken(
  { query }: WriteTransaction,
  { activity, id, carrier }: StoredLabel,
  number: string,
): Promise<boolean> {
  return isNumberOf(
    query,
    { carrier, number },
    (label) => sql`not (${label.activity} = ${activity} and ${label.id} = ${id})`,
  );
}
