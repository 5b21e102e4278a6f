// Removes stock images: they are hidden first, then deleted row by row, and finally their header.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Resource } from '../model/resource.ts';
import { removeBatch, maxRemovedAtOnce, removeInBatches } from './batches.ts';
import { lockCounters, saveRevision } from './counters.ts';
import type { Engine, RunStatement, WriteTransaction } from './engine.ts';
import { planAnew, rowsAs, type Sql, sql, type Statement } from './statement.ts';
import { insertMissing, selectRows, update } from './table-statements.ts';
import { stockImageTable } from './tables/activities.ts';

/** The header of an image that nobody can see and no process is working on. */
export const draftWithoutRows = {
  extractedAt: 0,
  state: 'draft',
  base: 0,
  rowCount: 0,
  contentHash: '',
  publishedAt: 0,
  touchedAt: 0,
  feedMessage: null,
} as const;

/**
 * A draft that has gained no rows for a day is given up; the limit is generous because a file of many images may take
 * hours.
 */
const abandonedDraftAfterMs = 86_400_000;

/**
 * Removes the published images older than the retention, except the latest of the activity, and what earlier removals
 * left behind. Any number of processes may do so at once.
 * @param before instant (milliseconds) from which images stay; null: all published ones stay
 * @returns the number of images hidden
 */
export async function removeOldImages(
  engine: Engine,
  resource: Resource,
  activity: string,
  before: number | null,
): Promise<number> {
  const hidden =
    before === null || (await oldImages(engine.read, activity, before)).length === 0
      ? 0
      : await hideOldImages(engine, resource, activity, before);
  if (before !== null) await removeOldNotes(engine, activity, before);
  await removeAbandonedDrafts(engine, resource, activity);
  for (const imageId of await imagesWithoutHeader(engine, resource, activity)) {
    await adopt(engine, activity, imageId);
    await removeImage(engine, resource, activity, imageId);
  }
  return hidden;
}

/** Removes drafts that were given up, and gives up those that have gained no rows for a day. */
export async function removeAbandonedDrafts(engine: Engine, resource: Resource, activity: string): Promise<void> {
  const abandonedBefore = (await engine.now()) - abandonedDraftAfterMs;
  await removeImages(
    engine,
    resource,
    activity,
    await engine.writeInBackground((transaction) =>
      abandonDrafts(transaction, activity, sql`touched_at < ${abandonedBefore}`),
    ),
  );
}

/**
 * Marks drafts so that no process can hold them any more; their rows can then be removed in batches, by a later call if
 * necessary.
 */
export async function abandonDrafts(
  transaction: WriteTransaction,
  activity: string,
  which: Sql,
): Promise<readonly string[]> {
  const given = sql`
    update stock_image set touched_at = 0 where owner = ${activity} and state = 'draft' and ${which} returning image_id
  `;
  return transaction.query(rowsAs(given, ([id]) => String(id)));
}

/** Removes images that were given up. */
export async function removeImages(
  engine: Engine,
  resource: Resource,
  activity: string,
  imageIds: readonly string[],
): Promise<void> {
  for (const imageId of imageIds) await removeImage(engine, resource, activity, imageId);
}

/** Ids of the published images that are older, except the latest. */
async function oldImages(query: RunStatement, activity: string, before: number): Promise<readonly string[]> {
  const [, ...earlier] = await query(
    sql`
      select image_id, extracted_at from stock_image where owner = ${activity} and state = 'published'
      order by extracted_at desc, base desc
    `,
  );
  return earlier.filter(([, extractedAt]) => Number(extractedAt) < before).map(([id]) => String(id));
}

/** Queried again with the activity locked: another process may just have hidden them. */
function hideOldImages(engine: Engine, resource: Resource, activity: string, before: number): Promise<number> {
  return engine.writeInBackground(async (transaction) => {
    const counters = await lockCounters(transaction, activity);
    const ids = await oldImages(transaction.query, activity, before);
    if (ids.length === 0) return 0;
    // An image removed from all lists becomes a draft that was given up.
    await transaction.query(update(stockImageTable, { state: 'draft', touchedAt: 0 }, { activity, imageId: ids }));
    // What `date` shows has changed: the revision tells clients whether they still have the current data.
    counters.takeChange();
    await saveRevision(transaction, activity, resource.name, counters.lastChange());
    await counters.save();
    return ids.length;
  });
}

/** Notes are kept as long as their images would be, and as long from when they were said. */
async function removeOldNotes(engine: Engine, activity: string, before: number): Promise<void> {
  await removeInBatches(engine, {
    table: stockImageTable.name,
    by: 'extracted_at',
    where: sql`
      owner = ${activity} and state in ('withdrawn', 'repeated') and extracted_at < ${before}
      and touched_at < ${before}
    `,
  });
}

/**
 * Removes the rows of an image in short transactions, so that others get their turn in between, and then its header.
 * The header stays if another process is still removing rows, or if this one is interrupted: the next call finds the
 * rest by it.
 */
async function removeImage(engine: Engine, resource: Resource, activity: string, imageId: string): Promise<void> {
  const [first, last] = [
    await endOf(engine, resource, activity, imageId, 'asc'),
    await endOf(engine, resource, activity, imageId, 'desc'),
  ];
  if (first !== null && last !== null) {
    // Positions have no gaps. Not searched from the first remaining row: that would scan the deleted rows again and
    // again.
    for (let from = first; from <= last; from += maxRemovedAtOnce) {
      await removeBatch(engine, {
        table: resource.table,
        by: 'position',
        where: sql`
          owner = ${activity} and image_id = ${imageId}
          and position >= ${from} and position < ${from + maxRemovedAtOnce}
        `,
      });
      await nextTurn();
    }
  }
  await engine.writeInBackground((transaction) => transaction.query(removeHeader(resource, activity, imageId)));
}

function removeHeader({ table }: Resource, activity: string, imageId: string): Statement {
  const image = sql`owner = ${activity} and image_id = ${imageId}`;
  return planAnew(
    sql`
      delete from stock_image where ${image} and state = 'draft' and touched_at = 0 and not exists (select 1 from
      ${sql.quoted(table)} where ${image})
    `,
  );
}

async function endOf(
  engine: Engine,
  { table }: Resource,
  activity: string,
  imageId: string,
  order: 'asc' | 'desc',
): Promise<number | null> {
  const direction = order === 'asc' ? sql`asc` : sql`desc`;
  const inOrder = [sql`owner`, sql`image_id`, sql`position`].map((column) => sql`${column} ${direction}`);
  const [row] = await engine.read(
    planAnew(
      sql`
        select position from ${sql.quoted(table)} where owner = ${activity} and image_id = ${imageId} order by
        ${sql.join(inOrder)} limit 1
      `,
    ),
  );
  return row === undefined ? null : Number(row[0]);
}

/**
 * Images with rows but without a header: earlier versions left them behind when two processes removed the same image.
 */
async function imagesWithoutHeader(engine: Engine, { table }: Resource, activity: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (let at: string | null = ''; at !== null; ) {
    at = await nextImage(engine, table, activity, at);
    if (at === null) break;
    const headers = await engine.read(selectRows(stockImageTable, { activity, imageId: at }));
    if (headers.length === 0) found.push(at);
  }
  return found;
}

/** Id of the next image that has rows; null if there is none. */
async function nextImage(engine: Engine, table: string, activity: string, after: string): Promise<string | null> {
  const next = sql`
    select image_id from ${sql.quoted(table)} where owner = ${activity} and image_id > ${after} order by image_id limit
    1
  `;
  const [row] = await engine.read(planAnew(next));
  return row === undefined ? null : String(row[0]);
}

/** Gives rows without a header the header of a draft that was given up. */
async function adopt({ write }: Engine, activity: string, imageId: string): Promise<void> {
  const header = { ...draftWithoutRows, activity, imageId };
  await write((transaction) => transaction.query(insertMissing(stockImageTable, header)));
}
