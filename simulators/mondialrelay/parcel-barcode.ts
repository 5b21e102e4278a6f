// The 26 digits of a parcel's bar code, by Mondial Relay's specification of labels (version 2.3, "Barcode content" and
// "Control digits").
import { simulatorAccount } from './parcels.ts';

/** Agency, service (3: to a relay) and run, as in the example of the specification. */
const sorting = '0662312345';

/**
 * The content of the bar code on a parcel's label: brand, shipment, parcel and number of parcels, then the sorting
 * digits.
 */
export function parcelBarcode(shipmentNumber: string, parcel: number, parcels: number): string {
  const two = (count: number): string => String(count).padStart(2, '0');
  const first = `${simulatorAccount.brandCode}${shipmentNumber.padStart(8, '0')}${two(parcel)}${two(parcels)}`;
  return `${first}${controlDigit(first)}${sorting}${controlDigit(sorting)}`;
}

/**
 * Factors 2 to 7, repeated from the right; the difference between the sum and the next multiple of eleven, and 0 for 10
 * and 11.
 */
export function controlDigit(digits: string): string {
  const sum = [...digits].toReversed().reduce((total, digit, index) => total + Number(digit) * (2 + (index % 6)), 0);
  const rest = 11 - (sum % 11);
  return rest >= 10 ? '0' : String(rest);
}
