// The data of the demonstration warehouse, record by record, in the shape in which a feed would bring it.
import { dayMs } from '../model/instant.ts';
import { historyDays, midnight, minuteMs } from './calendar.ts';
import { articleRecord } from './catalogue.ts';
import { demandOf } from './demand.ts';
import { playFloor } from './floor.ts';
import { orderRecord, placeOrders } from './orders.ts';
import { reportRecords, shippedQuantities } from './preparation.ts';
import { planDeliveries, procurementRecords, receiptRecords } from './receipts.ts';
import type { DemoActivity } from './activities.ts';
import type { PlainRecord } from './catalogue.ts';

export { demoActivities } from './activities.ts';
export type { DemoActivity } from './activities.ts';
export type { PlainRecord } from './catalogue.ts';

/** What happened in the last minutes has not reached the feeds yet. */
const DELAY = 5 * minuteMs;

/** Records by the name of their resource, in the order in which they are best imported. */
type DemoRecords = ReadonlyMap<string, readonly PlainRecord[]>;

/**
 * The records of one activity over the sixty days before an instant: a warehouse is played from day to day, and every
 * record tells of the same events, so that stock images, movements, reports and receipts add up. The same activity and
 * instant give the same records.
 * @param now milliseconds
 */
export function demoRecords(activity: DemoActivity, now: number): DemoRecords {
  const until = now - DELAY;
  const start = midnight(until) - historyDays * dayMs;
  const items = activity.items();
  const orders = placeOrders(activity, items, until);
  const demand = demandOf(orders, start);
  const deliveries = planDeliveries(activity, items, demand, start);
  const floor = playFloor(activity, items, orders, deliveries, demand, start, until);
  const shipped = shippedQuantities(floor.prepared);
  return new Map<string, readonly PlainRecord[]>([
    ['articles', items.map((item) => articleRecord(item, activity.code, activity.prefix))],
    ['procurements', procurementRecords(activity, deliveries)],
    ['procurement-reports', receiptRecords(activity, deliveries, until)],
    ['orders', orders.map((order) => orderRecord(activity, order, shipped))],
    ['order-reports', reportRecords(activity, orders, floor.prepared, until)],
    ['movements', floor.movements.toSorted(byTime)],
    ['stock', floor.images.flat()],
  ]);
}

function byTime(one: PlainRecord, other: PlainRecord): number {
  return String(one.movementTimestamp) < String(other.movementTimestamp)
    ? -1
    : Number(one.movementTimestamp !== other.movementTimestamp);
}
