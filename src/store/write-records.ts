// In charge of writing a batch of records: what is new, changed or withdrawn gets a change number, what is the same is
// left alone.
import type { Assignment, Incoming, RenderedRecord } from '../model/record.ts';
import type { Renderer } from '../model/render.ts';
import { columnFields, type Resource, nestedSelectors } from '../model/resource.ts';
import { newUuid } from '../model/uuid.ts';
import { emptiedBody } from '../model/withdrawal.ts';
import { updatedField } from './access-path.ts';
import { type Counters, lockCounters, saveRevision } from './counters.ts';
import type { Engine, SqlValue, WriteTransaction } from './engine.ts';
import { changeKeyed } from './keyed-rows.ts';
import { keepBodies } from './outbox.ts';
import { nestedRows, nestedTable, nestedTarget, recordTarget } from './record-tables.ts';
import { type Pipeline, withPipeline } from './pipelined-statements.ts';
import { sql, type Statement } from './statement.ts';
import { requireForm } from './stored-form.ts';
import {
  type Keyed,
  type KeyedRecord,
  type KeyedWithdrawal,
  firstItems,
  keyedItems,
  recordsBy,
  type StoredRecord,
  storedRecords,
  withBodies,
  withdrawnHash,
} from './stored-records.ts';
import type { WriteResult } from './store.ts';
import { cooperativeYield } from '../model/cooperative-yield.ts';

const maxBatchRecords = 1000;

/**
 * Writes up to 1000 records of one activity in one transaction, in their order, and withdraws those that the batch
 * says.
 * @param maxBytes of the bodies that are held at a time because they are replaced; a longer one is held alone
 * @returns per item what became of it; a record that comes twice in the batch is compared with its first occurrence,
 * and a withdrawal is `changed`, or `unchanged` where there was nothing to withdraw
 * @throws OperatorError when there is no such activity
 */
export async function writeRecords(
  engine: Engine,
  resource: Resource,
  render: Renderer,
  activity: string,
  given: readonly Incoming[],
  maxBytes: number = maxReplacedBytes,
): Promise<readonly WriteResult[]> {
  if (given.length === 0) return [];
  return engine.write((transaction) =>
    withPipeline(async (pipeline) => {
      const counters = await lockCounters(transaction, activity);
      const { results, written } = await putRecords(
        { transaction, pipeline, counters, resource, render, activity, message: null, maxReplacedBytes: maxBytes },
        given,
      );
      if (written.length > 0) pipeline.add(counters.save());
      return results;
    }),
  );
}

/** A transaction that holds the counters of the activity that it writes for. */
interface Writing {
  readonly transaction: WriteTransaction;
  readonly pipeline: Pipeline;
  readonly counters: Counters;
  readonly resource: Resource;
  readonly render: Renderer;
  readonly activity: string;
  /** Id of the message that the records came in; null: a client wrote them. */
  readonly message: number | null;
  /** Default: `maxReplacedBytes`. */
  readonly maxReplacedBytes?: number;
}

/** Bytes of the bodies that are held at a time because they are replaced; a longer one is held alone. */
const maxReplacedBytes = 16 * 1_048_576;

/** Records that are rendered at a time: while the engine writes them, the next ones are rendered. */
const renderedAtOnce = 50;

/**
 * The part of `writeRecords` inside a transaction: all is sent when it resolves, and written when the transaction
 * awaits what was sent ahead. Whoever holds the counters saves them.
 * @returns also the change numbers of the records that were new or changed, as the table has them now
 */
export async function putRecords(
  writing: Writing,
  given: readonly Incoming[],
): Promise<{ readonly results: readonly WriteResult[]; readonly written: readonly number[] }> {
  if (given.length > maxBatchRecords) throw new Error(`a batch has at most ${maxBatchRecords} records`);
  const { transaction, pipeline, counters, resource, activity } = writing;
  pipeline.add(requireForm(transaction, resource));
  const items = await keyedItems(transaction, resource, activity, given, counters.isOwnId);
  const stored = await storedRecords(transaction, resource, activity, items);
  const results: WriteResult[] = [];
  const written = new Map<string, number>();
  const turn = cooperativeYield(writing.message === null ? 'inTransaction' : 'ofFeedInTransaction');
  for (let done = 0; done < items.length; ) {
    const portion = firstItems(items.slice(done), stored, writing.maxReplacedBytes ?? maxReplacedBytes);
    done += portion.length;
    const known = await withBodies(transaction, resource, activity, portion, stored);
    const replaced = [...known.values()].flatMap(({ body, changeNumber }) => (body === null ? [] : [changeNumber]));
    await keepBodies(transaction, resource, activity, replaced);
    for await (const pending of putPortion(writing, portion, { stored: known, results, turn })) {
      for (const [key, { changeNumber, hash, withdrawn, body }] of pending) {
        // At the end, where its change number belongs.
        written.delete(key);
        written.set(key, changeNumber);
        // The same key may come again in the next portion.
        if (done === items.length) continue;
        stored.set(key, {
          hash,
          changeNumber,
          withdrawn,
          bodyBytes: Buffer.byteLength(body),
          body: null,
          columns: null,
        });
      }
    }
  }
  if (written.size > 0) pipeline.add(saveRevision(transaction, activity, resource.name, counters.lastChange()));
  return { results, written: [...written.values()] };
}

/** Renders and writes what follows one another; gives what it writes, step after step. */
async function* putPortion(
  writing: Writing,
  items: readonly Keyed[],
  rendering: Rendering,
): AsyncGenerator<ReadonlyMap<string, Pending>> {
  // A record that comes twice is compared with its first occurrence: both must be rendered at once.
  const isRepeated = new Set(items.map(({ naturalKey }) => naturalKey)).size < items.length;
  const step = isRepeated ? items.length : renderedAtOnce;
  for (let start = 0; start < items.length; start += step) {
    const pending = await renderItems(writing, items.slice(start, start + step), rendering);
    if (pending.size === 0) continue;
    putRendered(writing, pending);
    yield pending;
  }
}

/** A record that is about to be written, or withdrawn. */
interface Pending {
  readonly hash: string;
  readonly withdrawn: boolean;
  readonly changeNumber: number;
  readonly body: string;
  readonly columns: readonly SqlValue[];
  readonly line: number | undefined;
  /** Null: those that are there stay. */
  readonly nested: RenderedRecord['nested'] | null;
  /** The table holds an earlier form of it. */
  readonly replaces: boolean;
}

/** What the parts of one batch share. */
interface Rendering {
  readonly stored: ReadonlyMap<string, StoredRecord>;
  readonly results: WriteResult[];
  readonly turn: () => Promise<void> | undefined;
}

/**
 * Renders the records that are new or changed, by natural key in the order of their change numbers, and adds to the
 * results what becomes of each item.
 */
async function renderItems(
  writing: Writing,
  items: readonly Keyed[],
  { stored, results, turn }: Rendering,
): Promise<ReadonlyMap<string, Pending>> {
  const { counters } = writing;
  const assign = { number: counters.takeId, uuid: () => newUuid(), now: counters.now };
  const pending = new Map<string, Pending>();
  for (const item of items) {
    await turn();
    const { naturalKey } = item;
    const earlier = naturalKey === null ? undefined : pending.get(naturalKey);
    const known = naturalKey === null ? undefined : stored.get(naturalKey);
    const next =
      'withdrawal' in item
        ? withdrawn(writing, item, earlier, known)
        : rendered(writing, item, earlier ?? known, { assign, replaces: known !== undefined });
    if (next === null || naturalKey === null) {
      results.push({ outcome: 'unchanged', changeNumber: known?.changeNumber ?? 0 });
      continue;
    }
    const changeNumber = counters.takeChange();
    // At the end, where its change number belongs.
    pending.delete(naturalKey);
    pending.set(naturalKey, { ...next, changeNumber });
    results.push({ outcome: (earlier ?? known) === undefined ? 'new' : 'changed', changeNumber });
  }
  return pending;
}

type Next = Omit<Pending, 'changeNumber'>;

/** The record as it is to be stored; null where it says what is there already. */
function rendered(
  { render }: Writing,
  { record }: KeyedRecord,
  before: (Pick<Pending, 'hash'> & { readonly body: string | null }) | undefined,
  { assign, replaces }: { readonly assign: Assignment; readonly replaces: boolean },
): Next | null {
  if (before?.hash === record.contentHash) return null;
  const { body, columns, nested } = render(record, assign, before?.body ?? null);
  return { hash: record.contentHash, withdrawn: false, body, columns, line: record.line, nested, replaces };
}

/**
 * The record emptied; null where there is none, or it is withdrawn already. But for the time of its write, its columns
 * and what nested selectors find of it keep their last values, so that it comes in every filtered list in which it
 * came.
 */
function withdrawn(
  { counters: { now }, resource }: Writing,
  { withdrawal }: KeyedWithdrawal,
  earlier: Pending | undefined,
  known: StoredRecord | undefined,
): Next | null {
  const before = earlier ?? known;
  if (before === undefined || before.withdrawn || before.body === null || before.columns === null) return null;
  const written = updatedField(resource);
  return {
    hash: withdrawnHash(before.hash),
    withdrawn: true,
    body: emptiedBody(resource, before.body, now),
    columns: [...columnFields(resource).keys()].map((name, index) =>
      name === written ? now : (before.columns?.[index] ?? null),
    ),
    line: withdrawal.line,
    nested: earlier?.nested ?? null,
    replaces: known !== undefined,
  };
}

function putRendered(writing: Writing, pending: ReadonlyMap<string, Pending>): void {
  const { transaction, pipeline, counters, resource, activity, message } = writing;
  pipeline.add(
    transaction.putRows(
      recordTarget(resource),
      [...pending].map(([key, { changeNumber, hash, body, columns, line, withdrawn }]) => [
        ...[activity, key, changeNumber, hash, body],
        ...columns,
        ...[message, message === null ? null : (line ?? null), withdrawn ? counters.now : null],
      ]),
    ),
  );
  if (nestedSelectors(resource).length > 0) putNested(writing, pending);
}

function putNested(
  { transaction, pipeline, resource, activity }: Writing,
  pending: ReadonlyMap<string, Pending>,
): void {
  const replaced = [...pending].filter(([, { replaces, nested }]) => replaces && nested !== null).map(([key]) => key);
  if (replaced.length > 0) pipeline.add(transaction.query(removeNested(resource, activity, replaced)));
  const rows = [...pending].flatMap(([key, { nested }]) => (nested === null ? [] : nestedRows(activity, key, nested)));
  pipeline.add(transaction.putRows(nestedTarget(resource), rows));
}

/** Removes what nested selectors find of the records of an activity with these natural keys. */
export function removeNested(resource: Resource, activity: string, keys: readonly string[]): Statement {
  const table = nestedTable(resource);
  const rows = { ...recordsBy(resource, activity, keys), table, unique: false };
  return changeKeyed(rows, sql`delete from ${sql.quoted(table)}`);
}
