// The records of deliveries as a feed would send them: the procurement, and the report of each step of its reception.
import { dayMs } from '../model/instant.ts';
import { dayCode, iso, midnight, minuteMs } from './calendar.ts';
import type { DemoActivity } from './activities.ts';
import type { PlainRecord } from './catalogue.ts';
import type { Delivery, DeliveryLine, DeliveryPart } from './supplier-deliveries.ts';

/** What is expected from a supplier. */
export function procurementRecord(activity: DemoActivity, delivery: Delivery): PlainRecord {
  const supplierOrder = `SO-${40_000 + delivery.sequence}`;
  return {
    activityCode: activity.code,
    uniqueProcurementID: delivery.number,
    expectedReceiptDate: iso(delivery.expectedAt),
    supplierOrderNumberDO: supplierOrder,
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
      supplierOrderNumberDO: supplierOrder,
      receptionUnitOfMeasure: 'PCB',
      articlePriceAtReception: Math.round(line.item.price * 0.45) / 100,
      announcedArticleDate: iso(midnight(delivery.expectedAt)),
      articlePCB: line.item.pcb,
      articleSPCB: line.item.spcb,
      dateProcessed: iso(delivery.orderedAt),
      gradeCode: 'STD',
    })),
  };
}

/** The state of a step of a reception. */
export interface ReceptionState {
  readonly status: 'A' | 'P' | 'R' | 'C' | 'X';
  /** 0, 1, … */
  readonly step: number;
  /** Null: nothing has arrived yet. */
  readonly receivedAt: number | null;
  readonly processedAt: number;
}

/** The report of one step; an announced delivery is its first step before anything has arrived. */
export function receiptRecord(activity: DemoActivity, delivery: Delivery, state: ReceptionState): PlainRecord {
  const number = String(state.step + 1).padStart(3, '0');
  const reception = `REC-${dayCode(delivery.expectedAt)}-${String(delivery.sequence).padStart(5, '0')}-${number}`;
  return {
    activityCode: activity.code,
    uniqueProcurementID: delivery.number,
    receptionUniqueID: delivery.number,
    supplierCode: delivery.supplier.code,
    receptionStatus: state.status,
    svcReceptionUniqueID: reception,
    receptionProcessingNumber: number,
    carrierDeliveryBLNumber: `BL${600_000 + delivery.sequence}`,
    blIssuanceDate: iso(midnight(delivery.expectedAt) - dayMs),
    actualReceptionDate: state.receivedAt === null ? null : iso(state.receivedAt),
    dateProcessed: iso(state.processedAt),
    rMotifRec: 'STK',
    rTypeRec: 'STD',
    entries:
      state.status === 'X' ? [] : delivery.lines.map((line) => lineRecord(activity, delivery, line, state, reception)),
  };
}

/** From a reception until its report is written. */
export const reportingMs = 3 * minuteMs;

function lineRecord(
  activity: DemoActivity,
  delivery: Delivery,
  line: DeliveryLine,
  { step, receivedAt }: ReceptionState,
  reception: string,
): PlainRecord {
  const partsOf = (number: number): readonly DeliveryPart[] =>
    delivery.steps[number]?.parts.filter((part) => part.line === line) ?? [];
  const before = pieces(delivery.steps.slice(0, step).flatMap((_, number) => partsOf(number)));
  const received = receivedAt === null ? [] : partsOf(step);
  const identity = { activityCode: activity.code, orderLineID: line.id, svcReceptionUniqueID: reception };
  return {
    ...identity,
    articleReference: line.item.reference,
    receivedQuantity: pieces(received),
    theoreticalRemainingQuantity: line.expected - before - pieces(received),
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
}

function pieces(parts: readonly DeliveryPart[]): number {
  return parts.reduce((sum, { quantity }) => sum + quantity, 0);
}
