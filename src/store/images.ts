// In charge of stock images: rows are written out of sight, and become visible together as one change.
import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { IncomingRecord } from '../model/record.ts';
import type { Resource } from '../model/resource.ts';
import { lockCounters, saveRevision } from './counters.ts';
import { type Engine, type SqlValue, type WriteTransaction, placeholders, quoted } from './engine.ts';
import type { Scope } from './list-sql.ts';
import { recordTarget } from './record-tables.ts';
import type { ImageDraft, Render } from './store.ts';

/** A draft whose writer gave no sign of life for this long is swept away, milliseconds. */
const draftPatience = 3_600_000;

/** A published image, as lists read it. Row n of the image has the change number base + n. */
export interface Image { readonly imageId: string; readonly base: number; readonly rowCount: number; readonly publishedAt: number }

/**
 * Starts an image.
 * @param at instant of the image, milliseconds
 * @throws OperatorError when there is no such activity
 */
export async function draftImage(engine: Engine, resource: Resource, render: Render, owner: string, at: number): Promise<ImageDraft> {
  const imageId = uuidv7();
  let rows = 0;
  await engine.write(async (transaction) => {
    const counters = await lockCounters(engine, transaction, owner);
    await sweepDrafts(engine, transaction, resource, owner, counters.now);
    await transaction.putRows(imageTarget, [[owner, imageId, at, 'draft', 0, 0, '', 0, counters.now]]);
  });
  const combined = new Uint8Array(32);
  return {
    write: (records) => engine.write(async (transaction) => {
      const counters = await lockCounters(engine, transaction, owner);
      const assign = { number: counters.takeId, uuid: () => uuidv7(), now: counters.now };
      const batch: SqlValue[][] = [];
      for (const record of records) {
        const { body, columns } = render(record, assign, null);
        rows += 1;
        batch.push([owner, imageId, rows, body, ...columns]);
        addHash(combined, record);
      }
      await transaction.putRows(recordTarget(resource), batch);
      await touch(engine, transaction, owner, imageId, counters.now);
      await counters.save();
    }),
    publish: () => publish(engine, resource, { owner, imageId, at, rows, hash: Buffer.from(combined).toString('base64url') }),
    discard: () => engine.write((transaction) => removeImages(engine, transaction, resource, owner, [imageId])),
  };
}

/**
 * The image that a list of one activity reads.
 * @param at newest image not later than this instant (milliseconds); null: the latest
 */
export async function imageAt(engine: Engine, owner: string, at: number | null): Promise<Image | null> {
  const { values, add } = placeholders(engine.dialect);
  const until = `where owner = ${add(owner)} and state = 'published'` + (at === null ? '' : ` and extracted_at <= ${add(at)}`);
  const [row] = await engine.read({ text: `select ${imageColumns} from stock_image ${until} order by extracted_at desc, base desc limit 1`, values });
  return row === undefined ? null : toImage(row);
}

/** The image in which a place in change order lies, its end excluded; null when there is none (any more). */
export async function imageAround(engine: Engine, owner: string, changeNumber: number): Promise<Image | null> {
  const { values, add } = placeholders(engine.dialect);
  const where = `where owner = ${add(owner)} and state = 'published' and base < ${add(changeNumber)} and base + row_count > ${add(changeNumber)}`;
  const [row] = await engine.read({ text: `select ${imageColumns} from stock_image ${where} limit 1`, values });
  return row === undefined ? null : toImage(row);
}

/** Removes the published images that are older than the retention, except the latest of the activity. */
export async function removeOldImages(engine: Engine, resource: Resource, owner: string, before: number): Promise<number> {
  return engine.write(async (transaction) => {
    const { values, add } = placeholders(engine.dialect);
    const text = `select image_id, extracted_at from stock_image where owner = ${add(owner)} and state = 'published' order by extracted_at desc, base desc`;
    const [, ...earlier] = await transaction.query({ text, values });
    const old = earlier.filter(([, extractedAt]) => Number(extractedAt) < before).map(([id]) => String(id));
    await removeImages(engine, transaction, resource, owner, old);
    return old.length;
  });
}

export function scopeOf(owner: string, image: Image): Scope {
  return { owner, imageId: image.imageId };
}

const imageColumns = 'image_id, base, row_count, published_at';

const imageTarget = {
  table: 'stock_image',
  columns: [
    { name: 'owner', type: 'text' }, { name: 'image_id', type: 'text' }, { name: 'extracted_at', type: 'integer' }, { name: 'state', type: 'text' },
    { name: 'base', type: 'integer' }, { name: 'row_count', type: 'integer' }, { name: 'content_hash', type: 'text' },
    { name: 'published_at', type: 'integer' }, { name: 'touched_at', type: 'integer' },
  ],
  conflict: ['owner', 'image_id'],
} as const;

interface Draft { readonly owner: string; readonly imageId: string; readonly at: number; readonly rows: number; readonly hash: string }

/** Gives the rows their change numbers and shows them; an image that is already there word for word is dropped instead. */
async function publish(engine: Engine, resource: Resource, draft: Draft): Promise<'new' | 'changed' | 'unchanged'> {
  return engine.write(async (transaction) => {
    const counters = await lockCounters(engine, transaction, draft.owner);
    const { values, add } = placeholders(engine.dialect);
    const where = `where owner = ${add(draft.owner)} and state = 'published' and extracted_at = ${add(draft.at)}`;
    const [same] = await transaction.query({ text: `select content_hash from stock_image ${where} order by base desc limit 1`, values });
    if (same?.[0] === draft.hash) {
      await removeImages(engine, transaction, resource, draft.owner, [draft.imageId]);
      return 'unchanged';
    }
    const base = counters.takeChanges(draft.rows);
    await transaction.putRows(imageTarget, [[draft.owner, draft.imageId, draft.at, 'published', base, draft.rows, draft.hash, counters.now, counters.now]]);
    await saveRevision(transaction, draft.owner, resource.name, counters.lastChange());
    await counters.save();
    return same === undefined ? 'new' : 'changed';
  });
}

/** A sum of the rows' hashes: the same rows in another order are the same image. */
function addHash(sum: Uint8Array, record: IncomingRecord): void {
  const hash = createHash('sha256').update(record.naturalKey).update('\n').update(record.contentHash).digest();
  let carry = 0;
  for (let index = 0; index < sum.length; index += 1) {
    carry += (sum[index] ?? 0) + (hash[index] ?? 0);
    sum[index] = carry & 0xff;
    carry >>= 8;
  }
}

async function touch(engine: Engine, transaction: WriteTransaction, owner: string, imageId: string, now: number): Promise<void> {
  const { values, add } = placeholders(engine.dialect);
  const text = `update stock_image set touched_at = ${add(now)} where owner = ${add(owner)} and image_id = ${add(imageId)}`;
  await transaction.query({ text, values });
}

async function sweepDrafts(engine: Engine, transaction: WriteTransaction, resource: Resource, owner: string, now: number): Promise<void> {
  const { values, add } = placeholders(engine.dialect);
  const rows = await transaction.query({ text: `select image_id from stock_image where owner = ${add(owner)} and state = 'draft' and touched_at < ${add(now - draftPatience)}`, values });
  await removeImages(engine, transaction, resource, owner, rows.map(([id]) => String(id)));
}

async function removeImages(engine: Engine, transaction: WriteTransaction, resource: Resource, owner: string, imageIds: readonly string[]): Promise<void> {
  for (const imageId of imageIds) {
    for (const table of [resource.table, 'stock_image']) {
      const { values, add } = placeholders(engine.dialect);
      await transaction.query({ text: `delete from ${quoted(table)} where owner = ${add(owner)} and image_id = ${add(imageId)}`, values });
    }
  }
}

function toImage(row: readonly unknown[]): Image {
  const [imageId, base, rowCount, publishedAt] = row;
  return { imageId: String(imageId), base: Number(base), rowCount: Number(rowCount), publishedAt: Number(publishedAt) };
}
