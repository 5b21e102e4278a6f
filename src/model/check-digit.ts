// The GS1 check digit: the last digit of a GTIN (EAN, UPC) or SSCC.

/**
 * The check digit (GS1 General Specifications, 7.9.1): weights 3, 1, 3, … from the right, then the difference to the
 * next ten.
 */
export function checkDigit(digits: string): string {
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) sum += Number(digits[digits.length - 1 - at]) * (at % 2 === 0 ? 3 : 1);
  return String((10 - (sum % 10)) % 10);
}
