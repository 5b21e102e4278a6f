// Puts telephone numbers in Mondial Relay's international form, by its documented rules for each country.
import type { Version } from './account.ts';

/** One country: the digits after its prefix, per version; null if the documentation says nothing. */
interface DialRule {
  readonly countries: readonly string[];
  /** The digit before national numbers that international ones omit. */
  readonly trunk: '0' | '';
  readonly patterns: Readonly<Record<Version, RegExp | null>>;
  /** What would be right. */
  readonly right: Readonly<Record<Version, string>>;
}

const nineDigits = /^[1-9]\d{8}$/;
const nine = 'nine digits, the first not 0';
const overseas = (countries: readonly string[]): DialRule => ({
  countries,
  trunk: '0',
  patterns: { 1: null, 2: nineDigits },
  right: { 1: '', 2: nine },
});

/**
 * By prefix. Version 1 is documented to accept five digits after +377, which no number of Monaco has: up to nine are
 * accepted here, as in version 2.
 */
const dialRules: Readonly<Record<string, DialRule>> = {
  33: { countries: ['FR'], trunk: '0', patterns: { 1: nineDigits, 2: nineDigits }, right: { 1: nine, 2: nine } },
  34: {
    countries: ['ES'],
    trunk: '',
    patterns: { 1: /^[69]\d{8}$/, 2: nineDigits },
    right: { 1: 'nine digits, the first 6 or 9', 2: nine },
  },
  32: {
    countries: ['BE'],
    trunk: '0',
    patterns: { 1: /^4?\d{8}$/, 2: /^4?\d{8}$/ },
    right: { 1: 'eight digits, or 4 and eight digits', 2: 'eight digits, or 4 and eight digits' },
  },
  49: {
    countries: ['DE'],
    trunk: '0',
    patterns: { 1: /^\d{10,11}$/, 2: /^\d{5,11}$/ },
    right: { 1: '10 or 11 digits', 2: '5 to 11 digits' },
  },
  352: {
    countries: ['LU'],
    trunk: '',
    patterns: { 1: /^\d{6,10}$/, 2: /^\d{5,9}$/ },
    right: { 1: '6 to 10 digits', 2: '5 to 9 digits' },
  },
  351: {
    countries: ['PT'],
    trunk: '',
    patterns: { 1: /^\d{9}$/, 2: /^\d{5,9}$/ },
    right: { 1: 'nine digits', 2: '5 to 9 digits' },
  },
  43: { countries: ['AT'], trunk: '0', patterns: { 1: null, 2: /^\d{4,13}$/ }, right: { 1: '', 2: '4 to 13 digits' } },
  44: {
    countries: ['GB', 'UK'],
    trunk: '0',
    patterns: { 1: null, 2: /^\d{7,10}$/ },
    right: { 1: '', 2: '7 to 10 digits' },
  },
  39: {
    countries: ['IT'],
    trunk: '',
    patterns: { 1: /^\d{10}$/, 2: /^\d{9,10}$/ },
    right: { 1: '10 digits', 2: '9 or 10 digits' },
  },
  31: { countries: ['NL'], trunk: '0', patterns: { 1: null, 2: /^\d{9}$/ }, right: { 1: '', 2: 'nine digits' } },
  353: { countries: ['IE'], trunk: '0', patterns: { 1: null, 2: /^\d{9}$/ }, right: { 1: '', 2: 'nine digits' } },
  41: { countries: ['CH'], trunk: '0', patterns: { 1: null, 2: /^\d{9}$/ }, right: { 1: '', 2: 'nine digits' } },
  48: { countries: ['PL'], trunk: '', patterns: { 1: null, 2: /^\d{9}$/ }, right: { 1: '', 2: 'nine digits' } },
  377: {
    countries: ['MC'],
    trunk: '',
    patterns: { 1: /^\d{5,9}$/, 2: /^\d{5,9}$/ },
    right: { 1: '5 to 9 digits', 2: '5 to 9 digits' },
  },
  594: overseas(['GF']),
  590: overseas(['MF', 'GP']),
  596: overseas(['MQ']),
  262: overseas(['YT', 'RE']),
};

/**
 * A number in international form: `06 12 34 56 78` in France → `+33612345678`. A text that is no telephone number stays
 * as it is.
 * @param country of the address, two letters: that of a number without a prefix
 */
export function internationalPhone(text: string, country: string): string {
  const digits = text
    .replaceAll('(0)', '')
    .replaceAll(/[\s.\-/()]/g, '')
    .replace(/^00/, '+');
  if (!/^\d+$/.test(digits)) return digits;
  const [prefix, rule] =
    Object.entries(dialRules).find(([, { countries }]) => countries.includes(country.trim().toUpperCase())) ?? [];
  if (prefix === undefined || rule === undefined) return digits;
  return `+${prefix}${rule.trunk !== '' && digits.startsWith(rule.trunk) ? digits.slice(1) : digits}`;
}

/**
 * What would be right in place of a number, null if it is right. If the documentation has no rule for a prefix, any
 * international number is accepted.
 * @param phone from `internationalPhone`, not empty
 */
export function phoneAdvice(phone: string, version: Version): string | null {
  const example = 'such as +33612345678';
  if (!phone.startsWith('+')) return `a number with the prefix of its country, ${example}`;
  const prefix = Object.keys(dialRules)
    .toSorted((one, other) => other.length - one.length)
    .find((digits) => phone.startsWith(`+${digits}`));
  const rule = prefix === undefined ? undefined : dialRules[prefix];
  const pattern = rule?.patterns[version] ?? null;
  if (!/^\+\d{3,20}$/.test(phone)) return `a + and 3 to 20 digits, ${example}`;
  if (prefix === undefined || rule === undefined || pattern === null) return null;
  return pattern.test(phone.slice(prefix.length + 1)) ? null : `+${prefix} and ${rule.right[version]}`;
}

/** Whether it is certainly a mobile number; known only of French numbers. */
export function isMobile(phone: string): boolean {
  return /^\+33[67]/.test(phone);
}
