// In charge of labels: written down before the carrier is asked, completed with what it gave; their files, and what is known of their parcels.
import { createHash } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import { inBatches, removedAtOnce } from './batches.ts';
import type { BulkTarget, WriteTransaction } from './engine.ts';
import type { LabelFileTable, ShippingLabelTable } from './shipping-tables.ts';
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
  /** It is noted and may be asked for, under this number of the account: 1, 2, 3, …, never twice. */
  | { readonly state: 'reserved'; readonly sequence: number }
  /** The request is not a new one: this is its label, or what is known of it. */
  | { readonly state: 'known'; readonly label: StoredLabel }
  | { readonly state: 'beyond-limit'; readonly dailyLimit: number }
  /** The account has been removed. */
  | { readonly state: 'gone' };

/**
 * Notes that a carrier is about to be asked for a label: whatever happens next, it is known that there may be a parcel. Whoever
 * holds the row of the account is alone with its numbers, its limit and its requests, so that none of them is exceeded or repeated.
 * @param label in the state `asked`
 * @param midnight from where labels of the day are counted, milliseconds; refused ones are left out
 */
export async function reserveLabel(db: Kysely<Tables>, label: StoredLabel, midnight: number): Promise<Reserved> {
  return db.transaction().execute(async (transaction) => {
    const account = await transaction.updateTable('carrier_account').set((set) => ({ last_sequence: set.ref('last_sequence') })).where('id', '=', label.accountId)
      .returning(['last_sequence', 'daily_limit']).executeTakeFirst();
    if (account === undefined) return { state: 'gone' };
    const known = label.requestKey === null ? null : await labelOfRequest(transaction, label.owner, label.requestKey);
    if (known !== null) return { state: 'known', label: known };
    const dailyLimit = account.daily_limit === null ? null : Number(account.daily_limit);
    if (dailyLimit !== null && await countLabels(transaction, label.accountId, midnight) >= dailyLimit) return { state: 'beyond-limit', dailyLimit };
    const sequence = Number(account.last_sequence) + 1;
    await transaction.updateTable('carrier_account').set({ last_sequence: sequence }).where('id', '=', label.accountId).execute();
    await transaction.insertInto('shipping_label').values(toRow(label)).execute();
    return { state: 'reserved', sequence };
  });
}

/** Writes a label as it is now, and adds its files, in the transaction that writes the rest. */
export async function putLabel(transaction: WriteTransaction, label: StoredLabel, files: readonly LabelFile[]): Promise<void> {
  const row = toRow(label);
  await transaction.putRows(labelTarget, [labelTarget.columns.map(({ name }) => row[name])]);
  await transaction.putRows(fileTarget, files.map((file) => [hashOf(file.token), label.owner, label.id, file.mediaType, file.fileName, file.storedAs, file.size, file.expiresAt]));
}

/** The newest label of a context with this number. */
export async function findLabel(db: Kysely<Tables>, { owner, context, carrier }: Pick<StoredLabel, 'owner' | 'context' | 'carrier'>, expeditionNumber: string): Promise<StoredLabel | null> {
  const row = await db.selectFrom('shipping_label').selectAll()
    .where('expedition_number', '=', expeditionNumber).where('owner', '=', owner).where('context', '=', context).where('carrier', '=', carrier)
    .orderBy('created_at', 'desc').orderBy('id', 'desc').limit(1).executeTakeFirst();
  return row === undefined ? null : toLabel(row);
}

/** Whether another activity made a label with this number at this carrier: two accounts here may be one to the carrier. */
export async function isMadeByOthers(db: Kysely<Tables>, { owner, carrier }: Pick<StoredLabel, 'owner' | 'carrier'>, expeditionNumber: string): Promise<boolean> {
  const row = await db.selectFrom('shipping_label').select('id')
    .where('expedition_number', '=', expeditionNumber).where('carrier', '=', carrier).where('owner', '!=', owner).where('state', '=', 'made').limit(1).executeTakeFirst();
  return row !== undefined;
}

/** Number of the first label of an account that was made from the same request; null: there is none. */
export async function firstLabelAlike(db: Kysely<Tables>, { owner, accountId, fingerprint }: Pick<StoredLabel, 'owner' | 'accountId' | 'fingerprint'>): Promise<string | null> {
  const row = await db.selectFrom('shipping_label').select('expedition_number')
    .where('owner', '=', owner).where('account_id', '=', accountId).where('fingerprint', '=', fingerprint).where('state', '=', 'made')
    .orderBy('created_at').orderBy('id').limit(1).executeTakeFirst();
  return row?.expedition_number ?? null;
}

/** The file behind the last part of an address; null where it has expired or never was. */
export async function findLabelFile(db: Kysely<Tables>, token: string, now: number): Promise<Omit<LabelFile, 'token'> | null> {
  const row = await db.selectFrom('label_file').selectAll().where('token_hash', '=', hashOf(token)).where('expires_at', '>', now).executeTakeFirst();
  return row === undefined ? null : toFile(row);
}

/** Forgets files that have expired. Returns how many; the sweep of the document storage takes their bytes. */
export async function forgetLabelFiles(db: Kysely<Tables>, now: number): Promise<number> {
  return inBatches(async () => {
    const rows = await db.selectFrom('label_file').select('token_hash').where('expires_at', '<=', now).limit(removedAtOnce).execute();
    if (rows.length > 0) await db.deleteFrom('label_file').where('token_hash', 'in', rows.map((row) => row.token_hash)).execute();
    return rows.length;
  });
}

/** The names in the document storage that label files refer to, of those that are given. */
export async function knownLabelFiles(db: Kysely<Tables>, storedAs: readonly string[]): Promise<ReadonlySet<string>> {
  if (storedAs.length === 0) return new Set();
  return new Set((await db.selectFrom('label_file').select('stored_as').where('stored_as', 'in', [...storedAs]).execute()).map((row) => row.stored_as));
}

/** The last answer about a parcel: JSON text of the Tracking, and when it was given (milliseconds). */
export async function lastTracking(db: Kysely<Tables>, accountId: string, expeditionNumber: string): Promise<{ readonly tracking: string; readonly fetchedAt: number } | null> {
  const row = await db.selectFrom('parcel_tracking').selectAll().where('account_id', '=', accountId).where('expedition_number', '=', expeditionNumber).executeTakeFirst();
  return row === undefined ? null : { tracking: row.tracking, fetchedAt: Number(row.fetched_at) };
}

/** Keeps an answer about a parcel in the place of the one before. */
export async function keepTracking(db: Kysely<Tables>, accountId: string, expeditionNumber: string, tracking: string, now: number): Promise<void> {
  await db.insertInto('parcel_tracking').values({ account_id: accountId, expedition_number: expeditionNumber, tracking, fetched_at: now })
    .onConflict((conflict) => conflict.columns(['account_id', 'expedition_number']).doUpdateSet({ tracking, fetched_at: now })).execute();
}

/** Forgets what was known of parcels that nobody has asked about since an instant (milliseconds). Returns how many. */
export async function forgetTracking(db: Kysely<Tables>, before: number): Promise<number> {
  return inBatches(async () => {
    const rows = await db.selectFrom('parcel_tracking').select(['account_id', 'expedition_number']).where('fetched_at', '<', before).limit(removedAtOnce).execute();
    for (const { account_id: account, expedition_number: number } of rows) {
      await db.deleteFrom('parcel_tracking').where('account_id', '=', account).where('expedition_number', '=', number).where('fetched_at', '<', before).execute();
    }
    return rows.length;
  });
}

async function labelOfRequest(db: Kysely<Tables>, owner: string, requestKey: string): Promise<StoredLabel | null> {
  const row = await db.selectFrom('shipping_label').selectAll().where('owner', '=', owner).where('request_key', '=', requestKey).executeTakeFirst();
  return row === undefined ? null : toLabel(row);
}

async function countLabels(db: Kysely<Tables>, accountId: string, since: number): Promise<number> {
  const row = await db.selectFrom('shipping_label').select((select) => select.fn.countAll().as('count'))
    .where('account_id', '=', accountId).where('created_at', '>=', since).where('state', 'in', ['asked', 'made', 'unknown']).executeTakeFirstOrThrow();
  return Number(row.count);
}

type LabelRow = Selectable<ShippingLabelTable>;

const labelTarget = {
  table: 'shipping_label', conflict: ['owner', 'id'],
  columns: [
    { name: 'owner', type: 'text' }, { name: 'id', type: 'text' }, { name: 'account_id', type: 'text' }, { name: 'context', type: 'text' }, { name: 'carrier', type: 'text' },
    { name: 'expedition_number', type: 'text' }, { name: 'state', type: 'text' }, { name: 'request_key', type: 'text' }, { name: 'fingerprint', type: 'text' }, { name: 'n_dossier', type: 'text' },
    { name: 'order_id', type: 'text' }, { name: 'request', type: 'text' }, { name: 'result', type: 'text' }, { name: 'operation_id', type: 'text' }, { name: 'client_id', type: 'text' }, { name: 'created_at', type: 'integer' },
  ],
} as const satisfies BulkTarget;

const fileTarget: BulkTarget = {
  table: 'label_file', conflict: ['token_hash'],
  columns: [
    { name: 'token_hash', type: 'text' }, { name: 'owner', type: 'text' }, { name: 'label_id', type: 'text' }, { name: 'media_type', type: 'text' }, { name: 'file_name', type: 'text' },
    { name: 'stored_as', type: 'text' }, { name: 'size', type: 'integer' }, { name: 'expires_at', type: 'integer' },
  ],
};

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

function toRow(label: StoredLabel): LabelRow {
  return {
    owner: label.owner, id: label.id, account_id: label.accountId, context: label.context, carrier: label.carrier, expedition_number: label.expeditionNumber, state: label.state,
    request_key: label.requestKey, fingerprint: label.fingerprint, n_dossier: label.nDossier, order_id: label.orderId, request: label.request, result: label.result,
    operation_id: label.operationId, client_id: label.clientId, created_at: label.createdAt,
  };
}

function toLabel(row: LabelRow): StoredLabel {
  return {
    owner: row.owner, id: row.id, accountId: row.account_id, context: row.context, carrier: row.carrier, expeditionNumber: row.expedition_number, state: row.state,
    requestKey: row.request_key, fingerprint: row.fingerprint, nDossier: row.n_dossier, orderId: row.order_id, request: row.request, result: row.result,
    operationId: row.operation_id, clientId: row.client_id, createdAt: Number(row.created_at),
  };
}

function toFile(row: Selectable<LabelFileTable>): Omit<LabelFile, 'token'> {
  return { mediaType: row.media_type, fileName: row.file_name, storedAs: row.stored_as, size: Number(row.size), expiresAt: Number(row.expires_at) };
}
