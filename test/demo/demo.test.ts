// The demonstration warehouse must add up: every invariant that a client of a real one would rely on.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { demoActivities, demoRecords } from '../../src/demo/demo.ts';
import { checkDigit } from '../../src/model/check-digit.ts';
import { createChecker } from '../../src/model/check.ts';
import { resources } from '../../src/resources/index.ts';
import type { DemoActivity, PlainRecord } from '../../src/demo/demo.ts';
import { createWarehouse, gatheredFrom } from '../../src/demo/warehouse.ts';
import { leftToGate } from '../contract/rounds.ts';

const MONDAY_NOON = Date.parse('2026-03-02T12:00:00Z');
/** A Sunday, the minute after midnight, and a leap day between wave and departure. */
const INSTANTS = ['2026-03-01T15:30:00Z', '2026-03-03T00:01:00Z', '2028-02-29T14:10:00Z'].map((text) =>
  Date.parse(text),
);

const text = (record: PlainRecord, name: string): string => String(record[name]);
const number = (record: PlainRecord, name: string): number => Number(record[name]);
function list(record: PlainRecord, name: string): readonly PlainRecord[] {
  const found = record[name];
  assert.ok(Array.isArray(found), `${name} is no list`);
  return found;
}
const sum = (records: readonly PlainRecord[], name: string): number =>
  records.reduce((total, record) => total + number(record, name), 0);
const near = (one: number, other: number, message: string): void =>
  assert.ok(Math.abs(one - other) < 1e-6, `${message}: ${one} is not ${other}`);
function tally(
  records: readonly PlainRecord[],
  keyOf: (record: PlainRecord) => string,
  quantityOf: (record: PlainRecord) => number,
): ReadonlyMap<string, number> {
  const totals = new Map<string, number>();
  for (const record of records) totals.set(keyOf(record), (totals.get(keyOf(record)) ?? 0) + quantityOf(record));
  return totals;
}

function recordsOf(activity: DemoActivity, now: number): (name: string) => readonly PlainRecord[] {
  const records = demoRecords(activity, now);
  return (name) => {
    const found = records.get(name);
    assert.ok(found, `no ${name}`);
    return found;
  };
}

describe('check digits', () => {
  it('are those of published examples', () => {
    for (const code of ['4006381333931', '9780201379624', '095287654321012346', '106141411234567897'])
      assert.equal(checkDigit(code.slice(0, -1)), code.at(-1), code);
  });
});

/** Of the first day, of the last seven nights, and of one night in each of the eight weeks before. */
const keptImages = 16;

describe('a history that ends in the night', () => {
  const [, activity = assert.fail('there is no second activity')] = demoActivities;
  const extractedAt = (rows: readonly PlainRecord[]): readonly string[] =>
    [...new Set(rows.map((row) => text(row, 'stockImageExtractionDate')))].sort();

  for (const [time, newest] of [
    ['04:00', '2026-03-02'],
    ['04:14', '2026-03-02'],
    ['04:15', '2026-03-03'],
    ['04:59', '2026-03-03'],
    ['05:00', '2026-03-03'],
  ] as const)
    it(`has at ${time} the image that was sent last, and the next one comes after it`, () => {
      const now = Date.parse(`2026-03-03T${time}:00Z`);
      const before = extractedAt(demoRecords(activity, now).get('stock') ?? []);
      assert.equal(before.length, keptImages);
      assert.equal(before.at(-1), `${newest}T04:00:00.000Z`);
      const warehouse = createWarehouse(now, [activity]);
      warehouse.advance(gatheredFrom(now), () => false);
      warehouse.advance(now);
      const rows = warehouse
        .advance(now + 86_400_000)
        .flatMap((message) => (message.kind === 'feed' && message.resource === 'stock' ? message.records : []));
      const next = new Date(Date.parse(before.at(-1) ?? '') + 86_400_000).toISOString();
      assert.deepEqual(extractedAt(rows), [next]);
    });
});

for (const activity of demoActivities) {
  describe(`${activity.name} as of a Monday noon`, () => {
    const of = recordsOf(activity, MONDAY_NOON);
    addsUp(activity, of, MONDAY_NOON);

    it('is the same at every run', { skip: leftToGate }, () => {
      const digest = (records: unknown): string => createHash('sha256').update(JSON.stringify(records)).digest('hex');
      const recordsAt = (now: number): unknown => [...demoRecords(activity, now)];
      const first = digest(resources.map(({ name }) => [name, of(name)]));
      assert.equal(digest(recordsAt(MONDAY_NOON)), first);
      assert.notEqual(digest(recordsAt(MONDAY_NOON + 86_400_000)), first);
    });

    it('has the size and the mix of a small client', () => {
      assert.ok(of('articles').length > (activity.code === 'ACM' ? 1000 : 200));
      assert.ok(of('orders').length > 900 && of('orders').length < 1700);
      assert.ok(of('movements').length > 4000);
      assert.equal(new Set(of('stock').map((row) => row.stockImageExtractionDate)).size, keptImages);
      assert.ok(of('procurements').length > 30 && of('procurement-reports').length > 30);
      const consumer = of('orders').filter((order) => order.commandType === 'B2C');
      const business = of('orders').filter((order) => order.commandType === 'B2B');
      const mean = consumer.reduce((total, order) => total + list(order, 'orderEntries').length, 0) / consumer.length;
      assert.ok(mean > 1.3 && mean < 2.5, `${mean} lines`);
      assert.ok(business.length > 50);
      for (const order of business)
        assert.ok(list(order, 'orderEntries').length >= 10 && list(order, 'orderEntries').length <= 40);
      assert.ok(new Set(of('orders').map((order) => order.deliveryAddressCountry)).size >= 8);
      assert.ok(of('orders').some((order) => /[^\u0020-\u007e]/.test(text(order, 'deliveryAddressLastname'))));
      const short =
        of('order-reports').filter((report) => report.prepClosedState === 1).length / of('order-reports').length;
      assert.ok(short > 0.002 && short < 0.06, `${short} of the preparations are short`);
      for (const state of [0, 1, 2])
        assert.ok(
          of('order-reports').some((report) => report.prepClosedState === state),
          `no preparation in state ${state}`,
        );
      for (const state of ['P', 'R', 'C'])
        assert.ok(
          of('procurement-reports').some((report) => report.receptionStatus === state),
          `no reception in state ${state}`,
        );
      assert.ok(
        of('stock').some((row) => number(row, 'notStartedProductionQuantity') > 0) &&
          of('stock').some((row) => number(row, 'inProgressPreparationQuantity') > 0),
      );
      assert.ok(of('stock').some((row) => number(row, 'totalBlockedQuantity') > 0));
    });

    it('has what it says of orders, goods, receptions and parcels', () => {
      const filled = (record: PlainRecord): number =>
        Object.values(record).filter((value) => value !== null && value !== '' && !isDeepStrictEqual(value, [])).length;
      const count = (found: readonly PlainRecord[], wanted: (record: PlainRecord) => boolean): number =>
        found.filter(wanted).length;
      const orders = of('orders');
      for (const order of orders) assert.ok(filled(order) > 40, `${filled(order)} fields`);
      assert.ok(
        count(orders, (order) => order.requiresGiftPackaging === true && text(order, 'specificGiftMessage') !== '') >
          50,
      );
      assert.ok(count(orders, (order) => list(order, 'orderSubOrders').length > 0) > 10);
      assert.ok(count(of('articles'), (article) => number(article, 'quantityPerSPCB') > 1) > 20);
      const details = of('procurement-reports').flatMap((report) =>
        list(report, 'entries').flatMap((entry) => list(entry, 'details')),
      );
      assert.ok(count(details, ({ receivedLotNumber }) => receivedLotNumber !== null) > 50);
      const packed = of('order-reports').flatMap((report) => list(report, 'parcels'));
      const shipped = packed.flatMap((parcel) => list(parcel, 'entries'));
      const known = (name: string): number =>
        shipped.reduce(
          (total, entry) => total + count(list(entry, 'properties'), (property) => property.name === name),
          0,
        );
      assert.ok(known('lotNumber') > 50 && known('bestBefore') > 50 && known('serialNumber') > 0);
      const empties = count(of('movements'), (movement) => /^EMPTY-/.test(text(movement, 'articleReference')));
      const returnable = count(of('articles'), (article) => article.topConsignedArticle === true);
      if (activity.code === 'BEL')
        assert.ok(empties > 50 && returnable > 20, `${empties} empties, ${returnable} articles`);
      else assert.ok(count(details, ({ serialNumber }) => serialNumber !== null) > 20);
      for (const parcel of packed) {
        // What is too heavy or too large for any parcel travels alone.
        const pieces = sum(list(parcel, 'entries'), 'shippedQuantityInPackage');
        const fits = number(parcel, 'actualPackageWeight') <= 21 && number(parcel, 'shippedPackageVolume') <= 92;
        assert.ok(pieces === 1 || fits, `${text(parcel, 'packageNumber')}: ${pieces} pieces`);
      }
    });

    it('has valid barcodes of the demonstration prefix, each only once', () => {
      const codes = of('articles').flatMap((article) =>
        list(article, 'logisticalVariants').flatMap((variant) =>
          list(variant, 'barcodes').map((barcode) => text(barcode, 'code')),
        ),
      );
      assert.ok(codes.length > 400);
      assert.equal(new Set(codes).size, codes.length);
      for (const code of codes) {
        assert.match(code, /^(952\d{10}|[12]952\d{10})$/);
        assert.equal(checkDigit(code.slice(0, -1)), code.at(-1), code);
      }
    });

    it('has logistical variants whose quantities fit each other and the article', () => {
      for (const article of of('articles').filter((found) => list(found, 'logisticalVariants').length > 0)) {
        const variants = new Map(
          list(article, 'logisticalVariants').map((variant) => [text(variant, 'logisticalVariantCode'), variant]),
        );
        assert.deepEqual(
          [...variants.values()].filter((variant) => variant.baseLv).map((variant) => variant.logisticalVariantCode),
          ['UVC'],
        );
        assert.equal(number(article, 'quantityPerPCB') % number(article, 'quantityPerSPCB'), 0);
        assert.equal(Number(variants.get('PCB')?.quantityInBaseLv), article.quantityPerPCB);
        for (const variant of variants.values()) {
          const below = variants.get(text(variant, 'subpackagingLvCode'));
          const ofBelow = below === undefined ? 1 : Number(below.quantityInBaseLv);
          assert.equal(
            Number(variant.quantityInBaseLv),
            ofBelow * number(variant, 'quantityInSubpackagingLv'),
            text(article, 'articleReference'),
          );
          assert.ok(number(variant, 'grossWeight') >= number(variant, 'netWeight'));
        }
      }
    });

    it('uses the coded values of the demonstration dictionary alone', () => {
      const used = (name: string, field: string): ReadonlySet<unknown> =>
        new Set(of(name).map((record) => record[field]));
      const within = (values: ReadonlySet<unknown>, allowed: readonly unknown[]): void =>
        assert.deepEqual(
          [...values].filter((value) => !allowed.includes(value)),
          [],
        );
      within(used('movements', 'movementDirection'), ['I', 'O']);
      within(used('movements', 'movementCode'), [
        'RECEPTION',
        'SHIPMENT',
        'RETURN',
        'INVENTORY',
        'TRANSFER',
        'BLOCK',
        'UNBLOCK',
        'SCRAP',
        'KIT',
      ]);
      within(used('movements', 'gradeCode'), ['STD', 'DAM', 'RET', 'QUA']);
      within(used('stock', 'gradeCode'), ['STD', 'DAM', 'RET', 'QUA']);
      within(used('order-reports', 'prepClosedState'), [0, 1, 2]);
      within(used('procurement-reports', 'receptionStatus'), ['A', 'P', 'R', 'C', 'X']);
    });
  });

  for (const now of INSTANTS)
    describe(`${activity.name} as of ${new Date(now).toISOString()}`, () =>
      addsUp(activity, recordsOf(activity, now), now));
}

/** What must hold at whatever instant the data is dated from. */
function addsUp(activity: DemoActivity, of: (name: string) => readonly PlainRecord[], now: number): void {
  it('every record passes the checker, under a key of its own', () => {
    for (const resource of resources) {
      const check = createChecker(resource);
      const keys = new Set<string>();
      for (const record of of(resource.name)) {
        const checked = check(record, { activity: activity.code, activityName: activity.name });
        assert.ok(checked.ok, `${resource.name}: ${JSON.stringify(checked)}`);
        keys.add(`${String(record.stockImageExtractionDate)} ${checked.record.naturalKey}`);
      }
      // Two equal movements may happen; they have no key.
      if (resource.key.length > 0) assert.equal(keys.size, of(resource.name).length, resource.name);
    }
  });

  it('nothing that happened lies in the future', () => {
    const fields = [
      'movementTimestamp',
      'dateProcessed',
      'stockImageExtractionDate',
      'customerOrderPlacementDate',
      'svcConnectIntegrationDate',
      'firstPackageCreationDate',
      'lastPackageLoadDate',
      'actualReceptionDate',
    ];
    for (const name of ['movements', 'stock', 'orders', 'order-reports', 'procurement-reports']) {
      for (const record of of(name))
        for (const field of fields)
          if (typeof record[field] === 'string')
            assert.ok(Date.parse(text(record, field)) <= now, `${name} ${field} ${text(record, field)}`);
    }
  });

  it('in every row of an image: total = not started + in progress + blocked + available', () => {
    for (const row of of('stock')) {
      assert.equal(
        number(row, 'totalStockQuantity'),
        number(row, 'notStartedProductionQuantity') +
          number(row, 'inProgressPreparationQuantity') +
          number(row, 'totalBlockedQuantity') +
          number(row, 'totalAvailableForSaleQuantity'),
      );
      assert.ok(number(row, 'totalStockQuantity') >= 0);
    }
  });

  it('an image and the movements after it make the next image, per article, stock unit and grade', () => {
    const place = (record: PlainRecord): string =>
      [record.articleReference, record.stockUnitID, record.gradeCode].join(' ');
    const dates = [...new Set(of('stock').map((row) => text(row, 'stockImageExtractionDate')))].sort();
    assert.equal(dates.length, keptImages);
    let moves = 0;
    for (const [index, from] of dates.slice(0, -1).entries()) {
      const to = dates[index + 1] ?? '';
      const expected = new Map(
        tally(
          of('stock').filter((row) => row.stockImageExtractionDate === from),
          place,
          (row) => number(row, 'totalStockQuantity'),
        ),
      );
      const moved = of('movements').filter(
        (movement) => text(movement, 'movementTimestamp') > from && text(movement, 'movementTimestamp') <= to,
      );
      moves += moved.length;
      for (const [key, quantity] of tally(
        moved,
        place,
        (movement) => number(movement, 'movedQuantity') * (movement.movementDirection === 'I' ? 1 : -1),
      ))
        expected.set(key, (expected.get(key) ?? 0) + quantity);
      const actual = tally(
        of('stock').filter((row) => row.stockImageExtractionDate === to),
        place,
        (row) => number(row, 'totalStockQuantity'),
      );
      const left = (totals: ReadonlyMap<string, number>): readonly unknown[] =>
        [...totals].filter(([, quantity]) => quantity !== 0).sort();
      assert.deepEqual(left(actual), left(expected));
    }
    assert.ok(moves > 100);
  });

  it('what changes place or grade leaves and arrives in equal quantities', () => {
    for (const code of ['TRANSFER', 'BLOCK', 'UNBLOCK']) {
      const signed = tally(
        of('movements').filter((movement) => movement.movementCode === code),
        (movement) => `${text(movement, 'articleReference')} ${text(movement, 'movementTimestamp')}`,
        (movement) => number(movement, 'movedQuantity') * (movement.movementDirection === 'I' ? 1 : -1),
      );
      assert.deepEqual(
        [...signed].filter(([, quantity]) => quantity !== 0),
        [],
      );
    }
  });

  it('what the reports say left is what the movements say left, and what came in came in', () => {
    const moved = (code: string): ReadonlyMap<string, number> =>
      tally(
        of('movements').filter((movement) => movement.movementCode === code),
        (movement) => text(movement, 'articleReference'),
        (movement) => number(movement, 'movedQuantity'),
      );
    const nonZero = (totals: ReadonlyMap<string, number>): readonly unknown[] =>
      [...totals].filter(([, quantity]) => quantity !== 0).sort();
    const prepared = of('order-reports').flatMap((report) => list(report, 'lignes'));
    assert.deepEqual(
      nonZero(
        tally(
          prepared,
          (line) => text(line, 'articleReference'),
          (line) => number(line, 'preparedQuantity'),
        ),
      ),
      nonZero(moved('SHIPMENT')),
    );
    const received = of('procurement-reports').flatMap((report) => list(report, 'entries'));
    assert.deepEqual(
      nonZero(
        tally(
          received,
          (line) => text(line, 'articleReference'),
          (line) => number(line, 'receivedQuantity'),
        ),
      ),
      nonZero(moved('RECEPTION')),
    );
  });

  it('orders order known articles, their amounts add up, and what remains is what no report prepared', () => {
    const known = new Set(of('articles').map((article) => article.articleReference));
    const prepared = tally(
      of('order-reports').flatMap((report) =>
        list(report, 'lignes').map((line) => ({ ...line, order: report.orderUniqueID })),
      ),
      (line) => `${text(line, 'order')} ${text(line, 'orderLineID')}`,
      (line) => number(line, 'preparedQuantity'),
    );
    const cancelled = new Set(
      of('order-reports')
        .filter((report) => report.prepClosedState === 2)
        .map((report) => report.orderUniqueID),
    );
    for (const order of of('orders')) {
      const lines = list(order, 'orderEntries');
      assert.equal(new Set(lines.map((line) => line.orderLineID)).size, lines.length);
      const goods = lines.reduce(
        (total, line) => total + number(line, 'unitPriceTTC') * number(line, 'quantityToPrepare'),
        0,
      );
      near(number(order, 'totalInvoiceTTC'), goods + number(order, 'shippingCost'), text(order, 'orderUniqueID'));
      for (const line of lines) {
        assert.ok(known.has(line.articleReference));
        assert.ok(number(line, 'quantityToPrepare') > 0);
        near(
          number(line, 'articleVATAmount'),
          (number(line, 'unitPriceTTC') - number(line, 'unitPriceHT')) * number(line, 'quantityToPrepare'),
          'tax',
        );
        const done = prepared.get(`${text(order, 'orderUniqueID')} ${text(line, 'orderLineID')}`) ?? 0;
        assert.equal(
          number(line, 'remainingQuantityToDeliver'),
          cancelled.has(order.orderUniqueID) ? 0 : number(line, 'quantityToPrepare') - done,
        );
      }
      const parts = list(order, 'orderSubOrders').flatMap((part) => list(part, 'orderEntries'));
      if (parts.length > 0) assert.deepEqual(parts, lines);
    }
  });

  it('a preparation report agrees with its order and its parcels', () => {
    const orders = new Map(of('orders').map((order) => [order.orderUniqueID, order]));
    const containers: string[] = [];
    const tracked: string[] = [];
    for (const report of of('order-reports')) {
      const order = orders.get(report.orderUniqueID);
      assert.ok(order);
      const parcels = list(report, 'parcels');
      const lines = list(report, 'lignes');
      for (const line of lines) {
        const ordered: PlainRecord | undefined = list(order, 'orderEntries').find(
          (entry) => entry.orderLineID === line.orderLineID,
        );
        assert.deepEqual(
          [line.articleReference, line.orderedQuantity],
          [ordered?.articleReference, ordered?.quantityToPrepare],
        );
      }
      const contents = tally(
        parcels.flatMap((parcel) => list(parcel, 'entries')),
        (entry) => text(entry, 'articleReference'),
        (entry) => number(entry, 'shippedQuantityInPackage'),
      );
      assert.deepEqual(
        [...contents].sort(),
        [
          ...tally(
            lines,
            (line) => text(line, 'articleReference'),
            (line) => number(line, 'preparedQuantity'),
          ),
        ]
          .filter(([, quantity]) => quantity > 0)
          .sort(),
      );
      const complete = lines.every((line) => line.preparedQuantity === line.orderedQuantity);
      if (report.prepClosedState !== 2) assert.equal(report.prepClosedState, complete ? 0 : 1);
      else assert.equal(parcels.length + sum(lines, 'preparedQuantity'), 0);
      assert.equal(report.packedPackageCount, parcels.length);
      near(number(report, 'totalPrepWeight'), sum(parcels, 'actualPackageWeight'), 'weight');
      near(number(report, 'totalPrepVolume'), sum(parcels, 'shippedPackageVolume'), 'volume');
      assert.deepEqual(
        parcels.map((parcel) => parcel.packageRank),
        parcels.map((_, index) => index + 1),
      );
      assert.equal(
        report.packedPaletteCount,
        new Set(parcels.map((parcel) => parcel.palletSSCC).filter((code) => code !== null)).size,
      );
      for (const parcel of parcels) {
        assert.ok(text(parcel, 'packageLoadDate') >= text(parcel, 'packageCreationDate'));
        assert.equal(parcel.palletNumber === null, parcel.palletSSCC === null);
        containers.push(text(parcel, 'packageSSCC'));
        tracked.push(text(parcel, 'shipmentTrackingNumber'));
        for (const entry of list(parcel, 'entries')) {
          const serials = list(entry, 'properties').filter((property) => property.name === 'serialNumber').length;
          if (serials > 0) assert.equal(serials, entry.shippedQuantityInPackage);
        }
      }
      for (const code of new Set(parcels.map((parcel) => parcel.palletSSCC)))
        if (code !== null) containers.push(String(code));
      const built = parcels.map((parcel) => text(parcel, 'packageCreationDate')).sort();
      assert.equal(report.firstPackageCreationDate, built[0] ?? null);
    }
    assert.ok(containers.length > 1000);
    assert.equal(new Set(containers).size, containers.length);
    assert.equal(new Set(tracked).size, tracked.length);
    for (const code of containers) {
      assert.match(code, /^[01]952\d{14}$/);
      assert.equal(checkDigit(code.slice(0, -1)), code.at(-1));
    }
  });

  it('a reception report agrees with its procurement and its details', () => {
    const procurements = new Map(
      of('procurements').map((procurement) => [procurement.uniqueProcurementID, procurement]),
    );
    const received = new Map<string, number>();
    for (const report of of('procurement-reports').toSorted((one, other) =>
      text(one, 'receptionProcessingNumber') < text(other, 'receptionProcessingNumber') ? -1 : 1,
    )) {
      const procurement = procurements.get(report.uniqueProcurementID);
      assert.ok(procurement);
      assert.equal(report.supplierCode, procurement.supplierCode);
      for (const line of list(report, 'entries')) {
        const expected: PlainRecord | undefined = list(procurement, 'procurementEntries').find(
          (entry) => entry.lineID === line.orderLineID,
        );
        assert.equal(line.articleReference, expected?.articleReference);
        assert.equal(sum(list(line, 'details'), 'receivedQuantity'), number(line, 'receivedQuantity'));
        const key = `${text(report, 'uniqueProcurementID')} ${text(line, 'orderLineID')}`;
        received.set(key, (received.get(key) ?? 0) + number(line, 'receivedQuantity'));
        assert.equal(
          number(line, 'theoreticalRemainingQuantity'),
          Number(expected?.expectedQuantity) - (received.get(key) ?? 0),
        );
        for (const detail of list(line, 'details'))
          if (detail.serialNumber !== null) assert.equal(detail.receivedQuantity, 1);
      }
    }
    for (const procurement of of('procurements')) {
      for (const line of list(procurement, 'procurementEntries'))
        assert.equal(number(line, 'expectedQuantity') % number(line, 'articlePCB'), 0);
    }
  });

  it('lots go out only while enough of their life is left', () => {
    const deadlines = new Map(
      of('articles').map((article) => [article.articleReference, Number(article.shippingDeadlineInDays ?? 0)]),
    );
    for (const report of of('order-reports')) {
      for (const parcel of list(report, 'parcels')) {
        for (const entry of list(parcel, 'entries')) {
          const best = list(entry, 'properties').find((property) => property.name === 'bestBefore');
          if (best === undefined) continue;
          const left = (Date.parse(text(best, 'value')) - Date.parse(text(parcel, 'packageLoadDate'))) / 86_400_000;
          // An order waits a few days at most between allocation and departure.
          assert.ok(
            left >= (deadlines.get(entry.articleReference) ?? 0) - 5,
            `${text(entry, 'articleReference')} has ${left} days left`,
          );
        }
      }
    }
  });
}
