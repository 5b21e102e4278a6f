// The spellings of GLS's numbers.

/**
 * Other spellings of a parcel's number: it has 11 digits, or 12 with the check digit; both are documented for the same
 * parcel. Without the check digit, whatever digit follows leads to it.
 */
export function otherSpellings(number: string): readonly string[] {
  if (/^\d{12}$/.test(number)) return [number.slice(0, -1)];
  return /^\d{11}$/.test(number) ? Array.from({ length: 10 }, (_, digit) => `${number}${digit}`) : [];
}
