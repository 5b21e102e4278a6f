// GS1 article numbers and container codes with the prefix 952, which is reserved for demonstrations.
import { checkDigit } from '../model/check-digit.ts';

/** Company prefixes under 952, one per demonstration activity. */
export type CompanyPrefix = `952${number}`;

/** GTIN-13 of a consumer unit. @param number the article's number within its company */
export function gtin13(prefix: CompanyPrefix, number: number): string {
  const digits = prefix + String(number).padStart(12 - prefix.length, '0');
  return digits + checkDigit(digits);
}

/** GTIN-14 of a package of that article. @param level 1 for the smallest package, up to 8 */
export function gtin14(gtin: string, level: number): string {
  const digits = String(level) + gtin.slice(0, 12);
  return digits + checkDigit(digits);
}

/** SSCC of a parcel or pallet, 18 digits. @param extension first digit, free to choose */
export function sscc(prefix: CompanyPrefix, extension: number, serial: number): string {
  const digits = String(extension) + prefix + String(serial).padStart(16 - prefix.length, '0');
  return digits + checkDigit(digits);
}
