// In charge of removing messages of feeds that have had their time, with the lines of them that were refused.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { removeInBatches } from './batches.ts';
import type { Engine } from './engine.ts';
import { typedInteger, limitTo } from './engine-words.ts';
import { planAnew, sql } from './statement.ts';
import { countRows, remove } from './table-statements.ts';
import { feedLineTable, feedMessageTable } from './tables/feeds.ts';

/** How many rows went, or would go. */
interface FeedRemovalCounts {
  readonly messages: number;
  readonly lines: number;
}

/**
 * Removes messages that came before an instant (milliseconds), never the last one of a feed, nor one that is open and
 * was worked on since.
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
    return counts;
  };
  return {
    removeOld: (activity, before) =>
      total(
        activity,
        before,
        (message) =>
          removeInBatches(engine, {
            table: feedLineTable.name,
            where: sql`owner = ${activity} and message = ${message}`,
            by: 'record',
          }),
        async (message) => (await engine.writeOnce(remove(feedMessageTable, { activity, id: message }))).length,
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

const messagesAtOnce = 200;

/** Ids ascend with the time at which messages came, so that looking ends at the first one that is young. */
async function* oldMessages(engine: Engine, activity: string, before: number): AsyncGenerator<number> {
  const newest = await newestOfFeeds(engine, activity);
  for (let after = 0; ; await nextTurn()) {
    const rows = await engine.read(
      planAnew(
        sql`
          select id, state, received_at, touched_at from ${feedMessageTable.quoted} where owner = ${activity} and id >
          ${typedInteger(after)} order by owner, id ${limitTo(messagesAtOnce)}
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

/** The last message of a feed tells what came last, however long ago. */
async function newestOfFeeds(engine: Engine, activity: string): Promise<ReadonlySet<number>> {
  const rows = await engine.read(
    sql`select max(id) from ${feedMessageTable.quoted} where owner = ${activity} group by resource, feed`,
  );
  return new Set(rows.map(([id]) => Number(id)));
}
