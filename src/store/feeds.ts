// In charge of feeds as the database has them: which there are, and their messages.
import type { Renderer } from '../model/render.ts';
import type { Resource } from '../model/resource.ts';
import type { Engine, Reader } from './engine.ts';
import { beginMessage, noteDuplicate } from './feed-beginning.ts';
import type { Feed, FeedMessage, Feeds, MessageQuery } from './feed-contract.ts';
import { feedOf } from './feed-order.ts';
import { anyOf } from './engine-words.ts';
import { readFirst } from './single-statements.ts';
import { type Sql, sql, type Statement } from './statement.ts';
import { selectRows } from './table-statements.ts';
import { feedMessageTable, feedTable } from './tables/feeds.ts';

/** Who asks at the command line. */
const operator: Reader = { client: 'operator' };

/** The feeds of a database. */
export function createFeeds(engine: Engine, rendererOf: (resource: Resource) => Renderer): Feeds {
  return {
    begin: (resource, message, resumption = {}) =>
      beginMessage({ engine, resource, render: rendererOf(resource) }, message, resumption),
    noteDuplicate: (message, of, bytes) => noteDuplicate(engine, message, of, bytes),
    list: (activities) => listFeeds(engine, activities),
    // Of many messages few may be of the feed or state that is asked for.
    messages: (query, reader = operator) => engine.readLong(messagesStatement(query), reader),
    message: (activity, id) => readFirst(engine, selectRows(feedMessageTable, { activity, id })),
  };
}

/** All feeds of these activities. */
export async function listFeeds(engine: Pick<Engine, 'read'>, activities: readonly string[]): Promise<readonly Feed[]> {
  const rows = selectRows(feedTable, anyOf(feedTable.column.activity, activities), {
    by: ['activity', 'resource', 'feed'],
  });
  return (await engine.read(rows)).map(feedOf);
}

/** Messages of some activities, newest first. */
function messagesStatement({ activities, resource, feed, state, before, limit }: MessageQuery): Statement<FeedMessage> {
  const { column } = feedMessageTable;
  const conditions: Sql[] = [anyOf(column.activity, activities)];
  if (resource !== undefined) conditions.push(sql`${column.resource} = ${resource}`);
  if (feed !== undefined) conditions.push(sql`${column.feed} = ${feed}`);
  if (state !== undefined) conditions.push(sql`${column.state} = ${state}`);
  if (before !== undefined) {
    const place = sql`(${column.receivedAt}, ${column.activity}, ${column.id})`;
    conditions.push(sql`${place} < (${before.receivedAt}, ${before.activity}, ${before.id})`);
  }
  return selectRows(feedMessageTable, sql.all(conditions), {
    by: ['receivedAt', 'activity', 'id'],
    descending: true,
    limit,
  });
}
