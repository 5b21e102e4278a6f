// What the consumers of the outbox were given and have acknowledged, in each activity.
import type { ChangePosition } from '../model/plan.ts';
import { appendAudit, appendEntryOf } from './audit.ts';
import { lockActivity } from './counters.ts';
import type { Engine, RunStatement, WriteTransaction } from './engine.ts';
import type { ConsumerProgress, ConsumerCreator } from './outbox-contract.ts';
import { knownPositions } from './outbox-progress.ts';
import { holdRemoval, spanEnds } from './outbox-span.ts';
import { rowsAs, sql } from './statement.ts';
import type { EntryOf, NewAuditEntry } from './audit-contract.ts';
import { insertMissing, remove, selectRows, update } from './table-statements.ts';
import { outboxConsumerTable } from './tables/writes.ts';

/**
 * Records what a consumer was given. Rows are written in the order of the activity codes, so two writers never
 * deadlock.
 * @param by the key that reads as the consumer; null: a command does
 * @returns false, with nothing written, if the key may make no further consumer known
 */
export async function noteDelivered(
  engine: Engine,
  consumer: string,
  position: ChangePosition,
  by: ConsumerCreator | null,
): Promise<boolean> {
  const activities = Object.keys(position).toSorted();
  const known = await knownPositions(engine, engine.read, consumer, activities);
  const behind = activities.filter((activity) => (known.get(activity)?.delivered ?? -1) < (position[activity] ?? 0));
  if (behind.length === 0) return true;
  return engine.write(async (transaction) => {
    // Locked before anything is counted: of two new consumers of one key, the second sees the first.
    const starts = new Map<string, number>();
    for (const activity of behind) {
      if (known.has(activity)) continue;
      // A reader may know an activity for a while after it was removed.
      if (await lockActivity(transaction, activity)) starts.set(activity, await holdRemoval(transaction, activity));
    }
    if (by !== null && starts.size > 0) {
      const names = await consumersOf(transaction.query, by);
      if (!hasRoom(names, consumer, by)) return false;
    }
    const now = await transaction.now();
    for (const activity of behind) {
      const start = starts.get(activity);
      if (start !== undefined)
        await makeKnown(transaction, { consumer, activity, start, now, keyId: by?.keyId ?? null });
      await raise(transaction, { column: 'delivered', consumer, activity, to: position[activity] ?? 0, now });
    }
    return true;
  });
}

/** The consumers that a key has made known, if this one would exceed its limit; null: it may proceed. */
export async function consumersInTheWay(
  engine: Engine,
  consumer: string,
  by: ConsumerCreator,
): Promise<readonly string[] | null> {
  const names = await consumersOf(engine.read, by);
  return hasRoom(names, consumer, by) ? null : names;
}

/**
 * Records what a consumer has acknowledged, in all the activities or in none.
 * @param audit entry of the trail, for an acknowledgement that changes something
 * @returns the activities, with the delivered position, in which the position lies beyond that; null when it was
 *   written
 */
export async function acknowledge(
  engine: Engine,
  consumer: string,
  position: ChangePosition,
  audit: NewAuditEntry | null,
): Promise<ChangePosition | null> {
  const activities = Object.keys(position).toSorted();
  return engine.write(async (transaction) => {
    const known = await knownPositions(engine, transaction.query, consumer, activities);
    const start = await spanEnds(engine, transaction.query, 'outbox-removed', activities);
    const deliveredIn = (activity: string): number => known.get(activity)?.delivered ?? start[activity] ?? 0;
    const beyond = activities.filter((activity) => (position[activity] ?? 0) > deliveredIn(activity));
    if (beyond.length > 0) return Object.fromEntries(beyond.map((activity) => [activity, deliveredIn(activity)]));
    const now = await transaction.now();
    let moved = false;
    for (const activity of activities) {
      const to = position[activity] ?? 0;
      moved = (await raise(transaction, { column: 'acknowledged', consumer, activity, to, now })) || moved;
    }
    if (moved && audit !== null) await appendAudit(transaction, audit);
    return null;
  });
}

/** Records the file of an export, which makes the consumer known, or that there is none. */
export async function noteExport(
  engine: Engine,
  consumer: string,
  activity: string,
  file: ConsumerProgress['export'],
): Promise<void> {
  await engine.write(async (transaction) => {
    const now = await transaction.now();
    if (file !== null && (await lockActivity(transaction, activity))) {
      const start = await holdRemoval(transaction, activity);
      await makeKnown(transaction, { consumer, activity, start, now, keyId: null });
    }
    const changes = { exportFile: file?.file ?? null, exportTo: file?.to ?? null, updatedAt: now };
    await transaction.query(update(outboxConsumerTable, changes, { activity, consumer }));
  });
}

/**
 * Forgets a consumer, in the order of the activity codes like all other writers. Returns whether it was known.
 * @param entryOf makes the entry of the audit trail from the codes of the activities in which it was known
 */
export async function forget(
  { write }: Engine,
  consumer: string,
  entryOf?: EntryOf<readonly string[]>,
): Promise<boolean> {
  return write(async (transaction) => {
    const known = await transaction.query(selectRows(outboxConsumerTable, { consumer }, { by: ['activity'] }));
    if (known.length === 0) return false;
    for (const { activity } of known) await transaction.query(remove(outboxConsumerTable, { activity, consumer }));
    const codes = known.map(({ activity }) => activity);
    await appendEntryOf(transaction, codes, entryOf);
    return true;
  });
}

/** The names of the consumers that a key has made known and that are not forgotten; cut off at its limit. */
async function consumersOf(query: RunStatement, { keyId, max }: ConsumerCreator): Promise<readonly string[]> {
  const names = sql`
    select distinct consumer from outbox_consumer where key_id = ${keyId} order by consumer limit ${max}
  `;
  return query(rowsAs(names, ([consumer]) => String(consumer)));
}

function hasRoom(names: readonly string[], consumer: string, { max }: ConsumerCreator): boolean {
  return names.length < max || names.includes(consumer);
}

interface Raise {
  readonly column: 'delivered' | 'acknowledged';
  readonly consumer: string;
  readonly activity: string;
  readonly to: number;
  readonly now: number;
}

/** Moves a consumer forward; one at or beyond the position is left alone. Returns whether it moved. */
async function raise(transaction: WriteTransaction, { column, consumer, activity, to, now }: Raise): Promise<boolean> {
  const isBehind = sql`
    owner = ${activity} and consumer = ${consumer} and ${outboxConsumerTable.column[column]} < ${to}
  `;
  return (await transaction.query(update(outboxConsumerTable, { [column]: to, updatedAt: now }, isBehind))).length > 0;
}

interface NewConsumer {
  readonly consumer: string;
  readonly activity: string;
  /** Up to where entries have been removed: the result of `holdRemoval`, in the same transaction. */
  readonly start: number;
  readonly now: number;
  readonly keyId: string | null;
}

/** From now on nothing is removed that the consumer has not acknowledged. A known consumer is left alone. */
async function makeKnown(
  transaction: WriteTransaction,
  { consumer, activity, start, now, keyId }: NewConsumer,
): Promise<void> {
  const row = {
    activity,
    consumer,
    delivered: start,
    acknowledged: start,
    exportFile: null,
    exportTo: null,
    createdAt: now,
    updatedAt: now,
    keyId,
  };
  await transaction.query(insertMissing(outboxConsumerTable, row));
}
