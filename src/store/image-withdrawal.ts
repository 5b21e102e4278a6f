// In charge of withdrawing a stock image that was sent by mistake: as a whole, with the one before it in its place
// (decision 49).
import type { Resource } from '../model/resource.ts';
import { lockCounters, saveRevision } from './counters.ts';
import type { Engine, RunStatement } from './engine.ts';
import { removeImages } from './image-removal.ts';
import { rowsAs, sql } from './statement.ts';
import { requireForm } from './stored-form.ts';
import { update } from './table-statements.ts';
import { stockImageTable } from './tables/activities.ts';

/**
 * Takes the image of an instant out of sight, with earlier forms of it. Where it was the latest, the one that is now is
 * published anew: whoever follows the stock reads it as a new image. A walk through either of them ends with 410.
 * @param at milliseconds
 * @returns `unchanged` where there is no such image
 * @throws OperatorError when there is no such activity
 */
export async function withdrawImage(
  engine: Engine,
  resource: Resource,
  activity: string,
  at: number,
): Promise<'changed' | 'unchanged'> {
  const withdrawn = await engine.write(async (transaction) => {
    const counters = await lockCounters(transaction, activity);
    await requireForm(transaction, resource);
    const images = await published(transaction.query, activity);
    const [latest] = images;
    const ids = images.filter(({ extractedAt }) => extractedAt === at).map(({ imageId }) => imageId);
    if (latest === undefined || ids.length === 0) return [];
    await transaction.query(update(stockImageTable, { state: 'draft', touchedAt: 0 }, { activity, imageId: ids }));
    const next = images.find(({ imageId }) => !ids.includes(imageId));
    if (latest.extractedAt === at && next !== undefined) {
      const base = counters.takeChanges(Math.max(next.rowCount, 1));
      const anew = { base, publishedAt: counters.now, touchedAt: counters.now };
      await transaction.query(update(stockImageTable, anew, { activity, imageId: next.imageId }));
    } else counters.takeChange();
    await saveRevision(transaction, activity, resource.name, counters.lastChange());
    await counters.save();
    return ids;
  });
  // What is left of them is found again by their headers, should this fail.
  await removeImages(engine, resource, activity, withdrawn).catch(() => undefined);
  return withdrawn.length === 0 ? 'unchanged' : 'changed';
}

interface PublishedImage {
  readonly imageId: string;
  readonly extractedAt: number;
  readonly rowCount: number;
}

/** The published images of an activity, the latest first. */
function published(query: RunStatement, activity: string): Promise<readonly PublishedImage[]> {
  const images = sql`
    select image_id, extracted_at, row_count from stock_image where owner = ${activity} and state = 'published'
    order by extracted_at desc, base desc
  `;
  return query(
    rowsAs(images, ([imageId, extractedAt, rowCount]) => ({
      imageId: String(imageId),
      extractedAt: Number(extractedAt),
      rowCount: Number(rowCount),
    })),
  );
}
