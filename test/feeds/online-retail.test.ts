// A real export, as messy as real exports are: converted, imported, and read back equal.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { article, order } from '../../src/resources/index.ts';
import { importInto, readAll, storeFor, streamOf } from './fixture.ts';
import { convertOnlineRetail } from './online-retail.ts';
import type { Converted } from './online-retail.ts';

const SAMPLE = new URL('../../../shared/data/online-retail-sample.csv', import.meta.url);
const skip = existsSync(SAMPLE) ? false : 'the sample is not here: ../shared/data/online-retail-sample.csv';

const csv = (...rows: readonly string[]): string =>
  ['InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country', ...rows, ''].join('\n');
const ndjson = (records: readonly Converted[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');

/** Everything that was given is there; what was not given may be anything. */
function includes(read: unknown, given: unknown, where: string): void {
  if (Array.isArray(given)) {
    assert.ok(Array.isArray(read) && read.length === given.length, where);
    for (const [index, element] of given.entries()) includes(read[index], element, `${where}/${index}`);
  } else if (typeof given === 'object' && given !== null) {
    const found = new Map(Object.entries(read ?? {}));
    for (const [name, value] of Object.entries(given)) includes(found.get(name), value, `${where}/${name}`);
  } else assert.equal(read, given, where);
}

describe('dirty rows', () => {
  it('that are no order to prepare are left out, each for its reason', () => {
    const { orders, articles, left } = convertOnlineRetail(
      csv(
        'C536379,D,Discount,-1,12/1/10 9:41,27.5,14527,United Kingdom',
        'C536383,35004C,DUCKS,-1,12/1/10 9:49,4.65,15311,United Kingdom',
        '536400,22139,LOST,-5,12/1/10 9:49,0,,United Kingdom',
        '536401,M,Manual,1,12/1/10 9:49,1,1,United Kingdom',
        '536402,POST,POSTAGE,1,12/1/10 9:49,18,1,France',
        '536403,22140,,1,12/1/10 9:49,1,1,France',
        '536404,22141,MUG,1,12/1/10 9:49,1,1,Atlantis',
      ),
    );
    assert.deepEqual([orders, articles], [[], []]);
    assert.deepEqual(
      left.map(({ row }) => row),
      [2, 3, 4, 5, 6, 7, 8],
    );
    for (const [index, words] of [
      /cancels/,
      /cancels/,
      /corrects stock/,
      /no article/,
      /charges alone/,
      /no description/,
      /Atlantis/,
    ].entries())
      assert.match(left[index]?.reason ?? '', words);
  });

  it('that can be understood are accepted: charges, cases, blanks, no customer, gifts, repeated articles', () => {
    const { orders, articles, left } = convertOnlineRetail(
      csv(
        '536370,85123a,  WHITE  HEART ,6,12/1/10 8:26,2.55,12583,France',
        '536370,POST,POSTAGE,3,12/1/10 8:26,18,12583,France',
        '536370,D,Discount,-1,12/1/10 8:26,5,12583,France',
        '536371,85123A,WHITE HEART,1,7/1/11 8:26,0,,United Kingdom',
        '536371,85123A,HEART,2,7/1/11 8:26,2.55,,United Kingdom',
        '536371,85123A,,1,7/1/11 8:26,2.55,,United Kingdom',
      ),
    );
    assert.deepEqual(left, []);
    assert.deepEqual(articles, [
      {
        articleReference: '85123A',
        longArticleDescription: 'WHITE HEART',
        shortArticleDescription: 'WHITE HEART',
        articleType: 0,
      },
    ]);
    const [first, second] = orders;
    assert.deepEqual(
      [
        first?.shippingCost,
        first?.discountAmount,
        first?.totalInvoiceHT,
        first?.doManagedCustomerNumber,
        first?.customerOrderPlacementDate,
      ],
      [54, 5, 64.3, '12583', '2010-12-01T08:26:00.000Z'],
    );
    assert.deepEqual(first?.orderEntries, [
      { orderLineID: '1', articleReference: '85123A', quantityToPrepare: 6, unitPriceHT: 2.55 },
    ]);
    assert.equal(second?.customerOrderPlacementDate, '2011-07-01T07:26:00.000Z');
    assert.equal(second !== undefined && 'doManagedCustomerNumber' in second, false);
    assert.deepEqual(JSON.stringify(second?.orderEntries).match(/"orderLineID":"\d"/g), [
      '"orderLineID":"1"',
      '"orderLineID":"2"',
      '"orderLineID":"3"',
    ]);
  });
});

describe('the sample', { skip }, () => {
  const { articles, orders, left } =
    skip === false ? convertOnlineRetail(readFileSync(SAMPLE, 'utf8')) : { articles: [], orders: [], left: [] };

  it('accounts for every one of its rows', () => {
    const rows = orders.reduce(
      (sum, { orderEntries }) => sum + (Array.isArray(orderEntries) ? orderEntries.length : 0),
      0,
    );
    // Two rows of postage became the shipping cost of their orders.
    assert.equal(rows + 2 + left.length, 999);
    assert.deepEqual(
      new Set(left.map(({ reason }) => reason)),
      new Set(['it cancels an earlier invoice: there is nothing to prepare']),
    );
    assert.equal(left.length, 10);
    assert.equal(orders.find(({ orderUniqueID }) => orderUniqueID === '536370')?.shippingCost, 54);
  });

  it('is imported and comes back equal, and again changes nothing', async (t) => {
    const { store, folder } = await storeFor(t);
    for (const [resource, records, key] of [
      [article, articles, 'articleReference'],
      [order, orders, 'orderUniqueID'],
    ] as const) {
      const first = await importInto(store, resource, folder, { source: streamOf(ndjson(records), 5000) });
      assert.deepEqual([first.read, first.new, first.refused], [records.length, records.length, 0]);
      const read = await readAll(store, resource);
      assert.deepEqual(
        read.map((record) => record[key]),
        records.map((record) => record[key]),
      );
      for (const [index, record] of records.entries()) includes(read[index], record, String(record[key]));
      const again = await importInto(store, resource, folder, { source: streamOf(JSON.stringify(records)) });
      assert.deepEqual([again.new, again.changed, again.unchanged], [0, 0, records.length]);
    }
  });
});
