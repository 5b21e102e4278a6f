// The demonstration has the proportions of a warehouse for many clients: what a connector meets there, it meets here as
// often.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type DemoActivity, demoActivities, demoRecords, type PlainRecord } from '../../src/demo/demo.ts';

/** In winter, in summer, on a Sunday, and at night. */
const instants = ['2026-03-02T12:00:00Z', '2026-07-15T09:00:00Z', '2026-11-22T18:00:00Z', '2027-01-09T23:30:00Z'];
const weeks = 60 / 7;

type RecordsOf = (resource: string) => readonly PlainRecord[];
const number = (record: PlainRecord, name: string): number => Number(record[name]);
const sum = (records: readonly PlainRecord[], name: string): number =>
  records.reduce((total, record) => total + number(record, name), 0);
const list = (record: PlainRecord, name: string): readonly PlainRecord[] =>
  Array.isArray(record[name]) ? record[name] : assert.fail(`${name} is no list`);

/** What is measured, with the least and the greatest value. */
const proportions: readonly (readonly [
  name: string,
  least: number,
  greatest: number,
  of: (of: RecordsOf) => number,
])[] = [
  ['lines of a consumer’s order', 1.3, 2.5, (of) => lines(of, 'B2C') / orders(of, 'B2C').length],
  ['lines of a shop’s order', 10, 60, (of) => lines(of, 'B2B') / orders(of, 'B2B').length],
  ['parcels of a consumer’s order', 1, 1.15, (of) => parcelsOf(of, 'B2C')],
  ['parcels of a shop’s order', 1, 20, (of) => parcelsOf(of, 'B2B')],
  ['preparations that are short', 0.005, 0.03, (of) => part(of('order-reports'), ({ prepClosedState: s }) => s === 1)],
  ['lines that come short', 0.02, 0.05, (of) => part(received(of), ({ expected, came }) => came < expected)],
  ['lines of which more comes', 0.001, 0.011, (of) => part(received(of), ({ expected, came }) => came > expected)],
  ['returns, by lines of consumers', 0.05, 0.25, (of) => moved(of, 'RETURN').length / lines(of, 'B2C')],
  ['places whose count differs, in a week', 0.0005, 0.005, (of) => moved(of, 'CNT').length / weeks / image(of).length],
  [
    'pieces that are blocked',
    0.01,
    0.03,
    (of) => sum(image(of), 'totalBlockedQuantity') / sum(image(of), 'totalStockQuantity'),
  ],
  ['movements of a fifth of the articles', 0.75, 0.87, ofTheBusiest],
  ['shipments on Sundays', 0, 0, (of) => part(moved(of, 'SHIPMENT'), (movement) => dayOf(movement) === 0)],
];

describe('proportions', () => {
  for (const activity of demoActivities)
    for (const instant of instants)
      it(`of ${activity.name} as of ${instant}`, () => {
        const of = recordsOf(activity, Date.parse(instant));
        const outside = proportions
          .map(([name, least, greatest, measure]) => ({ name, least, greatest, found: measure(of) }))
          .filter(({ least, greatest, found }) => !(found >= least && found <= greatest));
        assert.deepEqual(outside, []);
      });
});

function recordsOf(activity: DemoActivity, now: number): RecordsOf {
  const records = demoRecords(activity, now);
  return (resource) => records.get(resource) ?? assert.fail(`no ${resource}`);
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
