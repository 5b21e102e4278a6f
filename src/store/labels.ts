// In charge of labels: written down before the carrier is asked, completed with what it gave, emptied when they are
// old; and of their files.
import { createHash } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import type { LabelResult } from '../model/shipping.ts';
import { removeInBatches, type SomeRows } from './batches.ts';
import type { BulkTarget, Engine, WriteTransaction } from './engine.ts';
import type { LabelFileTable, ShippingLabelTable } from './shipping-tables.ts';
import { type Sql, sql } from './statement.ts';
import type { RequestClaim } from './store.ts';
import { holdsClaim } from './idempotency-records.ts';
import type { Tables } from './tables.ts';

/** A label; see the table for what its members say. */
export interface StoredLabel {
  readonly owner: string;
  readonly id: string;
  readonly accountId: string;
  readonly context: string;
  readonly carrier: string;
  readonly expeditionNumber: string | null;
  readonly state: ShippingLabelTable['state'];
  /** Client and `Idempotency-Key` of the request, hashed; null without a key, and after a refusal. */
  readonly requestKey: string | null;
  /** Hash of what the client asked for. */
  readonly fingerprint: string;
  readonly nDossier: string | null;
  readonly orderId: string | null;
  /** JSON text. */
  readonly request: string;
  /** JSON text of the LabelResult. */
  readonly result: string | null;
  readonly operationId: string;
  readonly clientId: string;
  /** Milliseconds. */
  readonly createdAt: number;
}

/** A file of a label whose bytes are in the document storage. */
export interface LabelFile {
  /** Last part of its address; only its hash is stored. */
  readonly token: string;
  readonly mediaType: string;
  readonly fileName: string;
  readonly storedAs: string;
  readonly size: number;
  /** Milliseconds. */
  readonly expiresAt: number;
}

/** What became of the wish to ask a carrier for a label. */
export type Reserved =
  /** It is noted and may be asked for, under this number of the account or of its series: 1, 2, 3, …, never twice. */
  | { readonly state: 'reserved'; readonly sequence: number }
  /** The request is not a new one: this is its label, or what is known of it. */
  | { readonly state: 'known'; readonly label: StoredLabel }
  | { readonly state: 'beyond-limit'; readonly dailyLimit: number }
  /** The account has been removed. */
  | { readonly state: 'gone' }
  /** Another request has taken the claim over: it is for that one to ask. */
  | { readonly state: 'taken-over' };

/**
 * Notes that a carrier is about to be asked for a label: whatever happens next, it is known that there may be a parcel.
 * Whoever holds the row of the account is alone with its numbers, its limit and its requests, so that none of them is
 * exceeded or repeated.
 * @param label in the state `asked`
 * @param midnight from where labels of the day are counted, milliseconds; refused ones are left out
 * @param claim the right to answer the request; null where it has no `Idempotency-Key`
 * @param series whose numbers the account takes, together with others of its carrier; null: it counts for itself
 */
export async function reserveLabel(
  db: Kysely<Tables>,
  label: StoredLabel,
  midnight: number,
  { claim = null, series = null }: { readonly claim?: RequestClaim | null; readonly series?: string | null } = {},
): Promise<Reserved> {
  return db.transaction().execute(async (transaction) => {
    const account = await transaction
      .updateTable('carrier_account')
      .set((set) => ({ last_sequence: set.ref('last_sequence') }))
      .where('id', '=', label.accountId)
      .returning(['last_sequence', 'daily_limit'])
      .executeTakeFirst();
    if (account === undefined) return { state: 'gone' };
    // A process that stood still may go on long after its request was answered by another.
    if (claim !== null && !(await holdsClaim(transaction, claim))) return { state: 'taken-over' };
    const known = label.requestKey === null ? null : await labelOfRequest(transaction, label.owner, label.requestKey);
    if (known !== null) return { state: 'known', label: known };
    const dailyLimit = account.daily_limit === null ? null : Number(account.daily_limit);
    if (dailyLimit !== null && (await countLabels(transaction, label.accountId, midnight)) >= dailyLimit)
      return { state: 'beyond-limit', dailyLimit };
    const before = Number(account.last_sequence);
    const sequence =
      series === null ? before + 1 : await nextOfSeries(transaction, { carrier: label.carrier, series, before });
    await transaction
      .updateTable('carrier_account')
      .set({ last_sequence: sequence })
      .where('id', '=', label.accountId)
      .execute();
    await transaction.insertInto('shipping_label').values(toRow(label)).execute();
    return { state: 'reserved', sequence };
  });
}

/** The next number of a series, beyond `before` too: an account may have counted for itself until now. */
async function nextOfSeries(
  transaction: Kysely<Tables>,
  { carrier, series, before }: { readonly carrier: string; readonly series: string; readonly before: number },
): Promise<number> {
  const row = await transaction
    .insertInto('number_series')
    .values({ carrier, series, last_number: before + 1 })
    .onConflict((conflict) =>
      conflict.columns(['carrier', 'series']).doUpdateSet((set) => ({
        last_number: set
          .case()
          .when('number_series.last_number', '>=', set.ref('excluded.last_number'))
          .then(set('number_series.last_number', '+', 1))
          .else(set.ref('excluded.last_number'))
          .end(),
      })),
    )
    .returning('last_number')
    .executeTakeFirstOrThrow();
  return Number(row.last_number);
}

/**
 * Writes a label as it is now, and adds its files and the numbers of its parcels, in the transaction that writes the
 * rest.
 */
export async function putLabel(
  transaction: WriteTransaction,
  label: StoredLabel,
  files: readonly LabelFile[],
): Promise<void> {
  const row = toRow(label);
  await transaction.putRows(labelTarget, [labelTarget.columns.map(({ name }) => row[name])]);
  await transaction.putRows(
    fileTarget,
    files.map((file) => [
      hashOf(file.token),
      label.owner,
      label.id,
      file.mediaType,
      file.fileName,
      file.storedAs,
      file.size,
      file.expiresAt,
    ]),
  );
  await transaction.putRows(
    parcelTarget,
    parcelNumbers(label).map((number) => [label.owner, label.carrier, number, label.id]),
  );
}

/**
 * The newest label of a context with this number; one of which nobody knows is left out, even where it has a number.
 */
export async function findLabel(
  db: Kysely<Tables>,
  { owner, context, carrier }: Pick<StoredLabel, 'owner' | 'context' | 'carrier'>,
  expeditionNumber: string,
): Promise<StoredLabel | null> {
  const row = await db
    .selectFrom('shipping_label')
    .selectAll()
    .where('expedition_number', '=', expeditionNumber)
    .where('owner', '=', owner)
    .where('context', '=', context)
    .where('carrier', '=', carrier)
    .where('state', '!=', 'unknown')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : toLabel(row);
}

/**
 * Whether another activity made a label or a parcel with this number at this carrier: two accounts here may be one to
 * the carrier.
 */
export async function isMadeByOthers(
  db: Kysely<Tables>,
  { owner, carrier }: Pick<StoredLabel, 'owner' | 'carrier'>,
  expeditionNumber: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('shipping_label')
    .select('id')
    .where('expedition_number', '=', expeditionNumber)
    .where('carrier', '=', carrier)
    .where('owner', '!=', owner)
    .where('state', 'in', ['made', 'past', 'unknown'])
    .limit(1)
    .executeTakeFirst();
  if (row !== undefined) return true;
  return (
    (await db
      .selectFrom('label_parcel')
      .select('label_id')
      .where('parcel_number', '=', expeditionNumber)
      .where('carrier', '=', carrier)
      .where('owner', '!=', owner)
      .limit(1)
      .executeTakeFirst()) !== undefined
  );
}

/** Number of the first other label of an account that was made from the same request; null: there is none. */
export async function firstLabelAlike(
  db: Kysely<Tables>,
  { owner, id, accountId, fingerprint }: Pick<StoredLabel, 'owner' | 'id' | 'accountId' | 'fingerprint'>,
): Promise<string | null> {
  const row = await db
    .selectFrom('shipping_label')
    .select('expedition_number')
    .where('owner', '=', owner)
    .where('account_id', '=', accountId)
    .where('fingerprint', '=', fingerprint)
    .where('state', '=', 'made')
    .where('id', '!=', id)
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row?.expedition_number ?? null;
}

/** The file behind the last part of an address; null where it has expired or never was. */
export async function findLabelFile(
  db: Kysely<Tables>,
  token: string,
  now: number,
): Promise<Omit<LabelFile, 'token'> | null> {
  const row = await db
    .selectFrom('label_file')
    .selectAll()
    .where('token_hash', '=', hashOf(token))
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row === undefined ? null : toFile(row);
}

/** Forgets files that have expired. Returns how many; the sweep of the document storage takes their bytes. */
export function forgetLabelFiles(engine: Engine, now: number): Promise<number> {
  return removeInBatches(engine, {
    table: 'label_file',
    where: sql`expires_at <= ${now}`,
    by: 'expires_at',
  });
}

/** The names in the document storage that label files refer to, of those that are given. */
export async function knownLabelFiles(db: Kysely<Tables>, storedAs: readonly string[]): Promise<ReadonlySet<string>> {
  if (storedAs.length === 0) return new Set();
  return new Set(
    (
      await db
        .selectFrom('label_file')
        .select('stored_as')
        .where('stored_as', 'in', [...storedAs])
        .execute()
    ).map((row) => row.stored_as),
  );
}

/**
 * Removes what labels say of people, as far as they were asked for at an instant (milliseconds) or before it: labels
 * that were refused or not made here as a whole, of every other one the request, its hash, the client's number and the
 * result. What stays is whose parcel a number is, and that the key of a request has been used.
 * @returns of how many labels
 */
export async function forgetLabels(engine: Engine, until: number): Promise<number> {
  let count = 0;
  for (const state of ['refused', 'fetched'] as const) count += await removeInBatches(engine, oldLabels(state, until));
  for (const state of ['made', 'asked', 'unknown'] as const) {
    const after: ShippingLabelTable['state'] = state === 'made' ? 'past' : state;
    const emptied = sql`
      update shipping_label set state = ${after}, request = ${emptyRequest}, fingerprint = '', n_dossier = null, result =
      null
    `;
    count += await removeInBatches(engine, oldLabels(state, until, sql` and fingerprint <> ''`), emptied);
  }
  return count;
}

/** The request of a label that is not kept. */
export const emptyRequest = '{}';

/** @param and what holds of those only that are not emptied yet */
function oldLabels(state: ShippingLabelTable['state'], until: number, and: Sql = sql``): SomeRows {
  return {
    table: 'shipping_label',
    where: sql`state = ${state} and created_at <= ${until}${and}`,
    by: 'created_at',
  };
}

async function labelOfRequest(db: Kysely<Tables>, owner: string, requestKey: string): Promise<StoredLabel | null> {
  const row = await db
    .selectFrom('shipping_label')
    .selectAll()
    .where('owner', '=', owner)
    .where('request_key', '=', requestKey)
    .executeTakeFirst();
  return row === undefined ? null : toLabel(row);
}

async function countLabels(db: Kysely<Tables>, accountId: string, since: number): Promise<number> {
  const row = await db
    .selectFrom('shipping_label')
    .select((select) => select.fn.countAll().as('count'))
    .where('account_id', '=', accountId)
    .where('created_at', '>=', since)
    .where('state', 'in', ['asked', 'made', 'unknown'])
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

type LabelRow = Selectable<ShippingLabelTable>;

const labelTarget = {
  table: 'shipping_label',
  conflict: ['owner', 'id'],
  columns: [
    { name: 'owner', type: 'text' },
    { name: 'id', type: 'text' },
    { name: 'account_id', type: 'text' },
    { name: 'context', type: 'text' },
    { name: 'carrier', type: 'text' },
    { name: 'expedition_number', type: 'text' },
    { name: 'state', type: 'text' },
    { name: 'request_key', type: 'text' },
    { name: 'fingerprint', type: 'text' },
    { name: 'n_dossier', type: 'text' },
    { name: 'order_id', type: 'text' },
    { name: 'request', type: 'text' },
    { name: 'result', type: 'text' },
    { name: 'operation_id', type: 'text' },
    { name: 'client_id', type: 'text' },
    { name: 'created_at', type: 'integer' },
  ],
} as const satisfies BulkTarget;

const fileTarget: BulkTarget = {
  table: 'label_file',
  conflict: ['token_hash'],
  columns: [
    { name: 'token_hash', type: 'text' },
    { name: 'owner', type: 'text' },
    { name: 'label_id', type: 'text' },
    { name: 'media_type', type: 'text' },
    { name: 'file_name', type: 'text' },
    { name: 'stored_as', type: 'text' },
    { name: 'size', type: 'integer' },
    { name: 'expires_at', type: 'integer' },
  ],
};

const parcelTarget: BulkTarget = {
  table: 'label_parcel',
  conflict: ['owner', 'carrier', 'parcel_number'],
  columns: [
    { name: 'owner', type: 'text' },
    { name: 'carrier', type: 'text' },
    { name: 'parcel_number', type: 'text' },
    { name: 'label_id', type: 'text' },
  ],
};

/** Numbers of all parcels of a label that was made here, where it tells them. */
function parcelNumbers({ state, result }: StoredLabel): readonly string[] {
  // Labels without them hold megabytes of pictures.
  if (state !== 'made' || result?.includes('"ParcelNumber"') !== true) return [];
  const { outputs }: LabelResult = JSON.parse(result);
  return [
    ...new Set(
      outputs.flatMap(({ name, value }) => (name === 'ParcelNumber' && value.length <= longestNumber ? [value] : [])),
    ),
  ];
}

/** Characters; a carrier that gives more has given no number. */
const longestNumber = 64;

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

function toRow(label: StoredLabel): LabelRow {
  return {
    owner: label.owner,
    id: label.id,
    account_id: label.accountId,
    context: label.context,
    carrier: label.carrier,
    expedition_number: label.expeditionNumber,
    state: label.state,
    request_key: label.requestKey,
    fingerprint: label.fingerprint,
    n_dossier: label.nDossier,
    order_id: label.orderId,
    request: label.request,
    result: label.result,
    operation_id: label.operationId,
    client_id: label.clientId,
    created_at: label.createdAt,
  };
}

/** A row as the rest of the program knows it. */
export function toLabel(row: LabelRow): StoredLabel {
  return {
    owner: row.owner,
    id: row.id,
    accountId: row.account_id,
    context: row.context,
    carrier: row.carrier,
    expeditionNumber: row.expedition_number,
    state: row.state,
    requestKey: row.request_key,
    fingerprint: row.fingerprint,
    nDossier: row.n_dossier,
    orderId: row.order_id,
    request: row.request,
    result: row.result,
    operationId: row.operation_id,
    clientId: row.client_id,
    createdAt: Number(row.created_at),
  };
}

function toFile(row: Selectable<LabelFileTable>): Omit<LabelFile, 'token'> {
  return {
    mediaType: row.media_type,
    fileName: row.file_name,
    storedAs: row.stored_as,
    size: Number(row.size),
    expiresAt: Number(row.expires_at),
  };
}
