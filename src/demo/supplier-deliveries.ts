// A delivery of a supplier: what was ordered, what it will contain, and in which steps it arrives.
import { dayMs } from '../model/instant.ts';
import { dayCode, hourMs, midnight, minuteMs, onWorkingDay } from './calendar.ts';
import type { Item, Supplier } from './catalogue.ts';
import type { Random } from './random.ts';

export interface DeliveryLine {
  readonly id: string;
  readonly item: Item;
  readonly expected: number;
  /** Quantity on the supplier's delivery notes. */
  readonly announced: number;
  /** What actually arrives, over all steps. */
  readonly delivered: number;
}

/** Goods of one line and one lot unloaded from the truck. */
export interface DeliveryPart {
  readonly line: DeliveryLine;
  readonly lot: string | null;
  readonly deadline: number | null;
  readonly quantity: number;
  /** One per piece for articles with serial numbers, otherwise none. */
  readonly serials: readonly string[];
}

/** One of the steps in which a delivery is received. */
export interface ReceptionStep {
  readonly receivedAt: number;
  readonly parts: readonly DeliveryPart[];
}

export interface Delivery {
  readonly number: string;
  readonly sequence: number;
  readonly supplier: Supplier;
  readonly orderedAt: number;
  readonly expectedAt: number;
  readonly cancelled: boolean;
  readonly lines: readonly DeliveryLine[];
  readonly steps: readonly ReceptionStep[];
}

/** What the warehouse orders from a supplier. */
export interface PurchaseOrder {
  readonly supplier: Supplier;
  readonly orderedAt: number;
  readonly expectedAt: number;
  readonly items: readonly { readonly item: Item; readonly quantity: number }[];
  /** It arrives in one step and as ordered. */
  readonly isPlain?: boolean;
}

/** Sources of unique numbers. */
interface DeliveryNumbers {
  readonly serial: () => string;
  /** 1, 2, 3, … for the lines in which suppliers may make mistakes. */
  readonly line: () => number;
}

/**
 * Decides how a supplier fulfils an order: three lines in a hundred fall short, less than one exceeds it; some
 * deliveries arrive in two steps, a few not at all.
 */
export function deliveryOf(
  random: Random,
  code: string,
  sequence: number,
  wish: PurchaseOrder,
  { serial, line }: DeliveryNumbers,
): Delivery {
  const { supplier, orderedAt, expectedAt, isPlain = false } = wish;
  const lines = wish.items.map(({ item, quantity }, index) =>
    lineOf(random, index, item, quantity, isPlain ? null : line()),
  );
  const cancelled = !isPlain && random.chance(0.015);
  const late = !isPlain && random.chance(0.05) ? dayMs : 0;
  const first = expectedAt + late + (isPlain ? 10 : random.int(-60, 150)) * minuteMs + random.int(0, 59_999);
  const count = lines.length > 3 && random.chance(0.3) ? 2 : 1;
  return {
    number: `PO-${code}-${String(sequence).padStart(5, '0')}`,
    sequence,
    supplier,
    orderedAt,
    expectedAt,
    cancelled,
    lines,
    steps: cancelled
      ? []
      : Array.from({ length: count }, (_, step) => stepOf(random, lines, { step, count, first, serial })),
  };
}

/**
 * Every n-th line falls short, or exceeds the order: counted rather than random, so that even a short history contains
 * both.
 */
const [shortEvery, overEvery] = [29, 140];

/** @param number of the line; null: it arrives as ordered */
function lineOf(random: Random, index: number, item: Item, quantity: number, number: number | null): DeliveryLine {
  const delivered =
    number === null
      ? quantity
      : number % shortEvery === 7
        ? Math.max(0, quantity - random.int(1, item.pcb))
        : number % overEvery === 60
          ? quantity + item.pcb
          : quantity;
  const announced = random.chance(0.5) ? delivered : quantity;
  return { id: String(index + 1), item, expected: quantity, announced, delivered };
}

function stepOf(
  random: Random,
  lines: readonly DeliveryLine[],
  {
    step,
    count,
    first,
    serial,
  }: { readonly step: number; readonly count: number; readonly first: number; readonly serial: () => string },
): ReceptionStep {
  const receivedAt = onWorkingDay(first + step * random.int(1, 3) * dayMs);
  const parts = lines.flatMap((line) => {
    const half = step === 0 ? Math.ceil(line.delivered / 2) : Math.floor(line.delivered / 2);
    const quantity = count === 1 ? line.delivered : half;
    return quantity === 0 ? [] : partsOf(random, line, quantity, { receivedAt, step, serial });
  });
  return { receivedAt, parts };
}

function partsOf(
  random: Random,
  line: DeliveryLine,
  quantity: number,
  { receivedAt, step, serial }: { readonly receivedAt: number; readonly step: number; readonly serial: () => string },
): readonly DeliveryPart[] {
  const { item } = line;
  const isSplit = item.lots && quantity > item.pcb && random.chance(0.15);
  return (isSplit ? [quantity - item.pcb, item.pcb] : [quantity]).map((units, rank) => ({
    line,
    quantity: units,
    ...lotOf(random, item, receivedAt, step * 2 + rank),
    serials: item.serialized ? Array.from({ length: units }, serial) : [],
  }));
}

/** A production lot and its sale deadline; null for articles without lots. */
export function lotOf(
  random: Random,
  item: Item,
  receivedAt: number,
  rank: number,
): { readonly lot: string | null; readonly deadline: number | null } {
  if (!item.lots) return { lot: null, deadline: null };
  const age = item.shelfLife === null ? random.int(60, 400) : Math.round(item.shelfLife * (0.05 + random.next() * 0.2));
  const producedAt = midnight(receivedAt) - age * dayMs;
  return {
    lot: `L${dayCode(producedAt)}-${rank + 1}`,
    deadline: item.shelfLife === null ? null : producedAt + item.shelfLife * dayMs,
  };
}

/** When a truck that leaves its supplier at an instant is expected. */
export function arrivalAfter(random: Random, at: number): number {
  return onWorkingDay(midnight(at) + random.int(4, 9) * dayMs + 8 * hourMs);
}
