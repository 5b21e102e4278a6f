// `feed try` shows what would come of a file, without a database, and writes nothing.
import assert from 'node:assert/strict';
import { copyFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';
import { root, run, temporaryFolder } from './fixture.ts';
import type { Place, Run } from './fixture.ts';

const lines = [
  'InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country',
  '1,22141,LAMP,2,12/1/10 8:26,0,7,France',
  '1,POST,POSTAGE,1,12/1/10 8:26,18,7,France',
  '2,22141,LAMPE,2,12/1/10 8:26,2.5,7,Atlantis',
  'C3,22141,LAMP,-2,12/1/10 8:26,2.5,7,France',
];

function placeFor(t: TestContext): Place {
  const folder = temporaryFolder(t);
  copyFileSync(join(root, 'docs/examples/mappings/online-retail.json'), join(folder, 'retail.json'));
  writeFileSync(join(folder, 'sales.csv'), lines.join('\n'));
  return { folder };
}

describe('feed try', () => {
  it('shows counts, the first records, refused lines, rules and warnings of each resource', async (t) => {
    const place = placeFor(t);
    const { code, stdout, stderr } = await run(place, 'feed', 'try', 'retail.json', 'sales.csv', '--activity', 'ACM');
    assert.deepEqual([code, stderr], [3, '']);
    assert.deepEqual(stdout.split('\n'), [
      'articles: 1 read, 1 taken, 0 refused, 1 with a warning',
      '  lines: 5 = 2 of records (1 of records that came before) + 1 header and trailer',
      '    + left out: 1 cancellations, 1 charges that are no goods, 0 corrections of stock, 0 no description',
      '  {"activityCode":"ACM","articleReference":"22141","longArticleDescription":"LAMP",' +
        '"shortArticleDescription":"LAMP","articleType":0}',
      '  (without what is null, and what the service gives; --json shows all)',
      '  warning, line 4: Line 2 says the same record differently; that one was taken. Correct one of the two.',
      'orders: 2 read, 1 taken, 1 refused',
      '  lines: 5 = 2 of records + 1 header and trailer',
      '    + left out: 1 cancellations, 1 charges that are no goods, 0 corrections of stock, 0 no customer',
      '  {"activityCode":"ACM","orderUniqueID":"1","customerOrderPlacementDate":"2010-12-01T08:26:00.000Z",' +
        '"deliveryAddressCountry":"FR","doManagedCustomerNumber":"7","paymentCurrency":"GBP","orderEntries":' +
        '[{"orderLineID":"1","articleReference":"22141","quantityToPrepare":2,"unitPriceHT":0}]}',
      '  (without what is null, and what the service gives; --json shows all)',
      '  refused, line 4: Line 4: column "Country" has "Atlantis", which is no code of its table.',
      '    2,22141,LAMPE,2,12/1/10 8:26,2.5,7,Atlantis',
      '',
    ]);
    assert.deepEqual(readdirSync(place.folder).toSorted(), ['retail.json', 'sales.csv']);
  });

  it('writes the same as JSON, whole records with it', async (t) => {
    const { stdout } = await run(placeFor(t), 'feed', 'try', 'retail.json', 'sales.csv', '--json', '--show', '1');
    const { message, faults, resources } = JSON.parse(stdout);
    assert.deepEqual([message, faults], [{ id: null, sequence: null, extractionDate: null }, []]);
    const [articles, orders] = resources;
    assert.deepEqual(
      [articles.resource, articles.read, articles.taken, articles.again, articles.withdrawn, articles.refused],
      ['articles', 1, 1, 0, 0, 0],
    );
    assert.equal(articles.records[0].supplierCode, null);
    assert.deepEqual(orders.lines, {
      lines: 5,
      structure: 1,
      inRecords: 2,
      same: 0,
      skipped: { cancellations: 1, 'charges that are no goods': 1, 'corrections of stock': 0, 'no customer': 0 },
    });
    assert.deepEqual(orders.refusedLines[0].reasons[0].code, 'unknown-code');
  });

  it('takes a file in the shape of the interface by its resource', async (t) => {
    const place = placeFor(t);
    writeFileSync(
      join(place.folder, 'articles.ndjson'),
      '{"articleReference":"A"}\n{"articleReference":"B","x":1}\n7\n',
    );
    const { code, stdout } = await run(place, 'feed', 'try', 'articles', 'articles.ndjson');
    assert.equal(code, 3);
    assert.match(stdout, /articles: 3 read, 0 taken, 3 refused/);
    assert.match(stdout, /refused, line 2: .*There is no property "x" here/);
  });

  it('shows what feeds say and lists do not, such as the procurement of a report', async (t) => {
    const place = placeFor(t);
    const keys = { receptionUniqueID: 'R-1', svcReceptionUniqueID: 'S-1' };
    writeFileSync(join(place.folder, 'reports.ndjson'), JSON.stringify({ uniqueProcurementID: 'PO-1', ...keys }));
    const text = await run(place, 'feed', 'try', 'procurement-reports', 'reports.ndjson');
    assert.match(text.stdout, /"uniqueProcurementID":"PO-1"/);
    writeFileSync(
      join(place.folder, 'moves.ndjson'),
      '{"id":1,"articleReference":"A","articleLotNumber":"L-7"}\n{"id":2}',
    );
    const json = await run(place, 'feed', 'try', 'movements', 'moves.ndjson', '--json');
    const [{ records }] = JSON.parse(json.stdout).resources;
    assert.deepEqual(
      records.map((record: { articleLotNumber?: unknown }) => record.articleLotNumber),
      ['L-7', null],
    );
  });

  it('tells what is wrong with mapping, file and command line', async (t) => {
    const place = placeFor(t);
    const tried = (...args: readonly string[]): Promise<Run> => run(place, 'feed', 'try', ...args);
    writeFileSync(
      join(place.folder, 'bad.json'),
      '{"format":{"kind":"csv"},"resources":{"articles":{"fields":{"x":"y"}}}}',
    );
    writeFileSync(join(place.folder, 'other.csv'), 'a,b\n1,2\n');
    const resources = { articles: { fields: { articleReference: 'sku' } } };
    for (const [name, format] of [
      ['array.json', { kind: 'json' }],
      ['orders.json', { kind: 'json', records: '/orders' }],
    ] as const)
      writeFileSync(join(place.folder, name), JSON.stringify({ format, resources }));
    writeFileSync(join(place.folder, 'within.json'), '{"data":{"items":[{"articleReference":"A"}]}}');
    for (const [args, code, words] of [
      [['bad.json', 'sales.csv'], 1, /\/resources\/articles\/fields\/x names no field: "x"/],
      [['nothing.json', 'sales.csv'], 1, /nothing.json cannot be read/],
      [['retail.json', 'nothing.csv'], 1, /nothing.csv cannot be read/],
      [['retail.json', '.'], 1, /is no file/],
      [['retail.json', 'other.csv'], 1, /lacks the columns "InvoiceNo", "StockCode"/],
      [['array.json', 'within.json'], 1, /an object, not an array.*\s+.*"records": "\/data\/items"/],
      [['orders.json', 'within.json'], 1, /no member "orders". It has "data".\s+.*"records": "\/data\/items"/],
      [['articles', 'within.json'], 1, /whose "\/data\/items" holds the records.\s+.*"records": "\/data\/items"/],
      [['retail.json', 'sales.csv', '--show', 'x'], 2, /--show takes a number/],
    ] as const) {
      const found = await tried(...args);
      assert.equal(found.code, code);
      assert.match(found.stderr, words);
    }
  });

  it('takes the records of an array within an object, whose place the mapping names', async (t) => {
    const place = placeFor(t);
    const fields = { articleReference: 'sku', longArticleDescription: 'name', shortArticleDescription: 'name' };
    const mapping = { format: { kind: 'json', records: '/data/items' }, resources: { articles: { fields } } };
    writeFileSync(join(place.folder, 'm.json'), JSON.stringify(mapping));
    writeFileSync(join(place.folder, 'a.json'), '{"data":{"n":1,"items":[{"sku":"A","name":"Lamp"},{"sku":"B"}]}}');
    const { code, stdout } = await run(place, 'feed', 'try', 'm.json', 'a.json');
    assert.equal(code, 3);
    assert.match(stdout, /^articles: 2 read, 1 taken, 1 refused\n {2}lines: 2 = 2 of records/);
  });

  it('says that a file that is not whole would be refused', async (t) => {
    const place = placeFor(t);
    const mapping = {
      format: { kind: 'csv' },
      trailer: { pattern: '^END (?<count>\\d+)$' },
      fileName: '^sales_(?<run>\\d+)',
      message: { id: 'file:run' },
      resources: { articles: { fields: { articleReference: 'sku' } } },
    };
    writeFileSync(join(place.folder, 'm.json'), JSON.stringify(mapping));
    writeFileSync(join(place.folder, 'sales_7.csv'), 'sku\nA\nEND 2\n');
    const { code, stdout } = await run(place, 'feed', 'try', 'm.json', 'sales_7.csv');
    assert.equal(code, 1);
    assert.match(stdout, /^sales_7.csv says: id 7\nThe file would be refused as a whole: The trailer says "2" lines/);
    writeFileSync(join(place.folder, 'sales_8.csv'), 'sku\nA\n');
    const cut = await run(place, 'feed', 'try', 'm.json', 'sales_8.csv');
    assert.match(cut.stdout, /refused as a whole: The file ends without its trailer: it was cut off\.\n/);
  });

  it('says that an empty file would be put aside, by a mapping or without one', async (t) => {
    const place = placeFor(t);
    writeFileSync(join(place.folder, 'empty.csv'), '');
    for (const way of ['retail.json', 'articles']) {
      const { code, stdout } = await run(place, 'feed', 'try', way, 'empty.csv');
      assert.equal(code, 1, way);
      assert.match(stdout, /^The file would be refused as a whole: The file is empty\.$/m);
    }
  });

  it('tells the values around the array that its mapping takes for the message', async (t) => {
    const place = placeFor(t);
    const mapping = {
      format: { kind: 'json', records: '/items' },
      message: { extractionDate: 'around:/exportedAt', sequence: 'around:/run' },
      resources: {
        stock: {
          fields: {
            stockImageExtractionDate: 'around:/exportedAt',
            articleReference: 'sku',
            totalStockQuantity: 'qty',
          },
        },
      },
    };
    writeFileSync(join(place.folder, 'm.json'), JSON.stringify(mapping));
    const file = '{"run":17,"items":[{"sku":"A","qty":3}],"exportedAt":"2026-03-02T04:00:00+01:00"}';
    writeFileSync(join(place.folder, 'stock.json'), file);
    const { code, stdout } = await run(place, 'feed', 'try', 'm.json', 'stock.json');
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^stock.json says: sequence 17, extractionDate 2026-03-02T03:00:00.000Z\nstock: 1 read, 1 taken/,
    );
    assert.match(stdout, /"stockImageExtractionDate":"2026-03-02T03:00:00.000Z"/);
  });
});
