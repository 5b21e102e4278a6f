// A message that this process is working on: each batch is written with its refused lines and the counts of the
// message, or not at all.
import type { Incoming } from '../model/record.ts';
import { type Counters, lockCounters } from './counters.ts';
import type { WriteTransaction } from './engine.ts';
import type { FeedParts } from './feed-messages.ts';
import {
  type AuditOfMessage,
  type Ending,
  type FeedBatch,
  type FeedEntry,
  type FeedImage,
  type FeedMessage,
  type HeldMessage,
  MessageTaken,
  type MessageProgress,
  type RefusedEntry,
} from './feed-contract.ts';
import { addImageRows, endImages, type MessageImages, noImages } from './feed-images.ts';
import { keepRefused, markReplayed, removeRefused } from './feed-refusals.ts';
import { confirm, type InOrder, noteSequence, withoutOlder } from './feed-order.ts';
import { endingInOrder, olderThanStored, withoutOlderWithdrawals } from './image-order.ts';
import { appendAudit } from './audit.ts';
import { abandonDrafts, removeImages } from './image-removal.ts';
import { type Pipeline, withPipeline } from './pipelined-statements.ts';
import { sql } from './statement.ts';
import { type Changes, update } from './table-statements.ts';
import { feedMessageTable } from './tables/feeds.ts';
import { putRecords } from './write-records.ts';

type RowChanges = Changes<typeof feedMessageTable.columns> & Partial<FeedMessage>;

/** The state that one process keeps for the message it is working on. */
interface Holding {
  readonly parts: FeedParts;
  row: FeedMessage;
  readonly images: MessageImages;
}

/** The operations on a message into whose row this process has just written its name. */
export function holdMessage(parts: FeedParts, row: FeedMessage): HeldMessage {
  const holding: Holding = { parts, row, images: noImages() };
  const { engine } = parts;
  return {
    row: () => holding.row,
    clear: () => removeRefused(engine, row, (transaction) => saveRow(transaction, row, {})),
    apply: (batch) => applyBatch(holding, batch),
    touch: () =>
      engine.writeInBackground(async (transaction) => {
        const touchedAt = await transaction.now();
        const { activity, id, holder } = holding.row;
        const mine = { activity, id, holder, state: 'open' } as const;
        return (await transaction.query(update(feedMessageTable, { touchedAt }, mine))).length > 0;
      }),
    finish: (ending) => finish(holding, ending),
    release: (state) => release(holding, state),
  };
}

async function applyBatch(holding: Holding, batch: FeedBatch): Promise<readonly RefusedEntry[]> {
  const { engine, resource } = holding.parts;
  const { activity } = holding.row;
  const { row, withdrawn, older } = await engine.writeInBackground((transaction) =>
    withPipeline(async (pipeline) => {
      const counters = await lockCounters(transaction, activity);
      const write = { transaction, pipeline, counters };
      const { entries, outdated, withdrawn, older } =
        resource.storage === 'images'
          ? await withoutOlderWithdrawals(transaction, holding.row, batch)
          : await withoutOlder(transaction, { resource, isOwnId: counters.isOwnId }, holding.row, batch);
      // First, since lines of this batch may stand behind them.
      await keepRefused(transaction, holding.row, [...batch.refused, ...older], counters.now);
      if (resource.storage === 'images') await addImageRows(holding, write, entries);
      const counts =
        resource.storage === 'images'
          ? nothingYet(holding.row)
          : await putEntries(holding, write, { entries, outdated, again: batch.again });
      const refused = batch.refused.length + older.length;
      if (batch.replay !== undefined) await markReplayed(transaction, holding.row, batch.replay, counters.now);
      const before = holding.row;
      const row = await saveRow(transaction, before, {
        ...batch.reached,
        ...counts,
        read: before.read + refused + counts.taken,
        refused: before.refused + refused,
        warned: warnedWith(before, batch.reached) + batch.warned,
        ...keysOfEnds(before, entries),
      });
      await appendEntry(transaction, batch.audit, row);
      return { row, withdrawn, older };
    }),
  );
  holding.row = row;
  if (resource.storage === 'images') holding.images.again += batch.again;
  holding.images.withdrawn.push(...withdrawn);
  return older;
}

/** Natural keys of the first and the last accepted record. */
function keysOfEnds(
  { firstKey, lastKey }: FeedMessage,
  entries: readonly FeedEntry[],
): Pick<FeedMessage, 'firstKey' | 'lastKey'> {
  const keys = entries.flatMap(({ item }) => ('withdraw' in item ? [] : [item.naturalKey]));
  return { firstKey: firstKey ?? keys[0] ?? null, lastKey: keys.at(-1) ?? lastKey };
}

interface BatchWrite {
  readonly transaction: WriteTransaction;
  readonly pipeline: Pipeline;
  readonly counters: Counters;
}

/** The outcome of a batch's records, added to the counts of the message. */
type Taken = Pick<FeedMessage, 'added' | 'changed' | 'unchanged' | 'withdrawn'> & { readonly taken: number };

async function putEntries(
  { parts: { resource, render }, row }: Holding,
  { transaction, pipeline, counters }: BatchWrite,
  { entries, outdated, again }: Pick<InOrder, 'entries' | 'outdated'> & Pick<FeedBatch, 'again'>,
): Promise<Taken> {
  const { activity, id: message } = row;
  const records = entries.map(({ item }) => item);
  const writing = { transaction, pipeline, counters, resource, render, activity, message };
  const { results, written } = records.length === 0 ? { results: [], written: [] } : await putRecords(writing, records);
  if (written.length > 0) pipeline.add(counters.save());
  const counts = { new: 0, changed: 0, unchanged: again };
  let withdrawn = 0;
  for (const [index, { outcome }] of results.entries()) {
    counts[outcome] += 1;
    const item = records[index];
    if (item !== undefined && 'withdraw' in item && outcome === 'changed') withdrawn += 1;
  }
  const last = lastOfKeys(records);
  const isLast = (item: Incoming, index: number): boolean => 'withdraw' in item || last.has(index);
  const repeated = records.filter(
    (item, index) => results[index]?.outcome === 'unchanged' && isLast(item, index) && !outdated.has(item),
  );
  await confirm(transaction, { resource, counters }, row, repeated);
  return {
    added: row.added + counts.new,
    changed: row.changed + counts.changed,
    unchanged: row.unchanged + counts.unchanged,
    withdrawn: row.withdrawn + withdrawn,
    taken: records.length + again,
  };
}

/** The index of the last record of each key: earlier ones hold content that is no longer stored. */
function lastOfKeys(records: readonly Incoming[]): ReadonlySet<number> {
  return new Set(
    new Map(
      records.flatMap((record, index) => ('withdraw' in record ? [] : [[record.naturalKey, index] as const])),
    ).values(),
  );
}

/** Image rows are counted once they become visible. */
function nothingYet({ added, changed, unchanged, withdrawn }: FeedMessage): Taken {
  return { added, changed, unchanged, withdrawn, taken: 0 };
}

/** Writes the message's row if this process still holds it. @throws MessageTaken */
async function saveRow(
  transaction: WriteTransaction,
  row: FeedMessage,
  { taken: _, ...changes }: RowChanges & { readonly taken?: number },
): Promise<FeedMessage> {
  const touchedAt = await transaction.now();
  const { activity, id, holder } = row;
  const mine = { activity, id, holder, state: 'open' } as const;
  const saved = await transaction.query(update(feedMessageTable, { ...changes, touchedAt }, mine));
  if (saved.length === 0) throw new MessageTaken();
  return { ...row, ...changes, touchedAt };
}

async function finish(holding: Holding, ending: Ending): Promise<readonly FeedImage[]> {
  const { engine, resource } = holding.parts;
  const { activity } = holding.row;
  const { row, images, dropped } = await engine.writeInBackground(async (transaction) => {
    const counters = await lockCounters(transaction, activity);
    const inOrder = await endingInOrder(transaction, holding.row, holding.images, ending);
    const ended =
      inOrder.state === 'done'
        ? await endDone(holding, transaction, counters, inOrder)
        : await endRefused(holding, transaction, inOrder);
    const row = await saveRow(transaction, holding.row, {
      ...ending.reached,
      ...ended.changes,
      holder: null,
      finishedAt: counters.now,
    });
    await appendEntry(transaction, ending.audit, row);
    return { row, images: ended.images, dropped: ended.dropped };
  });
  holding.row = row;
  holding.images.drafts.clear();
  // If this fails, the rows are found again by their headers.
  await removeImages(engine, resource, activity, dropped).catch(() => undefined);
  return images;
}

interface Ended {
  readonly changes: RowChanges;
  readonly images: readonly FeedImage[];
  readonly dropped: readonly string[];
}

/** Records accepted with a warning are added batch by batch; for lines with a warning, each batch gives the total. */
function warnedWith({ warned, lineCounts }: FeedMessage, reached: MessageProgress): number {
  return warned - warnedLines(lineCounts) + warnedLines(reached.lineCounts);
}

function warnedLines(lineCounts: string | null): number {
  if (lineCounts === null) return 0;
  const { warned }: { readonly warned: number } = JSON.parse(lineCounts);
  return warned;
}

async function appendEntry(
  transaction: WriteTransaction,
  audit: AuditOfMessage | undefined,
  row: FeedMessage,
): Promise<void> {
  const entry = audit?.(row) ?? null;
  if (entry !== null) await appendAudit(transaction, entry);
}

async function endDone(
  { parts: { resource }, row, images: ofMessage }: Holding,
  transaction: WriteTransaction,
  counters: Counters,
  { onlyImage = null, reached }: Ending & { readonly state: 'done' },
): Promise<Ended> {
  const { images, dropped, counts } =
    resource.storage === 'images'
      ? await endImages({ resource, row, images: ofMessage }, { transaction, counters }, onlyImage)
      : { images: [], dropped: [], counts: { new: 0, changed: 0, unchanged: 0, withdrawn: 0 } };
  const note = await noteSequence(transaction, row);
  return {
    images,
    dropped,
    changes: {
      state: 'done',
      read: row.read + counts.new + counts.changed + counts.unchanged,
      added: row.added + counts.new,
      changed: row.changed + counts.changed,
      unchanged: row.unchanged + counts.unchanged,
      withdrawn: row.withdrawn + counts.withdrawn,
      warned: warnedWith(row, reached),
      notes: note === null ? null : JSON.stringify(note),
    },
  };
}

/** Nothing of it was written, or what was written is removed: each of its records counts as refused. */
async function endRefused(
  { row, images: { drafts } }: Holding,
  transaction: WriteTransaction,
  { fault, read }: Ending & { readonly state: 'refused' },
): Promise<Ended> {
  if (row.added + row.changed + row.unchanged > 0) throw new Error('a message that was partly written is not refused');
  const dropped =
    drafts.size === 0 ? [] : await abandonDrafts(transaction, row.activity, sql`feed_message = ${row.id}`);
  // A message that came too late will not be sent again.
  const note = fault.code === olderThanStored ? await noteSequence(transaction, row) : null;
  return {
    images: [],
    dropped,
    changes: {
      state: 'refused',
      fault: JSON.stringify(fault),
      notes: note === null ? null : JSON.stringify(note),
      ...{ read, refused: read, warned: 0, warnings: null, withdrawn: 0, firstKey: null, lastKey: null },
    },
  };
}

async function release(
  { parts: { engine, resource }, row, images: { drafts } }: Holding,
  state: 'open' | 'interrupted',
) {
  const { activity, id, holder } = row;
  const mine = { activity, id, holder, state: 'open' } as const;
  const dropped = await engine.writeInBackground(async (transaction) => {
    await transaction.query(update(feedMessageTable, { state, holder: null }, mine));
    // Only now: a message that was taken over has drafts of its own.
    return drafts.size === 0
      ? []
      : abandonDrafts(
          transaction,
          activity,
          sql`image_id in (${sql.join([...drafts.values()].map(({ imageId }) => imageId))})`,
        );
  });
  await removeImages(engine, resource, activity, dropped).catch(() => undefined);
}
