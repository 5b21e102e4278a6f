// Who has written records since a line of a message was said: a message of its feed with a higher sequence number and,
// where the line is replayed, whoever wrote after it came.
import { formatInstant } from '../model/instant.ts';
import type { Resource } from '../model/resource.ts';
import { updatedField } from './access-path.ts';
import type { WriteTransaction } from './engine.ts';
import type { FeedMessage } from './feed-contract.ts';
import { selectKeyed } from './keyed-rows.ts';
import { sql } from './statement.ts';
import { recordsBy } from './stored-records.ts';
import { selectRows } from './table-statements.ts';
import { feedMessageTable } from './tables/feeds.ts';

/** Natural key → a newer write of its record. */
type NewerWrites = ReadonlyMap<string, NewerWrite>;

interface NewerWrite {
  /** Hash of the stored content. */
  readonly hash: string;
  /** Sentence that says who wrote it. */
  readonly detail: string;
  /** Only lines before this one, of the same message, are older; null: every line is. */
  readonly line: number | null;
}

/** Of the records with these keys, those that a message of the same feed with a higher number wrote or repeated. */
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
      return by === undefined ? [] : [[key, { hash, detail: outnumbered(message, by), line: null }] as const];
    }),
  );
}

/** Of the records with these keys, those written since the lines that the message replays were said. */
export async function writesSince(
  transaction: WriteTransaction,
  resource: Resource,
  message: FeedMessage,
  keys: readonly string[],
): Promise<NewerWrites> {
  const { activity } = message;
  const chain = await messagesOfReplay(transaction, message);
  const first = chain.at(-1) ?? message;
  const cameAt = first.receivedAt;
  const own = new Set(chain.map(({ id }) => id));
  const stored = await lastWrites(transaction, resource, activity, keys);
  const sequences = await laterSequences(transaction, first, writersOf(stored));
  return new Map(
    stored.flatMap(({ key, hash, message: writer, line, writtenAt }): readonly (readonly [string, NewerWrite])[] => {
      const by = writer === null ? undefined : sequences.get(writer);
      if (by !== undefined) return [[key, { hash, detail: outnumbered(first, by), line: null }]];
      if (writer !== null && own.has(writer)) {
        const detail = `Line ${line}, which stands behind it, has written this record.`;
        return line === null ? [] : [[key, { hash, detail, line }]];
      }
      if (writtenAt <= cameAt) return [];
      const who = writer === null ? 'a client' : `message ${activity}:${writer}`;
      const when = formatInstant(writtenAt);
      const detail = `The line came at ${formatInstant(cameAt)}; ${who} has written this record since, at ${when}.`;
      return [[key, { hash, detail, line: null }]];
    }),
  );
}

/**
 * Of these messages, those of the same feed with a higher number: their ids, and their numbers. A replay has the number
 * of the message whose lines it replays.
 */
export async function laterSequences(
  transaction: WriteTransaction,
  { activity, feed, sequence, resource }: FeedMessage,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const later = new Map<number, number>();
  if (sequence === null) return later;
  /** Message → the one whose number it has, as far as known. */
  let numbered = new Map(ids.map((id) => [id, id]));
  while (numbered.size > 0) {
    const id = [...new Set(numbered.values())];
    const rows = await transaction.query(selectRows(feedMessageTable, { activity, id }));
    const found = new Map(rows.map((row) => [row.id, row]));
    const replayed = new Map<number, number>();
    for (const [id, by] of numbered) {
      const row = found.get(by);
      if (row === undefined || row.resource !== resource || row.feed !== feed) continue;
      if (row.replayOf !== null) replayed.set(id, row.replayOf);
      else if (row.sequence !== null && row.sequence > sequence) later.set(id, row.sequence);
    }
    numbered = replayed;
  }
  return later;
}

/** The message in which the lines of a message came: the one that it replays, through replays of replays, or itself. */
export async function firstMessage(transaction: WriteTransaction, message: FeedMessage): Promise<FeedMessage> {
  return (await messagesOfReplay(transaction, message)).at(-1) ?? message;
}

/** The message whose lines are replayed and, if that is a replay itself, the ones before it. */
async function messagesOfReplay(
  transaction: WriteTransaction,
  { activity, replayOf }: FeedMessage,
): Promise<readonly FeedMessage[]> {
  const chain: FeedMessage[] = [];
  for (let id = replayOf; id !== null; ) {
    const [message] = await transaction.query(selectRows(feedMessageTable, { activity, id }));
    if (message === undefined) break;
    chain.push(message);
    id = message.replayOf;
  }
  return chain;
}

function outnumbered({ sequence }: FeedMessage, by: number): string {
  return `The message has the sequence number ${sequence}, and number ${by} has written this record since.`;
}

/** The last write of a stored record; `message` and `line`: null where a client wrote it. */
interface LastWrite {
  readonly key: string;
  readonly hash: string;
  readonly message: number | null;
  readonly line: number | null;
  /** Milliseconds since 1970. */
  readonly writtenAt: number;
}

async function lastWrites(
  transaction: WriteTransaction,
  resource: Resource,
  activity: string,
  keys: readonly string[],
): Promise<readonly LastWrite[]> {
  if (keys.length === 0) return [];
  const columns = sql`natural_key, content_hash, feed_message, feed_line, ${sql.quoted(updatedField(resource))}`;
  const rows = await transaction.query(selectKeyed(recordsBy(resource, activity, keys), columns));
  return rows.map(([key, hash, message = null, line = null, writtenAt]) => ({
    key: String(key),
    hash: String(hash),
    message: message === null ? null : Number(message),
    line: line === null ? null : Number(line),
    writtenAt: Number(writtenAt),
  }));
}

function writersOf(stored: readonly LastWrite[]): readonly number[] {
  return stored.flatMap(({ message }) => message ?? []);
}
