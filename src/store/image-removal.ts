// In charge of stock images that go: out of sight first, then row by row, and their header when no row is left.
import { textBlock } from '../model/text-block.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Resource } from '../model/resource.ts';
import { removeBatch, removedAtOnce } from './batches.ts';
import { lockCounters, saveRevision } from './counters.ts';
import { type Engine, type Row, type SqlValue, type WriteTransaction, placeholders, quoted } from './engine.ts';

/** A draft to which nothing was added for a day is swept away, milliseconds: a file of many images may take hours. */
const draftPatience = 86_400_000;

/**
 * Removes the published images that are older than the retention, except the latest of the activity, and whatever
 * earlier removals left behind. Any number of processes may do it at once.
 * @returns how many images were taken out of sight
 */
export async function removeOldImages(
  engine: Engine,
  resource: Resource,
  owner: string,
  before: number,
): Promise<number> {
  const hidden =
    (await oldImages(engine, engine.read, owner, before)).length === 0
      ? 0
      : await hideOldImages(engine, resource, owner, before);
  await sweepDrafts(engine, resource, owner);
  for (const imageId of await imagesWithoutHeader(engine, resource, owner)) {
    await adopt(engine, owner, imageId);
    await removeImage(engine, resource, owner, imageId);
  }
  return hidden;
}

/** Removes drafts that were given up, and gives up those to which nobody has added anything for a day. */
export async function sweepDrafts(engine: Engine, resource: Resource, owner: string): Promise<void> {
  const patience = (await engine.now()) - draftPatience;
  await removeImages(
    engine,
    resource,
    owner,
    await engine.write((transaction) => giveUp(engine, transaction, owner, 'touched_at', '<', patience)),
  );
}

/**
 * Makes drafts such that nobody can hold them any more; their rows can then be removed bit by bit, by whoever comes
 * next if need be.
 */
export async function giveUp(
  { dialect }: Engine,
  transaction: WriteTransaction,
  owner: string,
  column: 'image_id' | 'touched_at',
  comparison: '=' | '<',
  value: SqlValue,
): Promise<readonly string[]> {
  const { values, add } = placeholders(dialect);
  const which = `where owner = ${add(owner)} and state = 'draft' and ${column} ${comparison} ${add(value)}`;
  return (
    await transaction.query({ text: `update stock_image set touched_at = 0 ${which} returning image_id`, values })
  ).map(([id]) => String(id));
}

/** Removes images that were given up. */
export async function removeImages(
  engine: Engine,
  resource: Resource,
  owner: string,
  imageIds: readonly string[],
): Promise<void> {
  for (const imageId of imageIds) await removeImage(engine, resource, owner, imageId);
}

/** Ids of the published images that are older, but for the latest. */
async function oldImages(
  { dialect }: Pick<Engine, 'dialect'>,
  query: Engine['read'],
  owner: string,
  before: number,
): Promise<readonly string[]> {
  const { values, add } = placeholders(dialect);
  const text = textBlock`
    select image_id, extracted_at from stock_image where owner = ${add(owner)} and state = 'published' order by
    extracted_at desc, base desc
  `;
  const [, ...earlier] = await query({ text, values });
  return earlier.filter(([, extractedAt]) => Number(extractedAt) < before).map(([id]) => String(id));
}

/** Looked for once more while the activity is locked: another process may just have hidden them. */
function hideOldImages(engine: Engine, resource: Resource, owner: string, before: number): Promise<number> {
  return engine.write(async (transaction) => {
    const counters = await lockCounters(engine, transaction, owner);
    const ids = await oldImages(engine, transaction.query, owner, before);
    if (ids.length === 0) return 0;
    for (const id of ids) await hide(engine, transaction, owner, id);
    // What `date` shows is another thing now: the revision tells whoever asks whether it is still the same.
    counters.takeChange();
    await saveRevision(transaction, owner, resource.name, counters.lastChange());
    await counters.save();
    return ids.length;
  });
}

/** Takes a published image out of every list; what is left is a draft that was given up. */
async function hide({ dialect }: Engine, transaction: WriteTransaction, owner: string, imageId: string): Promise<void> {
  const { values, add } = placeholders(dialect);
  await transaction.query({
    text: textBlock`
      update stock_image set state = 'draft', touched_at = 0 where owner = ${add(owner)} and image_id = ${add(imageId)}
    `,
    values,
  });
}

/**
 * Removes the rows of an image in short transactions, between which others have their turn, and then its header. The
 * header stays where another process still removes rows of it, or this one was interrupted: whoever comes next finds
 * the rest by it.
 */
async function removeImage(engine: Engine, resource: Resource, owner: string, imageId: string): Promise<void> {
  const [first, last] = [
    await endOf(engine, resource, owner, imageId, 'asc'),
    await endOf(engine, resource, owner, imageId, 'desc'),
  ];
  if (first !== null && last !== null) {
    // Positions have no gaps. Never from the first row that is left: that would look again and again at those that are
    // gone.
    for (let from = first; from <= last; from += removedAtOnce) {
      await removeBatch(engine, {
        table: resource.table,
        by: 'position',
        where: (add) =>
          textBlock`
            owner = ${add(owner)} and image_id = ${add(imageId)} and position >= ${add(from)} and position <
            ${add(from + removedAtOnce)}
          `,
      });
      await nextTurn();
    }
  }
  const { values, add } = placeholders(engine.dialect);
  const image = (): string => `owner = ${add(owner)} and image_id = ${add(imageId)}`;
  const text = textBlock`
    delete from stock_image where ${image()} and state = 'draft' and touched_at = 0 and not exists (select 1 from
    ${quoted(resource.table)} where ${image()})
  `;
  await engine.write((transaction) => transaction.query({ text, values, plannedAnew: true }));
}

async function endOf(
  engine: Engine,
  { table }: Resource,
  owner: string,
  imageId: string,
  order: 'asc' | 'desc',
): Promise<number | null> {
  const { values, add } = placeholders(engine.dialect);
  const where = `where owner = ${add(owner)} and image_id = ${add(imageId)}`;
  const inOrder = ['owner', 'image_id', 'position'].map((column) => `${column} ${order}`).join(', ');
  const [row] = await engine.read({
    text: `select position from ${quoted(table)} ${where} order by ${inOrder} limit 1`,
    values,
    plannedAnew: true,
  });
  return row === undefined ? null : Number(row[0]);
}

/**
 * Images of which there are rows and no header: what earlier versions left behind when two of them removed one image.
 */
async function imagesWithoutHeader(engine: Engine, { table }: Resource, owner: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (let at: string | null = ''; at !== null; ) {
    at = textOf(await engine.read(nextImage(engine, table, owner, at)));
    if (at !== null && textOf(await engine.read(headerOf(engine, owner, at))) === null) found.push(at);
  }
  return found;
}

function nextImage({ dialect }: Engine, table: string, owner: string, after: string) {
  const { values, add } = placeholders(dialect);
  const where = `where owner = ${add(owner)} and image_id > ${add(after)}`;
  return {
    text: `select image_id from ${quoted(table)} ${where} order by image_id limit 1`,
    values,
    plannedAnew: true,
  } as const;
}

function headerOf({ dialect }: Engine, owner: string, imageId: string) {
  const { values, add } = placeholders(dialect);
  return {
    text: `select image_id from stock_image where owner = ${add(owner)} and image_id = ${add(imageId)}`,
    values,
  } as const;
}

function textOf([row]: readonly Row[]): string | null {
  return row === undefined ? null : String(row[0]);
}

/** Gives rows without a header one that was given up. */
async function adopt({ dialect, write }: Engine, owner: string, imageId: string): Promise<void> {
  const { values, add } = placeholders(dialect);
  const columns = 'owner, image_id, extracted_at, state, base, row_count, content_hash, published_at, touched_at';
  const text = textBlock`
    insert into stock_image (${columns}) values (${add(owner)}, ${add(imageId)}, 0, 'draft', 0, 0, '', 0, 0) on conflict
    (owner, image_id) do nothing
  `;
  await write((transaction) => transaction.query({ text, values }));
}
