// In charge of labels: written down before the carrier is asked, completed with what it gave; their files, and what is known of their parcels.
import { createHash } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
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
  /** Client and `Idempotency-Key` of the request, hashed; null without a key. */
  readonly requestKey: string | null;
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

/** Notes that a carrier is about to be asked for a label: whatever happens next, it is known that there may be a parcel. */
export async function noteAsked(db: Kysely<Tables>, label: Omit<StoredLabel, 'state' | 'expeditionNumber' | 'result'>): Promise<void> {
  await db.insertInto('shipping_label').values({
    owner: label.owner, id: label.id, account_id: label.accountId, context: label.context, carrier: label.carrier, expedition_number: null, state: 'asked', request_key: label.requestKey,
    n_dossier: label.nDossier, order_id: label.orderId, request: label.request, result: null, operation_id: label.operationId, client_id: label.clientId, created_at: label.createdAt,
  }).execute();
}

/** Completes a label with what the carrier gave, and adds its files; to be called in the transaction that stores the answer. */
export async function noteMade(db: Kysely<Tables>, owner: string, id: string, { expeditionNumber, result, files }: { readonly expeditionNumber: string; readonly result: string; readonly files: readonly LabelFile[] }): Promise<void> {
  await db.updateTable('shipping_label').set({ state: 'made', expedition_number: expeditionNumber, result }).where('owner', '=', owner).where('id', '=', id).execute();
  for (const file of files) {
    await db.insertInto('label_file').values({
      token_hash: hashOf(file.token), owner, label_id: id, media_type: file.mediaType, file_name: file.fileName, stored_as: file.storedAs, size: file.size, expires_at: file.expiresAt,
    }).execute();
  }
}

/** Notes that there is no parcel (`refused`), or that nobody knows (`unknown`). */
export async function noteNotMade(db: Kysely<Tables>, owner: string, id: string, state: 'refused' | 'unknown'): Promise<void> {
  await db.updateTable('shipping_label').set({ state }).where('owner', '=', owner).where('id', '=', id).execute();
}

/** The newest label of an account with this number. */
export async function findLabel(db: Kysely<Tables>, owner: string, accountId: string, expeditionNumber: string): Promise<StoredLabel | null> {
  const row = await db.selectFrom('shipping_label').selectAll()
    .where('owner', '=', owner).where('account_id', '=', accountId).where('expedition_number', '=', expeditionNumber)
    .orderBy('created_at', 'desc').limit(1).executeTakeFirst();
  return row === undefined ? null : toLabel(row);
}

/** The label that was last asked for under this key. */
export async function labelOfRequest(db: Kysely<Tables>, owner: string, requestKey: string): Promise<StoredLabel | null> {
  const row = await db.selectFrom('shipping_label').selectAll().where('owner', '=', owner).where('request_key', '=', requestKey).orderBy('created_at', 'desc').limit(1).executeTakeFirst();
  return row === undefined ? null : toLabel(row);
}

/** The labels of an account with this number of the client, newest first, at most ten. */
export async function labelsOfDossier(db: Kysely<Tables>, owner: string, accountId: string, nDossier: string): Promise<readonly StoredLabel[]> {
  const rows = await db.selectFrom('shipping_label').selectAll().where('owner', '=', owner).where('account_id', '=', accountId).where('n_dossier', '=', nDossier)
    .orderBy('created_at', 'desc').limit(10).execute();
  return rows.map(toLabel);
}

/** How many labels of an account were asked for since an instant (milliseconds), refused ones left out. */
export async function countLabels(db: Kysely<Tables>, accountId: string, since: number): Promise<number> {
  const row = await db.selectFrom('shipping_label').select((select) => select.fn.countAll().as('count'))
    .where('account_id', '=', accountId).where('created_at', '>=', since).where('state', '!=', 'refused').executeTakeFirstOrThrow();
  return Number(row.count);
}

/** The file behind the last part of an address; null where it has expired or never was. */
export async function findLabelFile(db: Kysely<Tables>, token: string, now: number): Promise<Omit<LabelFile, 'token'> | null> {
  const row = await db.selectFrom('label_file').selectAll().where('token_hash', '=', hashOf(token)).where('expires_at', '>', now).executeTakeFirst();
  return row === undefined ? null : toFile(row);
}

/** Forgets files that have expired, at most a thousand. Returns how many; the sweep of the document storage takes their bytes. */
export async function forgetLabelFiles(db: Kysely<Tables>, now: number): Promise<number> {
  const rows = await db.selectFrom('label_file').select('token_hash').where('expires_at', '<=', now).limit(1000).execute();
  if (rows.length === 0) return 0;
  await db.deleteFrom('label_file').where('token_hash', 'in', rows.map((row) => row.token_hash)).execute();
  return rows.length;
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

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

function toLabel(row: Selectable<ShippingLabelTable>): StoredLabel {
  return {
    owner: row.owner, id: row.id, accountId: row.account_id, context: row.context, carrier: row.carrier, expeditionNumber: row.expedition_number, state: row.state,
    requestKey: row.request_key, nDossier: row.n_dossier, orderId: row.order_id, request: row.request, result: row.result, operationId: row.operation_id, clientId: row.client_id, createdAt: Number(row.created_at),
  };
}

function toFile(row: Selectable<LabelFileTable>): Omit<LabelFile, 'token'> {
  return { mediaType: row.media_type, fileName: row.file_name, storedAs: row.stored_as, size: Number(row.size), expiresAt: Number(row.expires_at) };
}
