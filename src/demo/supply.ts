// How goods come in: scarce articles are ordered from suppliers; deliveries arrive in steps, are received, and are
// partly blocked.
import { dayMs } from '../model/instant.ts';
import { hourMs, midnight, minuteMs, onWorkingDay } from './calendar.ts';
import type { Item, Supplier } from './catalogue.ts';
import {
  arrivalAfter,
  type Delivery,
  deliveryOf,
  lotOf,
  type ReceptionStep,
  type PurchaseOrder,
} from './supplier-deliveries.ts';
import { type Bin, CAUSES, free } from './ledger.ts';
import { orderSoon } from './order-life.ts';
import { blockDamaged, hold } from './quality-control.ts';
import { procurementRecord, type ReceptionState, receiptRecord, reportingMs } from './receipt-record.ts';
import { createRandom } from './random.ts';
import { dailyPieces, nextDeliveryLine, nextSerial, type ActivityState } from './activity-state.ts';
import { noteText } from './notes.ts';

/** Most lines of one procurement. */
const maxLines = 24;
/** The days of demand in stock at the start, and the days that a procurement covers. */
const openingDays = 38;
const coveredDays = 38;
/** A reception without objections is closed after this time. */
const closedAfterMs = 7 * dayMs;

/** Fills the shelves with what the first weeks need, in one or two lots. */
export function fillShelves(state: ActivityState, start: number): void {
  const { assortment, ledger, random } = state;
  const daily = dailyPieces(state);
  for (const item of assortment.all()) {
    if (item.kind !== 'goods' && item.kind !== 'kit') continue;
    const cartons = Math.ceil((assortment.share(item, daily) * openingDays) / item.pcb) + 1;
    const units = item.rotation === 'A' && cartons > 1 ? ['MAI', 'RES'] : ['MAI'];
    for (const [rank, unit] of units.entries()) {
      const receivedAt = start - random.int(2, 30) * dayMs;
      const share = rank === 0 ? Math.ceil(cartons / units.length) : Math.floor(cartons / units.length);
      const lot = lotOf(random, item, receivedAt, rank);
      ledger.open(item, { unit, grade: 'STD', receivedAt, ...lot }, share * item.pcb);
    }
  }
}

/** Plans a review of each supplier's stock about every week. */
export function planReviews(state: ActivityState, start: number): void {
  const suppliers = new Map(
    state.assortment.all().flatMap(({ kind, supplier }) => (kind === 'goods' ? [[supplier.code, supplier]] : [])),
  );
  for (const [place, supplier] of [...suppliers.values()].entries()) {
    const first = start + (place % 6) * dayMs + 6 * hourMs + place * minuteMs;
    state.events.plan(first, () => review(state, supplier, first));
  }
}

function review(state: ActivityState, supplier: Supplier, at: number): void {
  const items = scarce(state, supplier);
  if (items.length > 0) procure(state, { supplier, orderedAt: at, expectedAt: arrivalAfter(state.random, at), items });
  const next = at + state.random.int(5, 9) * dayMs;
  state.events.plan(next, () => review(state, supplier, next));
}

/** What a supplier should deliver, in whole cartons, most urgent first. */
function scarce(state: ActivityState, supplier: Supplier): PurchaseOrder['items'] {
  const { assortment, ledger, expected } = state;
  const daily = dailyPieces(state);
  return assortment
    .all()
    .filter((item) => item.kind === 'goods' && item.supplier.code === supplier.code)
    .map((item) => {
      const onShelves = ledger.bins(item).reduce((sum, bin) => sum + free(bin), 0);
      const need = assortment.share(item, daily) * coveredDays;
      return { item, need, left: onShelves + (expected.get(item.reference) ?? 0) };
    })
    .filter(({ item, need, left }) => !assortment.isDiscontinued(item) && left < need * 0.92)
    .sort((one, other) => one.left / one.need - other.left / other.need)
    .slice(0, maxLines)
    .map(({ item, need, left }) => ({ item, quantity: Math.ceil((need * 1.4 - left) / item.pcb) * item.pcb }));
}

/** Orders goods from a supplier, and plans the delivery. */
function procure(state: ActivityState, wish: PurchaseOrder): void {
  const { activity, events, count, expected, messages } = state;
  count.procurement += 1;
  const random = createRandom(`${activity.code}/procurement/${count.procurement}`);
  const delivery = deliveryOf(random, activity.code, count.procurement, wish, {
    serial: () => nextSerial(state),
    line: () => nextDeliveryLine(state),
  });
  for (const { item, expected: quantity } of delivery.lines)
    expected.set(item.reference, (expected.get(item.reference) ?? 0) + quantity);
  messages.add('procurements', wish.orderedAt, () => procurementRecord(activity, delivery), delivery.number);
  const announcedAt = Math.max(wish.orderedAt, delivery.expectedAt - 2 * dayMs);
  events.plan(announcedAt, () => tellReception(state, delivery, stateOf('A', announcedAt)));
  if (delivery.cancelled)
    events.plan(delivery.expectedAt, () => end(state, delivery, stateOf('X', delivery.expectedAt)));
  for (const [number, step] of delivery.steps.entries())
    events.plan(step.receivedAt, () => receive(state, delivery, number, step), {
      title: noteText('delivery-arrives', {
        uniqueProcurementID: delivery.number,
        supplierName: delivery.supplier.name,
      }),
    });
}

function stateOf(status: 'A' | 'X', processedAt: number): ReceptionState {
  return { status, step: 0, receivedAt: null, processedAt };
}

function tellReception({ activity, messages }: ActivityState, delivery: Delivery, reception: ReceptionState): void {
  const key = `${delivery.number} ${reception.step}`;
  messages.add('procurement-reports', reception.processedAt, () => receiptRecord(activity, delivery, reception), key);
}

/** Nothing more is expected of a delivery. */
function end(state: ActivityState, delivery: Delivery, reception: ReceptionState): void {
  for (const { item, expected: quantity } of delivery.lines)
    state.expected.set(item.reference, Math.max(0, (state.expected.get(item.reference) ?? 0) - quantity));
  tellReception(state, delivery, reception);
}

function receive(state: ActivityState, delivery: Delivery, number: number, { receivedAt, parts }: ReceptionStep): void {
  const { events, ledger, serials } = state;
  for (const { line, lot, deadline, quantity, serials: numbers } of parts) {
    const { item } = line;
    const place = { unit: item.rotation === 'A' ? 'RES' : 'MAI', lot, grade: 'STD', deadline, receivedAt };
    const bin = ledger.move(receivedAt, item, place, quantity, CAUSES.reception);
    if (item.serialized) serials.set(item.reference, [...(serials.get(item.reference) ?? []), ...numbers]);
    inspect(state, delivery, bin, quantity, receivedAt);
    if (state.awaited.delete(item.reference)) orderSoon(state, item, receivedAt);
  }
  const isLast = number === delivery.steps.length - 1;
  const processedAt = receivedAt + reportingMs;
  const reception = { step: number, receivedAt, processedAt };
  if (!isLast) {
    tellReception(state, delivery, { ...reception, status: 'P' });
    return;
  }
  end(state, delivery, { ...reception, status: 'R' });
  const closedAt = receivedAt + closedAfterMs;
  events.plan(closedAt, () => tellReception(state, delivery, { ...reception, status: 'C', processedAt: closedAt }));
}

/** Two lines in a hundred are partly damaged, three wait for quality control. */
function inspect(state: ActivityState, delivery: Delivery, bin: Bin, quantity: number, receivedAt: number): void {
  const asked = state.faults.take('damaged-reception', receivedAt);
  const chance = state.random.next();
  const fields = { articleReference: bin.item.reference, uniqueProcurementID: delivery.number };
  if (asked) state.note(receivedAt, noteText('reception-damaged', fields));
  if (asked || chance < 0.02) {
    const damaged = Math.min(quantity, Math.max(1, Math.round(bin.item.pcb / 4)));
    blockDamaged(state, bin, damaged, receivedAt + 20 * minuteMs);
  } else if (chance < 0.05) hold(state, bin, Math.min(quantity, bin.item.pcb), receivedAt + hourMs, 3);
}

/** A client has created an article: its first goods are ordered at once, and arrive within hours. */
export function procureNew(state: ActivityState, item: Item, at: number): void {
  const hour = (at - midnight(at)) / hourMs;
  const soon = at + 2 * hourMs;
  const expectedAt = onWorkingDay(
    hour < 6 ? midnight(at) + 8 * hourMs : hour < 14 ? soon : midnight(at) + dayMs + 8 * hourMs,
  );
  const quantity = item.pcb * Math.max(2, Math.ceil(48 / item.pcb));
  state.awaited.add(item.reference);
  procure(state, { supplier: item.supplier, orderedAt: at, expectedAt, items: [{ item, quantity }], isPlain: true });
}
