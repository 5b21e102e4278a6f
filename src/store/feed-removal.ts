// Retention of feed messages: the refused lines of old messages are removed, their counts stay.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { removeInBatches } from './batches.ts';
import type { Engine } from './engine.ts';
import { forUpdate, limitTo, typedInteger } from './sql-dialects.ts';
import { feedsOf } from './feed-message-pages.ts';
import { readFirst } from './single-statements.ts';
import { planAnew, rowsAs, sql } from './statement.ts';
import type { RowOf } from './table.ts';
import { countRows, selectRows, update } from './table-statements.ts';
import { feedLineTable, feedMessageTable, feedWithdrawalTable } from './tables/feeds.ts';

/** How many rows were removed, or would be. */
interface FeedRemovalCounts {
  readonly messages: number;
  readonly lines: number;
}

/**
 * Reduces messages received before an instant (milliseconds) to their counts, except the last message of a feed and one
 * that is open and was worked on since. Each message is reduced once.
 */
export interface FeedRemoval {
  removeOld(activity: string, before: number): Promise<FeedRemovalCounts>;
  /** What `removeOld` would remove; changes nothing. */
  countOld(activity: string, before: number): Promise<FeedRemovalCounts>;
}

export function createFeedRemoval(engine: Engine): FeedRemoval {
  const total = async (
    activity: string,
    before: number,
    linesOf: (message: number) => Promise<number>,
    end: (message: number) => Promise<number>,
  ): Promise<FeedRemovalCounts> => {
    const counts = { messages: 0, lines: 0 };
    for await (const message of oldMessages(engine, activity, before)) {
      counts.lines += await linesOf(message);
      counts.messages += await end(message);
    }
    for await (const message of leftBehind(engine, activity, before)) counts.lines += await linesOf(message);
    return counts;
  };
  return {
    removeOld: (activity, before) =>
      total(
        activity,
        before,
        async (message) => {
          const where = sql`owner = ${activity} and message = ${message}`;
          await removeInBatches(engine, { table: feedWithdrawalTable.name, where, by: 'natural_key' });
          return removeInBatches(engine, { table: feedLineTable.name, where, by: 'record' });
        },
        (message) => keepCounts(engine, activity, message, before),
      ),
    countOld: (activity, before) =>
      total(
        activity,
        before,
        async (message) => (await engine.read(countRows(feedLineTable, { activity, message })))[0] ?? 0,
        async () => 1,
      ),
  };
}

/**
 * Erases what may be personal or long: names, texts and keys of the received data. Counts stay, by rule and by outcome.
 * @returns the number of messages reduced: none if another process has done it, has gone on with the message, or was
 *   working on its lines, which are then still there and left to the next round
 */
async function keepCounts(engine: Engine, activity: string, id: number, before: number): Promise<number> {
  return engine.write(async (transaction) => {
    const where = { activity, id, countsOnly: false };
    const held = sql`${selectRows(feedMessageTable, where)}${forUpdate}`;
    const [row] = await transaction.query(rowsAs(held, feedMessageTable.toRow));
    if (row === undefined || !isOver(row, before)) return 0;
    for (const { quoted } of [feedWithdrawalTable, feedLineTable]) {
      const rest = sql`select 1 from ${quoted} where owner = ${activity} and message = ${id} ${limitTo(1)}`;
      if ((await transaction.query(planAnew(rest))).length > 0) return 0;
    }
    const nothing = { source: null, messageId: null, requestKey: null, firstKey: null, lastKey: null };
    const ended = row.state === 'open' ? ({ state: 'interrupted', holder: null } as const) : {};
    const changes = {
      ...nothing,
      ...ended,
      warnings: null,
      notes: null,
      digest: '',
      fault: codeOf(row.fault),
      countsOnly: true,
    };
    return (await transaction.query(update(feedMessageTable, changes, where))).length;
  });
}

/** Whether nobody has worked on the message since the instant. */
function isOver(
  { state, touchedAt }: Pick<RowOf<typeof feedMessageTable>, 'state' | 'touchedAt'>,
  before: number,
): boolean {
  return state !== 'open' || touchedAt < before;
}

/** The code for which a message was refused, without the detail. */
function codeOf(fault: string | null): string | null {
  if (fault === null) return null;
  const { code }: { readonly code: string } = JSON.parse(fault);
  return JSON.stringify({ code, detail: '' });
}

const messagesAtOnce = 200;

/** Ids ascend with the time of receipt, so the search ends at the first recent message. */
async function* oldMessages(engine: Engine, activity: string, before: number): AsyncGenerator<number> {
  const newest = new Set((await feedsOf(engine, [activity])).map(({ lastMessage }) => lastMessage));
  for (let after = 0; ; await nextTurn()) {
    const rows = await engine.read(
      planAnew(
        sql`
          select id, state, received_at, touched_at from ${feedMessageTable.quoted} where owner = ${activity}
          and counts_only = 0 and id > ${typedInteger(after)} order by owner, counts_only, id ${limitTo(messagesAtOnce)}
        `,
      ),
    );
    for (const [id, state, receivedAt, touchedAt] of rows) {
      if (Number(receivedAt) >= before) return;
      after = Number(id);
      if ((state !== 'open' || Number(touchedAt) < before) && !newest.has(after)) yield after;
    }
    if (rows.length < messagesAtOnce) return;
  }
}

/**
 * Messages that were reduced before and nevertheless have lines or notes: earlier versions reduced a message while
 * somebody worked on its lines. Of messages that old, only the last ones of feeds have any otherwise, so this looks at
 * few rows.
 */
async function* leftBehind(engine: Engine, activity: string, before: number): AsyncGenerator<number> {
  for (const { quoted } of [feedWithdrawalTable, feedLineTable])
    for (let after = 0; ; await nextTurn()) {
      const next = sql`
        select message from ${quoted} where owner = ${activity} and message > ${typedInteger(after)} order by message
        ${limitTo(1)}
      `;
      const id = await readFirst(engine, planAnew(rowsAs(next, ([message]) => Number(message))));
      if (id === null) break;
      const message = await readFirst(engine, selectRows(feedMessageTable, { activity, id }));
      if (message !== null && message.receivedAt >= before) break;
      if (message === null || message.countsOnly) yield id;
      after = id;
    }
}
