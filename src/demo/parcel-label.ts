// The label of a parcel at the sandbox carrier, as if the warehouse had requested it: its tracking is derived from it.
import type { LabelRequest } from '../model/shipping.ts';
import type { DemoActivity } from './activities.ts';
import type { ParcelLabel } from './messages.ts';
import type { Parcel } from './parcels.ts';
import type { Order } from './placed-orders.ts';

/** The sender of the demonstration's parcels. */
export const demoSender = {
  expLang: 'FR',
  expAddr2: '4 rue des Entrepôts',
  expCity: 'Lesquin',
  expZip: '59810',
  expCountry: 'FR',
  expTel1: '+33320000000',
  expMail: 'dispatch@example.com',
} as const;

/** The pick-up point of an order; null: home delivery. */
export function pickupPoint({ relay, sequence }: Order): string | null {
  return relay ? String(100_000 + ((sequence * 7919) % 900_000)) : null;
}

export function labelOf(activity: DemoActivity, order: Order, parcel: Parcel): ParcelLabel {
  const to = order.recipient;
  const point = pickupPoint(order);
  const request: LabelRequest = {
    modeCol: 'CCC',
    modeLiv: point === null ? 'HOM' : '24R',
    ...demoSender,
    expAddr1: activity.name,
    destLang: to.language.toUpperCase(),
    destAddr1: to.company ?? `${to.firstName} ${to.lastName}`,
    destAddr2: to.address1,
    destCity: to.city,
    destZip: to.postalCode,
    destCountry: to.country,
    destTel1: to.phone,
    destMail: to.email,
    weight: String(parcel.weight),
    nbPackage: '1',
    crtValue: '',
    pickupPointCountry: '',
    pickupPoint: '',
    shippingPickupPointCountry: point === null ? '' : to.country,
    shippingPickupPoint: point ?? '',
    nClient: '',
    nDossier: `${order.number} ${order.incident}`.trimEnd(),
    apiVersion: '',
    outputType: 'PdfUrl',
    outputFormat: '10x15',
    instruction: '',
    content: '',
  };
  return { number: parcel.trackingNumber, request, createdAt: parcel.builtAt };
}
