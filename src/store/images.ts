// In charge of stock images: rows are written out of sight, and become visible together as one change.
import { v7 as uuidv7 } from 'uuid';
import { OperatorError } from '../model/operator-error.ts';
import type { Renderer } from '../model/render.ts';
import type { Resource } from '../model/resource.ts';
import { lockCounters, saveRevision } from './counters.ts';
import { publishedAt, recordsOfImage } from './earlier-image.ts';
import type { Engine, SqlValue, WriteTransaction } from './engine.ts';
import { addImageHash, imageHashText, newImageHash } from './image-hash.ts';
import { giveUp, removeImages, removeAbandonedDrafts } from './image-removal.ts';
import { recordTarget } from './record-tables.ts';
import { sql } from './statement.ts';
import { requireForm } from './stored-form.ts';
import type { ImageDraft } from './store.ts';
import { insert, update } from './table-statements.ts';
import { stockImageTable } from './tables/activities.ts';

/**
 * Starts an image. Where there is one of the same instant, rows that come again keep their ids and creation dates.
 * @param at instant of the image, milliseconds
 * @throws OperatorError when there is no such activity
 */
export async function draftImage(
  engine: Engine,
  resource: Resource,
  render: Renderer,
  activity: string,
  at: number,
): Promise<ImageDraft> {
  const imageId = uuidv7();
  let rows = 0;
  // What cannot be removed now keeps no image out: retention does it, and tells where it fails.
  await removeAbandonedDrafts(engine, resource, activity).catch(() => undefined);
  const earlier = await engine.write(async (transaction) => {
    const counters = await lockCounters(transaction, activity);
    const row = {
      activity,
      imageId,
      extractedAt: at,
      state: 'draft',
      base: 0,
      rowCount: 0,
      contentHash: '',
      publishedAt: 0,
      touchedAt: counters.now,
      feedMessage: null,
    } as const;
    await transaction.query(insert(stockImageTable, row));
    const [published] = await transaction.query(publishedAt(activity, at));
    return published === undefined ? null : String(published[0]);
  });
  const combined = newImageHash();
  return {
    write: (records) =>
      engine.write(async (transaction) => {
        const counters = await lockCounters(transaction, activity);
        await requireForm(transaction, resource);
        await holdDraft(transaction, activity, imageId, counters.now);
        const assign = { number: counters.takeId, uuid: () => uuidv7(), now: counters.now };
        const before =
          earlier === null
            ? null
            : await recordsOfImage(transaction, resource, { activity, imageId: earlier }, records);
        const batch: SqlValue[][] = [];
        for (const record of records) {
          const { body, columns } = render(record, assign, before?.get(record.naturalKey) ?? null);
          rows += 1;
          batch.push([activity, imageId, rows, body, ...columns, record.line ?? null]);
          addImageHash(combined, record.naturalKey, record.contentHash);
        }
        await transaction.putRows(recordTarget(resource), batch);
        await counters.save();
      }),
    publish: () => publish(engine, resource, { activity, imageId, at, rows, hash: imageHashText(combined) }),
    discard: async () =>
      removeImages(
        engine,
        resource,
        activity,
        await engine.write((transaction) => giveUp(transaction, activity, sql`image_id = ${imageId}`)),
      ),
  };
}

interface Draft {
  readonly activity: string;
  readonly imageId: string;
  readonly at: number;
  readonly rows: number;
  readonly hash: string;
}

/**
 * Gives the rows their change numbers and shows them; an image that is already there word for word is dropped instead.
 */
async function publish(engine: Engine, resource: Resource, draft: Draft): Promise<'new' | 'changed' | 'unchanged'> {
  const { activity, imageId, at, rows, hash } = draft;
  const { outcome, dropped } = await engine.write(async (transaction) => {
    const counters = await lockCounters(transaction, activity);
    await requireForm(transaction, resource);
    await holdDraft(transaction, activity, imageId, counters.now);
    const [same] = await transaction.query(publishedAt(activity, at));
    if (same?.[1] === hash)
      return {
        outcome: 'unchanged',
        dropped: await giveUp(transaction, activity, sql`image_id = ${imageId}`),
      } as const;
    // An image without rows is a change too: it takes a number, so that the revision moves.
    const base = counters.takeChanges(Math.max(rows, 1));
    const published = {
      state: 'published',
      base,
      rowCount: rows,
      contentHash: hash,
      publishedAt: counters.now,
      touchedAt: counters.now,
    } as const;
    await transaction.query(update(stockImageTable, published, { activity, imageId }));
    await saveRevision(transaction, activity, resource.name, counters.lastChange());
    await counters.save();
    return { outcome: same === undefined ? 'new' : 'changed', dropped: [] } as const;
  });
  // The rows of one that was dropped are found again by its header, should this fail.
  await removeImages(engine, resource, activity, dropped).catch(() => undefined);
  return outcome;
}

/**
 * A sign of life of a draft's writer.
 * @throws OperatorError when the draft was given up meanwhile: its rows are gone or going
 */
async function holdDraft(transaction: WriteTransaction, activity: string, imageId: string, now: number): Promise<void> {
  const held = await transaction.query(
    sql`
      update stock_image set touched_at = ${now}
      where owner = ${activity} and image_id = ${imageId} and state = 'draft' and touched_at > 0
      returning image_id
    `,
  );
  if (held.length === 0)
    throw new OperatorError(
      'The stock image was given up: nothing was added to it for a day.',
      'Import the file again.',
    );
}
