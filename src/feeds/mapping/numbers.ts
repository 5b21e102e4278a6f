// Reads numbers in the notations of warehouse systems: decimal comma, thousands separators, trailing sign, implied
// decimals.

interface NumberNotation {
  readonly decimal: '.' | ',';
  /** The thousands separator; null: none. */
  readonly thousands: string | null;
  /** How many of the last digits are decimals when there is no decimal mark; 0: none. */
  readonly impliedDecimals: number;
}

/**
 * Makes the reader of numbers. @returns null for text that is not a number in this notation, including exponents and
 * infinities
 */
export function numberReader({ decimal, thousands, impliedDecimals }: NumberNotation): (text: string) => number | null {
  const separator = thousands === null ? null : thousands === ' ' ? '[ \\u00a0\\u202f]' : `[${thousands}]`;
  const whole = separator === null ? '\\d+' : `(?:\\d{1,3}(?:${separator}\\d{3})+|\\d+)`;
  const form = new RegExp(`^(?<before>[+-]?)(?<whole>${whole})?(?:[${decimal}](?<part>\\d+)?)?(?<behind>[+-]?)$`, 'u');
  const separators = separator === null ? null : new RegExp(separator, 'gu');
  return (text) => {
    if (text.length > maxDigits) return null;
    const { before = '', whole: given = '', part = '', behind = '' } = form.exec(text)?.groups ?? {};
    if ((given === '' && part === '') || (before !== '' && behind !== '')) return null;
    const digits = separators === null ? given : given.replaceAll(separators, '');
    const sign = before === '-' || behind === '-' ? '-' : '';
    if (impliedDecimals === 0 || text.includes(decimal)) return Number(`${sign}${digits}.${part}0`);
    const padded = digits.padStart(impliedDecimals + 1, '0');
    return Number(`${sign}${padded.slice(0, -impliedDecimals)}.${padded.slice(-impliedDecimals)}`);
  };
}

/** No number of a warehouse has more. */
const maxDigits = 64;
