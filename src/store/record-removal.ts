// Removes records past their retention: step by step in change order, with everything that belongs to them.
import { setTimeout as pause } from 'node:timers/promises';
import { type Resource, nestedSelectors } from '../model/resource.ts';
import { lockCounters, saveRevision } from './counters.ts';
import type { Engine, RunStatement, WriteTransaction } from './engine.ts';
import { changeKeyed } from './keyed-rows.ts';
import { lastChangeBefore } from './list-sql.ts';
import { type DueRecord, dueRecords, type DueStep } from './records-due.ts';
import { sql } from './statement.ts';
import { recordsBy } from './stored-records.ts';
import { update } from './table-statements.ts';
import { activityTable } from './tables/activities.ts';
import { orderDocumentTable } from './tables/writes.ts';
import { removeNested } from './put-rendered.ts';

/** What to remove in one activity: records last written before an instant, in milliseconds. */
interface RemovalRequest {
  readonly resource: Resource;
  readonly activity: string;
  readonly before: number;
}

/** How many rows were removed, or would be. */
interface RemovalCounts {
  readonly records: number;
  /** Records that belong to them, by resource. */
  readonly children: Readonly<Record<string, number>>;
  readonly documents: number;
  /** Records that are old enough but stay, because something that belongs to them is not. */
  readonly heldBack: number;
}

/** Removes records by their age. */
export interface RecordRemoval {
  /**
   * Removes the records, in steps that each hold the activity for some hundredths of a second.
   * @param stop ends the removal after the current step
   */
  removeOld(request: RemovalRequest, stop?: AbortSignal): Promise<RemovalCounts>;
  /** What `removeOld` would remove; changes nothing. */
  countOld(request: RemovalRequest): Promise<RemovalCounts>;
}

/** @param resources all resources: those that belong to another one are removed with it */
export function createRecordRemoval(engine: Engine, resources: readonly Resource[]): RecordRemoval {
  return {
    removeOld: (request, stop) => removeOld(engine, resources, request, stop),
    countOld: (request) => countOld(engine, resources, request),
  };
}

/** Records in a step: as many as are removed in some twenty milliseconds, however much belongs to each of them. */
const stepRecords = { first: 100, least: 25, most: 1000 } as const;
const stepMs = 20;

async function removeOld(
  engine: Engine,
  resources: readonly Resource[],
  { resource, activity, before }: RemovalRequest,
  stop: AbortSignal | undefined,
): Promise<RemovalCounts> {
  const total = newCounts();
  const upTo = await lastOldChange(engine.read, resource, activity, before);
  let size: number = stepRecords.first;
  for (let after: number | null = 0; after !== null && after < upTo && stop?.aborted !== true; ) {
    const started = performance.now();
    const step: DueStep = { resource, resources, activity, before, upTo, after, limit: size };
    after = await engine.writeInBackground((transaction) => removeStep(transaction, step, total));
    const tookMs = performance.now() - started;
    size = Math.round(
      Math.min(Math.max((size * stepMs) / tookMs, size / 2, stepRecords.least), stepRecords.most, size * 2),
    );
    // Others get at least as much time as this step took.
    await pause(tookMs);
  }
  return total;
}

async function countOld(
  engine: Engine,
  resources: readonly Resource[],
  { resource, activity, before }: RemovalRequest,
): Promise<RemovalCounts> {
  const total = newCounts();
  const upTo = await lastOldChange(engine.read, resource, activity, before);
  for (let after: number | null = 0; after !== null && after < upTo; ) {
    const found = await dueRecords(engine.read, {
      ...{ resource, resources, activity, before, upTo, after },
      limit: stepRecords.most,
    });
    for (const { child, records } of found.children) addCount(total.children, child.name, records.length);
    total.records += found.due.length;
    total.documents += found.documents.length;
    total.heldBack += found.heldBack;
    after = found.next;
  }
  return total;
}

/**
 * The change number of the last record written before the instant: write times increase with change numbers, so
 * everything old lies in one span of the change-order index.
 */
async function lastOldChange(
  query: RunStatement,
  resource: Resource,
  activity: string,
  before: number,
): Promise<number> {
  const [row] = await query(lastChangeBefore(resource, activity, before));
  return Number(row?.[0] ?? 0);
}

/**
 * One step, with the activity locked: nobody can write anything that would hold a record back. The lists get a new
 * revision, so that answers rendered before are not reused; the time of the last write stays.
 * @returns the change number to continue after; null at the end
 */
async function removeStep(transaction: WriteTransaction, step: DueStep, total: MutableCounts): Promise<number | null> {
  const { resource, activity } = step;
  const counters = await lockCounters(transaction, activity);
  const { due, children, documents, heldBack, next } = await dueRecords(transaction.query, step);
  total.heldBack += heldBack;
  if (due.length === 0) return next;
  const touched = [resource];
  await removeRecords(transaction, resource, activity, due);
  total.records += due.length;
  for (const { child, records } of children) {
    if (records.length === 0) continue;
    await removeRecords(transaction, child, activity, records);
    addCount(total.children, child.name, records.length);
    touched.push(child);
  }
  if (documents.length > 0) {
    const rows = { table: orderDocumentTable.name, activity, column: 'id', keys: documents, unique: true } as const;
    await transaction.query(changeKeyed(rows, sql`delete from ${orderDocumentTable.quoted}`));
    total.documents += documents.length;
  }
  const change = counters.takeChange();
  for (const { name } of touched) await saveRevision(transaction, activity, name, change);
  await transaction.query(update(activityTable, { lastChange: change }, { code: activity }));
  return next;
}

async function removeRecords(
  { query }: WriteTransaction,
  resource: Resource,
  activity: string,
  records: readonly DueRecord[],
): Promise<void> {
  const keys = records.map(({ naturalKey }) => naturalKey);
  if (nestedSelectors(resource).length > 0) await query(removeNested(resource, activity, keys));
  await query(changeKeyed(recordsBy(resource, activity, keys), sql`delete from ${sql.quoted(resource.table)}`));
}

interface MutableCounts {
  records: number;
  readonly children: Record<string, number>;
  documents: number;
  heldBack: number;
}

function newCounts(): MutableCounts {
  return { records: 0, children: {}, documents: 0, heldBack: 0 };
}

function addCount(counts: Record<string, number>, name: string, count: number): void {
  if (count > 0) counts[name] = (counts[name] ?? 0) + count;
}
