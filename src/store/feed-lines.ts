// The refused lines of messages: they are listed, read, corrected and dropped.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NewAuditEntry } from './audit-contract.ts';
import { cooperativeYield } from '../model/cooperative-yield.ts';
import { appendAudit } from './audit.ts';
import { maxRemovedAtOnce } from './batches.ts';
import type { Engine } from './engine.ts';
import { readFirst } from './single-statements.ts';
import { anyOf, forUpdate, isInOrder, limitTo } from './sql-dialects.ts';
import { perActivity } from './per-activity.ts';
import { type Line, maxListedBytes, packedLines, withMessages } from './feed-line-pages.ts';
import { packed, unpacked, unpackedWithin } from './packed-text.ts';
import { onPostgres, perEngine, planAnew, rowsAs, type Sql, sql, type Statement } from './statement.ts';
import type { RowOf } from './table.ts';
import { condition, selectRows, update } from './table-statements.ts';
import { activityTable } from './tables/activities.ts';
import { feedLineTable, feedMessageTable } from './tables/feeds.ts';

/** The place of a refused line; numbers count from 1. */
export interface FeedLinePlace {
  readonly activity: string;
  /** Number of the message in its activity. */
  readonly message: number;
  /** Number of the record in the message. */
  readonly record: number;
}

type FeedLineState = RowOf<typeof feedLineTable>['state'];

/** A refused line, with facts about its message. */
export interface FeedLine extends FeedLinePlace {
  readonly line: number;
  /** Number of the element of a JSON array, from 1; null: it was sent on lines of its own. */
  readonly element: number | null;
  readonly state: FeedLineState;
  /** JSON text: all reasons. */
  readonly reasons: string;
  readonly kind: 'record' | 'text';
  /** As received; null if it was too long to keep, or is too long for a page. */
  readonly content: string | null;
  /** It was kept but is too long for a page: read it alone. */
  readonly isLong: boolean;
  /** JSON text of the record as corrected by an operator. */
  readonly edited: string | null;
  readonly replayedBy: number | null;
  readonly actor: string | null;
  /** Milliseconds. */
  readonly changedAt: number;
  readonly resource: string;
  readonly feed: string;
  /** File name; null for a request. */
  readonly source: string | null;
}

/** The lines to list, in the order of activity, message and record. */
export interface FeedLineQuery {
  readonly activities: readonly string[];
  /** Null: of all messages. */
  readonly message: number | null;
  readonly resource: string | null;
  readonly state: FeedLineState;
  /** The last line of the previous page. */
  readonly after: FeedLinePlace | null;
  readonly limit: number;
}

export interface FeedLines {
  list(query: FeedLineQuery): Promise<readonly FeedLine[]>;
  /** The same lines, each unpacked when it is its turn, and other work between them. */
  each(query: FeedLineQuery): AsyncIterable<FeedLine>;
  /** One line, complete. */
  find(place: FeedLinePlace): Promise<FeedLine | null>;
  /**
   * Stores the corrected form of a record.
   * @param unchangedSince its `changedAt` when it was read; null: whatever was made of it since
   * @returns false, with nothing changed, if the line is not `refused`, or was changed since
   */
  edit(place: FeedLinePlace, edited: EditedLine, by: Author, unchangedSince?: number | null): Promise<boolean>;
  /**
   * Drops `refused` lines: they are kept, but no longer wait for a correction. A thousand in a transaction, so that
   * others write in between; the audit entry is written with the first ones. What is refused after it began is not
   * dropped: it ends where the message is taken over, since one of images then begins anew.
   * @param records null: all lines of the message
   * @returns the number of lines dropped
   */
  drop(message: Omit<FeedLinePlace, 'record'>, records: readonly number[] | null, by: Author): Promise<number>;
  /** The number of `refused` lines in each of these activities, counted up to `maxCountedLines`. */
  waiting(activities: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

/** The corrected form of a record. */
export interface EditedLine {
  /** JSON text. */
  readonly text: string;
  readonly naturalKey: string | null;
}

/** Who changes a line, and the audit entry for the change. */
interface Author {
  readonly actor: string;
  readonly audit: NewAuditEntry;
}

export function createFeedLines(engine: Engine): FeedLines {
  return {
    list: (query) => Array.fromAsync(eachLine(engine, query)),
    each: (query) => eachLine(engine, query),
    find: async ({ activity, message, record }) => {
      const where = { activity, message, record };
      const [row] = await engine.read(selectRows(feedLineTable, where));
      if (row === undefined) return null;
      return (await withMessages(engine, [whole({ ...row, isLong: false })]))[0] ?? null;
    },
    edit: ({ activity, message, record }, { naturalKey, text }, by, unchangedSince = null) =>
      engine.write(async (transaction) => {
        const changedAt = await transaction.now();
        const changes = { edited: packed(text), naturalKey, actor: by.actor, changedAt };
        const since = unchangedSince === null ? {} : { changedAt: unchangedSince };
        const where = { activity, message, record, state: 'refused', ...since } as const;
        const changed = (await transaction.query(update(feedLineTable, changes, where))).length > 0;
        if (changed) await appendAudit(transaction, by.audit);
        return changed;
      }),
    drop: (message, records, by) => drop(engine, message, records, by),
    waiting: (activities) => countWaiting(engine, activities),
  };
}

async function drop(
  engine: Engine,
  { activity, message }: Omit<FeedLinePlace, 'record'>,
  records: readonly number[] | null,
  { actor, audit }: Author,
): Promise<number> {
  const chosen = records === null ? {} : { record: records };
  const { state } = feedLineTable.column;
  const lines = sql.all([condition(feedLineTable, { activity, message, ...chosen }), isInOrder(state, 'refused')]);
  const of = selectRows(feedMessageTable, { activity, id: message });
  const before = await readFirst(engine, of);
  const [end] = await engine.readShort(
    planAnew(sql`select record from ${feedLineTable.quoted} where ${lines} order by ${byState(' desc')} limit 1`),
  );
  if (end === undefined) return 0;
  const refused = sql`${lines} and record <= ${Number(end[0])}`;
  let dropped = 0;
  for (let after = 0; ; await nextTurn()) {
    const rest = sql`${refused} and record > ${after}`;
    const [last] = await engine.readShort(
      planAnew(sql`
        select record from ${feedLineTable.quoted} where ${rest} order by ${byState('')}
        limit 1 offset ${maxRemovedAtOnce - 1}
      `),
    );
    const some = last === undefined ? rest : sql`${rest} and record <= ${Number(last[0])}`;
    const count = await engine.write(async (transaction) => {
      const [now] = await transaction.query(rowsAs(sql`${of}${forUpdate}`, feedMessageTable.toRow));
      if (isTakenOver(before, now)) return null;
      const changes = { state: 'dropped', actor, changedAt: await transaction.now() } as const;
      const changed = (await transaction.query(planAnew(update(feedLineTable, changes, some)))).length;
      if (changed > 0 && dropped === 0) await appendAudit(transaction, audit);
      return changed;
    });
    dropped += count ?? 0;
    if (last === undefined || count === null) return dropped;
    after = Number(last[0]);
  }
}

/** The records of a message in the order of the index of states. */
function byState(direction: '' | ' desc'): Statement {
  const way = direction === '' ? sql`` : sql` desc`;
  return sql`${onPostgres(() => sql`state${way}, `)}record${way}`;
}

type Message = RowOf<typeof feedMessageTable>;

/** Whether another process has begun to work on the message, and may have ended it since. */
function isTakenOver(before: Message | null, now: Message | undefined): boolean {
  if (before === null || now === undefined) return true;
  const isHeldByOther = now.holder !== null && now.holder !== before.holder;
  return isHeldByOther || (before.holder === null && now.finishedAt !== before.finishedAt);
}

/** Unpacks line by line: together they take a hundred times as long as one. */
async function* eachLine(engine: Engine, query: FeedLineQuery): AsyncGenerator<FeedLine> {
  const lines = await packedLines(engine, query);
  const turn = cooperativeYield('outside');
  for (const line of lines) {
    const wait = turn();
    if (wait !== undefined) await wait;
    yield listed(line);
  }
}

/** The line with its texts unpacked. */
function whole(line: Line): Line {
  const textOf = (text: string | null): string | null => (text === null ? null : unpacked(text));
  return { ...line, reasons: unpacked(line.reasons), content: textOf(line.content), edited: textOf(line.edited) };
}

/** The line as a page contains it: without content and corrected record if either is long. */
function listed(line: FeedLine): FeedLine {
  const [content, edited] = [line.content, line.edited].map((text) =>
    text === null ? null : (unpackedWithin(text, maxListedBytes) ?? undefined),
  );
  const reasons = unpacked(line.reasons);
  return content === undefined || edited === undefined
    ? { ...line, reasons, content: null, edited: null, isLong: true }
    : { ...line, reasons, content, edited };
}

/**
 * Refused lines of an activity are counted up to this number: beyond it, an exact count would cost more and say no
 * more.
 */
const maxCountedLines = 1000;

/** Activities whose lines one statement counts. */
const countedAtOnce = 50;

async function countWaiting(engine: Engine, activities: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const turn = cooperativeYield('outside');
  for (let start = 0; start < activities.length; start += countedAtOnce) {
    const codes = activities.slice(start, start + countedAtOnce);
    for (const [code, count] of await perActivity(engine, engine.read, codes, countsOf))
      counts.set(String(code), Number(count));
    await turn();
  }
  return counts;
}

/** One index range for each activity, no longer than the count's limit. */
function countsOf(codes: readonly string[]): Statement {
  const { activity, state } = feedLineTable.column;
  const waitingOf = (code: Sql): Statement => sql`
    select count(*) from (
      select 1 from ${feedLineTable.quoted} where ${activity} = ${code} and ${state} = 'refused'
      ${limitTo(maxCountedLines)}
    ) as waiting
  `;
  const ofAll = (): Statement => sql`
    select activity.code, (${waitingOf(sql`activity.code`)})
    from ${activityTable.quoted} as activity where ${anyOf(sql`activity.code`, codes)}
  `;
  const [code = ''] = codes;
  return perEngine({
    sqlite: ofAll,
    postgres: ofAll,
    citus: () => sql`
      select ${activityTable.column.code}, (${waitingOf(sql`${code}`)})
      from ${activityTable.quoted} where ${activityTable.column.code} = ${code}
    `,
  });
}
