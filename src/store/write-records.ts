// Writes a batch of records: new, changed and withdrawn ones get a change number, unchanged ones are left alone.
import type { Assignment, Incoming, IncomingRecord } from '../model/record.ts';
import type { Renderer } from '../model/render.ts';
import { columnFields, type Resource } from '../model/resource.ts';
import { newUuid } from '../model/uuid.ts';
import { emptiedBody } from '../model/withdrawal.ts';
import { updatedField } from './access-path.ts';
import { type Counters, lockCounters, saveRevision } from './counters.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { keepBodies } from './outbox.ts';
import { type Pipeline, withPipeline } from './pipelined-statements.ts';
import { requireForm } from './stored-form.ts';
import {
  type Keyed,
  type KeyedRecord,
  type KeyedWithdrawal,
  firstItems,
  keyedItems,
  type StoredRecord,
  storedRecords,
  withBodies,
  withdrawnHash,
} from './stored-records.ts';
import type { WriteResult } from './store.ts';
import { cooperativeYield, isAnybodyWaiting, writeOf } from '../model/cooperative-yield.ts';
import { maxBodyBytesHeld } from './stored-bodies.ts';
import { type Flow, type Pending, putRendered } from './put-rendered.ts';
import { createUnwrittenBytes } from './unwritten-bytes.ts';

const maxBatchRecords = 1000;

/**
 * Writes up to 1000 records of one activity in one transaction, in order, including the batch's withdrawals.
 * @param maxBytes of the bodies held in memory at a time because they are replaced; a longer one is held alone
 * @returns the outcome of each item; a record that occurs twice in the batch is compared with its first occurrence, and
 *   a withdrawal is `changed`, or `unchanged` if there was nothing to withdraw
 * @throws OperatorError when there is no such activity
 */
export async function writeRecords(
  engine: Engine,
  resource: Resource,
  render: Renderer,
  activity: string,
  given: readonly Incoming[],
  maxBytes: number = maxBodyBytesHeld,
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

/** A transaction that holds the counters of the activity that it writes to. */
interface Writing {
  readonly transaction: WriteTransaction;
  readonly pipeline: Pipeline;
  readonly counters: Counters;
  readonly resource: Resource;
  readonly render: Renderer;
  readonly activity: string;
  /** Id of the message that contained the records; null: a client wrote them. */
  readonly message: number | null;
  /** Completes a record that seems to change, with what is kept from the published body that it replaces. */
  readonly keep?: (record: IncomingRecord, stored: string) => IncomingRecord;
  /** Default: `maxBodyBytesHeld`. */
  readonly maxReplacedBytes?: number;
}

/**
 * Rendered at a time: while the engine writes them, the next ones are rendered. Fewer of a client while anybody waits,
 * because they are handed to the engine in one go; those of a feed go there in pieces. The bytes are UTF-16 units.
 */
const atOnce = { records: 50, recordsWhileAwaited: 10, bytes: 4 * 1_048_576 };

/** Bytes that may be in flight to the engine before anything more is rendered. */
const maxUnwrittenBytes = 16 * 1_048_576;

/**
 * The part of `writeRecords` inside a transaction: everything is sent when it resolves, and written when the
 * transaction awaits what was sent ahead. The caller, which holds the counters, saves them.
 * @returns also the current change numbers of the records that were new or changed
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
  const unwritten = createUnwrittenBytes(maxUnwrittenBytes);
  const turn = cooperativeYield(writing.message === null ? writeOf(given.length) : 'ofFeedInTransaction');
  for (let done = 0; done < items.length; ) {
    const portion = firstItems(items.slice(done), stored, writing.maxReplacedBytes ?? maxBodyBytesHeld);
    done += portion.length;
    const known = await withBodies(transaction, resource, activity, portion, stored);
    const replaced = [...known.values()].flatMap(({ body, changeNumber }) => (body === null ? [] : [changeNumber]));
    await keepBodies(transaction, resource, activity, replaced);
    for await (const pending of putPortion(writing, kept(writing, portion, known), {
      ...{ stored: known, results, turn, unwritten },
    })) {
      for (const [key, { changeNumber, hash, withdrawn, body }] of pending) {
        // Moved to the end, where its change number belongs.
        written.delete(key);
        written.set(key, changeNumber);
        // The same key may occur again in the next portion.
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

/** Renders and writes consecutive items; yields what it writes, step by step. */
async function* putPortion(
  writing: Writing,
  items: readonly Keyed[],
  rendering: Rendering,
): AsyncGenerator<ReadonlyMap<string, Pending>> {
  // A record that occurs twice is compared with its first occurrence: both must be rendered together.
  const isRepeated = new Set(items.map(({ naturalKey }) => naturalKey)).size < items.length;
  for (let start = 0; start < items.length; ) {
    await rendering.unwritten.room();
    writing.counters.requireTime();
    const { pending, count } = await renderItems(writing, items.slice(start), rendering, isRepeated);
    start += count;
    if (pending.size === 0) continue;
    await putRendered(writing, pending, rendering);
    yield pending;
  }
}

/** The items, completed with what each keeps from the body that it replaces. */
function kept({ keep }: Writing, items: readonly Keyed[], stored: ReadonlyMap<string, StoredRecord>): readonly Keyed[] {
  if (keep === undefined) return items;
  return items.map((item) => {
    if ('withdrawal' in item) return item;
    const { body = null, withdrawn = true } = stored.get(item.naturalKey) ?? {};
    return body === null || withdrawn ? item : { ...item, record: keep(item.record, body) };
  });
}

/** State shared by the parts of one batch. */
interface Rendering extends Flow {
  readonly stored: ReadonlyMap<string, StoredRecord>;
  readonly results: WriteResult[];
}

/**
 * Renders the first records that are new or changed, by natural key in the order of their change numbers, and adds the
 * outcome of each item to the results.
 * @param all renders all of them at once
 * @returns also the number of items covered
 */
async function renderItems(
  writing: Writing,
  items: readonly Keyed[],
  { stored, results, turn }: Rendering,
  all: boolean,
): Promise<{ readonly pending: ReadonlyMap<string, Pending>; readonly count: number }> {
  const { counters } = writing;
  const assign = { number: counters.takeId, uuid: () => newUuid(), now: counters.now };
  const pending = new Map<string, Pending>();
  const mostRecords = atOnce[writing.message === null && isAnybodyWaiting() ? 'recordsWhileAwaited' : 'records'];
  let [count, bytes] = [0, 0];
  for (const item of items) {
    if (!all && (count === mostRecords || bytes >= atOnce.bytes)) break;
    count += 1;
    await turn();
    const { naturalKey } = item;
    const earlier = naturalKey === null ? undefined : pending.get(naturalKey);
    const known = naturalKey === null ? undefined : stored.get(naturalKey);
    const next =
      'withdrawal' in item
        ? withdrawn(writing, item, earlier, known)
        : await rendered(writing, item, earlier ?? known, { assign, replaces: known !== undefined, turn });
    if (next === null || naturalKey === null) {
      results.push({ outcome: 'unchanged', changeNumber: known?.changeNumber ?? 0 });
      continue;
    }
    const changeNumber = counters.takeChange();
    // Moved to the end, where its change number belongs.
    pending.delete(naturalKey);
    pending.set(naturalKey, { ...next, changeNumber });
    bytes += next.body.length;
    results.push({ outcome: (earlier ?? known) === undefined ? 'new' : 'changed', changeNumber });
  }
  return { pending, count };
}

type Next = Omit<Pending, 'changeNumber'>;

/** The record as it is to be stored; null if it equals the stored one. */
async function rendered(
  { render }: Writing,
  { record }: KeyedRecord,
  before: (Pick<Pending, 'hash'> & { readonly body: string | null }) | undefined,
  {
    assign,
    replaces,
    turn,
  }: { readonly assign: Assignment; readonly replaces: boolean; readonly turn: Rendering['turn'] },
): Promise<Next | null> {
  if (before?.hash === record.contentHash) return null;
  const previous = before?.body ?? null;
  const { body, columns, nested } =
    (previous?.length ?? 0) > longBodyBytes || isLong(record)
      ? await render.inTurns(record, assign, previous, turn)
      : render(record, assign, previous);
  return { hash: record.contentHash, withdrawn: false, body, columns, place: record, nested, replaces };
}

/** UTF-16 units parsed or rendered at once; and elements of lists. */
const longBodyBytes = 1_048_576;
const maxElementsAtOnce = 2000;

/** Many elements in its lists, including nested ones. */
function isLong({ value }: IncomingRecord): boolean {
  let elements = 0;
  for (const name in value) {
    const list = value[name];
    if (!Array.isArray(list) || list.length === 0) continue;
    elements += list.length;
    for (const element of list) {
      if (elements > maxElementsAtOnce) return true;
      for (const inside in element) if (Array.isArray(element[inside])) elements += element[inside].length;
    }
  }
  return elements > maxElementsAtOnce;
}

/**
 * The emptied record; null if there is none, or it is already withdrawn. Apart from the time of its write, its columns
 * and the values of nested selectors stay, so that it appears in every filtered list in which it appeared.
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
    place: withdrawal,
    nested: earlier?.nested ?? null,
    replaces: known !== undefined,
  };
}
