// The report of a preparation as a feed would send it: what was prepared of each line, and the parcels.
import { dayCode, iso, minuteMs } from './calendar.ts';
import { transportService } from './order-record.ts';
import type { DemoActivity } from './activities.ts';
import type { PlainRecord } from './catalogue.ts';
import type { PickedLine } from './order-life.ts';
import type { Parcel } from './parcels.ts';
import type { Order, OrderedLine, Preparation } from './placed-orders.ts';

/** @param at when the preparation was closed */
export function reportRecord(
  activity: DemoActivity,
  order: Order,
  preparation: Preparation,
  picked: readonly PickedLine[],
  parcels: readonly Parcel[],
  at: number,
): PlainRecord {
  const pallets = new Set(parcels.flatMap(({ pallet }) => (pallet === null ? [] : [pallet.number]))).size;
  const total = (part: 'weight' | 'volume'): number => parcels.reduce((sum, parcel) => sum + parcel[part], 0);
  const prepared = preparedPieces(picked);
  const isComplete = preparation.lines.every((line) => prepared.get(line) === line.quantity);
  return {
    activityCode: activity.code,
    subActivityCode: order.business ? 'B2B' : 'WEB',
    orderUniqueID: order.number,
    prepClosedState: order.cancelled ? 2 : isComplete ? 0 : 1,
    firstPackageCreationDate: parcels[0] === undefined ? null : iso(parcels[0].builtAt),
    lastPackageLoadDate: parcels.length === 0 ? null : iso(preparation.loadedAt),
    shippedHandlingUnitCount: pallets > 0 ? pallets : parcels.length,
    packedPackageCount: parcels.length,
    packedPaletteCount: pallets,
    totalPrepWeight: total('weight') / 1000,
    totalPrepVolume: total('volume') / 1_000_000,
    prepOrderGroupID: preparation.group,
    nomflux: `${activity.code.toLowerCase()}-reports`,
    dateProcessed: iso(at + 4 * minuteMs),
    lignes: preparation.lines.map((line) => ({
      orderLineID: line.id,
      articleReference: line.item.reference,
      orderedQuantity: line.quantity,
      preparedQuantity: prepared.get(line) ?? 0,
      dateProcessed: iso(at),
      gradeCode: 'STD',
    })),
    parcels: parcels.map((parcel) => parcelRecord(order, preparation, parcel)),
  };
}

function preparedPieces(picked: readonly PickedLine[]): ReadonlyMap<OrderedLine, number> {
  const pieces = new Map<OrderedLine, number>();
  for (const { line, quantity } of picked) pieces.set(line, (pieces.get(line) ?? 0) + quantity);
  return pieces;
}

function parcelRecord(order: Order, preparation: Preparation, parcel: Parcel): PlainRecord {
  const { pallet, trackingNumber, volume } = parcel;
  return {
    packageNumber: `P${dayCode(preparation.packedAt)}-${String(parcel.serial).padStart(6, '0')}`,
    palletNumber: pallet === null ? null : `PAL-${pallet.number}`,
    shipmentTrackingNumber: trackingNumber,
    palletSSCC: pallet?.containerCode ?? null,
    packageSSCC: parcel.containerCode,
    trpcont: 'STANDARD',
    transportService: transportService(order),
    transportLoadNumber: `L-${dayCode(preparation.loadedAt)}-${order.business ? '02' : '01'}`,
    packageCreationDate: iso(parcel.builtAt),
    packageLoadDate: iso(preparation.loadedAt),
    packageRank: parcel.rank,
    actualPackageWeight: parcel.weight / 1000,
    shippedPackageVolume: volume / 1_000_000,
    activityPackagingCode: volume < 8_000_000 ? 'BOX-S' : volume < 30_000_000 ? 'BOX-M' : 'BOX-L',
    svcWaveID: preparation.wave,
    seqColis: parcel.rank,
    trackingurl: `https://tracking.example.com/${trackingNumber}`,
    entries: parcel.contents.map(({ articleReference, quantity, properties }) => ({
      articleReference,
      shippedQuantityInPackage: quantity,
      properties,
    })),
  };
}
