// The stock images of a message: rows are written out of sight; at its end, images become visible and others are
// withdrawn, in one transaction.
import type { Resource } from '../model/resource.ts';
import type { Counters } from './counters.ts';
import type { WriteTransaction } from './engine.ts';
import type { FeedParts } from './feed-messages.ts';
import type { FeedEntry, FeedImage, FeedMessage } from './feed-contract.ts';
import { noteImages } from './image-order.ts';
import { hideImages, republishLatest } from './image-withdrawal.ts';
import { addToDraft, type OpenDraft, openDraft, publishDraft } from './images.ts';
import { requireForm } from './stored-form.ts';

/** The images of the message that this process is working on. They are counted once they become visible. */
export interface MessageImages {
  /** The images being written, by instant. */
  readonly drafts: Map<string, OpenDraft>;
  /** Records that repeat an earlier one. */
  again: number;
  /** Instants of the images to withdraw, in the order of their lines. */
  readonly withdrawn: string[];
}

export function noImages(): MessageImages {
  return { drafts: new Map(), again: 0, withdrawn: [] };
}

interface ImageWrite {
  readonly transaction: WriteTransaction;
  readonly counters: Counters;
}

/** Adds the rows of a batch to the drafts of their images. */
export async function addImageRows(
  { parts, row, images }: { readonly parts: FeedParts; readonly row: FeedMessage; readonly images: MessageImages },
  { transaction, counters }: ImageWrite,
  entries: readonly FeedEntry[],
): Promise<void> {
  const { resource } = parts;
  const field = resource.imageField;
  if (field === null) throw new Error('a resource of images has an instant');
  await requireForm(transaction, resource);
  const records = entries.flatMap(({ item }) => ('withdraw' in item ? [] : [item]));
  for (const [at, rows] of Map.groupBy(records, ({ value }) => String(value[field])))
    await addToDraft(transaction, counters, parts, await draftOf(row, images, { transaction, counters }, at), rows);
  if (records.length > 0) await counters.save();
}

/** The outcome of a message's images. */
interface EndedImages {
  readonly images: readonly FeedImage[];
  /** Ids of images whose rows are to be removed. */
  readonly dropped: readonly string[];
  readonly counts: Readonly<Record<'new' | 'changed' | 'unchanged' | 'withdrawn', number>>;
}

/**
 * Withdraws images first, then publishes those that were written: an image withdrawn and sent anew in one message is a
 * new one, and nobody sees the state in between.
 * @param onlyImage instant of one that is published even without rows, unless the message withdraws images
 */
export async function endImages(
  { resource, row, images }: { readonly resource: Resource; readonly row: FeedMessage; readonly images: MessageImages },
  { transaction, counters }: ImageWrite,
  onlyImage: string | null,
): Promise<EndedImages> {
  const { drafts, withdrawn, again } = images;
  await requireForm(transaction, resource);
  const ended: FeedImage[] = [];
  const counts = { new: 0, changed: 0, unchanged: again, withdrawn: 0 };
  const byInstant = new Map(withdrawn.map((at) => [Date.parse(at), at]));
  await noteImages(transaction, counters, row, 'withdrawn', [...byInstant.keys()]);
  const hidden = await hideImages(transaction, counters, resource, row.activity, new Set(byInstant.keys()));
  const dropped = [...hidden.imageIds];
  for (const [at, rows] of hidden.rowsAt) ended.push({ at: byInstant.get(at) ?? '', rows, outcome: 'withdrawn' });
  counts.withdrawn = hidden.rowsAt.size;
  counts.changed += hidden.rowsAt.size;
  counts.unchanged += withdrawn.length - hidden.rowsAt.size;
  if (onlyImage !== null && withdrawn.length === 0) await draftOf(row, images, { transaction, counters }, onlyImage);
  const isNew = new Set<number>();
  const repeated: number[] = [];
  // In the order of their instants.
  for (const [at, draft] of [...drafts].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const published = await publishDraft(transaction, counters, resource, draft);
    if (published.outcome === 'unchanged') repeated.push(draft.at);
    else isNew.add(draft.at);
    counts[published.outcome] += draft.rows;
    ended.push({ at, rows: draft.rows, outcome: published.outcome });
    dropped.push(...published.dropped);
  }
  await noteImages(transaction, counters, row, 'repeated', repeated);
  if (hidden.isLatest)
    await republishLatest(transaction, counters, resource, row.activity, (extractedAt) => isNew.has(extractedAt));
  if (ended.some(({ outcome }) => outcome !== 'unchanged')) await counters.save();
  return { images: ended.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)), dropped, counts };
}

async function draftOf(
  row: FeedMessage,
  { drafts }: MessageImages,
  { transaction, counters }: ImageWrite,
  at: string,
): Promise<OpenDraft> {
  const known = drafts.get(at);
  if (known !== undefined) return known;
  const draft = await openDraft(
    transaction,
    { activity: row.activity, at: Date.parse(at), feedMessage: row.id },
    counters.now,
  );
  drafts.set(at, draft);
  return draft;
}
