// The outbox: what clients wrote for the warehouse, in change order, kept until every consumer has it.
import type { ChangePosition } from '../model/plan.ts';
import type { Resource } from '../model/resource.ts';
import { allCodes } from './activities.ts';
import { inBatches, maxRemovedAtOnce } from './batches.ts';
import { lockCounters } from './counters.ts';
import type { Engine, Row, WriteTransaction } from './engine.ts';
import { anyOf } from './sql-dialects.ts';
import { changeKeyed } from './keyed-rows.ts';
import { acknowledge, consumersInTheWay, forget, noteDelivered, noteExport } from './outbox-consumers.ts';
import { allProgress, positionsOf, progressOf } from './outbox-progress.ts';
import { holdRemoval, saveSpanEnd, spanEnds } from './outbox-span.ts';
import type { Pipeline } from './pipelined-statements.ts';
import type { Outbox, OutboxEntry } from './outbox-contract.ts';
import { perEngine, planAnew, type Sql, sql, type Statement } from './statement.ts';
import { outboxEntryTable } from './tables/writes.ts';

/** The table of the records that clients write. */
const recordTable = 'article';

/** An entry to be appended. */
interface NewOutboxEntry extends Omit<OutboxEntry, 'body'> {
  /** Null: the body is that of the record with this change number. */
  readonly body: string | null;
}

/** Appends entries of activities whose counters the transaction holds, and records the new end of the outbox. */
export function appendEntries(
  transaction: WriteTransaction,
  pipeline: Pipeline,
  entries: readonly NewOutboxEntry[],
): void {
  if (entries.length === 0) return;
  pipeline.add(transaction.putRows(outboxEntryTable.target, entries.map(outboxEntryTable.toCells)));
  const ends = new Map<string, number>();
  for (const { activity, changeNumber } of entries) ends.set(activity, Math.max(changeNumber, ends.get(activity) ?? 0));
  for (const [activity, lastChange] of ends) pipeline.add(saveSpanEnd(transaction, activity, 'outbox', lastChange));
}

/**
 * Copies the bodies of records about to be replaced into their entries, because the records will have other bodies from
 * now on. Any other code that rewrites stored bodies, including a migration, must do the same first.
 * @param changeNumbers those of the records before the write
 */
export async function keepBodies(
  transaction: WriteTransaction,
  resource: Resource,
  activity: string,
  changeNumbers: readonly number[],
): Promise<void> {
  if (resource.table !== recordTable || changeNumbers.length === 0) return;
  await transaction.query(fillEntries(activity, changeNumbers));
}

/** Gives entries without a body the body of the record with their change number. */
function fillEntries(activity: string, changeNumbers: readonly number[]): Statement {
  const entries = {
    table: outboxEntryTable.name,
    activity,
    column: 'change_number',
    keys: changeNumbers,
    unique: true,
    and: sql`body is null`,
  } as const;
  const body = perEngine({
    sqlite: () => bodyOfEntry,
    postgres: () => bodyOfEntry,
    // The activity is repeated so that Citus sees that this row lies with the others.
    citus: () => sql`
      select r.body from ${sql.quoted(recordTable)} r
      where r.owner = ${activity} and r.change_number = outbox_entry.change_number
    `,
  });
  return changeKeyed(entries, sql`update outbox_entry set body = (${body})`);
}

const isOfEntry = sql`r.owner = outbox_entry.owner and r.change_number = outbox_entry.change_number`;

/** The body of the record that has the change number of an entry; on PostgreSQL looked up as in `keyed-rows.ts`. */
const bodyOfEntry = perEngine({
  sqlite: () => sql`select r.body from ${sql.quoted(recordTable)} r where ${isOfEntry}`,
  postgres: () => sql`
    select r.body from (select owner, change_number, body from ${sql.quoted(recordTable)}
    where (owner, change_number) >= (outbox_entry.owner, outbox_entry.change_number)
    order by owner, change_number limit 1) as r where ${isOfEntry}
  `,
});

/** Bytes of the bodies read at once; a longer entry is read alone. */
const maxReadBytes = 8 * 1_048_576;

/**
 * The outbox of a database.
 * @param maxBytes of the bodies read at once
 */
export function createOutbox(engine: Engine, maxBytes: number = maxReadBytes): Outbox {
  return {
    ends: (activities) => spanEnds(engine, engine.read, 'outbox', activities),
    removedTo: (activities) => spanEnds(engine, engine.read, 'outbox-removed', activities),
    read: (activities, after, limit) => readEntries(engine, activities, after, { limit, maxBytes }),
    positions: (consumer, activities) => positionsOf(engine, consumer, activities),
    progress: (consumer, activities) => progressOf(engine, consumer, activities),
    noteDelivered: (consumer, position, by = null) => noteDelivered(engine, consumer, position, by),
    consumersInTheWay: (consumer, by) => consumersInTheWay(engine, consumer, by),
    acknowledge: (consumer, position, audit = null) => acknowledge(engine, consumer, position, audit),
    noteExport: (consumer, activity, file) => noteExport(engine, consumer, activity, file),
    consumers: () => allProgress(engine),
    forget: (consumer, entryOf) => forget(engine, consumer, entryOf),
    removeAcknowledged: (before) => removeAcknowledged(engine, before),
  };
}

/** Bounds on one read. */
interface Portion {
  readonly limit: number;
  readonly maxBytes: number;
}

/** Only activities whose outbox ends after the position are queried. */
async function readEntries(
  engine: Engine,
  activities: readonly string[],
  after: ChangePosition,
  { limit, maxBytes }: Portion,
): ReturnType<Outbox['read']> {
  const ends = await spanEnds(engine, engine.read, 'outbox', activities);
  const entries: OutboxEntry[] = [];
  const next: Record<string, number> = {};
  let more = false;
  let left = maxBytes;
  for (const activity of [...new Set(activities)].toSorted()) {
    const from = after[activity] ?? 0;
    next[activity] = from;
    if (more || from >= (ends[activity] ?? 0)) continue;
    const room = { limit: limit - entries.length, maxBytes: left, isEmpty: entries.length === 0 };
    const found = await entriesAfter(engine, activity, from, room);
    entries.push(...found.entries);
    left -= found.bytes;
    next[activity] = found.entries.at(-1)?.changeNumber ?? from;
    more = found.more;
  }
  return { entries, next, more };
}

/**
 * The first entries that fit. Bodies longer than their share are only measured, and are read once it is known that they
 * fit; an entry removed by then ends the portion. One entry more than wanted is requested, to know whether there are
 * more.
 */
async function entriesAfter(
  engine: Engine,
  activity: string,
  from: number,
  room: Portion & { readonly isEmpty: boolean },
): Promise<{ readonly entries: readonly OutboxEntry[]; readonly bytes: number; readonly more: boolean }> {
  const isNext = sql`e.change_number > ${from} order by e.change_number limit ${room.limit + 1}`;
  const share = Math.max(0, Math.floor(room.maxBytes / Math.max(1, room.limit)));
  const found = await engine.read(entryRows(activity, share, isNext));
  let bytes = 0;
  const beyond = found.slice(0, room.limit).findIndex((row, index) => {
    const isFirst = room.isEmpty && index === 0;
    const fits = isFirst || bytes + lengthOf(row) <= room.maxBytes;
    if (fits) bytes += lengthOf(row);
    return !fits;
  });
  const fitting = found.slice(0, beyond < 0 ? room.limit : beyond);
  const long = fitting.filter(isMeasured).map(([, changeNumber]) => Number(changeNumber));
  const isLong = sql`${anyOf(sql`e.change_number`, long)}`;
  const bodies = new Map(
    long.length === 0
      ? []
      : (await engine.read(entryRows(activity, null, isLong))).map((row) => [Number(row[1]), row] as const),
  );
  const whole = fitting.map((row) => (isMeasured(row) ? bodies.get(Number(row[1])) : row));
  const gone = whole.indexOf(undefined);
  const entries = (gone < 0 ? whole : whole.slice(0, gone)).flatMap((row) => (row === undefined ? [] : [toEntry(row)]));
  return { entries, bytes, more: entries.length < found.length };
}

/**
 * Rows of entries, with the length of the body in bytes as the last column.
 * @param maxBytes longer bodies are left out; null: none is
 */
function entryRows(activity: string, maxBytes: number | null, where: Sql): Statement {
  const body = sql`coalesce(e.body, r.body)`;
  const length = sql`octet_length(${body})`;
  const read = maxBytes === null ? body : sql`case when ${length} <= ${maxBytes} then ${body} end`;
  return sql`
    select e.owner, e.change_number, e.kind, ${read}, e.operation_id, e.created_at, ${length} from outbox_entry e
    left join ${sql.quoted(recordTable)} r on e.body is null and r.owner = e.owner and r.change_number = e.change_number
    where e.owner = ${activity} and ${where}
  `;
}

function lengthOf(row: Row): number {
  return Number(row.at(-1) ?? 0);
}

/** There is a body, but it was left out. */
function isMeasured(row: Row): boolean {
  return row[3] === null && row.at(-1) !== null;
}

function toEntry([activity, changeNumber, kind, body, operationId, createdAt]: Row): OutboxEntry {
  if (kind !== 'article' && kind !== 'document')
    throw new Error(`an outbox entry of kind ${String(kind)} is not expected`);
  if (typeof body !== 'string')
    throw new Error(`the text of outbox entry ${String(changeNumber)} of ${String(activity)} is lost`);
  return {
    activity: String(activity),
    changeNumber: Number(changeNumber),
    kind,
    body,
    operationId: String(operationId),
    createdAt: Number(createdAt),
  };
}

async function removeAcknowledged(engine: Engine, before: number): Promise<number> {
  let count = 0;
  const owners = await engine.read(sql`select distinct owner from outbox_consumer order by owner`);
  const codes = new Set(owners.length === 0 ? [] : await allCodes(engine));
  for (const [owner] of owners) {
    const activity = String(owner);
    // What is left of an activity that is being removed goes with it, and has no counters to lock.
    if (codes.has(activity)) count += await inBatches(() => removeBatch(engine, activity, before));
  }
  return count;
}

/**
 * Removes the oldest entries of an activity, one batch; entries stay if a consumer that became known meanwhile still
 * needs them.
 */
async function removeBatch(engine: Engine, activity: string, before: number): Promise<number> {
  const upTo = await removableTo(engine, activity, before);
  if (upTo === null) return 0;
  return engine.write(async (transaction) => {
    // Locked as by every writer: one may be giving some of these entries their body.
    await lockCounters(transaction, activity);
    await holdRemoval(transaction, activity);
    const gone = await transaction.query(
      planAnew(
        sql`
          delete from outbox_entry where not exists (select 1 from outbox_consumer where owner = ${activity} and
          acknowledged < ${upTo}) and owner = ${activity} and change_number <= ${upTo} returning change_number
        `,
      ),
    );
    if (gone.length > 0) await saveSpanEnd(transaction, activity, 'outbox-removed', upTo);
    return gone.length;
  });
}

/** The last entry of a batch that every consumer has acknowledged and that is old enough, like all before it. */
async function removableTo(engine: Engine, activity: string, before: number): Promise<number | null> {
  const rows = await engine.read(
    sql`
      select change_number, created_at from outbox_entry where owner = ${activity} and change_number <= (select
      min(acknowledged) from outbox_consumer where owner = ${activity}) order by change_number limit ${maxRemovedAtOnce}
    `,
  );
  const young = rows.findIndex(([, createdAt]) => Number(createdAt) >= before);
  const last = (young === -1 ? rows : rows.slice(0, young)).at(-1);
  return last === undefined ? null : Number(last[0]);
}
