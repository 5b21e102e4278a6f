// In charge of finding the stock image that a list reads.
import { textBlock } from '../model/text-block.ts';
import { type Engine, type SqlValue, type Statement, placeholders } from './engine.ts';
import type { Scope } from './list-sql.ts';

/** A published image, as lists read it. Row n of the image has the change number base + n. */
export interface Image {
  readonly imageId: string;
  /** The change number before that of its first row: names the image within its activity. */
  readonly base: number;
  readonly rowCount: number;
  /** Milliseconds. */
  readonly publishedAt: number;
}

/**
 * The image that a list of one activity begins with.
 * @param at newest image not later than this instant (milliseconds); null: the latest
 */
export async function imageAt(engine: Engine, owner: string, at: number | null): Promise<Image | null> {
  return findImage(
    engine,
    owner,
    (add) => (at === null ? '' : ` and extracted_at <= ${add(at)}`),
    'extracted_at desc, base desc',
  );
}

/** The image in which a place in change order lies, its end excluded; null when there is none (any more). */
export async function imageAround(engine: Engine, owner: string, changeNumber: number): Promise<Image | null> {
  return findImage(
    engine,
    owner,
    (add) => ` and base < ${add(changeNumber)} and base + row_count > ${add(changeNumber)}`,
  );
}

/** The image of this name; null when it is no longer published. */
export async function imageOf(engine: Engine, owner: string, base: number): Promise<Image | null> {
  return findImage(engine, owner, (add) => ` and base = ${add(base)}`);
}

/** The rows of an image. */
export function scopeOf(owner: string, { imageId }: Image): Scope {
  return { owner, imageId };
}

type Add = (value: SqlValue) => string;

async function findImage(
  engine: Engine,
  owner: string,
  condition: (add: Add) => string,
  order = 'base',
): Promise<Image | null> {
  const { values, add } = placeholders(engine.dialect);
  const where = `owner = ${add(owner)} and state = 'published'${condition(add)}`;
  const text = textBlock`
    select image_id, base, row_count, published_at from stock_image where ${where} order by ${order} limit 1
  `;
  const [row] = await engine.read({ text, values } satisfies Statement);
  if (row === undefined) return null;
  const [imageId, base, rowCount, publishedAt] = row;
  return { imageId: String(imageId), base: Number(base), rowCount: Number(rowCount), publishedAt: Number(publishedAt) };
}
