// In charge of open messages that nobody will go on with: they are ended, so that open ones have a bound.
import type { WriteTransaction } from './engine.ts';
import { isUnattended } from './feed-lease.ts';
import { giveUp } from './image-removal.ts';
import { sql } from './statement.ts';
import { selectRows, update } from './table-statements.ts';
import type { FeedMessage } from './feed-contract.ts';
import { feedMessageTable } from './tables/feeds.ts';

/** Open messages of one feed that wait to be gone on with; of more the oldest are ended. */
const maxOpenOfFeed = 100;
/** Messages that are looked at: at most so many are ended at a time. */
const lookedAt = 1000;

/**
 * Ends open messages that nobody is at work on: those of the activity that nothing can resume, because the process that
 * took them in has died and they have neither key, id nor file; and of the feed all but the newest. What was written of
 * them stays; images that were begun for them are given up, and removed by the next sweep.
 */
export async function endForsaken(
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
  if (ended.length === 0) return;
  const ids = ended.map(({ id }) => id);
  await transaction.query(
    update(feedMessageTable, { state: 'interrupted', holder: null }, { activity, id: ids, state: 'open' }),
  );
  await giveUp(transaction, activity, sql`feed_message in (${sql.join(ids)})`);
}

/** Something tells that it comes again: the key of a request, the id of its source, or a file that lies there. */
function isResumable({ requestKey, messageId, channel, source }: FeedMessage): boolean {
  return requestKey !== null || messageId !== null || (channel === 'command' && source !== '-');
}
