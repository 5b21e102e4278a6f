// Finds the stock image that a list reads.
import type { Engine, Row } from './engine.ts';
import type { Scope } from './list-sql.ts';
import { rowsAs, type Sql, sql } from './statement.ts';

/** A published image, as lists read it. Row n of the image has the change number base + n. */
export interface Image {
  readonly imageId: string;
  /** The change number before that of its first row: identifies the image within its activity. */
  readonly base: number;
  readonly rowCount: number;
  /** When the warehouse took it, and when it was published here; milliseconds. */
  readonly extractedAt: number;
  readonly publishedAt: number;
}

/**
 * The image that a list of one activity begins with.
 * @param at newest image not later than this instant (milliseconds); null: the latest
 */
export async function imageAt(engine: Engine, activity: string, at: number | null): Promise<Image | null> {
  const upTo = at === null ? sql`true` : sql`extracted_at <= ${at}`;
  return findImage(engine, activity, sql`${upTo} order by extracted_at desc, base desc`);
}

/** The image that contains a place in change order, the end excluded; null when there is none (any more). */
export async function imageAround(engine: Engine, activity: string, changeNumber: number): Promise<Image | null> {
  return findImage(engine, activity, sql`base < ${changeNumber} and base + row_count > ${changeNumber} order by base`);
}

/** The image with this base; null when it is no longer published. */
export async function imageOf(engine: Engine, activity: string, base: number): Promise<Image | null> {
  return findImage(engine, activity, sql`base = ${base} order by base`);
}

/** The rows of an image. */
export function scopeOf(activity: string, { imageId }: Image): Scope {
  return { activity, imageId, withdrawnAfter: null };
}

async function findImage(engine: Engine, activity: string, which: Sql): Promise<Image | null> {
  const images = sql`
    select image_id, base, row_count, extracted_at, published_at from stock_image
    where owner = ${activity} and state = 'published' and ${which} limit 1
  `;
  const [image] = await engine.read(rowsAs(images, toImage));
  return image ?? null;
}

function toImage([imageId, ...numbers]: Row): Image {
  const [base = 0, rowCount = 0, extractedAt = 0, publishedAt = 0] = numbers.map(Number);
  return { imageId: String(imageId), base, rowCount, extractedAt, publishedAt };
}
