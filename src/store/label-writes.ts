// Writes labels, in the transactions that write the rest: recorded before the carrier is asked, completed with its
// answer.
import { lockActivity } from './counters.ts';
import type { WriteTransaction } from './engine.ts';
import { holdsClaim } from './idempotency-records.ts';
import { type NumbersOfLabel, madeParcelNumbers, putNumbers } from './label-numbers.ts';
import { hashOfToken, type LabelFile, type NewLabel, type StoredLabel } from './labels.ts';
import { type LabelInForce, labelsInForce } from './order-labels.ts';
import { forUpdate } from './sql-dialects.ts';
import { rowsAs, sql } from './statement.ts';
import { countRows, insert, selectRows, update } from './table-statements.ts';
import { carrierAccountTable, labelFileTable, numberSeriesTable, shippingLabelTable } from './tables/shipping.ts';
import type { RequestClaim } from './idempotency-contract.ts';

/** The outcome of reserving a label. */
export type Reserved =
  /**
   * It is recorded and may be requested, under this number of the account or of its series: 1, 2, 3, …, never reused.
   */
  | { readonly state: 'reserved'; readonly sequence: number }
  | { readonly state: 'beyond-limit'; readonly dailyLimit: number }
  /** The account has been removed. */
  | { readonly state: 'gone' }
  /** Another request has taken the claim over, and will ask the carrier. */
  | { readonly state: 'taken-over' }
  /** Another label of the order excludes this one. */
  | { readonly state: 'excluded'; readonly by: LabelInForce };

/** On whose behalf a label is recorded. */
export interface Reservation {
  /** The right to answer the request; null if it has no `Idempotency-Key`. */
  readonly claim: RequestClaim | null;
  /**
   * The series that the account takes numbers from, shared with other accounts of its carrier; null: it has its own.
   */
  readonly series: string | null;
  /** Matches labels of the same order that exclude this one; null: none does. */
  readonly excludes: ((label: LabelInForce) => boolean) | null;
}

/** Stored in place of a request that is not kept. */
export const emptyRequest = '{}';

/** The changes to a label that was never made: its key becomes free, and nothing is kept about the recipient. */
export const nothingMade = {
  state: 'refused',
  expeditionNumber: null,
  requestKey: null,
  request: emptyRequest,
  fingerprint: '',
  result: null,
} as const;

/**
 * Records that a carrier is about to be asked for a label: whatever happens next, it is known that there may be a
 * parcel. The lock on the account's row protects its numbers and its limit, so that none is exceeded or repeated; the
 * claim gives exclusive access to the request, and the unique key of the table enforces it once more.
 * @param label in the state `asked`
 * @param midnight instant from which labels of the day are counted, milliseconds; refused ones are left out
 */
export async function reserveLabel(
  transaction: WriteTransaction,
  label: NewLabel,
  midnight: number,
  { claim, series, excludes }: Reservation,
): Promise<Reserved> {
  if (excludes !== null) await lockExclusions(transaction, label.activity);
  const account = await lockAccount(transaction, label.accountId);
  if (account === null) return { state: 'gone' };
  // A process that was suspended may continue long after another one has answered its request.
  if (claim !== null && !(await holdsClaim(transaction, claim))) return { state: 'taken-over' };
  const { dailyLimit, lastSequence } = account;
  if (dailyLimit !== null && (await countSince(transaction, label, midnight)) >= dailyLimit)
    return { state: 'beyond-limit', dailyLimit };
  const other = excludes === null ? undefined : (await inForce(transaction, label)).find(excludes);
  if (other !== undefined) return { state: 'excluded', by: other };
  const sequence =
    series === null
      ? lastSequence + 1
      : await nextOfSeries(transaction, { carrier: label.carrier, series, before: lastSequence });
  await transaction.query(update(carrierAccountTable, { lastSequence: sequence }, { id: label.accountId }));
  await transaction.query(insert(shippingLabelTable, label));
  return { state: 'reserved', sequence };
}

/**
 * Writes the current state of a label, and adds its files and the numbers of its parcels. Nothing is written of one
 * that was removed with its activity while the carrier was asked: the next activity with this code would have it.
 */
export async function putLabel(
  transaction: WriteTransaction,
  label: NewLabel,
  files: readonly LabelFile[],
  { parcels = [], aliases = [] }: NumbersOfLabel = {},
): Promise<void> {
  // Locked: what another transaction changes between this and the write would be overwritten.
  const one = sql`${selectRows(shippingLabelTable, { activity: label.activity, id: label.id })}${forUpdate}`;
  const [stored] = await transaction.query(rowsAs(one, shippingLabelTable.toRow));
  // The account is locked, and is the last that a removal of the activity takes.
  if (stored === undefined && (await lockAccount(transaction, label.accountId)) === null) return;
  // One whose content was erased meanwhile stays without it, and without files.
  if (stored?.state === 'past') return;
  // An operator may have settled it meanwhile: its key is then free, and may belong to another label by now.
  const requestKey = stored?.requestKey === null ? null : (label.requestKey ?? null);
  // Likewise, a label voided meanwhile stays void when somebody fetches it.
  const state = stored?.state === 'voided' ? 'voided' : label.state;
  const written = shippingLabelTable.toCells({ ...stored, ...label, requestKey, state });
  await transaction.putRows(shippingLabelTable.target, [written]);
  await transaction.putRows(
    labelFileTable.target,
    files.map(({ token, ...file }) =>
      labelFileTable.toCells({ ...file, tokenHash: hashOfToken(token), activity: label.activity, labelId: label.id }),
    ),
  );
  // What is only asked for or fetched is not known to be a parcel of this activity.
  if (state !== 'asked' && state !== 'fetched')
    await putNumbers(transaction, label, { parcels: [...madeParcelNumbers(label), ...parcels], aliases });
}

/**
 * Adds labels of an activity that were made without a client's request; existing ones stay as they are, and none is
 * added once the activity is removed. They have no files, and no parcel numbers other than their own number.
 */
export async function addLabels(
  transaction: WriteTransaction,
  activity: string,
  labels: readonly Omit<NewLabel, 'activity'>[],
): Promise<void> {
  if (!(await lockActivity(transaction, activity))) return;
  const stored = await transaction.query(selectRows(shippingLabelTable, { activity, id: labels.map(({ id }) => id) }));
  const known = new Set(stored.map(({ id }) => id));
  const added = labels.filter(({ id }) => !known.has(id));
  const cells = added.map((label) => shippingLabelTable.toCells({ ...label, activity }));
  await transaction.putRows(shippingLabelTable.target, cells);
}

/**
 * Writes a label that the carrier has made. Locks the row of its account, so that of two made at the same time one
 * finds the other.
 * @param aliases other numbers under which the carrier knows its parcels
 * @returns number of the first other label of the account made from the same request; null: there is none
 */
export async function putMadeLabel(
  transaction: WriteTransaction,
  label: NewLabel,
  files: readonly LabelFile[],
  aliases: readonly string[] = [],
): Promise<string | null> {
  const { activity, id, accountId, fingerprint } = label;
  await lockAccount(transaction, accountId);
  await putLabel(transaction, label, files, { aliases });
  const alike = selectRows(
    shippingLabelTable,
    { activity, accountId, fingerprint, state: 'made' },
    { by: ['createdAt', 'id'], limit: 2 },
  );
  return (await transaction.query(alike)).find((other) => other.id !== id)?.expeditionNumber ?? null;
}

/** The label that a request under a key has begun, or null. */
export async function labelOfRequest(
  transaction: WriteTransaction,
  activity: string,
  requestKey: string,
): Promise<StoredLabel | null> {
  const [label] = await transaction.query(selectRows(shippingLabelTable, { activity, requestKey }));
  return label ?? null;
}

/** Locks the row of an account until the transaction ends; null if it no longer exists. */
export async function lockAccount(
  transaction: WriteTransaction,
  id: string,
): Promise<{ readonly lastSequence: number; readonly dailyLimit: number | null } | null> {
  const { column, quoted } = carrierAccountTable;
  const locked = rowsAs(
    sql`
      update ${quoted} set ${column.lastSequence} = ${column.lastSequence} where ${column.id} = ${id}
      returning ${carrierAccountTable.allColumns}
    `,
    carrierAccountTable.toRow,
  );
  const [account] = await transaction.query(locked);
  return account ?? null;
}

/**
 * Locks the first account of an activity until the transaction ends, before any other account: of two labels that
 * exclude each other, requested at two accounts at once, the second one finds the first.
 */
async function lockExclusions(transaction: WriteTransaction, activity: string): Promise<void> {
  const { column, quoted } = carrierAccountTable;
  const first = sql`select min(${column.id}) from ${quoted} where ${column.activity} = ${activity}`;
  const locked = sql`
    update ${quoted} set ${column.lastSequence} = ${column.lastSequence} where ${column.id} = (${first})
    returning ${carrierAccountTable.allColumns}
  `;
  await transaction.query(rowsAs(locked, carrierAccountTable.toRow));
}

/** The next number of a series, above `before` too: an account may have had its own numbers until now. */
async function nextOfSeries(
  transaction: WriteTransaction,
  { carrier, series, before }: { readonly carrier: string; readonly series: string; readonly before: number },
): Promise<number> {
  const { quoted, column } = numberSeriesTable;
  const last = sql`${quoted}.${column.lastNumber}`;
  const given = sql`excluded.${column.lastNumber}`;
  const [number] = await transaction.query(
    rowsAs(
      sql`
        ${insert(numberSeriesTable, { carrier, series, lastNumber: before + 1 })}
        on conflict (${column.carrier}, ${column.series}) do update
        set ${column.lastNumber} = case when ${last} >= ${given} then ${last} + 1 else ${given} end
        returning ${column.lastNumber}
      `,
      ([next]) => Number(next),
    ),
  );
  if (number === undefined) throw new Error('a series of numbers gave none');
  return number;
}

async function inForce(
  transaction: WriteTransaction,
  { activity, orderId = null }: NewLabel,
): Promise<readonly LabelInForce[]> {
  return orderId === null ? [] : transaction.query(labelsInForce({ activity, orderId }));
}

async function countSince(
  transaction: WriteTransaction,
  { activity, accountId }: NewLabel,
  since: number,
): Promise<number> {
  const { column } = shippingLabelTable;
  const where = sql`
    ${column.activity} = ${activity} and ${column.accountId} = ${accountId} and ${column.createdAt} >= ${since}
    and ${column.state} in (${sql.join(['asked', 'made', 'unknown'])})
  `;
  const [count] = await transaction.query(countRows(shippingLabelTable, where));
  return count ?? 0;
}
