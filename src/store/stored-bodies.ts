// Reads records by their natural keys: which ones exist, and the bodies of those that must be examined, a few megabytes
// at a time.
import type { Resource } from '../model/resource.ts';
import type { WriteTransaction } from './engine.ts';
import { type KeyedRows, selectKeyed } from './keyed-rows.ts';
import { isLive } from './live-records.ts';
import { sql } from './statement.ts';
import { recordsBy } from './stored-records.ts';

/** Bytes of the bodies held in memory at a time; a longer one is held alone. */
export const maxBodyBytesHeld = 16 * 1_048_576;

/** Those of these natural keys that belong to records that are not withdrawn. */
export async function storedKeys(
  transaction: WriteTransaction,
  resource: Resource,
  activity: string,
  naturalKeys: readonly string[],
): Promise<ReadonlySet<string>> {
  if (naturalKeys.length === 0) return new Set();
  const rows = await transaction.query(selectKeyed(live(resource, activity, naturalKeys), sql`natural_key`));
  return new Set(rows.map(([key]) => String(key)));
}

/**
 * The bodies of such records by natural key, in portions: the lengths are read first, so that no more than one portion
 * is ever held in memory.
 * @param maxBytes of a portion; a longer body is a portion by itself
 */
export async function* storedBodies(
  transaction: Pick<WriteTransaction, 'query'>,
  resource: Resource,
  activity: string,
  naturalKeys: readonly string[],
  maxBytes: number = maxBodyBytesHeld,
): AsyncGenerator<ReadonlyMap<string, string>> {
  if (naturalKeys.length === 0) return;
  const measured = await transaction.query(
    selectKeyed(live(resource, activity, naturalKeys), sql`natural_key, octet_length(body)`),
  );
  const lengths = new Map(measured.map(([key, length]) => [String(key), Number(length)]));
  for (const keys of portionsOf(
    naturalKeys.filter((key) => lengths.has(key)),
    (key) => lengths.get(key) ?? 0,
    maxBytes,
  )) {
    const rows = await transaction.query(selectKeyed(live(resource, activity, keys), sql`natural_key, body`));
    yield new Map(rows.map(([key, body]) => [String(key), String(body)]));
  }
}

function live(resource: Resource, activity: string, naturalKeys: readonly string[]): KeyedRows {
  return { ...recordsBy(resource, activity, naturalKeys), and: isLive(sql`withdrawn_at`) };
}

/** Consecutive keys, as many together as fit into `maxBytes`; at least one. */
function portionsOf(
  keys: readonly string[],
  bytesOf: (key: string) => number,
  maxBytes: number,
): readonly (readonly string[])[] {
  const portions: string[][] = [];
  let left = 0;
  for (const key of keys) {
    const bytes = bytesOf(key);
    const last = portions.at(-1);
    if (last === undefined || bytes > left) {
      portions.push([key]);
      left = maxBytes - bytes;
    } else {
      last.push(key);
      left -= bytes;
    }
  }
  return portions;
}
