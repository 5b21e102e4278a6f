// In charge of writing labels, in the transactions that write the rest: noted before the carrier is asked, completed
// with what it gave.
import type { LabelResult } from '../model/shipping.ts';
import type { WriteTransaction } from './engine.ts';
import { holdsClaim } from './idempotency-records.ts';
import { hashOfToken, type LabelFile, type StoredLabel } from './labels.ts';
import { type LabelInForce, labelsInForce } from './order-labels.ts';
import { rowsAs, sql } from './statement.ts';
import { countRows, insert, selectRows, update } from './table-statements.ts';
import {
  carrierAccountTable,
  labelFileTable,
  labelParcelTable,
  numberSeriesTable,
  shippingLabelTable,
} from './tables/shipping.ts';
import type { RequestClaim } from './idempotency-contract.ts';

/** What became of the wish to ask a carrier for a label. */
export type Reserved =
  /** It is noted and may be asked for, under this number of the account or of its series: 1, 2, 3, …, never twice. */
  | { readonly state: 'reserved'; readonly sequence: number }
  | { readonly state: 'beyond-limit'; readonly dailyLimit: number }
  /** The account has been removed. */
  | { readonly state: 'gone' }
  /** Another request has taken the claim over: it is for that one to ask. */
  | { readonly state: 'taken-over' }
  /** Another label of the order excludes this one. */
  | { readonly state: 'excluded'; readonly by: LabelInForce };

/** For whom a label is noted. */
export interface Reservation {
  /** The right to answer the request; null where it has no `Idempotency-Key`. */
  readonly claim: RequestClaim | null;
  /** Series whose numbers the account takes, together with others of its carrier; null: it counts for itself. */
  readonly series: string | null;
  /** Tells labels of the same order beside which there must be no other; null: none excludes this one. */
  readonly excludes: ((label: LabelInForce) => boolean) | null;
}

/** The request of a label that is not kept. */
export const emptyRequest = '{}';

/** What changes of a label that was never made: its key is free again, and nothing is kept of whom it was for. */
export const nothingMade = {
  state: 'refused',
  expeditionNumber: null,
  requestKey: null,
  request: emptyRequest,
  fingerprint: '',
} as const;

/**
 * Notes that a carrier is about to be asked for a label: whatever happens next, it is known that there may be a parcel.
 * Whoever holds the row of the account is alone with its numbers and its limit, so that none of them is exceeded or
 * repeated; whoever holds the claim is alone with the request, and the unique key of the table says so once more.
 * @param label in the state `asked`
 * @param midnight from where labels of the day are counted, milliseconds; refused ones are left out
 */
export async function reserveLabel(
  transaction: WriteTransaction,
  label: StoredLabel,
  midnight: number,
  { claim, series, excludes }: Reservation,
): Promise<Reserved> {
  if (excludes !== null) await lockExclusions(transaction, label.activity);
  const account = await lockAccount(transaction, label.accountId);
  if (account === null) return { state: 'gone' };
  // A process that stood still may go on long after its request was answered by another.
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

/** Writes a label as it is now, and adds its files and the numbers of its parcels. */
export async function putLabel(
  transaction: WriteTransaction,
  label: StoredLabel,
  files: readonly LabelFile[],
): Promise<void> {
  const [stored] = await transaction.query(selectRows(shippingLabelTable, { activity: label.activity, id: label.id }));
  // An operator may have settled it meanwhile: its key is free then, and may be that of another label by now.
  const requestKey = stored?.requestKey === null ? null : label.requestKey;
  // Nor does one that was voided meanwhile come back because somebody fetched it.
  const state = stored?.state === 'voided' ? 'voided' : label.state;
  await transaction.putRows(shippingLabelTable.target, [shippingLabelTable.toCells({ ...label, requestKey, state })]);
  await transaction.putRows(
    labelFileTable.target,
    files.map(({ token, ...file }) =>
      labelFileTable.toCells({ ...file, tokenHash: hashOfToken(token), activity: label.activity, labelId: label.id }),
    ),
  );
  const { activity, carrier, id: labelId } = label;
  await transaction.putRows(
    labelParcelTable.target,
    parcelNumbers(label).map((parcelNumber) => labelParcelTable.toCells({ activity, carrier, parcelNumber, labelId })),
  );
}

/**
 * Adds labels of an activity that were made without a request of a client; those that are there stay as they are.
 * They have no files and no numbers beside their own.
 */
export async function addLabels(
  transaction: WriteTransaction,
  activity: string,
  labels: readonly Omit<StoredLabel, 'activity'>[],
): Promise<void> {
  const stored = await transaction.query(selectRows(shippingLabelTable, { activity, id: labels.map(({ id }) => id) }));
  const known = new Set(stored.map(({ id }) => id));
  const added = labels.filter(({ id }) => !known.has(id));
  const cells = added.map((label) => shippingLabelTable.toCells({ ...label, activity }));
  await transaction.putRows(shippingLabelTable.target, cells);
}

/**
 * Writes a label that the carrier has made. Holds the row of its account, so that of two that are made at once one
 * finds the other.
 * @returns number of the first other label of the account that was made from the same request; null: there is none
 */
export async function putMadeLabel(
  transaction: WriteTransaction,
  label: StoredLabel,
  files: readonly LabelFile[],
): Promise<string | null> {
  const { activity, id, accountId, fingerprint } = label;
  await lockAccount(transaction, accountId);
  await putLabel(transaction, label, files);
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

/** Holds the row of an account until the transaction ends; null where there is none any more. */
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
 * Holds the first account of an activity until the transaction ends, before any other one: of two labels that exclude
 * each other, at two accounts at once, the second one finds the first.
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

/** The next number of a series, beyond `before` too: an account may have counted for itself until now. */
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
  { activity, orderId }: StoredLabel,
): Promise<readonly LabelInForce[]> {
  return orderId === null ? [] : transaction.query(labelsInForce({ activity, orderId }));
}

async function countSince(
  transaction: WriteTransaction,
  { activity, accountId }: StoredLabel,
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

/** Numbers of all parcels of a label that was made here, where it tells them. */
function parcelNumbers({ state, result }: StoredLabel): readonly string[] {
  // Labels without them hold megabytes of pictures.
  if (state !== 'made' || result?.includes('"ParcelNumber"') !== true) return [];
  const { outputs }: LabelResult = JSON.parse(result);
  const numbers = outputs.filter(({ name, value }) => name === 'ParcelNumber' && value.length <= maxNumberCharacters);
  return [...new Set(numbers.map(({ value }) => value))];
}

/** A carrier that gives more has given no number. */
const maxNumberCharacters = 64;
