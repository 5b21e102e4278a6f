// The history of the demonstration warehouse, record by record, in the shape in which a feed would send it.
import { dayMs } from '../model/instant.ts';
import { resources } from '../resources/index.ts';
import type { DemoActivity } from './activities.ts';
import { hourMs, imageHour, imageWorkMs, midnight } from './calendar.ts';
import type { PlainRecord } from './catalogue.ts';

import { compositeKey } from '../model/composite-key.ts';
import { type DemoMessage, type DemoFeedMessage, type ParcelLabel, tickMs } from './messages.ts';
import { sendable } from './sendable.ts';
import { createWarehouse, type Warehouse } from './warehouse.ts';

export { demoActivities } from './activities.ts';
export type { DemoActivity } from './activities.ts';
export type { PlainRecord } from './catalogue.ts';

/** Records by the name of their resource, in a suitable order for import. */
type DemoRecords = ReadonlyMap<string, readonly PlainRecord[]>;

/** What the warehouse reported about one activity until an instant. */
export interface DemoHistory {
  /** Each record in its latest form. */
  readonly records: DemoRecords;
  readonly labels: readonly ParcelLabel[];
  /** Number of the last message of each feed. */
  readonly sequences: ReadonlyMap<string, number>;
}

/**
 * Stock images of the history that are kept in addition to the one at its beginning: those of the last seven nights,
 * and one a week before. All sixty would take as long to write as all the rest.
 */
const keptNights = 7;
const weekDays = 7;

/** Time after midnight at which the nightly stock image is sent: with the first messages after it is ready. */
const imageSentMs = Math.ceil((imageHour * hourMs + imageWorkMs) / tickMs) * tickMs;

/** Days after which a carrier of the history no longer knows a parcel. */
const labelDays = 30;

/**
 * The records of one activity over the sixty days before an instant; the same activity and instant always give the same
 * records.
 * @param now milliseconds
 */
export function demoRecords(activity: DemoActivity, now: number): DemoRecords {
  const warehouse = createWarehouse(now, [activity]);
  return playHistory(warehouse, now).get(activity.code)?.records ?? new Map();
}

/** Plays a new warehouse up to an instant. Returns what it reported, by activity. */
export function playHistory(warehouse: Warehouse, until: number): ReadonlyMap<string, DemoHistory> {
  const last = midnight(until - imageSentMs) + imageHour * hourMs;
  const isKept = (image: number): boolean => {
    const days = (last - image) / dayMs;
    return days >= 0 && (days < keptNights || days % weekDays === 0);
  };
  const isWanted = (resource: string, at: number): boolean =>
    resource !== 'stock' || isKept(midnight(at) + imageHour * hourMs);
  return historiesOf(warehouse.advance(until, isWanted), until - labelDays * dayMs);
}

interface GatheredHistory {
  readonly records: Map<string, Map<string, PlainRecord>>;
  readonly labels: ParcelLabel[];
  readonly sequences: Map<string, number>;
}

/** @param since earlier labels are left out */
function historiesOf(messages: readonly DemoMessage[], since: number): ReadonlyMap<string, DemoHistory> {
  const gathered = new Map<string, GatheredHistory>();
  for (const message of messages) {
    const empty: GatheredHistory = { records: new Map(), labels: [], sequences: new Map() };
    const history = gathered.get(message.activity) ?? empty;
    gathered.set(message.activity, history);
    if (message.kind === 'labels') history.labels.push(...message.labels.filter(({ createdAt }) => createdAt >= since));
    if (message.kind === 'feed') gather(history, message);
  }
  return new Map(
    [...gathered].map(([code, { records, labels, sequences }]) => [
      code,
      {
        records: new Map(resources.map(({ name }) => [name, [...(records.get(name)?.values() ?? [])]])),
        labels,
        sequences,
      },
    ]),
  );
}

function gather({ records, sequences }: GatheredHistory, { resource, sequence, records: told }: DemoFeedMessage): void {
  sequences.set(resource, sequence);
  const known = records.get(resource) ?? new Map<string, PlainRecord>();
  records.set(resource, known);
  for (const record of told) known.set(keyOf(resource, record) ?? `#${known.size}`, sendable(resource, record));
}

/** The key that identifies a record; null: each record is a different one. */
function keyOf(resource: string, record: PlainRecord): string | null {
  const names: Readonly<Record<string, readonly string[]>> = {
    articles: ['articleReference'],
    procurements: ['uniqueProcurementID'],
    'procurement-reports': ['svcReceptionUniqueID'],
    orders: ['orderUniqueID'],
  };
  const key = names[resource];
  return key === undefined ? null : compositeKey(...key.map((name) => String(record[name])));
}
