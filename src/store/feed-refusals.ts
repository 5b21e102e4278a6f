// Keeps what a batch of a message refuses, with all reasons, so that an operator can correct it.
import { cooperativeYield } from '../model/cooperative-yield.ts';
import { batchStatements, inBatches } from './batches.ts';
import type { Engine, SqlValue, WriteTransaction } from './engine.ts';
import { type FeedMessage, LinesSettled, type RefusedEntry, type ReplayedLines } from './feed-contract.ts';
import { packed } from './packed-text.ts';
import { withPipeline } from './pipelined-statements.ts';
import { selectKnownKeys } from './keyed-rows.ts';
import { notByIndex } from './sql-dialects.ts';
import { perEngine, planAnew, sql } from './statement.ts';
import { remove, update } from './table-statements.ts';
import { feedLineTable } from './tables/feeds.ts';

/** Most refused lines kept of one message; further ones are only counted, because nobody corrects so many by hand. */
export const maxKeptLines = 100_000;

/**
 * Keeps the refused entries of a message, in the transaction of its batch.
 * @param message as it was before the batch
 */
export async function keepRefused(
  transaction: WriteTransaction,
  { activity, id, resource, refused: before }: Pick<FeedMessage, 'activity' | 'id' | 'resource' | 'refused'>,
  refused: readonly RefusedEntry[],
  now: number,
): Promise<void> {
  const kept = refused.slice(0, Math.max(0, maxKeptLines - before));
  const turn = cooperativeYield('ofFeedInTransaction');
  await withPipeline(async (pipeline) => {
    let rows: (readonly SqlValue[])[] = [];
    for (const [index, { number, line, element, reasons, naturalKey, kind, text }] of kept.entries()) {
      const wait = turn();
      if (wait !== undefined) await wait;
      rows.push(
        feedLineTable.toCells({
          ...{ activity, message: id, record: number, resource, line, element, state: 'refused', naturalKey, kind },
          reasons: packed(storable(JSON.stringify(reasons))),
          content: text === null ? null : packed(storable(text)),
          ...{ edited: null, replayedBy: null, actor: null, changedAt: now },
        }),
      );
      if (rows.length < rowsAtOnce && index < kept.length - 1) continue;
      pipeline.add(transaction.putRows(feedLineTable.target, rows));
      rows = [];
    }
  });
}

/** Rows sent to the engine at a time: nothing else runs in this thread while they are handed over. */
const rowsAtOnce = 50;

/**
 * Removes the refused lines of a message, a thousand at a time.
 * @param hold makes sure, in each transaction, that this process holds the message
 */
export async function removeRefused(
  engine: Engine,
  { activity, id: message }: Pick<FeedMessage, 'activity' | 'id'>,
  hold: (transaction: WriteTransaction) => Promise<unknown>,
): Promise<void> {
  const where = sql`owner = ${activity} and message = ${message}`;
  await inBatches(() =>
    engine.writeInBackground(async (transaction) => {
      await hold(transaction);
      let removed = 0;
      for (const statement of batchStatements({ table: feedLineTable.name, where, by: 'record' }))
        removed = (await transaction.query(statement)).length;
      return removed;
    }),
  );
  // Batches leave out what somebody is changing at that moment.
  await engine.writeInBackground(async (transaction) => {
    await hold(transaction);
    await transaction.query(remove(feedLineTable, { activity, message }));
  });
}

/**
 * Marks the lines that a batch of a replay handles, in its transaction: each is replayed once, as it was read.
 * @throws LinesSettled
 */
export async function markReplayed(
  transaction: WriteTransaction,
  { activity, id, replayOf, actor }: FeedMessage,
  { lines: replayed }: ReplayedLines,
  now: number,
): Promise<void> {
  if (replayOf === null) throw new Error('a replay names the message whose lines it replays');
  const changes = { state: 'replayed', replayedBy: id, actor, changedAt: now } as const;
  // Lines that were not edited have the time of the batch in which they came, so these are few statements.
  for (const [changedAt, same] of Map.groupBy(replayed, (line) => line.changedAt)) {
    const record = same.map((line) => line.record);
    const lines = { activity, message: replayOf, record, state: 'refused', changedAt } as const;
    const marked = await transaction.query(update(feedLineTable, changes, lines));
    if (marked.length !== same.length) throw new LinesSettled();
  }
}

/** Of the records with these keys, those of which lines wait to be corrected. */
export async function keysOfRefused(
  transaction: WriteTransaction,
  { activity, resource }: Pick<FeedMessage, 'activity' | 'resource'>,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  // Usually none waits.
  if (keys.length === 0 || !(await isAnyRefused(transaction, activity, resource))) return new Set();
  const waiting = {
    ...{ table: feedLineTable.name, activity, within: { resource }, column: 'natural_key', keys },
    // Indexes that begin with the state lead through all that wait.
    and: sql`${notByIndex(feedLineTable.column.state)} = ${'refused'}`,
  };
  return new Set((await transaction.query(selectKnownKeys(waiting))).map(([key]) => String(key)));
}

/**
 * Asks for a place in the order of an index: asked for a line of this activity, both engines go through others as well,
 * where they take most lines for such ones or do not know of the activity.
 */
async function isAnyRefused(transaction: WriteTransaction, activity: string, resource: string): Promise<boolean> {
  const { quoted, column } = feedLineTable;
  const state = 'refused';
  const order = sql.join([column.state, column.resource]);
  const ofActivity = perEngine({
    sqlite: () => sql`${column.activity} = ${activity}`,
    postgres: () => sql`${column.activity} = (select ${activity}::text)`,
    citus: () => sql`${column.activity} = ${activity}`,
  });
  const next = sql`
    select ${order} from ${quoted} where ${ofActivity} and (${order}) >= (${state}, ${resource})
    order by ${order} limit 1
  `;
  const [first] = await transaction.query(planAnew(next));
  return first?.[0] === state && first[1] === resource;
}

/** PostgreSQL stores no NUL character, and an unpaired surrogate has no UTF-8 form. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\u{fffd}');
}
