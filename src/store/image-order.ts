// The order of messages that carry stock images: a late message does not withdraw or replace what a message with a
// higher sequence number has sent since.
import { formatInstant } from '../model/instant.ts';
import type { WriteTransaction } from './engine.ts';
import type { Ending, FeedBatch, FeedMessage, ImageWithdrawal, RefusedEntry } from './feed-contract.ts';
import type { MessageImages } from './feed-images.ts';
import { type InOrder, isLate } from './feed-order.ts';
import { imageHashText } from './image-hash.ts';
import { laterSequences } from './newer-writes.ts';
import { rowsAs, sql } from './statement.ts';

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
  const writer = ({ at }: ImageWithdrawal): string | undefined => since.get(Date.parse(at))?.detail;
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
 * images with other rows, or an image that it withdraws.
 */
export async function endingInOrder(
  transaction: WriteTransaction,
  message: FeedMessage,
  { drafts, withdrawn, again }: MessageImages,
  ending: Ending,
): Promise<Ending> {
  if (ending.state === 'refused') return ending;
  const hashes = new Map([...drafts].map(([at, { hash }]) => [Date.parse(at), imageHashText(hash)]));
  const instants = [...hashes.keys(), ...withdrawn.map((at) => Date.parse(at))];
  const since = [...(await sentSince(transaction, message, instants))];
  const [other] = since.filter(([at, { hash }]) => hashes.get(at) !== hash);
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

/** Instant (milliseconds) → digest of the stored rows, and a sentence that says who sent them. */
type SentImages = ReadonlyMap<number, { readonly hash: string; readonly detail: string }>;

/** Of the images of these instants, those sent by a message of the same feed with a higher number. */
async function sentSince(
  transaction: WriteTransaction,
  message: FeedMessage,
  instants: readonly number[],
): Promise<SentImages> {
  if (instants.length === 0 || !(await isLate(transaction, message))) return new Map();
  const published = sql`
    select extracted_at, content_hash, feed_message from stock_image where owner = ${message.activity} and
    state = 'published' and extracted_at in (${sql.join([...new Set(instants)])}) and feed_message is not null
    order by base
  `;
  const found = await transaction.query(
    rowsAs(published, ([at, hash, id]) => ({ at: Number(at), hash: String(hash), id: Number(id) })),
  );
  // If an image has several forms, the one published last counts.
  const latest = [...new Map(found.map((image) => [image.at, image])).values()];
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
      const detail = `${own}, and number ${by} has sent ${image} since.`;
      return [[at, { hash, detail }] as const];
    }),
  );
}
