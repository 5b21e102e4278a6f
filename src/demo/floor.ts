// What happens on the warehouse floor, in the order of time: goods come in, are allocated, picked, shipped, counted,
// blocked, returned.
import { dayMs } from '../model/instant.ts';
import { kitComponents } from './acme-home.ts';
import { hourMs, midnight } from './calendar.ts';
import { shippingDeadline } from './catalogue.ts';
import { CAUSES, createLedger, free, imageRows } from './ledger.ts';
import { createRandom } from './random.ts';
import { lotOf } from './receipts.ts';
import type { DemoActivity } from './activities.ts';
import type { Item, PlainRecord } from './catalogue.ts';
import type { Demand } from './demand.ts';
import type { Bin, Ledger } from './ledger.ts';
import type { OrderedLine, PlacedOrder, Preparation } from './orders.ts';
import type { Random } from './random.ts';
import type { Delivery } from './receipts.ts';

/** What was picked for an order line. */
export interface Picked {
  readonly line: OrderedLine;
  readonly quantity: number;
  readonly lot: string | null;
  readonly deadline: number | null;
  readonly serials: readonly string[];
}

interface FloorHistory {
  readonly movements: readonly PlainRecord[];
  /** Rows of the stock images, oldest image first. */
  readonly images: readonly (readonly PlainRecord[])[];
  /** The preparations that left, with what was picked for each of their lines. */
  readonly prepared: ReadonlyMap<Preparation, readonly Picked[]>;
}

/** Stock images, a week apart; the last one of this morning. */
const IMAGES = 4;

interface Event {
  readonly at: number;
  readonly run: () => void;
}

/** Plays the days of history, from `start` up to `until`. */
export function playFloor(
  activity: DemoActivity,
  items: readonly Item[],
  orders: readonly PlacedOrder[],
  deliveries: readonly Delivery[],
  demand: Demand,
  start: number,
  until: number,
): FloorHistory {
  const random = createRandom(`${activity.code}/floor`);
  const ledger = createLedger();
  const serials = new Map<Item, string[]>();
  const prepared = new Map<Preparation, readonly Picked[]>();
  const images: (readonly PlainRecord[])[] = [];
  fillShelves(random, ledger, items, demand, start);

  const events: Event[] = [];
  const plan = (at: number, run: () => void): void => {
    if (at <= until) events.push({ at, run });
  };
  for (const order of orders) planOrder(order);
  for (const { steps } of deliveries)
    for (const step of steps) plan(step.receivedAt, () => receive(step.receivedAt, step.parts));
  for (let day = start; day <= until; day += dayMs) planDay(day);
  const lastImage = midnight(until - 4 * hourMs) + 4 * hourMs;
  for (let rank = IMAGES - 1; rank >= 0; rank -= 1) {
    const at = lastImage - rank * 7 * dayMs;
    plan(at, () => images.push(imageRows(ledger, activity.code, at)));
  }
  events.sort((one, other) => one.at - other.at);
  // Events plan others: returns follow shipments, releases follow blocks. They are sorted in where they belong.
  const planLater = (at: number, run: () => void): void => {
    if (at > until) return;
    let index = events.length;
    while (index > 0 && (events[index - 1]?.at ?? 0) > at) index -= 1;
    events.splice(index, 0, { at, run });
  };
  for (let index = 0; index < events.length; index += 1) events[index]?.run();
  return { movements: ledger.movements, images, prepared };

  function planOrder(order: PlacedOrder): void {
    const allocated = new Map<OrderedLine, { readonly bin: Bin; readonly quantity: number }>();
    plan(order.integratedAt, () => {
      for (const line of order.lines) {
        const bin = allocate(ledger, line, order.business, order.integratedAt);
        if (bin === null) continue;
        const quantity = Math.min(line.quantity, free(bin));
        bin.notStarted += quantity;
        allocated.set(line, { bin, quantity });
      }
    });
    for (const preparation of order.preparations) {
      plan(preparation.launchedAt, () => {
        for (const line of preparation.lines) {
          const goods = allocated.get(line);
          if (goods === undefined) continue;
          goods.bin.notStarted -= goods.quantity;
          if (!order.cancelled) goods.bin.inProgress += goods.quantity;
        }
      });
      if (!order.cancelled) plan(preparation.loadedAt, () => ship(order, preparation, allocated));
    }
  }

  function ship(
    order: PlacedOrder,
    preparation: Preparation,
    allocated: ReadonlyMap<OrderedLine, { readonly bin: Bin; readonly quantity: number }>,
  ): void {
    const picked = preparation.lines.map((line): Picked => {
      const goods = allocated.get(line);
      if (goods === undefined) return { line, quantity: 0, lot: null, deadline: null, serials: [] };
      const { bin } = goods;
      const missing = random.chance(0.004) ? 1 : 0;
      bin.inProgress -= goods.quantity;
      if (missing > 0) ledger.take(preparation.packedAt, bin, missing, CAUSES.missing);
      const quantity = goods.quantity - missing;
      if (quantity > 0) ledger.take(preparation.loadedAt, bin, quantity, CAUSES.shipment);
      if (quantity > 0 && !order.business && random.chance(0.06))
        planReturn(bin, preparation.loadedAt + random.int(7, 15) * dayMs - random.int(1, 7) * hourMs);
      const numbers = line.item.serialized
        ? Array.from(
            { length: quantity },
            () => serials.get(line.item)?.shift() ?? `SN${random.int(10_000_000, 99_999_999)}`,
          )
        : [];
      return { line, quantity, lot: bin.lot, deadline: bin.deadline, serials: numbers };
    });
    prepared.set(preparation, picked);
  }

  /** A customer sends one piece back; it is looked at on the next day. What can be eaten is not sold twice. */
  function planReturn(from: Bin, at: number): void {
    planLater(at, () => {
      const place = { unit: 'RET', lot: from.lot, grade: 'RET', deadline: from.deadline, receivedAt: at };
      const returned = ledger.move(at, from.item, place, 1, CAUSES.customerReturn);
      const checkedAt = at + dayMs;
      const resold = from.item.shelfLife === null && random.chance(0.75);
      planLater(checkedAt, () => {
        if (resold) ledger.transfer(checkedAt, returned, { unit: 'MAI', grade: 'STD' }, 1, CAUSES.resale);
        else ledger.transfer(checkedAt, returned, { grade: 'DAM' }, 1, CAUSES.damage);
      });
    });
  }

  function receive(at: number, parts: Delivery['steps'][number]['parts']): void {
    for (const {
      line: { item },
      lot,
      deadline,
      quantity,
      serials: numbers,
    } of parts) {
      const bin = ledger.move(
        at,
        item,
        { unit: item.rotation === 'A' ? 'RES' : 'MAI', lot, grade: 'STD', deadline, receivedAt: at },
        quantity,
        CAUSES.reception,
      );
      serials.set(item, [...(serials.get(item) ?? []), ...numbers]);
      if (!random.chance(0.03)) continue;
      const held = Math.min(quantity, item.pcb, free(bin));
      if (held > 0) quarantine(at + hourMs, bin, held);
    }
  }

  function quarantine(at: number, bin: Bin, quantity: number): void {
    planLater(at, () => {
      const held = Math.min(quantity, free(bin));
      if (held === 0) return;
      ledger.transfer(at, bin, { grade: 'QUA' }, held, CAUSES.quarantine);
      const releasedAt = at + 3 * dayMs;
      planLater(releasedAt, () => {
        const blocked = ledger
          .bins(bin.item)
          .find((other) => other.unit === bin.unit && other.lot === bin.lot && other.grade === 'QUA');
        if (blocked !== undefined && blocked.quantity >= held)
          ledger.transfer(releasedAt, blocked, { grade: random.chance(0.9) ? 'STD' : 'DAM' }, held, CAUSES.release);
      });
    });
  }

  function planDay(day: number): void {
    const weekday = new Date(day).getUTCDay();
    if (weekday === 0) return;
    plan(day + 6 * hourMs, () => refill(ledger, items, day + 6 * hourMs));
    plan(day + 11 * hourMs, () => count(random, ledger, items, day + 11 * hourMs));
    if (weekday === 1) plan(day + 15 * hourMs, () => scrap(ledger, day + 15 * hourMs));
    if (weekday === 2) plan(day + 5 * hourMs, () => blockExpired(ledger, day + 5 * hourMs));
    if (weekday === 3) plan(day + 8 * hourMs, () => assembleKits(ledger, items, day + 8 * hourMs));
  }
}

/** What the first weeks need, in one or two lots. */
function fillShelves(random: Random, ledger: Ledger, items: readonly Item[], demand: Demand, start: number): void {
  for (const item of items) {
    if (item.kind !== 'goods' && item.kind !== 'kit') continue;
    const cartons = demand.opening(item) / item.pcb;
    const units = item.rotation === 'A' && cartons > 2 ? ['MAI', 'RES'] : ['MAI'];
    for (const [rank, unit] of units.entries()) {
      const receivedAt = start - random.int(2, 30) * dayMs;
      const quantity = (rank === 0 ? Math.ceil(cartons / units.length) : Math.floor(cartons / units.length)) * item.pcb;
      ledger.open(item, { unit, grade: 'STD', receivedAt, ...lotOf(random, item, receivedAt, rank) }, quantity);
    }
  }
}

/**
 * The bin that a line is prepared from: the earliest deadline first, shops from the reserve; else the one that holds
 * most.
 */
function allocate(ledger: Ledger, line: OrderedLine, business: boolean, at: number): Bin | null {
  const usable = ledger
    .bins(line.item)
    .filter((bin) => free(bin) > 0 && (bin.deadline === null || bin.deadline > shippingLimit(bin, at)));
  const first = business ? 'RES' : 'MAI';
  const rank = (bin: Bin): number => (bin.unit === first ? 0 : 1);
  const enough = usable
    .filter((bin) => free(bin) >= line.quantity)
    .sort(
      (one, other) =>
        rank(one) - rank(other) ||
        (one.deadline ?? 0) - (other.deadline ?? 0) ||
        one.oldestReception - other.oldestReception,
    );
  return enough[0] ?? usable.sort((one, other) => free(other) - free(one))[0] ?? null;
}

/** Deadlines up to here are too near for a shipment at an instant. */
function shippingLimit(bin: Bin, at: number): number {
  return at + shippingDeadline(bin.item.shelfLife ?? 0) * dayMs;
}

function refill(ledger: Ledger, items: readonly Item[], at: number): void {
  for (const item of items) {
    if (item.rotation !== 'A') continue;
    const ready = ledger
      .bins(item)
      .filter((bin) => bin.unit === 'MAI')
      .reduce((sum, bin) => sum + free(bin), 0);
    const reserve = ledger
      .bins(item)
      .filter((bin) => bin.unit === 'RES' && free(bin) > 0)
      .sort((one, other) => (one.deadline ?? 0) - (other.deadline ?? 0))[0];
    if (ready < 2 * item.pcb && reserve !== undefined)
      ledger.transfer(at, reserve, { unit: 'MAI' }, Math.min(4 * item.pcb, free(reserve)), CAUSES.refill);
  }
}

/** A few places are counted every day; most counts are right. */
function count(random: Random, ledger: Ledger, items: readonly Item[], at: number): void {
  for (let counted = 0; counted < 8; counted += 1) {
    const bin = ledger.bins(random.pick(items)).find((found) => free(found) > 3);
    if (bin === undefined || !random.chance(0.35)) continue;
    const quantity = random.int(1, 2);
    if (random.chance(0.6)) ledger.take(at, bin, quantity, CAUSES.count);
    else ledger.move(at, bin.item, { ...bin, receivedAt: bin.newestReception }, quantity, CAUSES.count);
  }
}

/** Damaged goods are destroyed, and blocked ones whose deadline is near. */
function scrap(ledger: Ledger, at: number): void {
  for (const bin of ledger.all()) {
    const spoilt = bin.grade === 'QUA' && bin.deadline !== null && bin.deadline <= shippingLimit(bin, at);
    if (bin.quantity > 0 && (bin.grade === 'DAM' || spoilt)) ledger.take(at, bin, bin.quantity, CAUSES.scrap);
  }
}

function blockExpired(ledger: Ledger, at: number): void {
  for (const bin of [...ledger.all()]) {
    if (bin.deadline !== null && bin.deadline <= shippingLimit(bin, at) && free(bin) > 0)
      ledger.transfer(at, bin, { grade: 'QUA' }, free(bin), CAUSES.expiry);
  }
}

/** Kits are made of one piece of each of their components, as many as the components allow, eight at most. */
function assembleKits(ledger: Ledger, items: readonly Item[], at: number): void {
  for (const kit of items.filter((item) => item.kind === 'kit' && !item.discontinued)) {
    const sources = kitComponents(kit, items).map((item) =>
      ledger.bins(item).find((bin) => free(bin) >= 8 && bin.unit === 'MAI'),
    );
    if (sources.includes(undefined)) continue;
    for (const bin of sources) if (bin !== undefined) ledger.take(at, bin, 8, CAUSES.kit);
    ledger.move(at, kit, { unit: 'MAI', lot: null, grade: 'STD', deadline: null, receivedAt: at }, 8, CAUSES.kit);
  }
}
