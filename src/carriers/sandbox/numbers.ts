// The numbers of sandbox parcels: the expedition number of a shipment and the SSCC of each of its parcels.
import { checkDigit } from '../../model/check-digit.ts';
import { CarrierError } from '../carrier.ts';

/**
 * The number of a shipment: company prefix, sequence in at least seven digits, check digit. Accounts with different
 * prefixes never share one.
 * @param sequence 1, 2, 3, … of the prefix
 */
export function expeditionNumber(companyPrefix: string, sequence: number): string {
  const digits = companyPrefix + String(sequence).padStart(7, '0');
  return digits + checkDigit(digits);
}

/**
 * The serial shipping container code of a parcel, 18 digits: extension digit, company prefix, serial, check digit. The
 * serial is the sequence and two digits for the parcel; a digit of the sequence that does not fit becomes the extension
 * digit.
 * @param parcel 1 to 99
 * @throws CarrierError `configuration` if the prefix has no number left
 */
export function parcelSscc(companyPrefix: string, sequence: number, parcel: number): string {
  const places = 16 - companyPrefix.length - 2;
  const extension = Math.floor(sequence / 10 ** places);
  if (extension > 9)
    throw new CarrierError(
      'configuration',
      `The numbers of the company prefix ${companyPrefix} are used up: give the account another one.`,
    );
  const serial = String(sequence % 10 ** places).padStart(places, '0') + String(parcel).padStart(2, '0');
  const digits = `${extension}${companyPrefix}${serial}`;
  return digits + checkDigit(digits);
}

/** An SSCC as people read it: `(00) 0 9520000 000000101 4`. */
export function readableSscc(code: string, companyPrefix: string): string {
  const end = 1 + companyPrefix.length;
  return `(00) ${code.slice(0, 1)} ${code.slice(1, end)} ${code.slice(end, -1)} ${code.slice(-1)}`;
}

/** An expedition number as people read it: `9520000 0000001 7`. */
export function readableExpedition(number: string, companyPrefix: string): string {
  return `${number.slice(0, companyPrefix.length)} ${number.slice(companyPrefix.length, -1)} ${number.slice(-1)}`;
}
