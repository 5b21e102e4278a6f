// How recent the data of each activity is, for monitoring.
import type { Engine } from './engine.ts';
import { rowsAs, sql } from './statement.ts';
import { stockImageTable } from './tables/activities.ts';

/** Instant (milliseconds) of the latest visible stock image, by activity; activities without one are absent. */
export async function newestImages(engine: Engine): Promise<ReadonlyMap<string, number>> {
  const { column, quoted } = stockImageTable;
  const newest = sql`
    select ${column.activity}, max(${column.extractedAt}) from ${quoted}
    where ${column.state} = 'published' group by ${column.activity}
  `;
  return new Map(await engine.read(rowsAs(newest, ([activity, at]) => [String(activity), Number(at)] as const)));
}
