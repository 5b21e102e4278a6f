// The spellings of DHL's numbers.

/**
 * Other spellings of a shipment's number: it is an SSCC, which DHL also writes with the two zeros that announce one in
 * a bar code (GS1 application identifier 00), as in the description of its tracking.
 */
export function otherSpellings(number: string): readonly string[] {
  if (/^\d{18}$/.test(number)) return [`00${number}`];
  return /^00\d{18}$/.test(number) ? [number.slice(2)] : [];
}
