// Packs picked goods: parcels by weight and volume, with the numbers under which they travel.
import { expeditionNumber, parcelSscc } from '../carriers/sandbox/numbers.ts';
import { iso } from './calendar.ts';
import type { PlainRecord } from './catalogue.ts';
import { sscc } from './gs1.ts';
import type { PickedLine } from './order-life.ts';
import type { Order, Preparation } from './placed-orders.ts';
import type { ActivityState } from './activity-state.ts';

/** A parcel ready to be loaded. Weight in grams, volume in cubic millimetres. */
export interface Parcel {
  /** 1, 2, 3, … within the activity. */
  readonly serial: number;
  /** 1, 2, 3, … within its preparation. */
  readonly rank: number;
  readonly builtAt: number;
  readonly weight: number;
  readonly volume: number;
  /** Its SSCC, as on its label. */
  readonly containerCode: string;
  /** Number of its label at the sandbox carrier. */
  readonly trackingNumber: string;
  /** Number and container code; null: it travels without a pallet. */
  readonly pallet: { readonly number: number; readonly containerCode: string } | null;
  readonly contents: readonly Content[];
}

interface Content {
  readonly articleReference: string;
  readonly quantity: number;
  /** Properties of the goods: lot, sale deadline, serial numbers (decision D6); enclosed documents. */
  readonly properties: readonly PlainRecord[];
}

/** Limits of one parcel: grams and cubic millimetres. */
const LIMITS = { consumer: { weight: 15_000, volume: 60_000_000 }, business: { weight: 20_000, volume: 90_000_000 } };
/** A shipment of this many parcels travels on pallets. */
const PALLETISED = 6;
const PARCELS_PER_PALLET = 16;
/** A parcel is closed every half minute. */
const closingMs = 30_000;

/** Packs picked goods; each parcel takes its numbers. */
export function packParcels(
  { activity, count }: ActivityState,
  order: Order,
  preparation: Preparation,
  picked: readonly PickedLine[],
): readonly Parcel[] {
  const packings = fill(picked, order.business ? LIMITS.business : LIMITS.consumer, order.business ? 600 : 250);
  const onPallets = packings.length >= PALLETISED;
  const second = preparation === order.preparations[0] ? 0 : 5;
  return packings.map(({ weight, volume, contents }, index): Parcel => {
    count.parcel += 1;
    const pallet = order.sequence * 10 + second + Math.floor(index / PARCELS_PER_PALLET);
    return {
      serial: count.parcel,
      rank: index + 1,
      builtAt: Math.min(preparation.packedAt + index * closingMs, preparation.loadedAt),
      weight,
      volume,
      containerCode: parcelSscc(activity.parcelPrefix, count.parcel, 1),
      trackingNumber: expeditionNumber(activity.parcelPrefix, count.parcel),
      pallet: onPallets ? { number: pallet, containerCode: sscc(activity.prefix, 1, pallet) } : null,
      contents: contents.map((part, place) => content(part, index === 0 && place === 0 ? order.enclosed : [])),
    };
  });
}

interface Packing {
  weight: number;
  volume: number;
  readonly contents: { readonly picked: PickedLine; quantity: number; readonly serials: readonly string[] }[];
}

/** Fills one parcel after the other, up to its weight and volume; a single piece always fits. */
function fill(
  picked: readonly PickedLine[],
  limit: { readonly weight: number; readonly volume: number },
  box: number,
): readonly Packing[] {
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
        const from = line.quantity - left;
        open.contents.push({ picked: line, quantity, serials: line.serials.slice(from, from + quantity) });
        open.weight += quantity * item.weight;
        open.volume += quantity * volume;
        left -= quantity;
      }
      if (left > 0) open = null;
    }
  }
  return parcels;
}

function content({ picked, quantity, serials }: Packing['contents'][number], enclosed: readonly string[]): Content {
  const { lot, deadline } = picked.bin;
  return {
    articleReference: picked.line.item.reference,
    quantity,
    properties: [
      ...(lot === null ? [] : [{ name: 'lotNumber', value: lot }]),
      ...(deadline === null ? [] : [{ name: 'bestBefore', value: iso(deadline).slice(0, 10) }]),
      ...serials.map((value) => ({ name: 'serialNumber', value })),
      ...enclosed.map((value) => ({ name: 'enclosedDocument', value })),
    ],
  };
}
