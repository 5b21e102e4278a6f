// Sends rendered records to their tables: the records themselves, and a row for each value that nested selectors find
// in them.
import type { Incoming, RenderedRecord } from '../model/record.ts';
import { type Resource, nestedSelectors } from '../model/resource.ts';
import type { Counters } from './counters.ts';
import type { SqlValue, WriteTransaction } from './engine.ts';
import { changeKeyed } from './keyed-rows.ts';
import type { Pipeline } from './pipelined-statements.ts';
import { nestedRows, nestedTable, nestedTarget, placeCells, recordTarget } from './record-tables.ts';
import { sql, type Statement } from './statement.ts';
import { recordsBy } from './stored-records.ts';
import type { UnwrittenBytes } from './unwritten-bytes.ts';

/** A record about to be written or withdrawn. */
export interface Pending {
  readonly hash: string;
  readonly withdrawn: boolean;
  readonly changeNumber: number;
  readonly body: string;
  readonly columns: readonly SqlValue[];
  /** Where it stands in its message. */
  readonly place: Pick<Incoming, 'line' | 'element'>;
  /** Null: existing rows stay. */
  readonly nested: RenderedRecord['nested'] | null;
  /** The table holds an earlier form of the record. */
  readonly replaces: boolean;
}

/** The destination: a transaction that holds the counters of the activity. */
interface Target {
  readonly transaction: WriteTransaction;
  readonly pipeline: Pipeline;
  readonly counters: Counters;
  readonly resource: Resource;
  readonly activity: string;
  /** Id of the message that contained the records; null: a client wrote them. */
  readonly message: number | null;
}

/** Keeps the memory and time of a batch within bounds. */
export interface Flow {
  readonly turn: () => Promise<void> | undefined;
  readonly unwritten: UnwrittenBytes;
}

/** Rows for nested values sent at a time. */
const nestedRowsAtOnce = 5000;

/** Sends the records; waits if too much is in flight already. */
export async function putRendered(writing: Target, pending: ReadonlyMap<string, Pending>, flow: Flow): Promise<void> {
  const { transaction, pipeline, counters, resource, activity, message } = writing;
  const answer = transaction.putRows(
    recordTarget(resource),
    [...pending].map(([key, { changeNumber, hash, body, columns, place, withdrawn }]) => [
      ...[activity, key, changeNumber, hash, body],
      ...columns,
      ...[message, ...placeCells(message === null ? {} : place), withdrawn ? counters.now : null],
    ]),
  );
  pipeline.add(answer);
  flow.unwritten.add(
    answer,
    [...pending.values()].reduce((sum, { body }) => sum + body.length, 0),
  );
  if (nestedSelectors(resource).length > 0) await putNested(writing, pending, flow);
}

async function putNested(
  { transaction, pipeline, counters, resource, activity }: Target,
  pending: ReadonlyMap<string, Pending>,
  { turn, unwritten }: Flow,
): Promise<void> {
  const replaced = [...pending].filter(([, { replaces, nested }]) => replaces && nested !== null).map(([key]) => key);
  if (replaced.length > 0) pipeline.add(transaction.query(removeNested(resource, activity, replaced)));
  let rows: (readonly SqlValue[])[] = [];
  const put = (): void => {
    const answer = transaction.putRows(nestedTarget(resource), rows);
    pipeline.add(answer);
    unwritten.add(answer, rows.length * nestedRowBytes);
    rows = [];
  };
  for (const [key, { nested }] of pending)
    for (let from = 0; nested !== null && from < nested.length; from += nestedRowsAtOnce) {
      rows.push(...nestedRows(activity, key, nested.slice(from, from + nestedRowsAtOnce)));
      if (rows.length < nestedRowsAtOnce) continue;
      put();
      await turn();
      await unwritten.room();
      counters.requireTime();
    }
  if (rows.length > 0) put();
}

/** Approximate bytes of a row for a nested value in flight. */
const nestedRowBytes = 300;

/** Removes the rows for nested values of the records of an activity with these natural keys. */
export function removeNested(resource: Resource, activity: string, keys: readonly string[]): Statement {
  const table = nestedTable(resource);
  const rows = { ...recordsBy(resource, activity, keys), table, unique: false };
  return changeKeyed(rows, sql`delete from ${sql.quoted(table)}`);
}
