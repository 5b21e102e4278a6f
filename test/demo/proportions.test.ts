// The demonstration has the proportions of a warehouse for many clients: what a connector meets there, it meets here as
// often.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dayAndHour } from '../../src/carriers/paris-time.ts';
import { trackingOf } from '../../src/carriers/sandbox/tracking.ts';
import {
  type DemoActivity,
  demoActivities,
  type DemoHistory,
  type PlainRecord,
  playHistory,
} from '../../src/demo/demo.ts';
import { createWarehouse } from '../../src/demo/warehouse.ts';

/** In winter, in summer, on a Sunday, and at night. */
const instants = ['2026-03-02T12:00:00Z', '2026-07-15T09:00:00Z', '2026-11-22T18:00:00Z', '2027-01-09T23:30:00Z'];
const weeks = 60 / 7;
const dayMs = 86_400_000;

/** What is known of sixty days: records by resource, and how the orders of the last thirty came to their recipients. */
interface RecordsOf {
  (resource: string): readonly PlainRecord[];
  readonly ways: readonly Way[];
}

const number = (record: PlainRecord, name: string): number => Number(record[name]);
const sum = (records: readonly PlainRecord[], name: string): number =>
  records.reduce((total, record) => total + number(record, name), 0);
const list = (record: PlainRecord, name: string): readonly PlainRecord[] =>
  Array.isArray(record[name]) ? record[name] : assert.fail(`${name} is no list`);

/**
 * What is measured, with the least and the greatest value, on average and in each history; of what happens some ten
 * times in a history, those of one history.
 */
const proportions: readonly (readonly [
  name: string,
  least: number,
  greatest: number,
  of: (of: RecordsOf) => number,
  ofOne?: readonly [least: number, greatest: number],
])[] = [
  ['lines of a consumer’s order', 1.3, 2.5, (of) => lines(of, 'B2C') / orders(of, 'B2C').length],
  ['lines of a shop’s order', 10, 60, (of) => lines(of, 'B2B') / orders(of, 'B2B').length],
  ['parcels of a consumer’s order', 1, 1.15, (of) => parcelsOf(of, 'B2C')],
  ['parcels of a shop’s order', 1, 20, (of) => parcelsOf(of, 'B2B')],
  [
    'preparations that are short',
    0.005,
    0.02,
    (of) => part(of('order-reports'), ({ prepClosedState: s }) => s === 1),
    [0.005, 0.025],
  ],
  ['lines that come short', 0.02, 0.05, (of) => part(received(of), ({ expected, came }) => came < expected)],
  [
    'lines of which more comes',
    0.001,
    0.01,
    (of) => part(received(of), ({ expected, came }) => came > expected),
    [0.001, 0.011],
  ],
  ['returns, by lines of consumers', 0.05, 0.25, (of) => moved(of, 'RETURN').length / lines(of, 'B2C')],
  ['places whose count differs, in a week', 0.001, 0.005, (of) => moved(of, 'CNT').length / weeks / image(of).length],
  [
    'pieces that are blocked',
    0.01,
    0.03,
    (of) => sum(image(of), 'totalBlockedQuantity') / sum(image(of), 'totalStockQuantity'),
  ],
  ['movements of a fifth of the articles', 0.75, 0.85, ofTheBusiest],
  ['shipments on Sundays', 0, 0, (of) => part(moved(of, 'SHIPMENT'), (movement) => dayOf(movement) === 0)],
  ['waves of a working day', 1.9, 2, (of) => new Set(launches(of)).size / new Set(launches(of).map(dayIn)).size],
  ['hour of the last wave, in France', 12, 14, (of) => Math.max(...launches(of).map(hourInFrance))],
  ['days to the recipient at a pick-up point', 2, 4, daysToPickUp],
  [
    'orders with an anomaly on their way',
    0.015,
    0.045,
    (of) => part(of.ways, ({ hadAnomaly }) => hadAnomaly),
    [0, 0.06],
  ],
  ['orders that go back to the sender', 0.005, 0.015, (of) => part(of.ways, ({ isReturned }) => isReturned), [0, 0.03]],
];

describe('proportions', () => {
  for (const activity of demoActivities)
    it(`of ${activity.name}`, () => {
      const histories = instants.map((instant) => recordsOf(activity, Date.parse(instant)));
      const outside = proportions
        .map(([name, least, greatest, measure, ofOne = [least, greatest]]) => {
          const found = histories.map(measure);
          return { name, bounds: [least, greatest] as const, ofOne, found, average: average(found) };
        })
        .filter(
          ({ bounds, ofOne, found, average }) => !isIn(average, bounds) || !found.every((one) => isIn(one, ofOne)),
        );
      assert.deepEqual(outside, []);
    });
});

function recordsOf(activity: DemoActivity, now: number): RecordsOf {
  const { records, labels } =
    playHistory(createWarehouse(now, [activity]), now).get(activity.code) ?? assert.fail('no history');
  const of = (resource: string): readonly PlainRecord[] => records.get(resource) ?? assert.fail(`no ${resource}`);
  const first = new Map(labels.toReversed().map((label) => [label.request.nDossier, label]));
  return Object.assign(of, { ways: [...first.values()].map(wayOf) });
}

/** How the first parcel of an order came to its end, as the sandbox carrier tells it a month later. */
interface Way {
  readonly hadAnomaly: boolean;
  readonly isReturned: boolean;
  /** From the label to the recipient at a pick-up point; null: none, or not there. */
  readonly daysToPickUp: number | null;
}

const anomalies = new Set(['Delayed', 'Recipient absent', 'Address not found', 'Not collected in time']);

function wayOf({ number: expeditionNumber, request, createdAt }: DemoHistory['labels'][number]): Way {
  const told = trackingOf({ expeditionNumber, request, createdAt, now: createdAt + 30 * dayMs, speed: 1 });
  const last = told.steps.at(-1);
  const days = (Date.parse(last?.date ?? '') - Date.parse(told.steps[0]?.date ?? '')) / dayMs;
  return {
    hadAnomaly: told.steps.some(({ wording }) => anomalies.has(wording)),
    isReturned: last?.wording === 'Returned to the sender',
    daysToPickUp: last?.wording === 'Collected by the recipient' ? days : null,
  };
}

function daysToPickUp(of: RecordsOf): number {
  return average(of.ways.map((way) => way.daysToPickUp).filter((each) => each !== null));
}

/** When the waves of consumers' orders were to be launched. */
function launches(of: RecordsOf): readonly string[] {
  return [...new Set(orders(of, 'B2C').map(({ expectedPrepDate }) => String(expectedPrepDate)))];
}

function dayIn(instant: string): string {
  return instant.slice(0, 10);
}

function hourInFrance(instant: string): number {
  return Number(dayAndHour(Date.parse(instant)).hour.slice(0, 2));
}

function average(values: readonly number[]): number {
  return values.reduce((total, each) => total + each, 0) / values.length;
}

function isIn(value: number, [least, greatest]: readonly [number, number]): boolean {
  return value >= least && value <= greatest;
}

function part<T>(all: readonly T[], is: (one: T) => boolean): number {
  return all.filter(is).length / all.length;
}

function orders(of: RecordsOf, type: string): readonly PlainRecord[] {
  return of('orders').filter(({ commandType }) => commandType === type);
}

function lines(of: RecordsOf, type: string): number {
  return orders(of, type).reduce((total, order) => total + list(order, 'orderEntries').length, 0);
}

function parcelsOf(of: RecordsOf, type: string): number {
  const numbers = new Set(orders(of, type).map(({ orderUniqueID }) => orderUniqueID));
  const reports = of('order-reports').filter(
    (report) => numbers.has(report.orderUniqueID) && list(report, 'parcels').length > 0,
  );
  const packed = new Set(reports.map(({ orderUniqueID }) => orderUniqueID));
  return reports.reduce((total, report) => total + list(report, 'parcels').length, 0) / packed.size;
}

/** Movements of a code or reason; empty bottles come back apart. */
function moved(of: RecordsOf, code: string): readonly PlainRecord[] {
  return of('movements').filter(
    (movement) =>
      [movement.movementCode, movement.movementReason].includes(code) &&
      !String(movement.articleReference).startsWith('EMPTY-'),
  );
}

function dayOf({ movementTimestamp }: PlainRecord): number {
  return new Date(String(movementTimestamp)).getUTCDay();
}

/** The last stock image. */
function image(of: RecordsOf): readonly PlainRecord[] {
  const last = of('stock').at(-1)?.stockImageExtractionDate;
  return of('stock').filter(({ stockImageExtractionDate }) => stockImageExtractionDate === last);
}

/** Lines of procurements whose reception is over. */
function received(of: RecordsOf): readonly { readonly expected: number; readonly came: number }[] {
  const came = new Map<string, number>();
  const over = new Set<unknown>();
  for (const report of of('procurement-reports')) {
    if (report.receptionStatus === 'R' || report.receptionStatus === 'C') over.add(report.uniqueProcurementID);
    for (const line of list(report, 'entries')) {
      const key = `${String(report.uniqueProcurementID)} ${String(line.orderLineID)}`;
      came.set(key, (came.get(key) ?? 0) + number(line, 'receivedQuantity'));
    }
  }
  return of('procurements')
    .filter(({ uniqueProcurementID }) => over.has(uniqueProcurementID))
    .flatMap((procurement) =>
      list(procurement, 'procurementEntries').map((line) => ({
        expected: number(line, 'expectedQuantity'),
        came: came.get(`${String(procurement.uniqueProcurementID)} ${String(line.lineID)}`) ?? 0,
      })),
    );
}

function ofTheBusiest(of: RecordsOf): number {
  const byArticle = new Map<unknown, number>();
  for (const { articleReference } of of('movements'))
    byArticle.set(articleReference, (byArticle.get(articleReference) ?? 0) + 1);
  const busiest = [...byArticle.values()].sort((a, b) => b - a).slice(0, of('articles').length / 5);
  return busiest.reduce((total, count) => total + count, 0) / of('movements').length;
}
