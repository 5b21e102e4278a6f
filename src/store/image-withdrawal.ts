// Withdraws stock images that were sent by mistake: whole, with the previous one in their place (decision 49).
import type { Resource } from '../model/resource.ts';
import { type Counters, saveRevision } from './counters.ts';
import type { RunStatement, WriteTransaction } from './engine.ts';
import { rowsAs, sql } from './statement.ts';
import { requireForm } from './stored-form.ts';
import { update } from './table-statements.ts';
import { stockImageTable } from './tables/activities.ts';

/** Images that were hidden; their rows are to be removed once the transaction is done. */
interface HiddenImages {
  readonly imageIds: readonly string[];
  /** Instants (milliseconds) that had an image, with its number of rows. */
  readonly rowsAt: ReadonlyMap<number, number>;
  /** One of them was the image that clients read. */
  readonly isLatest: boolean;
}

/**
 * Hides the images of these instants, including earlier forms of them. A walk through one of them ends with 410. If the
 * latest is among them, the caller then shows the previous one with `republishLatest`. The caller saves the counters.
 * @param instants milliseconds
 */
export async function hideImages(
  transaction: WriteTransaction,
  counters: Counters,
  resource: Resource,
  activity: string,
  instants: ReadonlySet<number>,
): Promise<HiddenImages> {
  await requireForm(transaction, resource);
  const images = await published(transaction.query, activity);
  const hidden = images.filter(({ extractedAt }) => instants.has(extractedAt));
  const imageIds = hidden.map(({ imageId }) => imageId);
  const [latest] = images;
  if (latest === undefined || hidden.length === 0) return { imageIds: [], rowsAt: new Map(), isLatest: false };
  await transaction.query(update(stockImageTable, { state: 'draft', touchedAt: 0 }, { activity, imageId: imageIds }));
  counters.takeChange();
  await saveRevision(transaction, activity, resource.name, counters.lastChange());
  return {
    imageIds,
    // The image published last comes first.
    rowsAt: new Map(hidden.toReversed().map(({ extractedAt, rowCount }) => [extractedAt, rowCount])),
    isLatest: instants.has(latest.extractedAt),
  };
}

/**
 * Publishes the latest image anew, because the one that clients had read as the latest is withdrawn: clients that
 * follow the stock read it as a new image. The caller saves the counters.
 * @param isNew whether an image was published a moment ago, and so is already new to everybody
 */
export async function republishLatest(
  transaction: WriteTransaction,
  counters: Counters,
  resource: Resource,
  activity: string,
  isNew: (extractedAt: number) => boolean,
): Promise<void> {
  const [latest] = await published(transaction.query, activity);
  if (latest === undefined || isNew(latest.extractedAt)) return;
  const base = counters.takeChanges(Math.max(latest.rowCount, 1));
  const anew = { base, publishedAt: counters.now, touchedAt: counters.now };
  await transaction.query(update(stockImageTable, anew, { activity, imageId: latest.imageId }));
  // What has been said of this image since it came is still said of it.
  await transaction.query(sql`
    update stock_image set base = ${counters.lastChange()} where owner = ${activity} and state = 'repeated' and
    extracted_at = ${latest.extractedAt} and base > ${latest.base}
  `);
  await saveRevision(transaction, activity, resource.name, counters.lastChange());
}

interface PublishedImage {
  readonly imageId: string;
  readonly extractedAt: number;
  readonly base: number;
  readonly rowCount: number;
}

/** The published images of an activity, the latest first. */
function published(query: RunStatement, activity: string): Promise<readonly PublishedImage[]> {
  const images = sql`
    select image_id, extracted_at, base, row_count from stock_image where owner = ${activity} and state = 'published'
    order by extracted_at desc, base desc
  `;
  return query(
    rowsAs(images, ([imageId, extractedAt, base, rowCount]) => ({
      imageId: String(imageId),
      extractedAt: Number(extractedAt),
      base: Number(base),
      rowCount: Number(rowCount),
    })),
  );
}
