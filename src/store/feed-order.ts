// The order of a feed's messages: which sequence numbers are missing, and which records a late message may not change.
import type { Incoming } from '../model/record.ts';
import type { Resource } from '../model/resource.ts';
import type { WriteTransaction } from './engine.ts';
import { forUpdate } from './sql-dialects.ts';
import type { Feed, FeedBatch, FeedEntry, FeedMessage, RefusedEntry, SequenceRange } from './feed-contract.ts';
import { perEngine, planAnew, rowsAs, sql } from './statement.ts';
import { selectRows, update } from './table-statements.ts';
import { feedMessageTable, feedTable } from './tables/feeds.ts';
import type { Counters } from './counters.ts';
import { keysOfRefused } from './feed-refusals.ts';
import { firstMessage, newerWrites, standsBefore, writesSince } from './newer-writes.ts';
import { updateKeyed } from './keyed-rows.ts';
import { keyedItems, recordsBy } from './stored-records.ts';
import { noteWithdrawals } from './withdrawal-notes.ts';

/** Most ranges of missing numbers kept for one feed; beyond it, the lowest are forgotten. */
const maxRanges = 1000;

/** A note on the sequence number of a message. */
interface SequenceNote {
  /**
   * `gap`: numbers before it have not come; `filled`: it had been missing; `again`: the number had come before and was
   * not missing.
   */
  readonly code: 'gap' | 'filled' | 'again';
  /** For a gap: the numbers that are missing because of it. */
  readonly missing?: SequenceRange;
}

/** A feed in the program's form. */
export function feedOf({ missing, ...row }: { readonly missing: string } & Omit<Feed, 'missing'>): Feed {
  return { ...row, missing: JSON.parse(missing) };
}

/**
 * Records in the feed that a message with a sequence number was processed.
 * @returns a note on the number; null if it is the next one, or the first
 */
export async function noteSequence(
  transaction: WriteTransaction,
  { activity, resource, feed, sequence }: Pick<FeedMessage, 'activity' | 'resource' | 'feed' | 'sequence'>,
): Promise<SequenceNote | null> {
  if (sequence === null) return null;
  const key = { activity, resource, feed };
  const locked = sql`${selectRows(feedTable, key)}${forUpdate}`;
  const [row] = await transaction.query(rowsAs(locked, feedTable.toRow));
  if (row === undefined) throw new Error('the feed of a message is gone');
  const { lastSequence, missing } = feedOf(row);
  const after = sequenceAfter({ lastSequence, missing }, sequence);
  const ranges = JSON.stringify(after.missing.slice(-maxRanges));
  await transaction.query(update(feedTable, { lastSequence: after.lastSequence, missing: ranges }, key));
  return after.note;
}

/** The state of a feed after a number has come. */
function sequenceAfter(
  { lastSequence, missing }: Pick<Feed, 'lastSequence' | 'missing'>,
  sequence: number,
): Pick<Feed, 'lastSequence' | 'missing'> & { readonly note: SequenceNote | null } {
  if (lastSequence === null || sequence === lastSequence + 1) return { lastSequence: sequence, missing, note: null };
  if (sequence > lastSequence) {
    const gap = [lastSequence + 1, sequence - 1] as const;
    return { lastSequence: sequence, missing: [...missing, gap], note: { code: 'gap', missing: gap } };
  }
  const hit = missing.find(([from, to]) => from <= sequence && sequence <= to);
  if (hit === undefined) return { lastSequence, missing, note: { code: 'again' } };
  const left = missing.flatMap((range): readonly SequenceRange[] => {
    if (range !== hit) return [range];
    const parts: readonly SequenceRange[] = [
      [range[0], sequence - 1],
      [sequence + 1, range[1]],
    ];
    return parts.filter(([from, to]) => from <= to);
  });
  return { lastSequence, missing: left, note: { code: 'filled' } };
}

/** Whether a message with a number below that of this one may still come, or is being processed. */
async function mayBeOvertaken(
  transaction: WriteTransaction,
  { activity, resource, feed, sequence }: FeedMessage,
): Promise<boolean> {
  if (sequence === null) return false;
  const [row] = await transaction.query(selectRows(feedTable, { activity, resource, feed }));
  if (row === undefined || row.lastSequence === null) return true;
  return row.lastSequence < sequence - 1 || feedOf(row).missing.some(([from]) => from < sequence);
}

/** The part of a batch that may be written, and the part that is older than the stored data. */
export interface InOrder {
  readonly entries: readonly FeedEntry[];
  /** Of these, what says the same as something newer: which is still the newest that said so. */
  readonly outdated: ReadonlySet<Incoming>;
  /** Instants (RFC 3339) of the images that are withdrawn. */
  readonly withdrawn: readonly string[];
  readonly older: readonly RefusedEntry[];
}

/**
 * Removes from a batch what it may not change: records that a message with a higher sequence number wrote or repeated
 * with other content; in a replay, those written since its lines were said.
 */
export async function withoutOlder(
  transaction: WriteTransaction,
  { resource, isOwnId }: { readonly resource: Resource; readonly isOwnId: Counters['isOwnId'] },
  message: FeedMessage,
  { entries, replay }: Pick<FeedBatch, 'entries' | 'replay'>,
): Promise<InOrder> {
  const { activity } = message;
  const mayBeOlder = replay === undefined ? await isLate(transaction, message) : !replay.force;
  if (entries.length === 0 || !mayBeOlder) return { entries, outdated: new Set(), withdrawn: [], older: [] };
  const items = entries.map(({ item }) => item);
  const keys = (await keyedItems(transaction, resource, activity, items, isOwnId)).map(({ naturalKey }) => naturalKey);
  const writers = replay === undefined ? newerWrites : writesSince;
  const newer = await writers(transaction, resource, message, [...new Set(keys.filter((key) => key !== null))]);
  const outdated = new Set<Incoming>();
  const older = entries.flatMap((entry, index): readonly (readonly [FeedEntry, RefusedEntry])[] => {
    const { number, item, text } = entry;
    const known = newer.get(keys[index] ?? '');
    if (known === undefined || (known.place !== null && !standsBefore(item, known.place))) return [];
    if (('contentHash' in item ? item.contentHash : null) === known.hash) {
      outdated.add(item);
      return [];
    }
    const reasons = [{ code: 'older-than-stored' as const, pointer: '', detail: known.detail }];
    const place = { line: item.line, element: item.element ?? null };
    // Without a key: replayed, it is older still, whatever repeats the record meanwhile.
    return [[entry, { number, ...place, naturalKey: null, kind: 'record', text, reasons }]];
  });
  const refused = new Set(older.map(([entry]) => entry));
  return {
    ...{ outdated, withdrawn: [], older: older.map(([_entry, line]) => line) },
    entries: entries.filter((entry) => !refused.has(entry)),
  };
}

/**
 * Whether a message with a higher number came before this one. Usually none did, and nothing more needs to be looked
 * up.
 */
export async function isLate(
  transaction: WriteTransaction,
  { activity, resource, feed, sequence }: Pick<FeedMessage, 'activity' | 'resource' | 'feed' | 'sequence'>,
): Promise<boolean> {
  if (sequence === null) return false;
  const { quoted, column } = feedMessageTable;
  // By its place in the order of the index, as for refused lines: PostgreSQL may take each index of feeds for as good.
  const order = sql.join([column.resource, column.feed, column.sequence]);
  const ofActivity = perEngine({
    sqlite: () => sql`${column.activity} = ${activity}`,
    postgres: () => sql`${column.activity} = (select ${activity}::text)`,
    citus: () => sql`${column.activity} = ${activity}`,
  });
  const next = sql`
    select ${column.resource}, ${column.feed} from ${quoted} where ${ofActivity} and (${order}) > (${resource}, ${feed},
    ${sequence}) order by ${order} limit 1
  `;
  const [found] = await transaction.query(planAnew(next));
  return found?.[0] === resource && found[1] === feed;
}

/**
 * Records that a message repeated what is stored, or withdrew what was not there, so that what was said before does not
 * change it later: a late message with a lower number, or a refused line that is replayed. Done for records only where
 * one may come, because it costs a write for each.
 * @param items that were unchanged
 */
export async function confirm(
  transaction: WriteTransaction,
  { resource, counters }: { readonly resource: Resource; readonly counters: Pick<Counters, 'isOwnId' | 'now'> },
  message: FeedMessage,
  items: readonly Incoming[],
): Promise<void> {
  if (items.length === 0) return;
  const { activity, id } = message;
  const keyed = await keyedItems(transaction, resource, activity, items, counters.isOwnId);
  const all = keyed.flatMap(({ naturalKey, ...item }) => (naturalKey === null ? [] : [{ naturalKey, ...item }]));
  const keysIn = (some: typeof all): readonly string[] => some.map(({ naturalKey }) => naturalKey);
  // A replay has the number of the message in which its lines came.
  const first = await firstMessage(transaction, message);
  const isOvertaken = await mayBeOvertaken(transaction, first);
  const refused = isOvertaken ? new Set() : await keysOfRefused(transaction, message, keysIn(all));
  // Few lines withdraw what is not there, and numbers before the first one of a feed are never missing.
  const withdrawals = all.flatMap((item) =>
    'withdrawal' in item && (first.sequence !== null || refused.has(item.naturalKey)) ? [item] : [],
  );
  await noteWithdrawals(transaction, message, withdrawals, counters.now);
  const records = all.flatMap((item) =>
    'record' in item && (isOvertaken || refused.has(item.naturalKey)) ? [item] : [],
  );
  if (records.length === 0) return;
  const keys = keysIn(records);
  const rows = { ...recordsBy(resource, activity, keys), and: sql`withdrawn_at is null` };
  const places = {
    feed_message: records.map(() => id),
    feed_line: records.map(({ record: { line = null } }) => line),
    feed_element: records.map(({ record: { element = null } }) => element),
  };
  await transaction.query(updateKeyed(rows, places));
}
