// Lists feeds, and their messages, page by page; an index serves every filter, whatever the number of messages.
import { arrayText, type Engine, type Row } from './engine.ts';
import { anyOf, isInOrder, keysOf, limitTo } from './sql-dialects.ts';
import type { Feed, FeedMessage, FeedQuery, FeedWithMessage, MessageQuery } from './feed-contract.ts';
import { feedOf } from './feed-order.ts';
import { perActivity } from './per-activity.ts';
import { onPostgres, perEngine, planAnew, rowsAs, type Sql, sql, type Statement } from './statement.ts';
import { selectKeyed } from './keyed-rows.ts';
import { selectRows } from './table-statements.ts';
import { feedMessageTable, feedTable } from './tables/feeds.ts';

/** All feeds of these activities. */
export async function feedsOf(engine: Reading, activities: readonly string[]): Promise<readonly Feed[]> {
  const rows = await perActivity(engine, engine.read, activities, (some) =>
    selectRows(feedTable, some.length === 1 ? { activity: some } : anyOf(feedTable.column.activity, some), {
      by: ['activity', 'resource', 'feed'],
    }),
  );
  return rows.map(feedOf);
}

type Reading = Pick<Engine, 'read' | 'isDistributed'>;

/** One page of feeds with their last messages: a statement for the feeds, and one for the messages. */
export async function pageOfFeeds(
  engine: Reading,
  { activities, missingOnly, after, limit }: FeedQuery,
): Promise<readonly FeedWithMessage[]> {
  const { activity, resource, feed, missing } = feedTable.column;
  const further = [
    ...(after === null
      ? []
      : [sql`(${activity}, ${resource}, ${feed}) > (${after.activity}, ${after.resource}, ${after.feed})`]),
    ...(missingOnly ? [sql`${missing} <> '[]'`] : []),
  ];
  const left = activities.filter((code) => after === null || code >= after.activity);
  const found = await perActivity(engine, engine.read, left, (some) => {
    const [only = ''] = some;
    const among = some.length === 1 ? sql`${activity} = ${only}` : anyOf(activity, some);
    return selectRows(feedTable, sql.all([among, ...further]), { by: ['activity', 'resource', 'feed'], limit });
  });
  const feeds = found.slice(0, limit).map(feedOf);
  const messages = await messagesAt(
    engine,
    feeds.map((each) => ({ activity: each.activity, id: each.lastMessage })),
  );
  const byPlace = new Map(messages.map((message) => [`${message.activity}:${message.id}`, message]));
  return feeds.map((each) => ({
    feed: each,
    message: byPlace.get(`${each.activity}:${each.lastMessage}`) ?? null,
  }));
}

/** Branches of one statement, each served by an index. */
const branchesAtOnce = 100;

/**
 * Messages, newest first. For each activity, the first ones are read by the index of its messages, or by the index of
 * each feed that matches the filter; the newest of all these are the page. Their places never change, so a page that
 * continues after one message misses none.
 */
export async function listMessages(
  engine: Reading & Pick<Engine, 'readShort'>,
  query: MessageQuery,
): Promise<readonly FeedMessage[]> {
  const branches = (await branchesOf(engine, query)).map((branch) => {
    const before = beforePlace(query, branch.activity);
    return before === null ? branch : { ...branch, where: sql.all([branch.where, before]) };
  });
  let newest: readonly Place[] = [];
  for (let at = 0; at < branches.length; at += branchesAtOnce) {
    const byActivity = Map.groupBy(branches.slice(at, at + branchesAtOnce), ({ activity }) => activity);
    const found = await perActivity(engine, engine.readShort, [...byActivity.keys()], (activities) =>
      newestOf(
        activities.flatMap((activity) => byActivity.get(activity) ?? []),
        query.limit,
      ),
    );
    newest = [...newest, ...found].toSorted(newestFirst).slice(0, query.limit);
  }
  return (await messagesAt(engine, newest)).toSorted(newestFirst);
}

/** Where a message stands in the list. */
type Place = Pick<FeedMessage, 'receivedAt' | 'activity' | 'id'>;

/** Texts compare by code point, as in the engines. */
function newestFirst(one: Place, other: Place): number {
  if (one.receivedAt !== other.receivedAt) return other.receivedAt - one.receivedAt;
  if (one.activity !== other.activity) return one.activity < other.activity ? 1 : -1;
  return other.id - one.id;
}

const { column } = feedMessageTable;

/** Messages that an index serves: those of an activity, or of one of its feeds. */
interface Branch {
  readonly activity: string;
  readonly where: Sql;
  /** The columns of the index that these messages share, and whose order PostgreSQL is asked for. */
  readonly shared: readonly Sql[];
}

async function branchesOf(
  engine: Pick<Engine, 'read'>,
  { activities, resource, feed, state }: MessageQuery,
): Promise<readonly Branch[]> {
  if (resource === undefined && feed === undefined && state === undefined)
    return activities.map((activity) => ({ activity, where: sql`${column.activity} = ${activity}`, shared: [] }));
  const feeds = (await feedsOf(engine, activities)).filter(
    (each) => (resource ?? each.resource) === each.resource && (feed ?? each.feed) === each.feed,
  );
  return feeds.map((each) => {
    const values = [
      [column.resource, each.resource],
      [column.feed, each.feed],
      ...(state === undefined ? [] : ([[column.state, state]] as const)),
    ] as const;
    return {
      activity: each.activity,
      where: sql.all([
        sql`${column.activity} = ${each.activity}`,
        ...values.map(([shared, value]) => isInOrder(shared, value)),
      ]),
      shared: values.map(([shared]) => shared),
    };
  });
}

/** The condition for what follows the last message of the previous page, in one activity; null: everything. */
function beforePlace({ before }: MessageQuery, activity: string): Sql | null {
  if (before === undefined) return null;
  const { receivedAt, id } = before;
  if (activity === before.activity) return sql`(${column.receivedAt}, ${column.id}) < (${receivedAt}, ${id})`;
  return activity < before.activity
    ? sql`${column.receivedAt} <= ${receivedAt}`
    : sql`${column.receivedAt} < ${receivedAt}`;
}

function newestOf(branches: readonly Branch[], limit: number): Statement<Place> {
  const each = branches.map(({ where, shared }) => {
    const first = onPostgres(() =>
      sql.join(
        shared.map((one) => sql`${one} desc, `),
        '',
      ),
    );
    return sql`
      select * from (
        select ${column.receivedAt}, ${column.activity}, ${column.id} from ${feedMessageTable.quoted} where ${where}
        order by ${first}${column.receivedAt} desc, ${column.id} desc ${limitTo(limit)}
      ) as newest
    `;
  });
  const toPlace = ([receivedAt, activity, id]: Row): Place => ({
    receivedAt: Number(receivedAt),
    activity: String(activity),
    id: Number(id),
  });
  return planAnew(rowsAs(sql.join(each, ' union all '), toPlace));
}

/** Messages of an activity, each looked up by its id. */
export function messagesById(activity: string, ids: readonly number[]): Statement<FeedMessage> {
  const rows = { table: feedMessageTable.name, activity, column: 'id', keys: ids, unique: true };
  return rowsAs(selectKeyed(rows, feedMessageTable.allColumns), feedMessageTable.toRow);
}

/** The messages at these places. */
function messagesAt(
  engine: Reading,
  places: readonly Pick<FeedMessage, 'activity' | 'id'>[],
): Promise<readonly FeedMessage[]> {
  const byActivity = Map.groupBy(places, ({ activity }) => activity);
  return perActivity(engine, engine.read, [...byActivity.keys()], (activities) => {
    const of = activities.flatMap((activity) => byActivity.get(activity) ?? []);
    const [activity = ''] = activities;
    if (activities.length === 1)
      return messagesById(
        activity,
        of.map(({ id }) => id),
      );
    const pairs = perEngine({
      sqlite: () => sql`
        select value ->> 0, value ->> 1 from json_each(${JSON.stringify(of.map((each) => [each.activity, each.id]))})
      `,
      postgres: () => sql`
        select * from unnest(${keysOf(of.map((each) => each.activity))}, ${arrayText(of.map(({ id }) => id))}::bigint[])
      `,
    });
    return planAnew(selectRows(feedMessageTable, sql`(${column.activity}, ${column.id}) in (${pairs})`));
  });
}
