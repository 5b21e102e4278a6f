// The order record as a feed would send it: as the customer placed it, with the state of its preparation.
import { dayCode, iso } from './calendar.ts';
import { pickupPoint } from './parcel-label.ts';
import type { DemoActivity } from './activities.ts';
import type { PlainRecord } from './catalogue.ts';
import type { Order, OrderedLine } from './placed-orders.ts';

/** The order record in its present state. */
export function orderRecord(activity: DemoActivity, order: Order): PlainRecord {
  const to = order.recipient;
  const gift = !order.business && order.sequence % 11 === 0;
  const records = order.lines.map((line) => lineRecord(activity, order, line));
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
    // The group is known once a wave is launched.
    prepOrderGroupID: order.preparations.findLast(({ state }) => state !== 'waiting')?.group ?? null,
    commandChannelDescription: order.business ? 'EDI' : activity.channel,
    commandType: order.business ? 'B2B' : 'B2C',
    expectedPrepDate: iso(order.preparations[0]?.launchedAt ?? order.integratedAt),
    ownerStockCode: activity.code,
    doManagedCustomerNumber: `C-${10_000 + ((order.sequence * 37) % 9000)}`,
    deliveryAddressTitle: to.title,
    deliveryAddressFirstname: to.firstName,
    deliveryAddressCompany: to.company,
    deliveryAddressAddress2: to.address2,
    ...billing(order),
    ...invoice(order),
    transportCode: order.business ? 'FREIGHT' : 'PARCEL',
    deliveryPickupPointID: pickupPoint(order),
    pickupPointCountryCode: order.relay ? to.country : null,
    carrierImposed: false,
    saturdayDeliveryRequired: false,
    recipientNotification: !order.business,
    orderProcessingPriority: order.business ? 3 : 5,
    requiresParcelShelter: order.lines.some(({ item }) => item.fragile),
    requiresGiftPackaging: gift,
    deliveryComment: deliveryComment(order),
    shippingLabelMessage: order.business ? null : (thanks[to.language] ?? thanks.en),
    specificGiftMessage: gift ? 'Joyeux anniversaire ! À très bientôt.' : null,
    preparationInstructions: instructions(order),
    documentLanguage: to.language,
    incotrm: to.country === 'GB' ? 'DDP' : 'DAP',
    orderEntries: records,
    orderSubOrders: order.business && order.sequence % 4 === 0 ? subOrders(order, records) : [],
  };
}

function billing({ recipient: to }: Order): PlainRecord {
  return {
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
  };
}

function invoice(order: Order): PlainRecord {
  const shippingHT = order.business ? 2400 : order.relay ? 325 : 490;
  const shippingTTC = Math.round(shippingHT * 1.2);
  const goodsHT = order.lines.reduce((sum, line) => sum + line.price * line.quantity, 0);
  const goodsTTC = order.lines.reduce((sum, line) => sum + withTax(line) * line.quantity, 0);
  return {
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
  };
}

/** Printed on the delivery note, in the language of the customer. */
const thanks: Readonly<Record<string, string>> = {
  fr: 'Merci de votre commande !',
  de: 'Vielen Dank für Ihre Bestellung!',
  es: '¡Gracias por su pedido!',
  it: 'Grazie per il suo ordine!',
  nl: 'Bedankt voor uw bestelling!',
  en: 'Thank you for your order!',
};

/** One customer in eight says where the parcel may be left; shops say when they accept deliveries. */
function deliveryComment({ business, relay, sequence }: Order): string | null {
  if (business) return sequence % 3 === 0 ? 'Deliveries from 8:00 to 11:30, by the yard.' : null;
  return !relay && sequence % 8 === 0 ? 'If nobody is in: with the neighbour on the ground floor.' : null;
}

/** Transport service of an order. */
export function transportService(order: Order): string {
  return order.business
    ? 'FREIGHT-48H'
    : order.relay
      ? 'RELAY-24R'
      : order.sequence % 9 === 0
        ? 'EXPRESS-24H'
        : 'HOME-48H';
}

function instructions({ enclosed, tooLate }: Order): string | null {
  const said = [
    ...(enclosed.length > 0 ? [`Enclose: ${enclosed.join(', ')}.`] : []),
    ...(tooLate.length > 0 ? [`Came after packing: ${tooLate.join(', ')}.`] : []),
  ];
  return said.length === 0 ? null : said.join(' ').slice(0, 200);
}

function withTax(line: OrderedLine): number {
  return Math.round((line.price * (100 + line.item.vat)) / 100);
}

function lineRecord(activity: DemoActivity, order: Order, line: OrderedLine): PlainRecord {
  return {
    orderLineID: line.id,
    articleReference: line.item.reference,
    quantityToPrepare: line.quantity,
    lineItemUniqueID: order.sequence * 100 + Number(line.id),
    ownerStockCode: activity.code,
    remainingQuantityToDeliver: order.cancelled ? 0 : line.quantity - line.shipped,
    unitPriceHT: line.price / 100,
    unitPriceTTC: withTax(line) / 100,
    articleVATRate: line.item.vat,
    articleVATAmount: ((withTax(line) - line.price) * line.quantity) / 100,
    articleNatureCN23: 'SALE',
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
function subOrders(order: Order, lines: readonly PlainRecord[]): readonly PlainRecord[] {
  const half = Math.ceil(lines.length / 2);
  return [lines.slice(0, half), lines.slice(half)].map((part, index) => ({
    clientOrderID: `${700_000 + order.sequence}-${index + 1}`,
    clientOrderPlacementDate: iso(order.placedAt),
    subOrderHeader: `Part ${index + 1} of 2`,
    subOrderClientMessage: index === 0 ? 'Please pack separately.' : null,
    orderEntries: part,
  }));
}
