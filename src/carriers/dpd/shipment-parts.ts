// The parts that shipments and returns of DPD France share: addresses, weights, and the customer.
import type { LabelRequest } from '../../model/shipping.ts';
import type { CarrierAccount } from '../carrier.ts';
import { frenchDay } from '../paris-time.ts';
import { elementsOf } from '../soap.ts';
import type { XmlPart } from '../xml/write.ts';

/** Elements of an address, in the order of the service's schema. */
export function addressOf(request: LabelRequest, side: 'exp' | 'dest'): readonly XmlPart[] {
  return elementsOf({
    countryPrefix: request[`${side}Country`],
    zipCode: request[`${side}Zip`],
    city: request[`${side}City`],
    street: request[`${side}Addr2`],
    name: request[`${side}Addr1`],
    phoneNumber: telephoneDigits(request[`${side}Tel1`]),
  });
}

/** Elements that give the customer of a shipment and the day it leaves. */
export function customerOf({ settings }: CarrierAccount, now: number): readonly XmlPart[] {
  const { countryCode = '', centerNumber = '', customerNumber = '' } = settings;
  return elementsOf({
    customer_countrycode: countryCode,
    customer_centernumber: centerNumber,
    customer_number: customerNumber,
    shippingdate: frenchDay(now),
  });
}

/** Digits, after a plus if the number has a country code. */
export function telephoneDigits(telephone: string): string {
  return telephone.replace(/\(0\)/, '').replace(/[^\d+]/g, '');
}

/** Two decimals, never less than the weight. */
export function kilograms(grams: number): string {
  return String(Math.ceil(grams / 10) / 100);
}
