// The orders of a day: who orders what, when, and in which waves it will be prepared.
import { dayMs } from '../model/instant.ts';
import type { DemoActivity } from './activities.ts';
import type { Assortment } from './assortment.ts';
import { dayCode, departure, hourMs, midnight, minuteMs, nextWave, onWorkingDay } from './calendar.ts';
import type { Item } from './catalogue.ts';
import { type Recipient, recipient } from './recipients.ts';
import type { Random } from './random.ts';

/** `price` in cents without tax. */
export interface OrderedLine {
  readonly id: string;
  readonly item: Item;
  readonly quantity: number;
  readonly price: number;
  /** Pieces shipped so far. */
  shipped: number;
}

/** Lines of an order that are prepared together. */
export interface Preparation {
  readonly wave: string;
  readonly group: string;
  readonly launchedAt: number;
  readonly packedAt: number;
  readonly loadedAt: number;
  readonly lines: readonly OrderedLine[];
  state: 'waiting' | 'launched' | 'closed';
}

export interface Order {
  readonly number: string;
  readonly sequence: number;
  readonly business: boolean;
  readonly relay: boolean;
  readonly cancelled: boolean;
  readonly placedAt: number;
  readonly integratedAt: number;
  readonly recipient: Recipient;
  readonly lines: readonly OrderedLine[];
  /** One; two for long orders. */
  readonly preparations: readonly Preparation[];
  /** The incident of the order's parcels on their way, as a keyword of the sandbox carrier; '': none. */
  readonly incident: string;
  /** Slugs of documents that clients attached: enclosed ones, and ones that came after packing. */
  readonly enclosed: string[];
  readonly tooLate: string[];
}

/** Who orders, and when. */
interface OrderOccasion {
  readonly business: boolean;
  readonly placedAt: number;
}

const HOURS = [6, 7, 8, 9, 10, 11, 12, 12, 13, 14, 15, 17, 18, 19, 19, 20, 20, 21, 22];
/** Sunday first: consumers order at the weekend, shops on Monday. */
const WEEK = [0.85, 1.25, 1.1, 1, 1, 1, 0.8];
const LINES = [1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 4, 5];
const QUANTITIES = [1, 1, 1, 1, 1, 1, 1, 2, 2, 3];
const BOTTLES = [1, 1, 2, 2, 3, 6];

/** When the orders of a day are placed, and by whom, oldest first. */
export function orderOccasions(random: Random, activity: DemoActivity, day: number): readonly OrderOccasion[] {
  const weekday = new Date(day).getUTCDay();
  const count = Math.round(activity.ordersADay * (WEEK[weekday] ?? 1) * (0.85 + random.next() * 0.3));
  return Array.from({ length: count }, () => {
    const business = weekday > 0 && random.chance(activity.business);
    const hour = business ? random.int(7, 15) : random.pick(HOURS);
    return { business, placedAt: day + hour * hourMs + random.int(0, 3599) * 1000 };
  }).sort((one, other) => one.placedAt - other.placedAt);
}

/**
 * An order.
 * @param sequence 1, 2, 3, … within the activity
 * @param wanted an article that one of the lines contains; null: any
 */
export function placeOrder(
  random: Random,
  activity: DemoActivity,
  assortment: Assortment,
  { business, placedAt }: OrderOccasion,
  sequence: number,
  wanted: Item | null = null,
): Order {
  const integratedAt = placedAt + random.int(60, 300) * 1000;
  const lines = orderLines(random, assortment, business, wanted);
  const relay = !business && random.chance(0.35);
  return {
    number: `${activity.code}-${dayCode(placedAt)}-${String(sequence).padStart(5, '0')}`,
    sequence,
    business,
    relay,
    cancelled: wanted === null && random.chance(0.005),
    placedAt,
    integratedAt,
    recipient: recipient(random, business),
    lines,
    preparations: preparations(random, lines, business, integratedAt),
    incident: incidentOf(random.next(), relay),
    enclosed: [],
    tooLate: [],
  };
}

/** Three parcels in a hundred have an incident, and one of these is returned. */
function incidentOf(chance: number, relay: boolean): string {
  if (chance < 0.01) return relay ? 'SANDBOX-UNCLAIMED' : 'SANDBOX-WRONG-ADDRESS';
  if (chance < 0.02) return 'SANDBOX-DELAYED';
  if (chance < 0.03) return relay ? 'SANDBOX-DELAYED' : 'SANDBOX-ABSENT';
  return '';
}

function orderLines(
  random: Random,
  assortment: Assortment,
  business: boolean,
  wanted: Item | null,
): readonly OrderedLine[] {
  const count = business ? random.int(10, 40) : random.pick(LINES);
  const chosen = new Set<Item>(wanted === null ? [] : [wanted]);
  // An assortment may have become smaller than an order.
  for (let tries = 0; chosen.size < count && tries < 10 * count; tries += 1) chosen.add(assortment.choose(random));
  return [...chosen].map((item, index) => {
    const packs = item.spcb > 1 ? item.spcb * random.int(1, 2) : Math.max(1, Math.round(item.pcb / 2));
    const quantity = item.serialized ? 1 : business ? packs : random.pick(item.alcohol === null ? QUANTITIES : BOTTLES);
    const price = business ? Math.round(item.price * 0.6) : item.price;
    return { id: String(index + 1), item, quantity, price, shipped: 0 };
  });
}

/** Consumers' orders leave on the day of their wave, those of shops on the next working day. */
function preparations(
  random: Random,
  lines: readonly OrderedLine[],
  business: boolean,
  from: number,
): readonly Preparation[] {
  const parts = lines.length > 25 && random.chance(0.4) ? [lines.slice(0, 20), lines.slice(20)] : [lines];
  let earliest = from;
  return parts.map((part): Preparation => {
    const wave = nextWave(earliest);
    const begun = business ? onWorkingDay(midnight(wave.at) + dayMs + 8 * hourMs) : wave.at;
    const packedAt = begun + random.int(20, 150) * minuteMs + random.int(0, 59_999);
    earliest = wave.at + 1;
    return {
      wave: `W-${dayCode(wave.at)}-0${wave.rank}`,
      group: `G-${dayCode(wave.at)}-0${wave.rank}`,
      launchedAt: wave.at,
      packedAt,
      loadedAt: departure(packedAt) - random.int(0, 2_400_000),
      lines: part,
      state: 'waiting',
    };
  });
}
