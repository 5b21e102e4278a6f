// The image already stored under an extraction date: records that are sent again keep their ids.
import { isObject } from '../model/scalar.ts';
import type { IncomingRecord } from '../model/record.ts';
import type { Resource } from '../model/resource.ts';
import type { WriteTransaction } from './engine.ts';
import { anyOf, keysOf } from './sql-dialects.ts';
import { perEngine, planAnew, sql, type Statement } from './statement.ts';

/** The published image of an instant (milliseconds), the newest if there are several; no row if there is none. */
export function publishedAt(activity: string, at: number): Statement {
  return sql`
    select image_id, content_hash from stock_image where owner = ${activity} and state = 'published' and
    extracted_at = ${at} order by base desc limit 1
  `;
}

/**
 * The stored bodies of those of these records that an image contains, by natural key. Records of an image that is being
 * removed may be missing.
 */
export async function recordsOfImage(
  transaction: WriteTransaction,
  resource: Resource,
  { activity, imageId }: { readonly activity: string; readonly imageId: string },
  records: readonly IncomingRecord[],
): Promise<ReadonlyMap<string, string>> {
  const [lead = ''] = resource.key;
  const leads = [...new Set(records.map(({ value }) => String(value[lead])))];
  const wanted = new Set(records.map(({ naturalKey }) => naturalKey));
  const found = new Map<string, string>();
  for (const [body] of await transaction.query(recordsBy(resource, lead, { activity, imageId, leads }))) {
    const record: unknown = JSON.parse(String(body));
    const naturalKey = isObject(record) ? JSON.stringify(resource.key.map((name) => record[name])) : '';
    if (wanted.has(naturalKey)) found.set(naturalKey, String(body));
  }
  return found;
}

interface ImageSelection {
  readonly activity: string;
  readonly imageId: string;
  readonly leads: readonly string[];
}

/** Uses the index that begins with activity, image and this column; see decision 25 for the PostgreSQL form. */
function recordsBy({ table }: Resource, lead: string, { activity, imageId, leads }: ImageSelection): Statement {
  const rows = sql`select t.body from ${sql.quoted(table)} t where t.owner = ${activity} and t.image_id = ${imageId}`;
  const column = sql`t.${sql.quoted(lead)}`;
  return planAnew(
    perEngine({
      sqlite: () => sql`${rows} and ${anyOf(column, leads)}`,
      postgres: () => sql`
        select found.body from unnest(${keysOf(leads)}) as given (key) cross join lateral (${rows} and
        ${column} = given.key order by t.position) as found
      `,
      citus: () => sql`${rows} and ${anyOf(column, leads)} order by t.position`,
    }),
  );
}
