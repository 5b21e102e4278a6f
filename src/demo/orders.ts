// The orders of a demonstration activity: who orders what and when, and the order record that a feed would bring.
import { dayMs } from '../model/instant.ts';
import { ORDERS } from './activities.ts';
import {
  dayCode,
  departure,
  historyDays,
  hourMs,
  iso,
  midnight,
  minuteMs,
  nextWave,
  onWorkingDay,
} from './calendar.ts';
import { recipient } from './places.ts';
import { createRandom, weighted } from './random.ts';
import type { DemoActivity } from './activities.ts';
import type { Item, PlainRecord } from './catalogue.ts';
import type { Recipient } from './places.ts';
import type { Random } from './random.ts';

/** `price` in cents without tax. */
export interface OrderedLine {
  readonly id: string;
  readonly item: Item;
  readonly quantity: number;
  readonly price: number;
}

/** Lines of an order that are prepared together. */
export interface Preparation {
  readonly wave: string;
  readonly group: string;
  readonly launchedAt: number;
  readonly packedAt: number;
  readonly loadedAt: number;
  readonly lines: readonly OrderedLine[];
}

export interface PlacedOrder {
  readonly number: string;
  readonly sequence: number;
  readonly business: boolean;
  readonly relay: boolean;
  readonly cancelled: boolean;
  readonly placedAt: number;
  readonly integratedAt: number;
  readonly recipient: Recipient;
  readonly lines: readonly OrderedLine[];
  /** One, two for long orders. */
  readonly preparations: readonly Preparation[];
}

const HOURS = [6, 7, 8, 9, 10, 11, 12, 12, 13, 14, 15, 17, 18, 19, 19, 20, 20, 21, 22];
const LINES = [1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 4, 5];
const QUANTITIES = [1, 1, 1, 1, 1, 1, 1, 2, 2, 3];
const BOTTLES = [1, 1, 2, 2, 3, 6];

/** The orders that were placed and taken in before `now`, oldest first. */
export function placeOrders(activity: DemoActivity, items: readonly Item[], now: number): readonly PlacedOrder[] {
  const random = createRandom(`${activity.code}/orders`);
  const wanted = items.filter((item) => item.popularity > 0 && !item.discontinued);
  const someItem = weighted(wanted, (item) => item.popularity);
  const times = Array.from({ length: ORDERS }, () => {
    const business = random.chance(activity.business);
    const day = midnight(now) - random.int(0, historyDays - 2) * dayMs;
    const placedAt =
      day +
      (business ? random.int(7, 15) : random.pick(HOURS)) * hourMs +
      random.int(0, 59) * minuteMs +
      random.int(0, 59) * 1000;
    const integratedAt = placedAt + random.int(60, 300) * 1000;
    const early = integratedAt > now ? dayMs : 0;
    return { business, placedAt: placedAt - early, integratedAt: integratedAt - early };
  }).sort((one, other) => one.placedAt - other.placedAt);
  return times.map(({ business, placedAt, integratedAt }, index) => {
    const lines = orderLines(random, someItem, business);
    return {
      number: `${activity.code}-${dayCode(placedAt)}-${String(index + 1).padStart(5, '0')}`,
      sequence: index + 1,
      business,
      relay: !business && random.chance(0.35),
      cancelled: random.chance(0.005),
      placedAt,
      integratedAt,
      recipient: recipient(random, business),
      lines,
      preparations: preparations(random, lines, business, integratedAt),
    };
  });
}

function orderLines(random: Random, someItem: (random: Random) => Item, business: boolean): readonly OrderedLine[] {
  const count = business ? random.int(10, 40) : random.pick(LINES);
  const chosen = new Set<Item>();
  while (chosen.size < count) chosen.add(someItem(random));
  return [...chosen].map((item, index) => {
    const packs = item.spcb > 1 ? item.spcb * random.int(1, 2) : Math.max(1, Math.round(item.pcb / 2));
    const quantity = item.serialized ? 1 : business ? packs : random.pick(item.alcohol === null ? QUANTITIES : BOTTLES);
    return { id: String(index + 1), item, quantity, price: business ? Math.round(item.price * 0.6) : item.price };
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
    const packedAt = begun + random.int(20, 150) * minuteMs + random.int(0, 59) * 1000;
    earliest = wave.at + 1;
    return {
      wave: `W-${dayCode(wave.at)}-0${wave.rank}`,
      group: `G-${dayCode(wave.at)}-0${wave.rank}`,
      launchedAt: wave.at,
      packedAt,
      loadedAt: departure(packedAt) - random.int(0, 2400) * 1000,
      lines: part,
    };
  });
}

/**
 * The order record.
 * @param shipped quantity that left so far, by line
 */
export function orderRecord(
  activity: DemoActivity,
  order: PlacedOrder,
  shipped: ReadonlyMap<OrderedLine, number>,
): PlainRecord {
  const to = order.recipient;
  const gift = !order.business && order.sequence % 11 === 0;
  const shippingHT = order.business ? 2400 : order.relay ? 325 : 490;
  const shippingTTC = Math.round(shippingHT * 1.2);
  const goodsHT = order.lines.reduce((sum, line) => sum + line.price * line.quantity, 0);
  const goodsTTC = order.lines.reduce((sum, line) => sum + withTax(line) * line.quantity, 0);
  const records = order.lines.map((line) => lineRecord(activity, order, line, shipped.get(line) ?? 0));
  return {
    activityCode: activity.code,
    orderUniqueID: order.number,
    customerOrderPlacementDate: iso(order.placedAt),
    deliveryAddressLastname: to.lastName,
    deliveryAddressAddress1: to.address1,
    deliveryAddressPostalCode: to.postalCode,
    deliveryAddressCity: to.city,
    deliveryAddressCountry: to.country,
    deliveryAddressPhone: to.phone,
    deliveryAddressEmail: to.email,
    transportServiceCode: transportService(order),
    subActivityCode: order.business ? 'B2B' : 'WEB',
    operationType: 'P',
    clientTransmittedFlowName: `${activity.code.toLowerCase()}-orders`,
    svcConnectIntegrationDate: iso(order.integratedAt),
    customerOrderID: String(700_000 + order.sequence),
    prepOrderGroupID: order.preparations[0]?.group ?? null,
    commandChannelDescription: order.business ? 'EDI' : activity.channel,
    commandType: order.business ? 'B2B' : 'B2C',
    expectedPrepDate: iso(order.preparations[0]?.launchedAt ?? order.integratedAt),
    ownerStockCode: activity.code,
    doManagedCustomerNumber: `C-${10_000 + ((order.sequence * 37) % 9000)}`,
    deliveryAddressTitle: to.title,
    deliveryAddressFirstname: to.firstName,
    deliveryAddressCompany: to.company,
    deliveryAddressAddress2: to.address2,
    billingAddressTitle: to.title,
    billingAddressLastname: to.lastName,
    billingAddressFirstname: to.firstName,
    billingAddressCompany: to.company,
    billingAddressAddress1: to.address1,
    billingAddressAddress2: to.address2,
    billingAddressPostalCode: to.postalCode,
    billingAddressCity: to.city,
    billingAddressCountry: to.country,
    billingAddressPhone: to.phone,
    billingAddressMail: to.email,
    customerInvoiceNumber: `INV-${dayCode(order.placedAt)}-${order.sequence}`,
    invoiceIssuanceDate: iso(order.placedAt),
    paymentMode: order.business ? 'Transfer' : 'Card',
    paymentCurrency: 'EUR',
    currencyRateToEuro: 1,
    discountAmount: 0,
    discountRate: 0,
    totalInvoiceHT: (goodsHT + shippingHT) / 100,
    totalInvoiceTTC: (goodsTTC + shippingTTC) / 100,
    shippingCost: shippingTTC / 100,
    transportCode: order.business ? 'FREIGHT' : 'PARCEL',
    deliveryPickupPointID: order.relay ? String(100_000 + ((order.sequence * 7919) % 900_000)) : null,
    pickupPointCountryCode: order.relay ? to.country : null,
    carrierImposed: false,
    saturdayDeliveryRequired: false,
    recipientNotification: !order.business,
    orderProcessingPriority: order.business ? 3 : 5,
    requiresParcelShelter: order.lines.some(({ item }) => item.fragile),
    requiresGiftPackaging: gift,
    specificGiftMessage: gift ? 'Joyeux anniversaire ! À très bientôt.' : null,
    documentLanguage: to.language,
    incotrm: to.country === 'GB' ? 'DDP' : 'DAP',
    orderEntries: records,
    orderSubOrders: order.business && order.sequence % 4 === 0 ? subOrders(order, records) : [],
  };
}

/** Service by which an order travels. */
export function transportService(order: PlacedOrder): string {
  return order.business
    ? 'FREIGHT-48H'
    : order.relay
      ? 'RELAY-24R'
      : order.sequence % 9 === 0
        ? 'EXPRESS-24H'
        : 'HOME-48H';
}

function withTax(line: OrderedLine): number {
  return Math.round((line.price * (100 + line.item.vat)) / 100);
}

function lineRecord(activity: DemoActivity, order: PlacedOrder, line: OrderedLine, shipped: number): PlainRecord {
  return {
    orderLineID: line.id,
    articleReference: line.item.reference,
    quantityToPrepare: line.quantity,
    lineItemUniqueID: order.sequence * 100 + Number(line.id),
    ownerStockCode: activity.code,
    remainingQuantityToDeliver: order.cancelled ? 0 : line.quantity - shipped,
    unitPriceHT: line.price / 100,
    unitPriceTTC: withTax(line) / 100,
    articleVATRate: line.item.vat,
    articleVATAmount: ((withTax(line) - line.price) * line.quantity) / 100,
    articleCN23CustomsCode: line.item.customs,
    articleOriginCountry: line.item.origin,
    articleBLDesignation: line.item.short,
    articleHasSerialNumber: line.item.serialized,
    articleHasDLUO: line.item.shelfLife !== null,
    articleHasLotNumber: line.item.lots,
    gradeCode: 'STD',
    allowPackagingSubstitution: false,
  };
}

/** A shop orders for several of its own customers: every line belongs to one of two sub-orders. */
function subOrders(order: PlacedOrder, lines: readonly PlainRecord[]): readonly PlainRecord[] {
  const half = Math.ceil(lines.length / 2);
  return [lines.slice(0, half), lines.slice(half)].map((part, index) => ({
    clientOrderID: `${700_000 + order.sequence}-${index + 1}`,
    clientOrderPlacementDate: iso(order.placedAt),
    subOrderHeader: `Part ${index + 1} of 2`,
    orderEntries: part,
  }));
}
