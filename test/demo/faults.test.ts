// The faults that may be asked of the demonstration: each happens once, is what its name says, and is told.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createPendingFaults, type DemoFault, demoFaults } from '../../src/demo/faults.ts';
import { spoilMovement } from '../../src/demo/movement-faults.ts';
import { createWarehouse, type Warehouse } from '../../src/demo/warehouse.ts';
import type { PlainRecord } from '../../src/demo/catalogue.ts';
import type { DemoMessage, DemoFeedMessage } from '../../src/demo/messages.ts';
import { assertRowsAddUp, post, totals } from './stock.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** A Tuesday. */
const filledAt = Date.parse('2026-03-03T10:02:30Z');

/** A warehouse after its history. */
function filled(): Warehouse {
  const warehouse = createWarehouse(filledAt);
  warehouse.advance(filledAt - hourMs, () => false);
  warehouse.advance(filledAt);
  return warehouse;
}

/** What it tells without a fault, by the days after its history: played once for all faults. */
const usualOf = new Map<number, readonly DemoMessage[]>();

/** The same warehouse twice: as it is, and with a fault. */
function withAndWithout(
  fault: DemoFault,
  days = 4,
): Record<'usual' | 'faulty', readonly DemoMessage[]> & { warehouse: Warehouse } {
  const until = filledAt + days * dayMs;
  const usual = usualOf.get(days) ?? filled().advance(until);
  usualOf.set(days, usual);
  const faulty = filled();
  faulty.take({ kind: 'fault', activity: 'ACM', fault });
  return { usual, faulty: faulty.advance(until), warehouse: faulty };
}

function feedOf(messages: readonly DemoMessage[], resource: string): readonly DemoFeedMessage[] {
  return messages.filter(
    (message): message is DemoFeedMessage =>
      message.kind === 'feed' && message.activity === 'ACM' && message.resource === resource,
  );
}

const records = (messages: readonly DemoFeedMessage[]): readonly string[] =>
  messages.flatMap((message) => message.records.map((record) => JSON.stringify(record)));

describe('a fault of the demonstration', () => {
  it('late-image: the next image, unchanged, comes five hours later, and it alone', () => {
    const { usual, faulty, warehouse } = withAndWithout('late-image');
    const [expected, found] = [feedOf(usual, 'stock'), feedOf(faulty, 'stock')];
    assert.deepEqual(records(found), records(expected));
    assert.deepEqual(
      found.map(({ at }, index) => at - (expected[index]?.at ?? 0)),
      [5 * hourMs, 0, 0, 0],
    );
    assert.deepEqual(warehouse.pendingFaults(), []);
  });

  it('lost-movement: it is no half of a change of grade, which another fault loses', () => {
    const pair = ['out', 'in'].map((half): [string, PlainRecord] => [half, { movementCode: 'UNBLOCK' }]);
    for (const fault of ['lost-movement', 'movement-without-direction'] as const) {
      const faults = createPendingFaults();
      faults.add(fault, 0);
      assert.deepEqual(spoilMovement(new Map(pair), faults, 0), []);
      const shipment: PlainRecord = { movementCode: 'SHIPMENT', articleReference: 'A1' };
      const [told] = spoilMovement(new Map([...pair, ['shipped', shipment]]), faults, 0);
      assert.deepEqual(told?.fields, { movementCode: 'SHIPMENT', articleReference: 'A1' });
    }
  });

  it('lost-movement: one movement never comes, everything else does', () => {
    const { usual, faulty } = withAndWithout('lost-movement');
    const [expected, found] = [records(feedOf(usual, 'movements')), new Set(records(feedOf(faulty, 'movements')))];
    assert.equal(expected.filter((record) => !found.has(record)).length, 1);
    assert.equal(found.size, new Set(expected).size - 1);
    assert.deepEqual(records(feedOf(faulty, 'stock')), records(feedOf(usual, 'stock')));
  });

  it('lost-grade-change: one half of a pair never comes', () => {
    const { usual, faulty } = withAndWithout('lost-grade-change');
    const found = new Set(records(feedOf(faulty, 'movements')));
    const lost = records(feedOf(usual, 'movements')).filter((record) => !found.has(record));
    assert.equal(lost.length, 1);
    assert.equal(JSON.parse(lost[0] ?? '').movementCode, 'BLOCK');
  });

  it('movement-without-direction: one movement has none, and is else as it was', () => {
    const { usual, faulty } = withAndWithout('movement-without-direction');
    const [was, is] = [records(feedOf(usual, 'movements')), records(feedOf(faulty, 'movements'))];
    const changed = is.flatMap((record, index) => (record === was[index] ? [] : [[record, was[index] ?? ''] as const]));
    assert.deepEqual([is.length, changed.length], [was.length, 1]);
    for (const [now, before] of changed)
      assert.deepEqual(JSON.parse(now), { ...JSON.parse(before), movementDirection: null });
  });

  it('late-movement: a shipment is booked after an image that still has the goods, and the next one agrees', () => {
    const { usual, faulty } = withAndWithout('late-movement');
    const found = new Set(records(feedOf(faulty, 'movements')));
    const missing = records(feedOf(usual, 'movements')).filter((record) => !found.has(record));
    assert.equal(missing.length, 1);
    const expected: PlainRecord = JSON.parse(missing[0] ?? '');
    const late = feedOf(faulty, 'movements')
      .flatMap((message) => message.records.map((record) => ({ record, at: message.at })))
      .filter(({ record }) => !records(feedOf(usual, 'movements')).includes(JSON.stringify(record)));
    assert.equal(late.length, 1);
    const { dateProcessed, ...same } = late[0]?.record ?? {};
    assert.deepEqual({ ...same, dateProcessed: expected.dateProcessed }, expected);
    const [first, second] = feedOf(faulty, 'stock').filter(
      ({ at }) => at > Date.parse(String(expected.movementTimestamp)),
    );
    assert.ok((late[0]?.at ?? 0) > (first?.at ?? 0) && (late[0]?.at ?? 0) < (second?.at ?? 0));
    const differing = feedOf(faulty, 'stock').map((image, index) => {
      const was = new Set((feedOf(usual, 'stock')[index]?.records ?? []).map((record) => JSON.stringify(record)));
      return image.records.filter((record) => !was.has(JSON.stringify(record))).length;
    });
    assert.equal(differing.filter((count) => count > 0).length, 1, differing.join());
    assertRowsAddUp(first?.records ?? []);
  });

  it('misdated-image: an image more, of an hour later than it says', () => {
    const { usual, faulty } = withAndWithout('misdated-image');
    const [was, is] = [feedOf(usual, 'stock'), feedOf(faulty, 'stock')];
    assert.equal(is.length, was.length + 1);
    const [more] = is.filter(({ at }) => !was.some((image) => image.at === at));
    assert.equal(more?.records[0]?.stockImageExtractionDate, '2026-03-03T14:10:00.000Z');
    const left = feedOf(faulty, 'movements')
      .flatMap((message) => message.records)
      .filter(({ movementTimestamp, movementCode }) => {
        const at = String(movementTimestamp);
        return movementCode === 'SHIPMENT' && at > '2026-03-03T14:10' && at <= '2026-03-03T15:00:00.000Z';
      });
    assert.ok(left.length > 10);
    assertRowsAddUp(more?.records ?? []);
  });

  it('duplicate-message: one message comes twice, with the same number', () => {
    const { usual, faulty } = withAndWithout('duplicate-message');
    assert.equal(faulty.length, usual.length + 1);
    const again = faulty.filter((message, index) => message === faulty[index - 1]);
    assert.equal(again.length, 1);
  });

  it('out-of-order: a message of orders comes after a later one about the same order', () => {
    const { usual, faulty, warehouse } = withAndWithout('out-of-order');
    const found = feedOf(faulty, 'orders');
    const numbers = found.map(({ sequence }) => sequence);
    assert.deepEqual(
      numbers.toSorted((a, b) => a - b),
      feedOf(usual, 'orders').map(({ sequence }) => sequence),
    );
    const late = found.filter(({ sequence }, index) =>
      found.slice(0, index).some((other) => other.sequence > sequence),
    );
    assert.equal(late.length, 1);
    const before = found.slice(0, found.indexOf(late[0] ?? assert.fail()));
    const known = new Set(
      before
        .filter(({ sequence }) => sequence > (late[0]?.sequence ?? 0))
        .flatMap((message) => message.records.map(({ orderUniqueID }) => orderUniqueID)),
    );
    assert.ok(late[0]?.records.some(({ orderUniqueID }) => known.has(orderUniqueID)));
    assert.equal(warehouse.notes().length, 3);
  });

  it('short-pick: a preparation reports less than ordered, and a movement tells of the piece', () => {
    const { usual, faulty } = withAndWithout('short-pick');
    const short = (messages: readonly DemoMessage[]): number =>
      feedOf(messages, 'order-reports')
        .flatMap((message) => message.records)
        .filter(({ prepClosedState }) => prepClosedState === 1).length;
    const missing = (messages: readonly DemoMessage[]): number =>
      feedOf(messages, 'movements')
        .flatMap((message) => message.records)
        .filter(({ movementReason }) => movementReason === 'PIC').length;
    assert.ok(short(faulty) > short(usual));
    assert.ok(missing(faulty) > missing(usual));
  });

  it('damaged-reception: a part of what is received is blocked as damaged', () => {
    const { usual, faulty, warehouse } = withAndWithout('damaged-reception', 8);
    const damaged = (messages: readonly DemoMessage[], article: string): readonly PlainRecord[] =>
      feedOf(messages, 'movements')
        .flatMap((message) => message.records)
        .filter(
          ({ movementReason, gradeCode, articleReference }) =>
            articleReference === article && movementReason === 'DAM' && gradeCode === 'DAM',
        );
    const { code, fields } = warehouse.notes().at(-1) ?? {};
    assert.equal(code, 'reception-damaged');
    const article = String(fields?.articleReference);
    assert.equal(damaged(faulty, article).length, damaged(usual, article).length + 1);
  });

  it('carrier-down: is told at once', () => {
    const { faulty } = withAndWithout('carrier-down', 1);
    assert.deepEqual(
      faulty.filter(({ kind }) => kind === 'carrier-down').map(({ activity }) => activity),
      ['ACM'],
    );
  });

  it('is played again in the same way, wherever playing is taken up again', () => {
    for (const fault of Object.keys(demoFaults) as DemoFault[]) {
      const { faulty, warehouse } = withAndWithout(fault);
      const again = filled();
      again.take({ kind: 'fault', activity: 'ACM', fault });
      const from = filledAt + 17 * hourMs;
      again.advance(from - hourMs, () => false);
      again.advance(from);
      const late = again.advance(filledAt + 4 * dayMs);
      assert.deepEqual(
        late.map((message) => JSON.stringify(message)),
        faulty.filter(({ at }) => at > from).map((message) => JSON.stringify(message)),
        fault,
      );
      assert.deepEqual(again.notes(), warehouse.notes());
    }
  });
});

describe('with a fault', () => {
  const end = filledAt + 4 * dayMs;
  for (const fault of Object.keys(demoFaults) as DemoFault[])
    it(`${fault}, everything else adds up`, () => {
      const warehouse = filled();
      const expected = totals(warehouse.stock('ACM'));
      warehouse.take({ kind: 'fault', activity: 'ACM', fault });
      const before = [...warehouse.advance(end)];
      const stock = totals(warehouse.stock('ACM'));
      // What moved last is sent a little later; what is sent twice is one message.
      const messages = [...new Set([...before, ...warehouse.advance(end + hourMs)])];
      const told = (resource: string): readonly PlainRecord[] =>
        feedOf(messages, resource).flatMap((message) => message.records);
      for (const movement of told('movements')) {
        const at = Date.parse(String(movement.movementTimestamp));
        if (at > filledAt && at <= end && movement.movementDirection !== null) post(expected, movement);
      }
      const places = [...new Set([...expected.keys(), ...stock.keys()])];
      const differing = places.filter((place) => (expected.get(place) ?? 0) !== (stock.get(place) ?? 0));
      const isOneShort = ['lost-movement', 'lost-grade-change', 'movement-without-direction'].includes(fault);
      assert.equal(differing.length, isOneShort ? 1 : 0, differing.join(', '));
      assertRowsAddUp(told('stock'));
      assert.ok(told('stock').length > 3000);
      for (const report of told('order-reports')) {
        const entries = list(report.parcels).flatMap((parcel) => list(parcel.entries));
        assert.equal(sum(entries, 'shippedQuantityInPackage'), sum(list(report.lignes), 'preparedQuantity'));
      }
      for (const line of told('procurement-reports').flatMap((report) => list(report.entries)))
        assert.equal(sum(list(line.details), 'receivedQuantity'), line.receivedQuantity);
    });
});

const list = (value: unknown): readonly PlainRecord[] => (Array.isArray(value) ? value : []);
const sum = (records: readonly PlainRecord[], name: string): number =>
  records.reduce((total, record) => total + Number(record[name]), 0);

describe('what clients write', () => {
  const mentions = (messages: readonly DemoMessage[], resource: string, text: string): readonly string[] =>
    records(feedOf(messages, resource)).filter((record) => record.includes(text));

  it('an article that a client created is procured, received, counted in the image, ordered and shipped', () => {
    const warehouse = filled();
    const article = { articleReference: 'CLIENT-1', shortArticleDescription: 'Thing', lotTrackedArticle: true };
    warehouse.take({ kind: 'article', activity: 'ACM', article });
    const messages = warehouse.advance(filledAt + 3 * dayMs);
    for (const resource of ['procurements', 'procurement-reports', 'orders', 'order-reports', 'movements', 'stock'])
      assert.ok(mentions(messages, resource, '"CLIENT-1"').length > 0, resource);
    // The same again is no other article, and an absurd one does no harm.
    warehouse.take({ kind: 'article', activity: 'ACM', article });
    warehouse.take({
      kind: 'article',
      activity: 'ACM',
      article: { articleReference: 'CLIENT-2', quantityPerPCB: -1e308 },
    });
    warehouse.take({ kind: 'article', activity: 'ACM', article: {} });
    warehouse.advance(filledAt + 6 * dayMs);
  });

  it('an article that clients discontinue is ordered no more', () => {
    const warehouse = filled();
    const [popular = ''] = ['TEX003-03'];
    warehouse.take({ kind: 'article', activity: 'ACM', article: { articleReference: popular, disableProduit: true } });
    warehouse.advance(filledAt + 2 * dayMs);
    const later = warehouse.advance(filledAt + 30 * dayMs);
    const orders = feedOf(later, 'orders')
      .flatMap((message) => message.records)
      .filter((record) => Date.parse(String(record.customerOrderPlacementDate)) > filledAt + 2 * dayMs);
    assert.ok(orders.length > 300);
    assert.deepEqual(
      orders.filter((record) => JSON.stringify(record).includes(`"${popular}"`)),
      [],
    );
  });

  it('a document is enclosed where its order is not packed yet; the order says that, or that it came too late', () => {
    const warehouse = filled();
    const order = feedOf(warehouse.advance(filledAt + 0.75 * hourMs), 'orders')
      .flatMap((message) => message.records)
      .find((record) => record.prepOrderGroupID === null);
    assert.ok(order);
    const number = String(order.orderUniqueID);
    warehouse.take({ kind: 'document', activity: 'ACM', order: number, slug: 'invoice' });
    warehouse.take({ kind: 'document', activity: 'ACM', order: 'unknown', slug: 'invoice' });
    const after = warehouse.advance(filledAt + 3 * dayMs);
    assert.match(mentions(after, 'orders', number)[0] ?? '', /"preparationInstructions":"Enclose: invoice\."/);
    assert.match(mentions(after, 'order-reports', number)[0] ?? '', /"enclosedDocument","value":"invoice"/);
    warehouse.take({ kind: 'document', activity: 'ACM', order: number, slug: 'customs' });
    const last = warehouse.advance(filledAt + 4 * dayMs);
    assert.match(mentions(last, 'orders', number)[0] ?? '', /Came after packing: customs\./);
  });
});
