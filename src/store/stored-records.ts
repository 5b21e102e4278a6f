// What the table holds of the records of a batch: which of its keys are known, and what is stored under them.
import { compositeKey } from '../model/composite-key.ts';
import type { Incoming, IncomingRecord, Withdrawal } from '../model/record.ts';
import { columnFields, type Resource } from '../model/resource.ts';
import type { StoredValue } from '../model/plan.ts';
import { sourceKey } from '../model/source-key.ts';
import type { Cell, SqlValue, WriteTransaction } from './engine.ts';
import { type KeyedRows, selectKeyed } from './keyed-rows.ts';
import { sql } from './statement.ts';

/** An item of a batch with its natural key in the table; null: it identifies no record. */
export type Keyed = KeyedRecord | KeyedWithdrawal;
export interface KeyedRecord {
  readonly naturalKey: string;
  readonly record: IncomingRecord;
}
export interface KeyedWithdrawal {
  readonly naturalKey: string | null;
  readonly withdrawal: Withdrawal;
}

export interface StoredRecord {
  /** Of its content; for a withdrawn record, a hash that no content has. */
  readonly hash: string;
  readonly changeNumber: number;
  readonly withdrawn: boolean;
  readonly bodyBytes: number;
  /** Only for records about to change (`withBodies`). */
  readonly body: string | null;
  /** Values of the columns of its fields; only for records about to be withdrawn. */
  readonly columns: readonly SqlValue[] | null;
}

/** Whether an activity gave out an id, according to its counters. */
type IsOwnId = (id: number) => boolean;

/** The hash of a withdrawn record, in place of the hash of its content. */
export function withdrawnHash(hash: string): string {
  return withdrawnPrefix + hash;
}

const withdrawnPrefix = 'withdrawn ';

function isWithdrawal(item: Incoming): item is Withdrawal {
  return 'withdraw' in item;
}

/** The records of an activity with these natural keys. */
export function recordsBy({ table }: Resource, activity: string, keys: readonly string[]): KeyedRows {
  return { table, activity, column: 'natural_key', keys, unique: true };
}

/** Determines the natural key under which each item of a batch is stored. */
export async function keyedItems(
  transaction: WriteTransaction,
  resource: Resource,
  activity: string,
  items: readonly Incoming[],
  isOwnId: IsOwnId,
): Promise<readonly Keyed[]> {
  const records = items.flatMap((item) => (isWithdrawal(item) ? [] : [item]));
  const asked = { transaction, resource, activity, isOwnId };
  const ownKeys = resource.key.length > 0 ? null : await keysOfOwn(asked, records);
  const ids = items.flatMap((item) => (isWithdrawal(item) && 'id' in item.withdraw ? [item.withdraw.id] : []));
  const keysById = ids.length === 0 ? null : await keysOfIds(asked, [...new Set(ids)]);
  return items.map((item) => {
    if (!isWithdrawal(item)) return { naturalKey: ownKeys?.(item) ?? item.naturalKey, record: item };
    const { withdraw } = item;
    const naturalKey = 'id' in withdraw ? (keysById?.get(withdraw.id) ?? null) : withdraw.naturalKey;
    return { naturalKey, withdrawal: item };
  });
}

/** What the table holds under the keys of a batch, without the bodies. */
export async function storedRecords(
  transaction: WriteTransaction,
  resource: Resource,
  activity: string,
  items: readonly Keyed[],
): Promise<Map<string, StoredRecord>> {
  const all = [...new Set(items.flatMap(({ naturalKey }) => naturalKey ?? []))];
  const columns = sql`natural_key, content_hash, change_number, withdrawn_at, octet_length(body)`;
  const rows = await transaction.query(selectKeyed(recordsBy(resource, activity, all), columns));
  return new Map(
    rows.map(([key, hash, changeNumber, withdrawnAt, bodyBytes]) => [
      String(key),
      {
        hash: String(hash),
        changeNumber: Number(changeNumber),
        withdrawn: withdrawnAt !== null,
        bodyBytes: Number(bodyBytes),
        body: null,
        columns: null,
      },
    ]),
  );
}

/**
 * The first items for which the bodies that they replace add up to at most `maxBytes`; at least one item.
 * @param found what the table holds, by natural key
 */
export function firstItems(
  items: readonly Keyed[],
  found: ReadonlyMap<string, StoredRecord>,
  maxBytes: number,
): readonly Keyed[] {
  const counted = new Set<string>();
  let bytes = 0;
  const beyond = items.findIndex((item, index) => {
    const key = replacedKey(item, found);
    if (key === null || counted.has(key)) return false;
    counted.add(key);
    bytes += found.get(key)?.bodyBytes ?? 0;
    return bytes > maxBytes && index > 0;
  });
  return beyond < 0 ? items : items.slice(0, beyond);
}

/** What the table holds of these items, with the bodies and field columns that are needed to replace them. */
export async function withBodies(
  transaction: WriteTransaction,
  resource: Resource,
  activity: string,
  items: readonly Keyed[],
  found: ReadonlyMap<string, StoredRecord>,
): Promise<ReadonlyMap<string, StoredRecord>> {
  const full = new Map(
    items.flatMap(({ naturalKey }) => {
      const stored = naturalKey === null ? undefined : found.get(naturalKey);
      return naturalKey === null || stored === undefined ? [] : [[naturalKey, stored]];
    }),
  );
  const { changing, withdrawing } = changesOf(items, found);
  const fields = [...columnFields(resource).keys()].map(sql.quoted);
  for (const [keys, columns] of [
    [changing, []],
    [withdrawing, fields],
  ] as const) {
    if (keys.length === 0) continue;
    const wanted = sql.join([sql`natural_key`, sql`body`, ...columns]);
    for (const [key, body, ...values] of await transaction.query(
      selectKeyed(recordsBy(resource, activity, keys), wanted),
    )) {
      const stored = full.get(String(key));
      const kept = columns.length === 0 ? null : values.map(toValue);
      if (stored !== undefined) full.set(String(key), { ...stored, body: String(body), columns: kept });
    }
  }
  return full;
}

/** The keys of stored records that will change; an item that occurs twice may be changed and changed back. */
function changesOf(
  items: readonly Keyed[],
  found: ReadonlyMap<string, StoredRecord>,
): { readonly changing: readonly string[]; readonly withdrawing: readonly string[] } {
  const withdrawing = new Set<string>();
  const changing = new Set<string>();
  for (const item of items) {
    const key = replacedKey(item, found);
    if (key !== null) ('withdrawal' in item ? withdrawing : changing).add(key);
  }
  return { changing: [...changing].filter((key) => !withdrawing.has(key)), withdrawing: [...withdrawing] };
}

/** The key of an item that changes or withdraws a stored record; null if it does not. */
function replacedKey(item: Keyed, found: ReadonlyMap<string, StoredRecord>): string | null {
  const stored = item.naturalKey === null ? undefined : found.get(item.naturalKey);
  if (stored === undefined) return null;
  const isReplaced = 'withdrawal' in item ? !stored.withdrawn : item.record.contentHash !== stored.hash;
  return isReplaced ? item.naturalKey : null;
}

interface LookupScope {
  readonly transaction: WriteTransaction;
  readonly resource: Resource;
  readonly activity: string;
  readonly isOwnId: IsOwnId;
}

const sourceId = /^id:(\d{16})$/;

/**
 * Records that this service published and that are sent back unchanged are recognized by their id, including withdrawn
 * ones. One with other content is treated as its source's own record with that number: an id of another installation
 * may look like ours, and must not overwrite anything.
 */
async function keysOfOwn(
  { transaction, resource, activity, isOwnId }: LookupScope,
  records: readonly IncomingRecord[],
): Promise<(record: IncomingRecord) => string | undefined> {
  const idOf = (record: IncomingRecord): number => Number(sourceId.exec(record.naturalKey)?.[1] ?? 0);
  const ids = records.map(idOf).filter(isOwnId);
  const [idField] = Object.entries(resource.fields).find(([, field]) => field.assigned === 'number') ?? [];
  if (ids.length === 0 || idField === undefined) return () => undefined;
  const columns = sql`${sql.quoted(idField)}, content_hash, natural_key`;
  const rows = await transaction.query(selectKeyed(recordsById(resource, activity, ids), columns));
  const published = new Map(
    rows.map(([id, hash, key]) => [
      compositeKey(
        Number(id),
        String(hash).slice(String(hash).startsWith(withdrawnPrefix) ? withdrawnPrefix.length : 0),
      ),
      String(key),
    ]),
  );
  return (record) => published.get(compositeKey(idOf(record), record.contentHash));
}

/** The natural keys of records by their id: the number that a source gave a record takes precedence over our own. */
async function keysOfIds(
  { transaction, resource, activity, isOwnId }: LookupScope,
  ids: readonly StoredValue[],
): Promise<ReadonlyMap<StoredValue, string>> {
  const keys = new Map<StoredValue, string>();
  const numbers = ids.filter((id) => typeof id === 'number');
  if (resource.key.length === 0 && numbers.length > 0) {
    const ofSource = new Map(numbers.map((id) => [sourceKey(id), id]));
    const rows = recordsBy(resource, activity, [...ofSource.keys()]);
    for (const [key] of await transaction.query(selectKeyed(rows, sql`natural_key`))) {
      const id = ofSource.get(String(key));
      if (id !== undefined) keys.set(id, String(key));
    }
  }
  const texts = ids.filter((id) => typeof id === 'string');
  const others = numbers.filter((id) => !keys.has(id) && isOwnId(id));
  for (const own of [texts, others]) {
    if (own.length === 0) continue;
    const rows = await transaction.query(selectKeyed(recordsById(resource, activity, own), sql`id, natural_key`));
    for (const [id, key] of rows) keys.set(typeof own[0] === 'number' ? Number(id) : String(id), String(key));
  }
  // Under a number that is not known its source may still send a record.
  if (resource.key.length === 0) for (const id of numbers) if (!keys.has(id)) keys.set(id, sourceKey(id));
  return keys;
}

function recordsById({ table }: Resource, activity: string, ids: KeyedRows['keys']): KeyedRows {
  return { table, activity, column: 'id', keys: ids, unique: true };
}

/** The value of a column that is not binary. */
export function toValue(cell: Cell): SqlValue {
  return Buffer.isBuffer(cell) ? cell.toString() : cell;
}
