// A real export, as messy as real exports are, through the mapping of docs/examples: every line is accounted for, and
// every record passes the check.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { readMapping } from '../../../src/feeds/mapping/compile.ts';
import { createChecker } from '../../../src/model/check.ts';
import { resources } from '../../../src/resources/index.ts';
import { linesIn, made } from './fixture.ts';

const path = new URL('../../../docs/examples/mappings/online-retail.json', import.meta.url);
const mapping = readMapping(readFileSync(path, 'utf8'), 'online-retail.json', resources);
const sample = new URL('../../../../shared/data/online-retail-sample.csv', import.meta.url);
const skip = existsSync(sample) ? false : 'the sample is not here: ../shared/data/online-retail-sample.csv';

const mess = [
  'InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country',
  '536365,85123A,  WHITE  HEART ,6,12/1/10 8:26,2.55,17850,United Kingdom',
  '536365,85123a,WHITE HEART,2,12/1/10 8:26,2.55,17850,United Kingdom',
  '536370,POST,POSTAGE,3,12/1/10 8:45,18,12583,France',
  '536370,22728,"ALARM CLOCK, PINK",24,7/1/11 8:45,3.75,12583,France',
  'C536379,D,Discount,-1,12/1/10 9:41,27.5,14527,United Kingdom',
  'C536383,35004C,DUCKS,-1,12/1/10 9:49,4.65,15311,United Kingdom',
  '536414,22139,,56,12/1/10 11:52,0,,United Kingdom',
  '536414,22140,MUG,1,12/1/10 11:52,0,,United Kingdom',
  '536415,22141,LOST,-5,12/1/10 11:52,0,1,United Kingdom',
  '536416,22142,CUP,1,12/1/10 11:52,1,1,Atlantis',
  '536417,22728,ALARM CLOCK,1,13/1/10 11:52,1,1,France',
  '536418,22143,PLATE,many,12/1/10 11:52,1,1,France',
  '536365,22144,JAR,1,12/1/10 8:26,1,17850,United Kingdom',
  '536419,22145',
  '536420,M,Manual,1,12/1/10 11:52,1,1,France',
  '',
].join('\r\n');

describe('lines as messy as those of a real export', () => {
  it('become articles, distinct, each line with its rule', async () => {
    const { values, refused, counts } = await made(mapping, mess, { resource: 'articles' });
    assert.deepEqual(
      values.map((value) =>
        JSON.stringify(value)
          .match(/"articleReference":"(\w+)","longArticleDescription":"([^"]+)/)
          ?.slice(1),
      ),
      [
        ['85123A', 'WHITE HEART'],
        ['22728', 'ALARM CLOCK, PINK'],
        ['22140', 'MUG'],
        ['22142', 'CUP'],
        ['22143', 'PLATE'],
        ['22144', 'JAR'],
      ],
    );
    assert.deepEqual(refused, ['15: column-count']);
    assert.deepEqual([counts.lines, counts.structure, counts.inRecords, counts.same, counts.warned], [16, 1, 9, 2, 1]);
    assert.deepEqual(Object.fromEntries(counts.skipped), {
      cancellations: 2,
      'charges that are no goods': 2,
      'corrections of stock': 1,
      'no description': 1,
    });
  });

  it('become orders, or are refused with the reason', async () => {
    const { values, refused, counts } = await made(mapping, mess, { resource: 'orders' });
    assert.deepEqual(values, [
      {
        orderUniqueID: '536365',
        customerOrderPlacementDate: '2010-12-01T08:26:00.000Z',
        doManagedCustomerNumber: '17850',
        deliveryAddressCountry: 'GB',
        paymentCurrency: 'GBP',
        orderEntries: [
          { orderLineID: '1', articleReference: '85123A', quantityToPrepare: 6, unitPriceHT: 2.55 },
          { orderLineID: '2', articleReference: '85123A', quantityToPrepare: 2, unitPriceHT: 2.55 },
        ],
      },
      {
        orderUniqueID: '536370',
        customerOrderPlacementDate: '2011-07-01T07:45:00.000Z',
        doManagedCustomerNumber: '12583',
        deliveryAddressCountry: 'FR',
        paymentCurrency: 'GBP',
        orderEntries: [{ orderLineID: '1', articleReference: '22728', quantityToPrepare: 24, unitPriceHT: 3.75 }],
      },
    ]);
    assert.deepEqual(refused, [
      '11: unknown-code',
      '12: bad-date',
      '13: bad-number',
      '14: lines-apart, line-beside',
      '15: column-count',
    ]);
    assert.deepEqual(Object.fromEntries(counts.skipped), {
      cancellations: 2,
      'charges that are no goods': 2,
      'corrections of stock': 1,
      'no customer': 2,
    });
  });
});

describe('the sample', { skip }, () => {
  const bytes = skip === false ? readFileSync(sample) : Buffer.alloc(0);
  for (const { resource } of mapping.resources)
    it(`becomes ${resource.name} without a refused line, and none is lost`, async () => {
      const { values, refused, counts } = await made(mapping, bytes, { resource: resource.name, piece: 10_000 });
      assert.deepEqual(refused, []);
      assert.equal(counts.lines, linesIn(bytes));
      const check = createChecker(resource);
      for (const value of values) assert.ok(check(value, { activity: 'ACM', activityName: 'Acme Home' }).ok);
      const numbers = [values.length, counts.inRecords, counts.same, counts.warned, ...counts.skipped.values()];
      assert.deepEqual(
        numbers,
        resource.name === 'articles' ? [584, 986, 402, 6, 10, 2, 0, 1] : [61, 986, 0, 0, 10, 2, 0, 1],
      );
    });
});
