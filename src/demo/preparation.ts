// How orders were prepared: parcels with weights, container codes and tracking numbers, and the report record of each
// preparation.
import { dayCode, iso, minuteMs } from './calendar.ts';
import { sscc } from './gs1.ts';
import { transportService } from './orders.ts';
import type { DemoActivity } from './activities.ts';
import type { PlainRecord } from './catalogue.ts';
import type { Picked } from './floor.ts';
import type { OrderedLine, PlacedOrder, Preparation } from './orders.ts';

/** Limits of one parcel: grams and cubic millimetres. */
const LIMITS = { consumer: { weight: 15_000, volume: 60_000_000 }, business: { weight: 20_000, volume: 90_000_000 } };
/** A shipment of this many parcels travels on pallets. */
const PALLETISED = 6;
const PARCELS_PER_PALLET = 16;

/** Weight in grams, volume in cubic millimetres. */
interface Packing {
  weight: number;
  volume: number;
  readonly contents: { readonly picked: Picked; quantity: number }[];
}

/**
 * The reports of the orders' preparations, in the order in which they were closed; parcels are numbered in that order.
 */
export function reportRecords(
  activity: DemoActivity,
  orders: readonly PlacedOrder[],
  prepared: ReadonlyMap<Preparation, readonly Picked[]>,
  until: number,
): readonly PlainRecord[] {
  const closed = orders
    .flatMap((order): readonly Closed[] => {
      const [first] = order.preparations;
      if (order.cancelled)
        return first !== undefined && first.launchedAt <= until
          ? [{ order, preparation: { ...first, lines: order.lines }, picked: null, at: first.launchedAt }]
          : [];
      return order.preparations.flatMap((preparation) => {
        const picked = prepared.get(preparation);
        return picked === undefined ? [] : [{ order, preparation, picked, at: preparation.loadedAt }];
      });
    })
    .sort((one, other) => one.at - other.at);
  let numbered = 0;
  return closed.map(({ order, preparation, picked, at }) => {
    if (picked === null) return report(activity, order, preparation, 2, [], [], at);
    const before = numbered;
    const parcels = pack(picked, order.business).map((packing, rank) => ({ packing, rank, serial: before + rank + 1 }));
    numbered += parcels.length;
    const complete = picked.every(({ line, quantity }) => line.quantity === quantity);
    return report(activity, order, preparation, complete ? 0 : 1, picked, parcels, at);
  });
}

/** `picked` is null for an order that was cancelled. */
interface Closed {
  readonly order: PlacedOrder;
  readonly preparation: Preparation;
  readonly picked: readonly Picked[] | null;
  readonly at: number;
}

interface NumberedParcel {
  readonly packing: Packing;
  readonly rank: number;
  readonly serial: number;
}

function report(
  activity: DemoActivity,
  order: PlacedOrder,
  preparation: Preparation,
  state: 0 | 1 | 2,
  picked: readonly Picked[],
  parcels: readonly NumberedParcel[],
  at: number,
): PlainRecord {
  const pallets = parcels.length >= PALLETISED ? Math.ceil(parcels.length / PARCELS_PER_PALLET) : 0;
  const total = (part: 'weight' | 'volume'): number => parcels.reduce((sum, { packing }) => sum + packing[part], 0);
  const built = parcels.map(({ rank }) => builtAt(preparation, rank));
  return {
    activityCode: activity.code,
    subActivityCode: order.business ? 'B2B' : 'WEB',
    orderUniqueID: order.number,
    prepClosedState: state,
    firstPackageCreationDate: built[0] === undefined ? null : iso(built[0]),
    lastPackageLoadDate: built.length === 0 ? null : iso(preparation.loadedAt),
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
      preparedQuantity: picked.find((found) => found.line === line)?.quantity ?? 0,
      dateProcessed: iso(at),
      gradeCode: 'STD',
    })),
    parcels: parcels.map((parcel) => parcelRecord(activity, order, preparation, parcel, pallets > 0)),
  };
}

function parcelRecord(
  activity: DemoActivity,
  order: PlacedOrder,
  preparation: Preparation,
  { packing, rank, serial }: NumberedParcel,
  onPallet: boolean,
): PlainRecord {
  const tracking = order.relay
    ? String(40_000_000 + serial)
    : `${activity.code.slice(0, 2)}${String(serial).padStart(9, '0')}FR`;
  const pallet = order.sequence * 10 + Math.floor(rank / PARCELS_PER_PALLET);
  return {
    packageNumber: `P${dayCode(preparation.packedAt)}-${String(serial).padStart(6, '0')}`,
    palletNumber: onPallet ? `PAL-${pallet}` : null,
    shipmentTrackingNumber: tracking,
    palletSSCC: onPallet ? sscc(activity.prefix, 1, pallet) : null,
    packageSSCC: sscc(activity.prefix, 0, serial),
    trpcont: 'STANDARD',
    transportService: transportService(order),
    transportLoadNumber: `L-${dayCode(preparation.loadedAt)}-${order.business ? '02' : '01'}`,
    packageCreationDate: iso(builtAt(preparation, rank)),
    packageLoadDate: iso(preparation.loadedAt),
    packageRank: rank + 1,
    actualPackageWeight: packing.weight / 1000,
    shippedPackageVolume: packing.volume / 1_000_000,
    activityPackagingCode: packing.volume < 8_000_000 ? 'BOX-S' : packing.volume < 30_000_000 ? 'BOX-M' : 'BOX-L',
    svcWaveID: preparation.wave,
    seqColis: rank + 1,
    trackingurl: `https://tracking.example.com/${tracking}`,
    entries: packing.contents.map(({ picked, quantity }) => ({
      articleReference: picked.line.item.reference,
      shippedQuantityInPackage: quantity,
      properties: properties(picked),
    })),
  };
}

/** What is known of the goods: lot, best-before day, serial number (decision D6). */
function properties(picked: Picked): readonly PlainRecord[] {
  const found: PlainRecord[] = [];
  if (picked.lot !== null) found.push({ name: 'lotNumber', value: picked.lot });
  if (picked.deadline !== null) found.push({ name: 'bestBefore', value: iso(picked.deadline).slice(0, 10) });
  for (const serial of picked.serials) found.push({ name: 'serialNumber', value: serial });
  return found;
}

/** Fills one parcel after the other, up to its weight and volume; a single piece always fits. */
function pack(picked: readonly Picked[], business: boolean): readonly Packing[] {
  const limit = business ? LIMITS.business : LIMITS.consumer;
  const box = business ? 600 : 250;
  const parcels: Packing[] = [];
  let open: Packing | null = null;
  for (const line of picked) {
    const { item } = line.line;
    const volume = item.length * item.width * item.height;
    for (let left = line.quantity; left > 0; ) {
      if (open === null) {
        open = { weight: box, volume: 2_000_000, contents: [] };
        parcels.push(open);
      }
      const room: number = Math.min(
        left,
        Math.floor((limit.weight - open.weight) / item.weight),
        Math.floor((limit.volume - open.volume) / volume),
      );
      const quantity = room < 1 && open.contents.length === 0 ? 1 : Math.max(0, room);
      if (quantity > 0) {
        open.contents.push({ picked: line, quantity });
        open.weight += quantity * item.weight;
        open.volume += quantity * volume;
        left -= quantity;
      }
      if (left > 0) open = null;
    }
  }
  return parcels;
}

/** A parcel is closed every half minute. */
function builtAt(preparation: Preparation, rank: number): number {
  return Math.min(preparation.packedAt + rank * 30_000, preparation.loadedAt);
}

/** Quantities that left, by order line: what the orders need to tell what remains. */
export function shippedQuantities(
  prepared: ReadonlyMap<Preparation, readonly Picked[]>,
): ReadonlyMap<OrderedLine, number> {
  const shipped = new Map<OrderedLine, number>();
  for (const picked of prepared.values()) for (const { line, quantity } of picked) shipped.set(line, quantity);
  return shipped;
}
