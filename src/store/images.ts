// Stock images: rows are written out of sight and become visible together, as one change.
import { v7 as uuidv7 } from 'uuid';
import { OperatorError } from '../model/operator-error.ts';
import type { IncomingRecord } from '../model/record.ts';
import type { Renderer } from '../model/render.ts';
import type { Resource } from '../model/resource.ts';
import { cooperativeYield } from '../model/cooperative-yield.ts';
import { type Counters, lockCounters, saveRevision } from './counters.ts';
import { publishedAt, recordsOfImage } from './earlier-image.ts';
import type { Engine, SqlValue, WriteTransaction } from './engine.ts';
import { addImageHash, type ImageHash, imageHashText, newImageHash } from './image-hash.ts';
import { draftWithoutRows, abandonDrafts, removeImages, removeAbandonedDrafts } from './image-removal.ts';
import { withPipeline } from './pipelined-statements.ts';
import { placeCells, recordTarget } from './record-tables.ts';
import { sql } from './statement.ts';
import { requireForm } from './stored-form.ts';
import type { ImageDraft } from './store.ts';
import { insert, update } from './table-statements.ts';
import { stockImageTable } from './tables/activities.ts';

/**
 * Starts an image. If there is one of the same instant, repeated rows keep their ids and creation dates.
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
  // A failed removal does not prevent a new image: retention tries again, and reports failures.
  await removeAbandonedDrafts(engine, resource, activity).catch(() => undefined);
  const draft = await engine.write(async (transaction) =>
    openDraft(transaction, { activity, at, feedMessage: null }, (await lockCounters(transaction, activity)).now),
  );
  return {
    write: (records) =>
      engine.write(async (transaction) => {
        const counters = await lockCounters(transaction, activity);
        await requireForm(transaction, resource);
        await addToDraft(transaction, counters, { resource, render }, draft, records);
        await counters.save();
      }),
    publish: async () => {
      const { outcome, dropped } = await engine.write(async (transaction) => {
        const counters = await lockCounters(transaction, activity);
        await requireForm(transaction, resource);
        const published = await publishDraft(transaction, counters, resource, draft);
        if (published.outcome !== 'unchanged') await counters.save();
        return published;
      });
      // If this fails, the rows of a dropped image are found again by its header.
      await removeImages(engine, resource, activity, dropped).catch(() => undefined);
      return outcome;
    },
    discard: async () =>
      removeImages(
        engine,
        resource,
        activity,
        await engine.write((transaction) => abandonDrafts(transaction, activity, sql`image_id = ${draft.imageId}`)),
      ),
  };
}

/** An image being written out of sight, with counts of its content so far. */
export interface OpenDraft {
  readonly activity: string;
  readonly imageId: string;
  /** Its instant, milliseconds. */
  readonly at: number;
  /** The published image of the same instant, if any. */
  readonly earlier: string | null;
  readonly hash: ImageHash;
  rows: number;
}

/** Adds the header of an image. @param now time of this write */
export async function openDraft(
  transaction: WriteTransaction,
  {
    activity,
    at,
    feedMessage,
  }: { readonly activity: string; readonly at: number; readonly feedMessage: number | null },
  now: number,
): Promise<OpenDraft> {
  const imageId = uuidv7();
  const row = { ...draftWithoutRows, activity, imageId, extractedAt: at, touchedAt: now, feedMessage };
  await transaction.query(insert(stockImageTable, row));
  const [published] = await transaction.query(publishedAt(activity, at));
  const earlier = published === undefined ? null : String(published[0]);
  return { activity, imageId, at, earlier, hash: newImageHash(), rows: 0 };
}

/**
 * Adds rows to a draft. The caller saves the counters.
 * @throws OperatorError when the draft was given up meanwhile
 */
export async function addToDraft(
  transaction: WriteTransaction,
  counters: Counters,
  { resource, render }: { readonly resource: Resource; readonly render: Renderer },
  draft: OpenDraft,
  records: readonly IncomingRecord[],
): Promise<void> {
  const { activity, imageId, earlier } = draft;
  await holdDraft(transaction, activity, imageId, counters.now);
  const assign = { number: counters.takeId, uuid: () => uuidv7(), now: counters.now };
  const before =
    earlier === null ? null : await recordsOfImage(transaction, resource, { activity, imageId: earlier }, records);
  const turn = cooperativeYield('ofFeedInTransaction');
  await withPipeline(async (pipeline) => {
    let rows: SqlValue[][] = [];
    for (const [index, record] of records.entries()) {
      await turn();
      const { body, columns } = render(record, assign, before?.get(record.naturalKey) ?? null);
      draft.rows += 1;
      rows.push([activity, imageId, draft.rows, body, ...columns, ...placeCells(record)]);
      addImageHash(draft.hash, record.naturalKey, record.contentHash);
      if (rows.length < rowsAtOnce && index < records.length - 1) continue;
      pipeline.add(transaction.putRows(recordTarget(resource), rows));
      rows = [];
    }
  });
}

/** Rows sent to the engine at a time: nothing else runs in this thread while they are handed over. */
const rowsAtOnce = 50;

/**
 * Gives the rows their change numbers and makes them visible; an image identical to a stored one is dropped instead.
 * The caller saves the counters and removes what was dropped.
 */
export async function publishDraft(
  transaction: WriteTransaction,
  counters: Counters,
  resource: Resource,
  { activity, imageId, at, rows, hash }: OpenDraft,
): Promise<{ readonly outcome: 'new' | 'changed' | 'unchanged'; readonly dropped: readonly string[] }> {
  await holdDraft(transaction, activity, imageId, counters.now);
  const [same] = await transaction.query(publishedAt(activity, at));
  const contentHash = imageHashText(hash);
  if (same?.[1] === contentHash)
    return { outcome: 'unchanged', dropped: await abandonDrafts(transaction, activity, sql`image_id = ${imageId}`) };
  // An image without rows is a change too: it takes a number, so that the revision advances.
  const base = counters.takeChanges(Math.max(rows, 1));
  const published = {
    state: 'published',
    base,
    rowCount: rows,
    contentHash,
    publishedAt: counters.now,
    touchedAt: counters.now,
  } as const;
  await transaction.query(update(stockImageTable, published, { activity, imageId }));
  await saveRevision(transaction, activity, resource.name, counters.lastChange());
  return { outcome: same === undefined ? 'new' : 'changed', dropped: [] };
}

/**
 * Gives a sign of life of the draft's writer.
 * @throws OperatorError when the draft was given up meanwhile: its rows are removed or being removed
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
