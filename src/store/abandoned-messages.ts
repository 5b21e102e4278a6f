// Messages that ended before all their lines were processed: ends open messages that nobody will resume, and counts
// those that still wait.
import type { Resource } from '../model/resource.ts';
import { allCodes } from './activities.ts';
import { appendAudit } from './audit.ts';
import type { NewAuditEntry } from './audit-contract.ts';
import { lockCounters } from './counters.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import type { EndedByHand, FeedMessage, UnfinishedMessages } from './feed-contract.ts';
import { feedLeaseMs, isUnattended } from './feed-lease.ts';
import { abandonDrafts, removeImages } from './image-removal.ts';
import { planAnew, rowsAs, sql, type Statement } from './statement.ts';
import { selectRows, update } from './table-statements.ts';
import { feedMessageTable } from './tables/feeds.ts';

/** Open messages of one feed that may wait to be resumed; beyond this number the oldest are ended. */
const maxOpenOfFeed = 100;
/** Messages examined, and ended, at a time. */
const lookedAt = 1000;

/**
 * Ends open messages that no process is working on: in the activity, those that nothing can resume, because the process
 * that received them has died and they have no key, id or file; in the feed, all but the newest. Records already
 * written stay; images begun for these messages are given up, and the next sweep removes them.
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

/**
 * Something shows that the message will come again: a request key, the id given by its source, or a file still in
 * place.
 */
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

/** Ends those of the messages that are still open and that no process is working on; gives up their images. */
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
  return { ids, images: await abandonDrafts(transaction, activity, sql`feed_message in (${sql.join(ids)})`) };
}

/** The same condition as `isUnattended`, in SQL. */
function unattended(now: number): Statement {
  return sql`(holder is null or touched_at < ${now - feedLeaseMs} or touched_at > ${now + feedLeaseMs})`;
}

/**
 * Ends the open messages of all activities that no process is working on and that nothing can resume, or that nobody
 * has resumed for `abandonedAfterMs`; removes the rows of images begun for them.
 * @param images the resources with images
 * @returns the number of messages ended
 */
export async function endAbandonedMessages(
  engine: Engine,
  images: readonly Resource[],
  abandonedAfterMs: number,
): Promise<number> {
  let count = 0;
  for (let after: FeedMessage | null = null; ; ) {
    const now = await engine.now();
    const open: readonly FeedMessage[] = await engine.read(openAfter(after));
    const unattended = open.filter(
      (message) => isUnattended(message, now) && (!isResumable(message) || message.touchedAt < now - abandonedAfterMs),
    );
    const codes = new Set(unattended.length === 0 ? [] : await allCodes(engine));
    for (const [activity, messages] of Map.groupBy(unattended, (message) => message.activity)) {
      // What is left of an activity that is being removed goes with it, and has no counters to lock.
      if (!codes.has(activity)) continue;
      const ended = await engine.write(async (transaction) => {
        // Anyone about to resume one of them waits for this lock.
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
 * Ends one open message at an operator's request.
 * @param audit written in the same transaction if the message was ended
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
 * How many messages ended before all their lines were processed, by feed: open ones that wait to be resumed, and
 * others.
 * @param since instant (milliseconds): others are counted if received at or after it
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
