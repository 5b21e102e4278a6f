// In charge of writing a batch of records: what is new or changed gets a change number, what is the same is left alone.
import { compositeKey } from '../model/composite-key.ts';
import type { IncomingRecord, RenderedRecord } from '../model/record.ts';
import type { Renderer } from '../model/render.ts';
import { type Resource, nestedSelectors } from '../model/resource.ts';
import { newUuid } from '../model/uuid.ts';
import { type Counters, lockCounters, saveRevision } from './counters.ts';
import type { Engine, SqlValue, WriteTransaction } from './engine.ts';
import { changeKeyed, type KeyedRows, selectKeyed } from './keyed-rows.ts';
import { keepBodies } from './outbox.ts';
import { nestedRows, nestedTable, nestedTarget, recordTarget } from './record-tables.ts';
import { type Pipeline, withPipeline } from './pipelined-statements.ts';
import { sql, type Statement } from './statement.ts';
import { requireForm } from './stored-form.ts';
import type { WriteResult } from './store.ts';
import { cooperativeYield } from './cooperative-yield.ts';

const maxBatchRecords = 1000;

/**
 * Writes up to 1000 records of one activity in one transaction, in their order.
 * @returns per record what became of it; a record that comes twice in the batch is compared with its first occurrence
 * @throws OperatorError when there is no such activity
 */
export async function writeRecords(
  engine: Engine,
  resource: Resource,
  render: Renderer,
  activity: string,
  given: readonly IncomingRecord[],
): Promise<readonly WriteResult[]> {
  if (given.length === 0) return [];
  return engine.write((transaction) =>
    withPipeline(async (pipeline) => {
      const counters = await lockCounters(transaction, activity);
      const { results, written } = await putRecords(
        { transaction, pipeline, counters, resource, render, activity, message: null },
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
}

/** Records that are rendered at a time: while the engine writes them, the next ones are rendered. */
const renderedAtOnce = 50;

/**
 * The part of `writeRecords` inside a transaction: all is sent when it resolves, and written when the transaction
 * awaits what was sent ahead. Whoever holds the counters saves them.
 * @returns also the change numbers of the records that were new or changed, as the table has them now
 */
export async function putRecords(
  writing: Writing,
  given: readonly IncomingRecord[],
): Promise<{ readonly results: readonly WriteResult[]; readonly written: readonly number[] }> {
  if (given.length > maxBatchRecords) throw new Error(`a batch has at most ${maxBatchRecords} records`);
  const { transaction, pipeline, counters, resource, activity } = writing;
  pipeline.add(requireForm(transaction, resource));
  const records =
    resource.key.length > 0 ? given : await withOwnKeys(transaction, resource, activity, given, counters.isOwnId);
  const stored = await storedRecords(transaction, resource, activity, records);
  await keepBodies(
    transaction,
    resource,
    activity,
    [...stored.values()].flatMap(({ body, changeNumber }) => (body === null ? [] : [changeNumber])),
  );
  // A record that comes twice is compared with its first occurrence: both must be rendered at once.
  const isRepeated = new Set(records.map(({ naturalKey }) => naturalKey)).size < records.length;
  const step = isRepeated ? records.length : renderedAtOnce;
  const results: WriteResult[] = [];
  const written: number[] = [];
  const turn = cooperativeYield('inTransaction');
  for (let start = 0; start < records.length; start += step) {
    const pending = await renderRecords(writing, records.slice(start, start + step), { stored, results, turn });
    if (pending.size === 0) continue;
    for (const { changeNumber } of pending.values()) written.push(changeNumber);
    putRendered(writing, pending);
  }
  if (written.length > 0) pipeline.add(saveRevision(transaction, activity, resource.name, counters.lastChange()));
  return { results, written };
}

/** A record that is about to be written. */
interface Pending {
  readonly hash: string;
  readonly changeNumber: number;
  readonly row: readonly SqlValue[];
  readonly rendered: RenderedRecord;
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
 * results what becomes of each.
 */
async function renderRecords(
  { counters, render, activity, message }: Writing,
  records: readonly IncomingRecord[],
  { stored, results, turn }: Rendering,
): Promise<ReadonlyMap<string, Pending>> {
  const assign = { number: counters.takeId, uuid: () => newUuid(), now: counters.now };
  const pending = new Map<string, Pending>();
  for (const record of records) {
    await turn();
    const earlier = pending.get(record.naturalKey);
    const known = stored.get(record.naturalKey);
    const hash = earlier?.hash ?? known?.hash;
    if (hash === record.contentHash) {
      results.push({ outcome: 'unchanged', changeNumber: known?.changeNumber ?? 0 });
      continue;
    }
    const rendered = render(record, assign, earlier?.rendered.body ?? known?.body ?? null);
    const changeNumber = counters.takeChange();
    pending.delete(record.naturalKey);
    pending.set(record.naturalKey, {
      hash: record.contentHash,
      changeNumber,
      row: [
        ...[activity, record.naturalKey, changeNumber, record.contentHash, rendered.body],
        ...rendered.columns,
        ...[message, message === null ? null : (record.line ?? null), null],
      ],
      rendered,
      replaces: known !== undefined,
    });
    results.push({ outcome: hash === undefined ? 'new' : 'changed', changeNumber });
  }
  return pending;
}

function putRendered(writing: Writing, pending: ReadonlyMap<string, Pending>): void {
  const { transaction, pipeline, resource } = writing;
  pipeline.add(
    transaction.putRows(
      recordTarget(resource),
      [...pending.values()].map((entry) => entry.row),
    ),
  );
  if (nestedSelectors(resource).length > 0) putNested(writing, pending);
}

const sourceId = /^id:(\d{16})$/;

/**
 * Records that this service published and that come back unchanged are recognized by their id. One with other content
 * is taken for what its source calls by that number: an id of another installation may look like ours, and must
 * overwrite nothing.
 */
async function withOwnKeys(
  transaction: WriteTransaction,
  resource: Resource,
  activity: string,
  records: readonly IncomingRecord[],
  isOwnId: (id: number) => boolean,
): Promise<readonly IncomingRecord[]> {
  const idOf = (record: IncomingRecord): number => Number(sourceId.exec(record.naturalKey)?.[1] ?? 0);
  const ids = records.map(idOf).filter(isOwnId);
  const [idField] = Object.entries(resource.fields).find(([, field]) => field.assigned === 'number') ?? [];
  if (ids.length === 0 || idField === undefined) return records;
  const withIds = {
    table: resource.table,
    activity,
    column: idField,
    keys: ids,
    unique: true,
  } as const;
  const columns = sql`${sql.quoted(idField)}, content_hash, natural_key`;
  const rows = await transaction.query(selectKeyed(withIds, columns));
  const published = new Map(rows.map(([id, hash, key]) => [compositeKey(Number(id), hash), String(key)]));
  return records.map((record) => ({
    ...record,
    naturalKey: published.get(compositeKey(idOf(record), record.contentHash)) ?? record.naturalKey,
  }));
}

interface StoredRecord {
  readonly hash: string;
  readonly changeNumber: number;
  readonly body: string | null;
}

/** What the table holds under the keys of a batch; bodies only of the records that are about to change. */
async function storedRecords(
  transaction: WriteTransaction,
  resource: Resource,
  activity: string,
  records: readonly IncomingRecord[],
): Promise<ReadonlyMap<string, StoredRecord>> {
  const found = new Map<string, StoredRecord>();
  const all = recordsBy(resource, activity, [...new Set(records.map(({ naturalKey }) => naturalKey))]);
  const keys = await transaction.query(selectKeyed(all, sql`natural_key, content_hash, change_number`));
  for (const [key, hash, changeNumber] of keys)
    found.set(String(key), { hash: String(hash), changeNumber: Number(changeNumber), body: null });
  // One that comes twice may be changed and changed back.
  const isChange = ({ naturalKey, contentHash }: IncomingRecord): boolean =>
    (found.get(naturalKey)?.hash ?? contentHash) !== contentHash;
  const changing = [...new Set(records.filter(isChange).map(({ naturalKey }) => naturalKey))];
  if (changing.length === 0) return found;
  const bodies = await transaction.query(selectKeyed(recordsBy(resource, activity, changing), sql`natural_key, body`));
  for (const [key, body] of bodies) {
    const stored = found.get(String(key));
    if (stored !== undefined) found.set(String(key), { ...stored, body: String(body) });
  }
  return found;
}

function putNested(
  { transaction, pipeline, resource, activity }: Writing,
  pending: ReadonlyMap<string, Pending>,
): void {
  const replaced = [...pending].filter(([, entry]) => entry.replaces).map(([key]) => key);
  if (replaced.length > 0) pipeline.add(transaction.query(removeNested(resource, activity, replaced)));
  const rows = [...pending].flatMap(([key, { rendered }]) => nestedRows(activity, key, rendered));
  pipeline.add(transaction.putRows(nestedTarget(resource), rows));
}

/** Removes what nested selectors find of the records of an activity with these natural keys. */
export function removeNested(resource: Resource, activity: string, keys: readonly string[]): Statement {
  const table = nestedTable(resource);
  const rows = { ...recordsBy(resource, activity, keys), table, unique: false };
  return changeKeyed(rows, sql`delete from ${sql.quoted(table)}`);
}

/** The records of an activity with these natural keys. */
export function recordsBy({ table }: Resource, activity: string, keys: readonly string[]): KeyedRows {
  return { table, activity, column: 'natural_key', keys, unique: true };
}
