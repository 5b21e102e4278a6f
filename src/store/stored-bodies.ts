// Reads the bodies of the records that a request is going to replace, within a bound in bytes.
import { Problem } from '../model/problem.ts';
import type { Resource } from '../model/resource.ts';
import { textBlock } from '../model/text-block.ts';
import type { WriteTransaction } from './engine.ts';
import { selectKeyed } from './keyed-rows.ts';
import { isLive } from './live-records.ts';
import { sql } from './statement.ts';
import { recordsBy } from './stored-records.ts';

interface BodiesAsked {
  readonly activity: string;
  readonly naturalKeys: readonly string[];
  /** Bytes of all bodies together. */
  readonly maxBytes: number;
}

/**
 * The bodies of the records that exist under these natural keys and are not withdrawn, by natural key. A body that is
 * longer than its share is measured first, and read only where there is room for all.
 * @throws Problem `validation-failed` where there is not
 */
export async function storedBodies(
  transaction: WriteTransaction,
  resource: Resource,
  { activity, naturalKeys, maxBytes }: BodiesAsked,
): Promise<ReadonlyMap<string, string>> {
  if (naturalKeys.length === 0) return new Map();
  const share = Math.floor(maxBytes / naturalKeys.length);
  const rows = await transaction.query(
    selectKeyed(
      { ...recordsBy(resource, activity, naturalKeys), and: isLive(sql`withdrawn_at`) },
      sql`natural_key, case when octet_length(body) <= ${share} then body end, octet_length(body)`,
    ),
  );
  const long = rows.filter(([, body]) => body === null).map(([key]) => String(key));
  const bytes = long.length === 0 ? 0 : rows.reduce((sum, [, , length]) => sum + Number(length), 0);
  if (bytes > maxBytes) throw tooLongTogether(bytes, maxBytes);
  const longBodies =
    long.length === 0
      ? []
      : await transaction.query(selectKeyed(recordsBy(resource, activity, long), sql`natural_key, body`));
  const found = [...rows.filter(([, body]) => body !== null), ...longBodies];
  return new Map(found.map(([key, body]) => [String(key), String(body)]));
}

function tooLongTogether(bytes: number, maxBytes: number): Problem {
  return new Problem(
    'validation-failed',
    textBlock`
      The records that the request would replace have ${bytes} bytes together as they are published; there is room for
      ${maxBytes}. Send fewer at a time.
    `,
  );
}
