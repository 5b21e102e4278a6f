// Numbers as warehouse systems write them: decimal comma, thousands, a sign behind, decimals without a mark.

interface NumberNotation {
  readonly decimal: '.' | ',';
  /** What may stand between thousands; null: nothing. */
  readonly thousands: string | null;
  /** How many of the last digits are decimals where no mark is written; 0: none. */
  readonly impliedDecimals: number;
}

/** Reads a number. @returns null for text that is none in this notation, exponents and infinities among it */
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
