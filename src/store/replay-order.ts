// What a replay may not change: records that anybody has written since its lines were first received.
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

/** Natural key → hash of the stored content, and a sentence that says who wrote it. */
export type NewerWrites = ReadonlyMap<string, { readonly hash: string; readonly detail: string }>;

/** Of the records with these keys, those written since the lines that the message replays were received. */
export async function writesSince(
  transaction: WriteTransaction,
  resource: Resource,
  { activity, replayOf }: FeedMessage,
  keys: readonly string[],
): Promise<NewerWrites> {
  const chain = await messagesOfReplay(transaction, activity, replayOf);
  const cameAt = chain.at(-1)?.receivedAt;
  if (cameAt === undefined) throw new Error('the message whose lines are replayed is gone');
  if (keys.length === 0) return new Map();
  const own = new Set(chain.map(({ id }) => id));
  const columns = sql`natural_key, content_hash, feed_message, ${sql.quoted(updatedField(resource))}`;
  const rows = await transaction.query(selectKeyed(recordsBy(resource, activity, keys), columns));
  return new Map(
    rows.flatMap(([key, hash, message = null, writtenAt]) => {
      const writer = message === null ? null : Number(message);
      if (Number(writtenAt) <= cameAt || (writer !== null && own.has(writer))) return [];
      const who = writer === null ? 'a client' : `message ${activity}:${writer}`;
      const when = formatInstant(Number(writtenAt));
      const detail = `The line came at ${formatInstant(cameAt)}; ${who} has written this record since, at ${when}.`;
      return [[String(key), { hash: String(hash), detail }] as const];
    }),
  );
}

/** The message whose lines are replayed and, if that is a replay itself, the ones before it. */
async function messagesOfReplay(
  transaction: WriteTransaction,
  activity: string,
  replayOf: number | null,
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
