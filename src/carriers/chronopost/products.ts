// Chronopost's products, and the service code that each is shipped with.
import type { LabelRequest } from '../../model/shipping.ts';
import { digits } from '../label-rules.ts';

/** Chrono 13, 10, 18, Express, Premium, Classic: delivered to the door. */
export const homeDeliveryProducts: readonly string[] = ['01', '02', '16', '17', '37', '44'];
/** Chrono Relais, Relais Europe, Relais DOM, 2Shop Direct, 2Shop Europe. */
export const pointProducts: readonly string[] = ['86', '49', '4P', '5X', '6B'];

/** Codes for the day of delivery, which most products share. */
const monday = '1';
const saturday = '6';
const dayCodes: readonly string[] = ['', '0', monday, saturday];

/** Up to this weight, Relais Europe and 2Shop Europe have separate services. */
const maxSmallGrams = 3000;

/** Codes of the products that do not use the three codes for the day, as Chronopost's own modules send them. */
const servicesOf: Readonly<Record<string, readonly string[]>> = {
  '49': ['337', '338'],
  '6B': ['337', '338'],
  '4P': ['368', '369'],
  '4I': ['973', '974'],
  '5X': ['6'],
};

/** What `modeCol` may be for a product, beside empty and the codes for the day; empty if any code is allowed. */
export function ownServices(product: string): readonly string[] {
  return Object.hasOwn(servicesOf, product) ? (servicesOf[product] ?? []) : [];
}

/** Whether a code gives only the day, so that the product decides what is sent. */
export function isDayCode(service: string): boolean {
  return dayCodes.includes(service);
}

/** The service code of a shipment: `modeCol` in the form of the product. */
export function serviceOf({ modeLiv, modeCol, weight }: LabelRequest): string {
  const [first = '', second = first] = ownServices(modeLiv);
  if (!isDayCode(modeCol)) return modeCol;
  if (first === '') return modeCol === '' ? '0' : modeCol;
  if (modeLiv === '49' || modeLiv === '6B') return (digits(weight) ?? 0) <= maxSmallGrams ? first : second;
  return modeCol === saturday ? second : first;
}
