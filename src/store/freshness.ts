// In charge of how recent the data of each activity is, for those who watch the service.
import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/** Instant (milliseconds) of the latest stock image that can be seen, by activity; absent where there is none. */
export async function newestImages(db: Kysely<Tables>): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('stock_image')
    .select((select) => ['owner', select.fn.max('extracted_at').as('at')])
    .where('state', '=', 'published')
    .groupBy('owner')
    .execute();
  return new Map(rows.map(({ owner, at }) => [owner, Number(at)]));
}

/** Instant (milliseconds) at which anything was last written, by activity; absent where nothing ever was. */
export async function lastWrites(db: Kysely<Tables>): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('activity')
    .select(['code', 'last_write_at'])
    .where('last_write_at', '>', 0)
    .execute();
  return new Map(rows.map(({ code, last_write_at: at }) => [code, Number(at)]));
}
