// In charge of messages that ended before their lines did: open ones that nobody will go on with are ended, and those
// that wait are counted.
import type { Resource } from '../model/resource.ts';
import { appendAudit } from './audit.ts';
import type { NewAuditEntry } from './audit-contract.ts';
import { lockCounters } from './counters.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import type { EndedByHand, FeedMessage, UnfinishedMessages } from './feed-contract.ts';
import { feedLeaseMs, isUnattended } from './feed-lease.ts';
import { giveUp, removeImages } from './image-removal.ts';
import { planAnew, rowsAs, sql, type Statement } from './statement.ts';
import { selectRows, update } from './table-statements.ts';
import { feedMessageTable } from './tables/feeds.ts';

/** Open messages of one feed that wait to be gone on with; of more the oldest are ended. */
const maxOpenOfFeed = 100;
/** Messages that are looked at, and ended, at a time. */
const lookedAt = 1000;

/**
 * Ends open messages that nobody is at work on: those of the activity that nothing can resume, because the process that
 * took them in has died and they have neither key, id nor file; and of the feed all but the newest. What was written of
 * them stays; images that were begun for them are given up, and removed by the next sweep.
 */
export async function endAbandoned(
  transaction: WriteTransaction,
  { activity, resource, feed }: Pick<FeedMessage, 'activity' | 'resource' | 'feed'>,
  now: number,
): Promise<void> {
  const open = await transaction.query(
    selectRows(feedMessageTable, { activity, state: 'open' }, { by: ['id'], limit: lookedAt }),
  );
  const waiting = open.filter((message) => isUnattended(message, now));
  const ofFeed = waiting.filter((message) => message.resource === resource && message.feed === feed);
  const kept = new Set(ofFeed.slice(-maxOpenOfFeed));
  const ended = waiting.filter((message) => !isResumable(message) || (ofFeed.includes(message) && !kept.has(message)));
  if (ended.length > 0) await endOpen(transaction, activity, ended, abandoned, now);
}

/** Something tells that it comes again: the key of a request, the id of its source, or a file that lies there. */
function isResumable({ requestKey, messageId, channel, source }: FeedMessage): boolean {
  return requestKey !== null || messageId !== null || (channel === 'command' && source !== '-');
}

const abandoned = {
  code: 'abandoned',
  detail: 'Nobody went on with it. What was written of it stays; sent again, it is a new message.',
};
const endedByHand = {
  code: 'ended-by-operator',
  detail: 'It was ended by hand. What was written of it stays; sent again, it is a new message.',
};

/** Ends those of the messages that are still open, and that nobody is at work on; their images are given up. */
async function endOpen(
  transaction: WriteTransaction,
  activity: string,
  messages: readonly FeedMessage[],
  fault: typeof abandoned,
  now: number,
): Promise<{ readonly ids: readonly number[]; readonly images: readonly string[] }> {
  const { column } = feedMessageTable;
  const which = sql.join(messages.map(({ id }) => id));
  const changes = { state: 'interrupted', holder: null, fault: JSON.stringify(fault), finishedAt: now } as const;
  const isFree = sql`
    ${column.activity} = ${activity} and ${column.id} in (${which}) and ${column.state} = 'open' and ${unattended(now)}
  `;
  if ((await transaction.query(update(feedMessageTable, changes, isFree))).length === 0) return { ids: [], images: [] };
  const where = { activity, id: messages.map(({ id }) => id), state: 'interrupted' } as const;
  const ids = (await transaction.query(selectRows(feedMessageTable, where))).map(({ id }) => id);
  return { ids, images: await giveUp(transaction, activity, sql`feed_message in (${sql.join(ids)})`) };
}

/** As `isUnattended`. */
function unattended(now: number): Statement {
  return sql`(holder is null or touched_at < ${now - feedLeaseMs} or touched_at > ${now + feedLeaseMs})`;
}

/**
 * Ends the open messages of all activities that nobody is at work on and that nothing can resume, or that nobody has
 * gone on with for a time; with the rows of images that were begun for them.
 * @param images the resources with images
 * @returns how many
 */
export async function endAbandonedMessages(
  engine: Engine,
  images: readonly Resource[],
  patienceMs: number,
): Promise<number> {
  let count = 0;
  for (let after: FeedMessage | null = null; ; ) {
    const now = await engine.now();
    const open: readonly FeedMessage[] = await engine.read(openAfter(after));
    const unattended = open.filter(
      (message) => isUnattended(message, now) && (!isResumable(message) || message.touchedAt < now - patienceMs),
    );
    for (const [activity, messages] of Map.groupBy(unattended, (message) => message.activity)) {
      const ended = await engine.write(async (transaction) => {
        // Whoever would go on with one of them waits.
        await lockCounters(transaction, activity);
        return endOpen(transaction, activity, messages, abandoned, now);
      });
      count += ended.ids.length;
      for (const resource of images) await removeImages(engine, resource, activity, ended.images);
    }
    after = open.at(-1) ?? null;
    if (open.length < lookedAt) return count;
  }
}

function openAfter(after: FeedMessage | null): Statement<FeedMessage> {
  const place = sql`(received_at, owner, id)`;
  const rest =
    after === null
      ? sql`state = 'open'`
      : sql`state = 'open' and ${place} > (${after.receivedAt}, ${after.activity}, ${after.id})`;
  return planAnew(selectRows(feedMessageTable, rest, { by: ['receivedAt', 'activity', 'id'], limit: lookedAt }));
}

/**
 * Ends one open message because somebody says so.
 * @param audit written in the same transaction, where it was ended
 */
export async function endByHand(
  engine: Engine,
  images: readonly Resource[],
  { activity, id }: Pick<FeedMessage, 'activity' | 'id'>,
  audit: NewAuditEntry,
): Promise<EndedByHand> {
  const [message] = await engine.read(selectRows(feedMessageTable, { activity, id }));
  if (message === undefined) return 'unknown';
  const ended = await engine.write(async (transaction) => {
    const { now } = await lockCounters(transaction, activity);
    const found = await endOpen(transaction, activity, [message], endedByHand, now);
    if (found.ids.length > 0) await appendAudit(transaction, audit);
    return found;
  });
  for (const resource of images) await removeImages(engine, resource, activity, ended.images);
  if (ended.ids.length > 0) return 'ended';
  const [now] = await engine.read(selectRows(feedMessageTable, { activity, id }));
  return now?.state === 'open' ? 'held' : 'settled';
}

/**
 * How many messages ended before their lines did, by feed: open ones that wait to be gone on with, and others.
 * @param since instant (milliseconds) since when the others came
 */
export async function unfinishedMessages(
  engine: Pick<Engine, 'read' | 'now'>,
  since: number,
): Promise<readonly UnfinishedMessages[]> {
  const now = await engine.now();
  const counts = sql`
    select owner, resource, feed, state, count(*), min(received_at) from ${feedMessageTable.quoted}
    where (state = 'open' and ${unattended(now)}) or (state = 'interrupted' and received_at >= ${since})
    group by owner, resource, feed, state order by owner, resource, feed, state
  `;
  return engine.read(
    rowsAs(counts, ([activity, resource, feed, state, count, oldest]) => ({
      activity: String(activity),
      resource: String(resource),
      feed: String(feed),
      state: state === 'open' ? 'open' : 'interrupted',
      count: Number(count),
      oldest: Number(oldest),
    })),
  );
}
