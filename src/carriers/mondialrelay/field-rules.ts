// Rules for values of a label request as Mondial Relay would receive them; each returns no fault, or one that says what
// would be right.
import { textBlock } from '../../model/text-block.ts';
import type { LabelField, LabelRequest } from '../../model/shipping.ts';
import { digits } from '../label-rules.ts';
import type { Version } from './account.ts';
import { internationalPhone, phoneAdvice } from './phone.ts';
import { countryCode, strangers } from './plain-text.ts';
import { reasonAt } from '../carrier.ts';
import type { Reason } from '../../model/record.ts';

/** What a text may be. */
interface TextRule {
  /** What the text is, for the fault if it is missing; null if it is optional. */
  readonly needed: string | null;
  readonly min?: number;
  readonly max: number;
  /** Matches each allowed character. */
  readonly allowed?: RegExp;
  /** The same in words. */
  readonly characters?: string;
}

/**
 * Checks a text.
 * @param value as it would be sent, with accents and the like already rewritten
 */
export function textReasons(
  field: LabelField,
  value: string,
  { needed, min = 1, max, allowed, characters = '' }: TextRule,
): readonly Reason[] {
  if (value === '') return needed === null ? [] : [reasonAt(field, 'required', `${field} is needed: ${needed}.`)];
  if (value.length > max)
    return [
      reasonAt(field, 'too-long', `${field} has ${value.length} characters as it is sent; at most ${max} are allowed.`),
    ];
  const strange = allowed === undefined ? [] : strangers(value, allowed);
  if (strange.length > 0)
    return [
      reasonAt(
        field,
        'wrong-format',
        textBlock`
          ${field} holds ${strange.map((character) => JSON.stringify(character)).join(' ')}; it may hold ${characters}.
        `,
      ),
    ];
  return value.length < min ? [reasonAt(field, 'too-short', `${field} must have at least ${min} characters.`)] : [];
}

/** @param right what would be right, as the end of `expZip must be …` */
export function patternReasons(field: LabelField, value: string, pattern: RegExp, right: string): readonly Reason[] {
  return value === '' || pattern.test(value) ? [] : [reasonAt(field, 'wrong-format', `${field} must be ${right}.`)];
}

/** @param needed what it is */
export function choiceReasons(
  field: LabelField,
  value: string,
  choices: readonly string[],
  needed: string,
): readonly Reason[] {
  if (value === '')
    return [reasonAt(field, 'required', `${field} is needed: ${needed}, one of ${choices.join(', ')}.`)];
  return choices.includes(value)
    ? []
    : [reasonAt(field, 'unknown-code', `${field} must be one of ${choices.join(', ')}.`)];
}

/** @param needed whose telephone it is, if it is required */
export function phoneReasons(
  request: LabelRequest,
  side: 'exp' | 'dest',
  version: Version,
  needed: string | null,
): readonly Reason[] {
  const field = `${side}Tel1` as const;
  const phone = internationalPhone(request[field], request[`${side}Country`]);
  if (phone === '') return needed === null ? [] : [reasonAt(field, 'required', `${field} is needed: ${needed}.`)];
  const advice = phoneAdvice(phone, version);
  return advice === null ? [] : [reasonAt(field, 'wrong-format', `${field} must be ${advice}.`)];
}

export function mailReasons(field: LabelField, value: string): readonly Reason[] {
  const found = textReasons(field, value, {
    needed: null,
    min: 7,
    max: 70,
    allowed: /[\w\-.@]/,
    characters: 'letters without accents, digits and - _ . @',
  });
  return found.length > 0 ? found : patternReasons(field, value, /^[^@]+@[^@]+$/, 'an e-mail address');
}

export function countryReasons(field: LabelField, value: string, needed: string): readonly Reason[] {
  if (value === '') return [reasonAt(field, 'required', `${field} is needed: ${needed}.`)];
  return patternReasons(field, value, /^[A-Z]{2}$/, 'a country in two letters (ISO 3166-1), such as FR');
}

/** Number of parcels, and whether the delivery mode allows several. */
export function countReasons({ nbPackage, modeLiv }: LabelRequest, several: readonly string[]): readonly Reason[] {
  const count = digits(nbPackage);
  if (nbPackage === '') return [reasonAt('nbPackage', 'required', 'nbPackage is needed: how many parcels.')];
  if (count === null || count < 1 || count > 99)
    return [
      reasonAt(
        'nbPackage',
        count === null ? 'wrong-format' : 'out-of-range',
        'nbPackage must be a number of parcels, in digits, from 1 to 99.',
      ),
    ];
  if (count === 1 || several.includes(modeLiv)) return [];
  return [
    reasonAt(
      'nbPackage',
      'not-offered',
      `nbPackage must be 1 with this modeLiv: several parcels go with ${several.join(', ')} alone.`,
    ),
  ];
}

/** Grams, within bounds. */
export function weightReasons({ weight }: LabelRequest, least: number, max: number): readonly Reason[] {
  const grams = digits(weight);
  if (weight === '') return [reasonAt('weight', 'required', 'weight is needed: the weight of the shipment in grams.')];
  if (grams !== null && grams >= least && grams <= max) return [];
  return [
    reasonAt(
      'weight',
      grams === null ? 'wrong-format' : 'out-of-range',
      `weight must be grams, in digits, from ${least} to ${max}.`,
    ),
  ];
}

/** A relay as a request names it. */
interface Relay {
  readonly country: string;
  readonly number: string;
}

type PointField = 'pickupPoint' | 'shippingPickupPoint';

/** The relay of a request: `66974` with its country beside it, or `FR-66974`. */
export function relayOf(request: LabelRequest, field: PointField): Relay {
  const point = request[field].trim().toUpperCase();
  const [, prefix = '', number = point] = /^([A-Z]{2})-(.*)$/.exec(point) ?? [];
  const country = request[`${field}Country`];
  return { country: countryCode(country === '' ? prefix : country), number };
}

/**
 * Checks a relay.
 * @param needed why it is required, null if it is not
 */
export function relayReasons(
  request: LabelRequest,
  field: PointField,
  pattern: RegExp,
  right: string,
  needed: string | null,
): readonly Reason[] {
  const countryField = `${field}Country` as const;
  const { country, number } = relayOf(request, field);
  const [, prefix = ''] = /^([A-Z]{2})-/.exec(request[field].trim().toUpperCase()) ?? [];
  const missing =
    needed === null
      ? []
      : [
          ...(number === '' ? [reasonAt(field, 'required', `${field} is needed: ${needed}.`)] : []),
          ...(country === ''
            ? [reasonAt(countryField, 'required', `${countryField} is needed: the country of the relay.`)]
            : []),
        ];
  if (missing.length > 0) return missing;
  if (number !== '' && country === '')
    return [reasonAt(countryField, 'required', `${countryField} is needed with ${field}: the country of the relay.`)];
  if (prefix !== '' && countryCode(prefix) !== country)
    return [
      reasonAt(field, 'wrong-format', `${field} and ${countryField} name different countries; give the country once.`),
    ];
  return [
    ...patternReasons(countryField, country, /^[A-Z]{2}$/, 'a country in two letters, such as FR'),
    ...patternReasons(field, number, pattern, right),
  ];
}
