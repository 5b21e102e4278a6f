// In charge of stock images: rows are written out of sight, and become visible together as one change.
import { textBlock } from '../model/text-block.ts';
import { v7 as uuidv7 } from 'uuid';
import { OperatorError } from '../model/operator-error.ts';
import type { Renderer } from '../model/render.ts';
import type { Resource } from '../model/resource.ts';
import { lockCounters, saveRevision } from './counters.ts';
import { type Engine, type SqlValue, type WriteTransaction, placeholders } from './engine.ts';
import { requireForm } from './stored-form.ts';
import { addImageHash, imageHashText, newImageHash } from './image-hash.ts';
import { giveUp, removeImages, sweepDrafts } from './image-removal.ts';
import { recordTarget } from './record-tables.ts';
import type { ImageDraft } from './store.ts';

/**
 * Starts an image.
 * @param at instant of the image, milliseconds
 * @throws OperatorError when there is no such activity
 */
export async function draftImage(
  engine: Engine,
  resource: Resource,
  render: Renderer,
  owner: string,
  at: number,
): Promise<ImageDraft> {
  const imageId = uuidv7();
  let rows = 0;
  // What cannot be removed now keeps no image out: retention does it, and tells where it fails.
  await sweepDrafts(engine, resource, owner).catch(() => undefined);
  await engine.write(async (transaction) => {
    const counters = await lockCounters(engine, transaction, owner);
    await transaction.putRows(imageTarget, [[owner, imageId, at, 'draft', 0, 0, '', 0, counters.now]]);
  });
  const combined = newImageHash();
  return {
    write: (records) =>
      engine.write(async (transaction) => {
        const counters = await lockCounters(engine, transaction, owner);
        await requireForm(engine, transaction, resource);
        await holdDraft(engine, transaction, owner, imageId, counters.now);
        const assign = { number: counters.takeId, uuid: () => uuidv7(), now: counters.now };
        const batch: SqlValue[][] = [];
        for (const record of records) {
          const { body, columns } = render(record, assign, null);
          rows += 1;
          batch.push([owner, imageId, rows, body, ...columns]);
          addImageHash(combined, record.naturalKey, record.contentHash);
        }
        await transaction.putRows(recordTarget(resource), batch);
        await counters.save();
      }),
    publish: () => publish(engine, resource, { owner, imageId, at, rows, hash: imageHashText(combined) }),
    discard: async () =>
      removeImages(
        engine,
        resource,
        owner,
        await engine.write((transaction) => giveUp(engine, transaction, owner, 'image_id', '=', imageId)),
      ),
  };
}

const imageTarget = {
  table: 'stock_image',
  columns: [
    { name: 'owner', type: 'text' },
    { name: 'image_id', type: 'text' },
    { name: 'extracted_at', type: 'integer' },
    { name: 'state', type: 'text' },
    { name: 'base', type: 'integer' },
    { name: 'row_count', type: 'integer' },
    { name: 'content_hash', type: 'text' },
    { name: 'published_at', type: 'integer' },
    { name: 'touched_at', type: 'integer' },
  ],
  conflict: ['owner', 'image_id'],
} as const;

interface Draft {
  readonly owner: string;
  readonly imageId: string;
  readonly at: number;
  readonly rows: number;
  readonly hash: string;
}

/**
 * Gives the rows their change numbers and shows them; an image that is already there word for word is dropped instead.
 */
async function publish(engine: Engine, resource: Resource, draft: Draft): Promise<'new' | 'changed' | 'unchanged'> {
  const { owner, imageId, at, rows, hash } = draft;
  const { outcome, dropped } = await engine.write(async (transaction) => {
    const counters = await lockCounters(engine, transaction, owner);
    await requireForm(engine, transaction, resource);
    await holdDraft(engine, transaction, owner, imageId, counters.now);
    const { values, add } = placeholders(engine.dialect);
    const where = `where owner = ${add(owner)} and state = 'published' and extracted_at = ${add(at)}`;
    const [same] = await transaction.query({
      text: `select content_hash from stock_image ${where} order by base desc limit 1`,
      values,
    });
    if (same?.[0] === hash)
      return {
        outcome: 'unchanged',
        dropped: await giveUp(engine, transaction, owner, 'image_id', '=', imageId),
      } as const;
    // An image without rows is a change too: it takes a number, so that the revision moves.
    const base = counters.takeChanges(Math.max(rows, 1));
    await transaction.putRows(imageTarget, [
      [owner, imageId, at, 'published', base, rows, hash, counters.now, counters.now],
    ]);
    await saveRevision(transaction, owner, resource.name, counters.lastChange());
    await counters.save();
    return { outcome: same === undefined ? 'new' : 'changed', dropped: [] } as const;
  });
  // The rows of one that was dropped are found again by its header, should this fail.
  await removeImages(engine, resource, owner, dropped).catch(() => undefined);
  return outcome;
}

/**
 * A sign of life of a draft's writer.
 * @throws OperatorError when the draft was given up meanwhile: its rows are gone or going
 */
async function holdDraft(
  engine: Engine,
  transaction: WriteTransaction,
  owner: string,
  imageId: string,
  now: number,
): Promise<void> {
  const { values, add } = placeholders(engine.dialect);
  const text = textBlock`
    update stock_image set touched_at = ${add(now)} where owner = ${add(owner)} and image_id = ${add(imageId)} and state
    = 'draft' and touched_at > 0 returning image_id
  `;
  const held = await transaction.query({ text, values });
  if (held.length === 0)
    throw new OperatorError(
      'The stock image was given up: nothing was added to it for a day.',
      'Import the file again.',
    );
}
