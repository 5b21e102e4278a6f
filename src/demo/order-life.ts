// The life of an order in the warehouse: goods are allocated, a wave is launched, goods are picked and packed, parcels
// are loaded; the client is informed of each step.
import { dayMs } from '../model/instant.ts';
import { hourMs, midnight, minuteMs, nextImage } from './calendar.ts';
import { shippingDeadline } from './catalogue.ts';
import { type Bin, CAUSES, free } from './ledger.ts';
import { orderRecord } from './order-record.ts';
import { labelOf } from './parcel-label.ts';
import { type Parcel, packParcels } from './parcels.ts';
import { orderOccasions, type Order, type OrderedLine, placeOrder, type Preparation } from './placed-orders.ts';
import { createRandom } from './random.ts';
import { reportRecord } from './report-record.ts';
import { planReturns } from './returns.ts';
import { nextSerial, type ActivityState } from './activity-state.ts';
import { noteText } from './notes.ts';
import type { Item } from './catalogue.ts';

/** Goods set aside for a line, in one place. */
interface Allocation {
  readonly line: OrderedLine;
  readonly bin: Bin;
  quantity: number;
}

/** What was picked for an order line in one place. */
export interface PickedLine {
  readonly line: OrderedLine;
  readonly bin: Bin;
  readonly quantity: number;
  /** One per piece for articles with serial numbers, otherwise none. */
  readonly serials: readonly string[];
}

/** Plans the orders placed on a day. @param day its midnight; `number` counts the days of the history */
export function planOrders(state: ActivityState, day: number, number: number): void {
  const { activity, assortment, events, count } = state;
  const random = createRandom(`${activity.code}/orders/${number}`);
  const occasions = orderOccasions(random, activity, day);
  for (const occasion of occasions) {
    count.order += 1;
    const order = placeOrder(random, activity, assortment, occasion, count.order);
    events.plan(order.integratedAt, () => integrate(state, order), {
      title: noteText('order-arrives', { orderUniqueID: order.number }),
    });
  }
}

/** A customer orders an article now. */
function orderNow(state: ActivityState, item: Item, at: number): void {
  state.count.order += 1;
  const random = createRandom(`${state.activity.code}/wanted/${state.count.order}`);
  const occasion = { business: false, placedAt: at };
  const order = placeOrder(random, state.activity, state.assortment, occasion, state.count.order, item);
  state.events.plan(order.integratedAt, () => integrate(state, order), {
    title: noteText('order-arrives', { orderUniqueID: order.number }),
  });
}

/** Reports the state of an order to the client. */
function tellOrder(state: ActivityState, order: Order, at: number): void {
  state.messages.add('orders', at, () => orderRecord(state.activity, order), order.number);
}

function integrate(state: ActivityState, order: Order): void {
  const allocations = order.lines.flatMap((line) => allocate(state, line, order.business, order.integratedAt));
  state.orders.set(order.number, order);
  tellOrder(state, order, order.integratedAt);
  const first = order.preparations[0];
  for (const preparation of order.preparations) {
    const mine = allocations.filter(({ line }) => preparation.lines.includes(line));
    const { events } = state;
    if (order.cancelled)
      events.plan(preparation.launchedAt, () => cancel(state, order, preparation === first ? preparation : null, mine));
    else {
      events.plan(preparation.launchedAt, () => launch(state, order, preparation, mine), {
        title: noteText('wave-launched', { prepOrderGroupID: preparation.wave }),
      });
      events.plan(preparation.packedAt, () => pack(state, order, preparation, mine), {
        title: noteText('order-packed', { orderUniqueID: order.number }),
      });
    }
  }
}

/** Sets goods aside: the earliest deadline first, for shops from the reserve; as many as are in stock. */
function allocate({ ledger }: ActivityState, line: OrderedLine, business: boolean, at: number): readonly Allocation[] {
  const first = business ? 'RES' : 'MAI';
  const rank = (bin: Bin): number => (bin.unit === first ? 0 : 1);
  const usable = ledger
    .bins(line.item)
    .filter((bin) => free(bin) > 0 && !isTooOld(bin, at))
    .sort(
      (one, other) =>
        rank(one) - rank(other) ||
        (one.deadline ?? 0) - (other.deadline ?? 0) ||
        one.oldestReception - other.oldestReception,
    );
  const enough = usable.find((bin) => free(bin) >= line.quantity);
  const allocations: Allocation[] = [];
  let missing = line.quantity;
  for (const bin of enough === undefined ? usable : [enough]) {
    const quantity = Math.min(missing, free(bin));
    if (quantity === 0) break;
    bin.notStarted += quantity;
    missing -= quantity;
    allocations.push({ line, bin, quantity });
  }
  return allocations;
}

/** Whether the sale deadline of goods is too near for a shipment at an instant. */
export function isTooOld({ deadline, item }: Bin, at: number): boolean {
  return deadline !== null && deadline <= at + shippingDeadline(item.shelfLife ?? 0) * dayMs;
}

/** @param told the preparation whose report says that the order was cancelled */
function cancel(
  state: ActivityState,
  order: Order,
  told: Preparation | null,
  allocations: readonly Allocation[],
): void {
  for (const { bin, quantity } of allocations) bin.notStarted -= quantity;
  for (const preparation of order.preparations) preparation.state = 'closed';
  if (told === null) return;
  const at = told.launchedAt;
  const whole = { ...told, lines: order.lines };
  state.messages.add('order-reports', at + 4 * minuteMs, () => reportRecord(state.activity, order, whole, [], [], at));
  tellOrder(state, order, at + 4 * minuteMs);
}

function launch(
  state: ActivityState,
  order: Order,
  preparation: Preparation,
  allocations: readonly Allocation[],
): void {
  for (const { bin, quantity } of allocations) {
    bin.notStarted -= quantity;
    bin.inProgress += quantity;
  }
  preparation.state = 'launched';
  tellOrder(state, order, preparation.launchedAt + minuteMs);
}

function pack(state: ActivityState, order: Order, preparation: Preparation, allocations: readonly Allocation[]): void {
  const picked = allocations.map((allocation) => pick(state, order, preparation.packedAt, allocation));
  const found = picked.filter(({ quantity }) => quantity > 0);
  const parcels = packParcels(state, order, preparation, found);
  for (const parcel of parcels) state.messages.addLabel(parcel.builtAt, () => labelOf(state.activity, order, parcel));
  state.events.plan(preparation.loadedAt, () => load(state, order, preparation, found, parcels), {
    title: noteText('parcels-loaded', { orderUniqueID: order.number }),
  });
}

/** Now and then a piece is missing from its place. */
function pick(state: ActivityState, order: Order, at: number, { line, bin, quantity }: Allocation): PickedLine {
  const asked = state.faults.take('short-pick', at);
  const missing = state.random.chance(0.002) || asked ? 1 : 0;
  if (missing > 0) {
    bin.inProgress -= missing;
    state.ledger.take(at, bin, missing, CAUSES.missing);
  }
  if (asked)
    state.note(at, noteText('piece-missing', { articleReference: line.item.reference, orderUniqueID: order.number }));
  const left = quantity - missing;
  const known = state.serials.get(line.item.reference) ?? [];
  const serials = line.item.serialized ? Array.from({ length: left }, () => known.shift() ?? nextSerial(state)) : [];
  return { line, bin, quantity: left, serials };
}

function load(
  state: ActivityState,
  order: Order,
  preparation: Preparation,
  picked: readonly PickedLine[],
  parcels: readonly Parcel[],
): void {
  const at = preparation.loadedAt;
  const isLate = picked.length > 0 && state.faults.take('late-movement', at);
  for (const [index, { line, bin, quantity }] of picked.entries()) {
    line.shipped += quantity;
    if (isLate && index === 0) shipUnbooked(state, order, bin, quantity, at);
    else ship(state, bin, quantity, at);
  }
  preparation.state = 'closed';
  const closedAt = at + 4 * minuteMs;
  state.messages.add('order-reports', closedAt, () =>
    reportRecord(state.activity, order, preparation, picked, parcels, at),
  );
  tellOrder(state, order, closedAt);
  planReturns(state, order, picked, at);
}

function ship(state: ActivityState, bin: Bin, quantity: number, at: number, bookedAt = at): void {
  bin.inProgress -= quantity;
  state.ledger.take(at, bin, quantity, CAUSES.shipment, bookedAt);
}

/** How long after an image the omitted shipment is booked: a late image has been sent by then. */
const bookedAfterImageMs = 6 * hourMs;

/** Ships goods that the warehouse system books only after its next stock image, which therefore still includes them. */
function shipUnbooked(state: ActivityState, order: Order, bin: Bin, quantity: number, at: number): void {
  const bookedAt = nextImage(at) + bookedAfterImageMs;
  state.events.plan(bookedAt, () => ship(state, bin, quantity, at, bookedAt));
  const fields = { articleReference: bin.item.reference, orderUniqueID: order.number };
  state.note(at, noteText('shipment-booked-late', fields));
}

/** How long closed orders are remembered: a document may still come for them. */
const rememberedMs = 60 * dayMs;

/** Forgets old orders. */
export function forgetOrders({ orders }: ActivityState, at: number): void {
  for (const [number, order] of orders) {
    if (order.placedAt > at - rememberedMs) break;
    if (order.preparations.every(({ state }) => state === 'closed')) orders.delete(number);
  }
}

/**
 * A client has attached a document to an order. It goes into the first parcel, and the order says so; a document that
 * comes after the parcels were packed cannot be enclosed, and the order says that too.
 */
export function enclose(state: ActivityState, orderNumber: string, slug: string, at: number): void {
  const order = state.orders.get(orderNumber);
  if (order === undefined) return;
  const lastPacked = Math.max(...order.preparations.map(({ packedAt }) => packedAt));
  const list = !order.cancelled && at < lastPacked ? order.enclosed : order.tooLate;
  if (order.enclosed.includes(slug) || order.tooLate.includes(slug)) return;
  list.push(slug);
  tellOrder(state, order, at + minuteMs);
  const code = list === order.enclosed ? 'document-enclosed' : 'document-too-late';
  state.note(at, noteText(code, { slug, orderUniqueID: orderNumber }));
}

/** Orders of an article that a client has just created: one after the other, soon after its creation. */
export function orderSoon(state: ActivityState, item: Item, at: number): void {
  const isNight = (at - midnight(at)) / hourMs > 21;
  for (const minutes of [10, 40, 90]) {
    const placedAt = at + minutes * minuteMs + (isNight ? 8 * hourMs : 0);
    state.events.plan(placedAt, () => orderNow(state, item, placedAt));
  }
}
