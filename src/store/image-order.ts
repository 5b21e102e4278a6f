// The order of messages that carry stock images: a late message does not withdraw or replace what a message with a
// higher sequence number has sent since, nor send what such a message has withdrawn.
import { formatInstant } from '../model/instant.ts';
import type { Counters } from './counters.ts';
import type { WriteTransaction } from './engine.ts';
import type { Ending, FeedBatch, FeedMessage, ImageWithdrawal, RefusedEntry } from './feed-contract.ts';
import type { MessageImages } from './feed-images.ts';
import { type InOrder, isLate } from './feed-order.ts';
import { imageHashText, newImageHash } from './image-hash.ts';
import { draftWithoutRows } from './image-removal.ts';
import { firstMessage, laterSequences } from './newer-writes.ts';
import { rowsAs, sql } from './statement.ts';
import { stockImageTable } from './tables/activities.ts';

/** The code for data that a later message has already superseded. */
export const olderThanStored = 'older-than-stored' as const;

/** Refuses the lines of a batch that would withdraw an image sent by a later message. */
export async function withoutOlderWithdrawals(
  transaction: WriteTransaction,
  message: FeedMessage,
  { entries, withdrawnImages = [] }: FeedBatch,
): Promise<InOrder> {
  const since = await sentSince(
    transaction,
    message,
    withdrawnImages.map(({ at }) => Date.parse(at)),
  );
  // One that a later message has withdrawn too is withdrawn already: the line says nothing else.
  const writer = ({ at }: ImageWithdrawal): string | undefined => {
    const said = since.get(Date.parse(at));
    return said?.hash === null ? undefined : said?.detail;
  };
  return {
    entries,
    outdated: new Set(),
    withdrawn: withdrawnImages.filter((each) => writer(each) === undefined).map(({ at }) => at),
    older: withdrawnImages.flatMap((each): readonly RefusedEntry[] => {
      const detail = writer(each);
      if (detail === undefined) return [];
      const { number, line, element, text } = each;
      const reasons = [{ code: olderThanStored, pointer: '', detail }];
      return [{ number, line, element, text, naturalKey: null, kind: 'record', reasons }];
    }),
  };
}

/**
 * The ending of a message that was read completely: it is refused as a whole if a later message has sent one of its
 * images with other rows, or an image that it withdraws, or has withdrawn one of its images.
 */
export async function endingInOrder(
  transaction: WriteTransaction,
  message: FeedMessage,
  { drafts, withdrawn, again }: MessageImages,
  ending: Ending,
): Promise<Ending> {
  if (ending.state === 'refused') return ending;
  const hashes = new Map([...drafts].map(([at, { hash }]) => [Date.parse(at), imageHashText(hash)]));
  // One without rows is begun only when it is published.
  const only = withdrawn.length === 0 && ending.onlyImage ? Date.parse(ending.onlyImage) : null;
  if (only !== null && !hashes.has(only)) hashes.set(only, imageHashText(newImageHash()));
  const instants = [...hashes.keys(), ...withdrawn.map((at) => Date.parse(at))];
  const since = [...(await sentSince(transaction, message, instants))];
  const [other] = since.filter(([at, { hash }]) => (hashes.get(at) ?? null) !== hash);
  if (other === undefined) return ending;
  const [, { detail }] = other;
  const rows = [...drafts.values()].reduce((sum, draft) => sum + draft.rows, 0);
  return {
    state: 'refused',
    fault: { code: olderThanStored, detail },
    reached: ending.reached,
    read: message.read + again + withdrawn.length + rows,
    ...(ending.audit && { audit: ending.audit }),
  };
}

/** What a message says of images without bringing a new one. */
type ImageNote = 'withdrawn' | 'repeated';

/**
 * Notes that a message with a sequence number withdraws the images of these instants, whether they have come or not, or
 * sends them unchanged: a late message with a lower number then does not bring them back, or replace them. Withdrawals
 * are noted before the message publishes its own.
 * @param instants milliseconds
 */
export async function noteImages(
  transaction: WriteTransaction,
  counters: Counters,
  message: FeedMessage,
  state: ImageNote,
  instants: readonly number[],
): Promise<void> {
  // What a replay says was said when its lines came.
  const first = await firstMessage(transaction, message);
  if (first.sequence === null || instants.length === 0) return;
  const since = await sentSince(transaction, first, instants);
  const { activity, feed } = first;
  const notes = instants.flatMap((at) =>
    since.has(at)
      ? []
      : {
          ...{ ...draftWithoutRows, activity, state, imageId: `${state} ${feed} ${at}` },
          ...{ extractedAt: at, base: counters.lastChange(), touchedAt: counters.now, feedMessage: first.id },
        },
  );
  await transaction.putRows(stockImageTable.target, notes.map(stockImageTable.toCells));
}

/** Instant (milliseconds) → digest of the stored rows, null if withdrawn, and a sentence that says who did it. */
type SentImages = ReadonlyMap<number, { readonly hash: string | null; readonly detail: string }>;

/**
 * Of the images of these instants, those sent, repeated or withdrawn by a message of the same feed with a higher
 * number.
 */
async function sentSince(
  transaction: WriteTransaction,
  message: FeedMessage,
  instants: readonly number[],
): Promise<SentImages> {
  if (instants.length === 0 || !(await isLate(transaction, message))) return new Map();
  const headers = sql`
    select extracted_at, base, content_hash, state, feed_message from stock_image where owner = ${message.activity} and
    state in ('published', 'withdrawn', 'repeated') and extracted_at in (${sql.join([...new Set(instants)])}) and
    feed_message is not null order by base
  `;
  const found = await transaction.query(
    rowsAs(headers, ([at, base, hash, state, id]) => ({
      ...{ at: Number(at), base: Number(base), id: Number(id), state: String(state) },
      hash: state === 'withdrawn' ? null : String(hash),
    })),
  );
  // If an image has several forms, the one published last counts.
  const published = new Map(found.filter(({ state }) => state === 'published').map((image) => [image.at, image]));
  // A note before it no longer does. Of those since, each feed has its own. What is repeated is what is published.
  const notes = found.flatMap((note) => {
    const image = published.get(note.at);
    if (note.state === 'published' || note.base <= (image?.base ?? -1)) return [];
    if (note.state === 'withdrawn') return [note];
    return image === undefined ? [] : [{ ...note, hash: image.hash }];
  });
  const latest = [...published.values(), ...notes];
  const sequences = await laterSequences(
    transaction,
    message,
    latest.map(({ id }) => id),
  );
  return new Map(
    latest.flatMap(({ at, hash, id }) => {
      const by = sequences.get(id);
      if (by === undefined) return [];
      const image = `the stock image of ${formatInstant(at)}`;
      const own = `The message has the sequence number ${message.sequence}`;
      const detail = `${own}, and number ${by} has ${hash === null ? 'withdrawn' : 'sent'} ${image} since.`;
      return [[at, { hash, detail }] as const];
    }),
  );
}
