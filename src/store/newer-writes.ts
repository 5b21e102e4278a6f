// Who has written records since a line of a message was said: a message of its feed with a higher sequence number and,
// where the line is replayed, whoever wrote after it came.
import { formatInstant } from '../model/instant.ts';
import type { Incoming } from '../model/record.ts';
import type { Resource } from '../model/resource.ts';
import { updatedField } from './access-path.ts';
import type { WriteTransaction } from './engine.ts';
import type { FeedMessage } from './feed-contract.ts';
import { selectKeyed } from './keyed-rows.ts';
import { sql } from './statement.ts';
import { recordsBy } from './stored-records.ts';
import { messagesById } from './feed-message-pages.ts';
import { notedWithdrawals } from './withdrawal-notes.ts';

/** Natural key → a newer write of its record. */
type NewerWrites = ReadonlyMap<string, NewerWrite>;

interface NewerWrite {
  /** Hash of the stored content; null: it was withdrawn. */
  readonly hash: string | null;
  /** Sentence that says who wrote it. */
  readonly detail: string;
  /** Only what stands before it, in the same message, is older; null: everything is. */
  readonly place: Place | null;
}

/** A place in a message; all elements of a JSON array may be on one line. */
type Place = Pick<Incoming, 'line' | 'element'>;

/**
 * Of the records with these keys, those that a message of the same feed with a higher number wrote, repeated or
 * withdrew.
 */
export async function newerWrites(
  transaction: WriteTransaction,
  resource: Resource,
  message: FeedMessage,
  keys: readonly string[],
): Promise<NewerWrites> {
  const stored = await lastWrites(transaction, resource, message.activity, keys);
  const sequences = await laterSequences(transaction, message, writersOf(stored));
  return new Map(
    stored.flatMap(({ key, hash, message: writer }) => {
      const by = writer === null ? undefined : sequences.get(writer);
      return by === undefined ? [] : [[key, { hash, detail: outnumbered(message, by, hash), place: null }] as const];
    }),
  );
}

/**
 * Of the records with these keys, those written since the lines that the message replays were said: by others after
 * they came, or by what stands in the same message, whether it was taken when that came or replayed since.
 */
export async function writesSince(
  transaction: WriteTransaction,
  resource: Resource,
  message: FeedMessage,
  keys: readonly string[],
): Promise<NewerWrites> {
  const { activity } = message;
  const first = await firstMessage(transaction, message);
  const cameAt = first.receivedAt;
  const stored = await lastWrites(transaction, resource, activity, keys);
  const firsts = await firstMessages(transaction, activity, writersOf(stored));
  return newestOf(
    stored.flatMap(({ key, hash, message: writer, place, writtenAt }): readonly (readonly [string, NewerWrite])[] => {
      const by = writer === null ? undefined : firsts.get(writer);
      if (by?.id === first.id) {
        const detail = `${placeText(place)}, which stands behind it, has ${done(hash)} this record.`;
        return place.line === undefined ? [] : [[key, { hash, detail, place }]];
      }
      const later = by === undefined ? null : laterSequence(first, by);
      if (later !== null) return [[key, { hash, detail: outnumbered(first, later, hash), place: null }]];
      const who = writer === null ? 'a client' : `message ${activity}:${writer}`;
      if (writtenAt <= cameAt) {
        // Such a message repeated what had been written before.
        if (by === undefined || by.id < first.id) return [];
        const detail = `The line came at ${formatInstant(cameAt)}; ${who}, which came since, has said what is stored.`;
        return [[key, { hash, detail, place: null }]];
      }
      const since = `since, at ${formatInstant(writtenAt)}`;
      const detail = `The line came at ${formatInstant(cameAt)}; ${who} has ${done(hash)} this record ${since}.`;
      return [[key, { hash, detail, place: null }]];
    }),
  );
}

/**
 * Of several newer writes of a record the one that counts. What wrote a record that is there came after every note that
 * it was withdrawn. A withdrawn record and notes say the same: of them the one counts to which more is older.
 */
function newestOf(writes: readonly (readonly [string, NewerWrite])[]): NewerWrites {
  const newest = new Map<string, NewerWrite>();
  for (const [key, write] of writes) {
    const known = newest.get(key);
    if (known === undefined || write.hash !== null || makesMoreOlder(write, known)) newest.set(key, write);
  }
  return newest;
}

/** A write to which everything is older, or one that stands further behind. */
function makesMoreOlder({ place }: NewerWrite, { place: other }: NewerWrite): boolean {
  return place === null || (other !== null && standsBefore(other, place));
}

/** Whether one place of a message is before another; elements are compared only where both are known. */
export function standsBefore(one: Place, other: Place): boolean {
  if (one.element !== undefined && other.element !== undefined) return one.element < other.element;
  return (one.line ?? 0) < (other.line ?? 0);
}

function placeText({ line, element }: Place): string {
  return element === undefined ? `Line ${line}` : `Element ${element}`;
}

/** Of these messages, those of the same feed with a higher number than the message: their ids, and their numbers. */
export async function laterSequences(
  transaction: WriteTransaction,
  message: FeedMessage,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (message.sequence === null) return new Map();
  const firsts = await firstMessages(transaction, message.activity, ids);
  return new Map(
    [...firsts].flatMap(([id, first]) => {
      const later = laterSequence(message, first);
      return later === null ? [] : [[id, later] as const];
    }),
  );
}

/** The number of another message of the same feed, if it is higher. */
function laterSequence({ resource, feed, sequence }: FeedMessage, other: FeedMessage): number | null {
  if (sequence === null || other.resource !== resource || other.feed !== feed) return null;
  return other.sequence !== null && other.sequence > sequence ? other.sequence : null;
}

/** The message in which the lines of a message came: the one that it replays, through replays of replays, or itself. */
export async function firstMessage(transaction: WriteTransaction, message: FeedMessage): Promise<FeedMessage> {
  const { activity, replayOf } = message;
  if (replayOf === null) return message;
  return (await firstMessages(transaction, activity, [replayOf])).get(replayOf) ?? message;
}

/**
 * For each of these messages the one in which its lines came, whose sequence number a replay has. Messages that are no
 * longer kept are left out; where one between is not, the last that is stands for the first.
 */
async function firstMessages(
  transaction: WriteTransaction,
  activity: string,
  ids: readonly number[],
): Promise<ReadonlyMap<number, FeedMessage>> {
  const firsts = new Map<number, FeedMessage>();
  /** Message → the one that it replays, as far as known. */
  let replayed = new Map(ids.map((id) => [id, id]));
  while (replayed.size > 0) {
    const id = [...new Set(replayed.values())];
    const rows = await transaction.query(messagesById(activity, id));
    const found = new Map(rows.map((row) => [row.id, row]));
    const next = new Map<number, number>();
    for (const [of, by] of replayed) {
      const row = found.get(by);
      if (row === undefined) continue;
      firsts.set(of, row);
      if (row.replayOf !== null) next.set(of, row.replayOf);
    }
    replayed = next;
  }
  return firsts;
}

function outnumbered({ sequence }: FeedMessage, by: number, hash: string | null): string {
  return `The message has the sequence number ${sequence}, and number ${by} has ${done(hash)} this record since.`;
}

/** What was done to a record, by its hash. */
function done(hash: string | null): 'withdrawn' | 'written' {
  return hash === null ? 'withdrawn' : 'written';
}

/** The last write of a record, or a note that it was withdrawn; `message`: null where a client wrote it. */
interface LastWrite {
  readonly key: string;
  /** Null: it was withdrawn. */
  readonly hash: string | null;
  readonly message: number | null;
  readonly place: Place;
  /** Milliseconds since 1970. */
  readonly writtenAt: number;
}

/** Notes first: where a stored record is newer too, that is what counts. */
async function lastWrites(
  transaction: WriteTransaction,
  resource: Resource,
  activity: string,
  keys: readonly string[],
): Promise<readonly LastWrite[]> {
  if (keys.length === 0) return [];
  const written = sql.quoted(updatedField(resource));
  const columns = sql`natural_key, content_hash, feed_message, feed_line, feed_element, ${written}, withdrawn_at`;
  const rows = await transaction.query(selectKeyed(recordsBy(resource, activity, keys), columns));
  const stored = rows.map(
    ([key, hash, message = null, line = null, element = null, writtenAt, withdrawnAt = null]): LastWrite => ({
      key: String(key),
      hash: withdrawnAt === null ? String(hash) : null,
      message: message === null ? null : Number(message),
      place: placeOf(line === null ? null : Number(line), element === null ? null : Number(element)),
      writtenAt: Number(writtenAt),
    }),
  );
  const noted = (await notedWithdrawals(transaction, resource, activity, keys)).map(
    ({ naturalKey, message, line, element, notedAt }): LastWrite => ({
      ...{ key: naturalKey, hash: null, message, place: placeOf(line, element), writtenAt: notedAt },
    }),
  );
  return [...noted, ...stored];
}

function placeOf(line: number | null, element: number | null): Place {
  return { ...(line !== null && { line }), ...(element !== null && { element }) };
}

function writersOf(stored: readonly LastWrite[]): readonly number[] {
  return stored.flatMap(({ message }) => message ?? []);
}
