// Feeds and their messages in the database: lists them, and decides whether a message that begins is new, interrupted,
// or already processed.
import { randomBytes } from 'node:crypto';
import { Problem } from '../model/problem.ts';
import type { Renderer } from '../model/render.ts';
import type { Resource } from '../model/resource.ts';
import { lockCounters } from './counters.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import type { BeginResult, FeedMessage, Feeds, RecognizedBy, NewMessage, Resumption } from './feed-contract.ts';
import { holdMessage } from './feed-holding.ts';
import { feedLeaseMs } from './feed-lease.ts';
import { feedsOf, listMessages, pageOfFeeds } from './feed-message-pages.ts';
import { endByHand, endAbandoned, endAbandonedMessages, unfinishedMessages } from './abandoned-messages.ts';
import { abandonDrafts, removeImages } from './image-removal.ts';
import { readFirst } from './single-statements.ts';
import { alongTheIndex, isInOrder, notByIndex } from './sql-dialects.ts';
import { onPostgres, planAnew, rowsAs, type Sql, sql, type Statement } from './statement.ts';
import { countRows, insert, insertMissing, selectRows, update } from './table-statements.ts';
import { feedMessageTable, feedTable } from './tables/feeds.ts';

/** Most feeds of one activity: their names come from outside and are kept for ever. */
const maxFeeds = 200;

/** What writing a message needs. */
export interface FeedParts {
  readonly engine: Engine;
  readonly resource: Resource;
  readonly render: Renderer;
}

/** The feeds of a database. */
export function createFeeds(
  engine: Engine,
  rendererOf: (resource: Resource) => Renderer,
  resources: readonly Resource[],
): Feeds {
  const images = resources.filter(({ storage }) => storage === 'images');
  return {
    begin: (resource, message, resumption = {}) =>
      beginMessage({ engine, resource, render: rendererOf(resource) }, message, resumption),
    noteDuplicate: (message, of, bytes) => noteDuplicate(engine, message, of, bytes),
    list: (activities) => feedsOf(engine, activities),
    page: (query) => pageOfFeeds(engine, query),
    messages: (query) => listMessages(engine, query),
    endAbandoned: (abandonedAfterMs) => endAbandonedMessages(engine, images, abandonedAfterMs),
    end: (message, audit) => endByHand(engine, images, message, audit),
    unfinished: (since) => unfinishedMessages(engine, since),
    message: (activity, id) => readFirst(engine, selectRows(feedMessageTable, { activity, id })),
  };
}

/** See `Feeds.begin`. */
async function beginMessage(parts: FeedParts, given: NewMessage, resumption: Resumption): Promise<BeginResult> {
  const { engine, resource } = parts;
  const dropped: string[] = [];
  const begun = await engine.writeInBackground(async (transaction): Promise<BeginResult> => {
    // Other messages of the same activity wait here to begin, so two identical ones are never both begun.
    await lockCounters(transaction, given.activity);
    const now = await transaction.now();
    const known = await knownMessage(transaction, resource, given, resumption);
    if (known === null) {
      await endAbandoned(transaction, { ...given, resource: resource.name }, now);
      const row = await addMessage(transaction, resource, given, now);
      return { state: 'begun', held: holdMessage(parts, row), resumed: null };
    }
    const { message, by } = known;
    if (by === 'request' && !isSame(message, given, resource)) return { state: 'other-request', message };
    if (message.state !== 'open' && by !== 'source') return { state: 'known', message, by };
    const taken = await takeOver(transaction, parts, message, now);
    if (taken === null)
      return { state: 'running', message, endsInMs: Math.max(0, message.touchedAt + feedLeaseMs - now) };
    dropped.push(...taken.dropped);
    return { state: 'begun', held: holdMessage(parts, taken.row), resumed: by };
  });
  // If this fails, the rows are found again by their headers.
  await removeImages(engine, resource, given.activity, dropped).catch(() => undefined);
  return begun;
}

/** See `Feeds.noteDuplicate`. */
function noteDuplicate(engine: Engine, given: NewMessage, of: FeedMessage, bytes: number): Promise<FeedMessage> {
  return engine.writeInBackground(async (transaction) => {
    await lockCounters(transaction, given.activity);
    const now = await transaction.now();
    const resource = { name: of.resource };
    const detail = `Message ${of.activity}:${of.id} was the same, with the same id.`;
    const row: FeedMessage = {
      ...(await addMessage(transaction, resource, given, now)),
      state: 'duplicate',
      fault: JSON.stringify({ code: 'duplicate', detail, message: of.id }),
      bytes,
      digest: of.digest,
      holder: null,
      finishedAt: now,
    };
    const { state, fault, digest, holder, finishedAt } = row;
    const changes = { state, fault, bytes, digest, holder, finishedAt };
    await transaction.query(update(feedMessageTable, changes, { activity: row.activity, id: row.id }));
    return row;
  });
}

interface KnownMessage {
  readonly message: FeedMessage;
  readonly by: RecognizedBy;
}

/** The earlier message that this one repeats, if any. A refused message may be sent anew. */
async function knownMessage(
  transaction: WriteTransaction,
  { name: resource }: Resource,
  { activity, feed, channel, source, messageId, requestKey }: NewMessage,
  { bySource = false }: Resumption,
): Promise<KnownMessage | null> {
  await transaction.query(alongTheIndex);
  // Sorted here: asked for the last id, SQLite goes through all messages of the activity where there is no such one.
  const newest = async (messages: Statement<FeedMessage>): Promise<FeedMessage | undefined> =>
    (await transaction.query(messages)).toSorted((a, b) => b.id - a.id)[0];
  const { column } = feedMessageTable;
  const ofFeed = sql.all([
    sql`${column.activity} = ${activity}`,
    sql`${column.resource} = ${resource}`,
    sql`${column.feed} = ${feed}`,
  ]);
  if (requestKey !== null) {
    const ofActivity = sql`${column.activity} = ${activity}`;
    const states = ['open', 'done', 'duplicate'] as const;
    const message = await newest(byKey(ofActivity, column.requestKey, requestKey, isOneOf(states)));
    if (message !== undefined) return { message, by: 'request' };
  }
  if (messageId !== null) {
    const message = await newest(byKey(ofFeed, column.messageId, messageId, isOneOf(['open', 'done'])));
    if (message !== undefined) return { message, by: 'message-id' };
  }
  if (bySource && source !== null) {
    // The index on the id would lead through all messages of the feed that have none.
    const id = notByIndex(column.messageId);
    const isSent = sql.all([
      sql`${column.channel} = ${channel} and ${column.source} = ${source}`,
      messageId === null ? sql`${id} is null` : sql`${id} = ${messageId}`,
    ]);
    const message = await newest(byKey(ofFeed, column.state, 'open', isSent));
    if (message !== undefined) return { message, by: 'source' };
  }
  return null;
}

/** An index on the state would lead SQLite through nearly all messages of the activity. */
function isOneOf(states: readonly FeedMessage['state'][]): Sql {
  return sql`${notByIndex(feedMessageTable.column.state)} in (${sql.join(states)})`;
}

/**
 * The messages with this value, by the index that has it after the columns of the place; one statement of a transaction
 * that goes along indexes.
 */
function byKey(place: Sql, column: Sql, value: string, and: Sql): Statement<FeedMessage> {
  const messages = selectRows(feedMessageTable, sql.all([place, isInOrder(column, value), and]));
  return planAnew(rowsAs(sql`${messages}${onPostgres(() => sql` order by ${column}`)}`, feedMessageTable.toRow));
}

/** Whether a request under the key of an earlier one describes the same message. */
function isSame(message: FeedMessage, given: NewMessage, { name }: Resource): boolean {
  return (
    message.resource === name &&
    message.feed === given.feed &&
    message.messageId === given.messageId &&
    message.sequence === given.sequence
  );
}

async function addMessage(
  transaction: WriteTransaction,
  { name: resource }: Pick<Resource, 'name'>,
  given: NewMessage,
  now: number,
): Promise<FeedMessage> {
  const { activity, feed } = given;
  const id = await nextNumber(transaction, activity);
  await noteInFeed(transaction, { activity, resource, feed, id, now });
  const row: FeedMessage = {
    ...given,
    id,
    resource,
    state: 'open',
    fault: null,
    ...nothingYet,
    countsOnly: false,
    holder: randomBytes(9).toString('base64url'),
    touchedAt: now,
    receivedAt: now,
    finishedAt: null,
  };
  await transaction.query(insert(feedMessageTable, row));
  return row;
}

/** The counts of a message of which nothing has been processed. */
const nothingYet = {
  lines: 0,
  skipped: 0,
  skippedBy: null,
  read: 0,
  added: 0,
  changed: 0,
  unchanged: 0,
  refused: 0,
  warned: 0,
  warnings: null,
  withdrawn: 0,
  firstKey: null,
  lastKey: null,
  bytes: 0,
  digest: '',
  notes: null,
  lineCounts: null,
} as const;

/** The counter is kept beside those of the activity's lists: no number is given twice, whatever is removed. */
async function nextNumber(transaction: WriteTransaction, activity: string): Promise<number> {
  const next = sql`
    insert into revision (owner, resource, last_change) values (${activity}, ${'feed-message'}, 1)
    on conflict (owner, resource) do update set last_change = revision.last_change + 1 returning last_change
  `;
  const [id] = await transaction.query(rowsAs(next, ([number]) => Number(number)));
  if (id === undefined) throw new Error('a message got no number');
  return id;
}

interface Begin {
  readonly activity: string;
  readonly resource: string;
  readonly feed: string;
  readonly id: number;
  readonly now: number;
}

async function noteInFeed(transaction: WriteTransaction, { activity, resource, feed, id, now }: Begin): Promise<void> {
  const key = { activity, resource, feed };
  const begun = { lastMessage: id, receivedAt: now };
  if ((await transaction.query(update(feedTable, begun, key))).length > 0) return;
  const [count = 0] = await transaction.query(countRows(feedTable, { activity }));
  if (count >= maxFeeds)
    throw new Problem(
      'too-many-feeds',
      `Activity ${activity} has ${maxFeeds} feeds already, the most that it may: send under the name of one of them.`,
    );
  const row = { ...key, ...begun, createdAt: now, lastSequence: null, missing: '[]' };
  await transaction.query(insertMissing(feedTable, row));
}

/**
 * Takes over an open message that no process is working on any more. A message of images is begun anew: its rows were
 * never visible, and its refused lines are removed by `clear`. Times far in the future come from a clock that was set
 * back.
 * @returns null if a process is working on it
 */
async function takeOver(
  transaction: WriteTransaction,
  { resource }: FeedParts,
  { activity, id }: FeedMessage,
  now: number,
): Promise<{ readonly row: FeedMessage; readonly dropped: readonly string[] } | null> {
  const { column } = feedMessageTable;
  const isFree = sql`
    ${column.activity} = ${activity} and ${column.id} = ${id} and ${column.state} = 'open' and (${column.holder} is null
    or ${column.touchedAt} < ${now - feedLeaseMs} or ${column.touchedAt} > ${now + feedLeaseMs})
  `;
  const isImage = resource.storage === 'images';
  const changes = {
    holder: randomBytes(9).toString('base64url'),
    touchedAt: now,
    ...(isImage && nothingYet),
  };
  if ((await transaction.query(update(feedMessageTable, changes, isFree))).length === 0) return null;
  const [row] = await transaction.query(selectRows(feedMessageTable, { activity, id }));
  if (row === undefined) throw new Error('a message that was taken over is gone');
  if (!isImage) return { row, dropped: [] };
  return { row, dropped: await abandonDrafts(transaction, activity, sql`feed_message = ${id}`) };
}
