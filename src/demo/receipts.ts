// What suppliers deliver to a demonstration activity: procurements, and reports of what was received, short and over
// included.
import { dayMs } from '../model/instant.ts';
import { dayCode, historyDays, hourMs, iso, midnight, minuteMs, onWorkingDay } from './calendar.ts';
import { createRandom } from './random.ts';
import type { DemoActivity } from './activities.ts';
import type { Item, PlainRecord, Supplier } from './catalogue.ts';
import type { Demand } from './demand.ts';
import type { Random } from './random.ts';

interface DeliveryLine {
  readonly id: string;
  readonly item: Item;
  readonly expected: number;
  /** Quantity on the supplier's delivery notes. */
  readonly announced: number;
}

/** Goods of one line and one lot that came off the truck. */
interface ReceivedPart {
  readonly line: DeliveryLine;
  readonly lot: string | null;
  readonly deadline: number | null;
  readonly quantity: number;
  /** One per unit of articles with serial numbers, else none. */
  readonly serials: readonly string[];
}

/** One of the steps in which a delivery is received. */
interface ReceptionStep {
  readonly receivedAt: number;
  readonly parts: readonly ReceivedPart[];
}

export interface Delivery {
  readonly number: string;
  readonly sequence: number;
  readonly supplier: Supplier;
  readonly expectedAt: number;
  readonly cancelled: boolean;
  readonly lines: readonly DeliveryLine[];
  readonly steps: readonly ReceptionStep[];
}

/** Most lines of one procurement. */
const maxLines = 24;

/**
 * The deliveries from the start of the history until two weeks after its end, by expected date: what the stock lacks
 * for the orders to come.
 */
export function planDeliveries(
  activity: DemoActivity,
  items: readonly Item[],
  demand: Demand,
  start: number,
): readonly Delivery[] {
  const random = createRandom(`${activity.code}/receipts`);
  const planned: { readonly supplier: Supplier; readonly expectedAt: number; readonly days: number }[] = [];
  const goods = items.filter((item) => item.kind === 'goods');
  for (const supplier of new Set(goods.map((item) => item.supplier))) {
    for (let day = random.int(1, 8); day < historyDays + 14; ) {
      const days = random.int(6, 10);
      planned.push({ supplier, expectedAt: onWorkingDay(start + day * dayMs + 8 * hourMs), days });
      day += days;
    }
  }
  planned.sort((one, other) => one.expectedAt - other.expectedAt);
  const ordered = new Map<Item, number>();
  return planned
    .map(({ supplier, expectedAt, days }, index) => {
      const day = Math.floor((expectedAt - start) / dayMs);
      const needs = goods
        .filter((item) => item.supplier === supplier && !item.discontinued)
        .map((item) => {
          const stock = demand.opening(item) + (ordered.get(item) ?? 0) - demand.between(item, 0, day);
          return { item, need: demand.between(item, day, day + days + 8) * (1.15 + random.next() * 0.3) - stock };
        })
        .filter(({ need }) => need > 0)
        .sort((one, other) => other.need - one.need)
        .slice(0, maxLines);
      const lines = needs.map(({ item, need }, line): DeliveryLine & { readonly received: number } => {
        const expected = Math.ceil(need / item.pcb) * item.pcb;
        ordered.set(item, (ordered.get(item) ?? 0) + expected);
        const gap = random.next();
        const received =
          gap < 0.03 ? Math.max(0, expected - random.int(1, item.pcb)) : gap > 0.992 ? expected + item.pcb : expected;
        return { id: String(line + 1), item, expected, announced: random.chance(0.5) ? received : expected, received };
      });
      const cancelled = random.chance(0.015);
      const first = expectedAt + (random.chance(0.05) ? dayMs : 0) + random.int(-60, 150) * minuteMs;
      const count = lines.length > 4 && random.chance(0.15) ? 2 : 1;
      const steps = cancelled
        ? []
        : Array.from({ length: count }, (_, step): ReceptionStep => {
            const receivedAt = onWorkingDay(first + step * random.int(1, 3) * dayMs);
            const here = lines.map((line) => ({
              line,
              quantity:
                count === 1 ? line.received : step === 0 ? Math.ceil(line.received / 2) : Math.floor(line.received / 2),
            }));
            return {
              receivedAt,
              parts: here
                .filter(({ quantity }) => quantity > 0)
                .flatMap(({ line, quantity }) => parts(random, line, quantity, receivedAt, step)),
            };
          });
      return {
        number: `PO-${activity.code}-${String(index + 1).padStart(5, '0')}`,
        sequence: index + 1,
        supplier,
        expectedAt,
        cancelled,
        lines,
        steps,
      };
    })
    .filter(({ lines }) => lines.length > 0);
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

/** What of the deliveries is announced or known at an instant. */
export function procurementRecords(activity: DemoActivity, deliveries: readonly Delivery[]): readonly PlainRecord[] {
  return deliveries.map((delivery) => ({
    activityCode: activity.code,
    uniqueProcurementID: delivery.number,
    expectedReceiptDate: iso(delivery.expectedAt),
    supplierOrderNumberDO: `SO-${40_000 + delivery.sequence}`,
    ownerCode: activity.code,
    procurementTypeCode: 'STD',
    procurementGroup: `W${dayCode(delivery.expectedAt)}`,
    supplierCode: delivery.supplier.code,
    supplierName: delivery.supplier.name,
    procurementEntries: delivery.lines.map((line) => ({
      lineID: line.id,
      articleReference: line.item.reference,
      expectedQuantity: line.expected,
      activityCode: activity.code,
      uniqueProcurementID: delivery.number,
      supplierOrderNumberDO: `SO-${40_000 + delivery.sequence}`,
      receptionUnitOfMeasure: 'PCB',
      articlePriceAtReception: Math.round(line.item.price * 0.45) / 100,
      announcedArticleDate: iso(midnight(delivery.expectedAt)),
      articlePCB: line.item.pcb,
      articleSPCB: line.item.spcb,
      dateProcessed: iso(delivery.expectedAt - 12 * dayMs),
      gradeCode: 'STD',
    })),
  }));
}

/**
 * The reception reports up to `until`: one per step; one for a delivery that is cancelled, and for one that is about to
 * arrive.
 */
export function receiptRecords(
  activity: DemoActivity,
  deliveries: readonly Delivery[],
  until: number,
): readonly PlainRecord[] {
  return deliveries.flatMap((delivery) => {
    if (delivery.cancelled)
      return delivery.expectedAt > until ? [] : [receipt(activity, delivery, 'X', '000', null, [])];
    const done = delivery.steps.filter((step) => step.receivedAt <= until);
    if (done.length === 0) {
      const none = delivery.lines.map((line) => ({ line, parts: [], before: 0 }));
      return delivery.expectedAt < until + 2 * dayMs ? [receipt(activity, delivery, 'A', '000', null, none)] : [];
    }
    const before = new Map<DeliveryLine, number>();
    return done.map((step, index) => {
      const lines = delivery.lines.map((line) => ({
        line,
        parts: step.parts.filter((part) => part.line === line),
        before: before.get(line) ?? 0,
      }));
      for (const part of step.parts) before.set(part.line, (before.get(part.line) ?? 0) + part.quantity);
      const status = index + 1 < delivery.steps.length ? 'P' : step.receivedAt < until - 7 * dayMs ? 'C' : 'R';
      return receipt(activity, delivery, status, String(index + 1).padStart(3, '0'), step.receivedAt, lines);
    });
  });
}

/** `before`: received of the line in earlier steps. */
interface ReceivedLine {
  readonly line: DeliveryLine;
  readonly parts: readonly ReceivedPart[];
  readonly before: number;
}

function receipt(
  activity: DemoActivity,
  delivery: Delivery,
  status: string,
  step: string,
  receivedAt: number | null,
  lines: readonly ReceivedLine[],
): PlainRecord {
  const reception = `REC-${dayCode(delivery.expectedAt)}-${String(delivery.sequence).padStart(5, '0')}-${step}`;
  return {
    activityCode: activity.code,
    uniqueProcurementID: delivery.number,
    receptionUniqueID: delivery.number,
    supplierCode: delivery.supplier.code,
    receptionStatus: status,
    svcReceptionUniqueID: reception,
    receptionProcessingNumber: step,
    carrierDeliveryBLNumber: `BL${600_000 + delivery.sequence}`,
    blIssuanceDate: iso(midnight(delivery.expectedAt) - dayMs),
    actualReceptionDate: receivedAt === null ? null : iso(receivedAt),
    dateProcessed: iso((receivedAt ?? delivery.expectedAt - 3 * dayMs) + 3 * minuteMs),
    rTypeRec: 'STD',
    entries: lines.map(({ line, parts: received, before }) => {
      const quantity = received.reduce((sum, part) => sum + part.quantity, 0);
      const identity = { activityCode: activity.code, orderLineID: line.id, svcReceptionUniqueID: reception };
      return {
        ...identity,
        articleReference: line.item.reference,
        receivedQuantity: quantity,
        theoreticalRemainingQuantity: line.expected - before - quantity,
        supplierBLQuantity: Math.max(0, line.announced - before),
        details: received.flatMap((part) =>
          (part.serials.length > 0 ? part.serials : [null]).map((serialNumber) => ({
            ...identity,
            ownerCode: activity.code,
            receivedQuantity: serialNumber === null ? part.quantity : 1,
            receivedLotNumber: part.lot,
            articleReceivedDate: receivedAt === null ? null : iso(receivedAt),
            serialNumber,
          })),
        ),
      };
    }),
  };
}

function parts(
  random: Random,
  line: DeliveryLine,
  quantity: number,
  receivedAt: number,
  step: number,
): readonly ReceivedPart[] {
  const split =
    line.item.lots && quantity > line.item.pcb && random.chance(0.15)
      ? [quantity - line.item.pcb, line.item.pcb]
      : [quantity];
  return split.map((units, rank) => ({
    line,
    quantity: units,
    ...lotOf(random, line.item, receivedAt, step * 2 + rank),
    serials: line.item.serialized ? Array.from({ length: units }, () => `SN${random.int(10_000_000, 99_999_999)}`) : [],
  }));
}
