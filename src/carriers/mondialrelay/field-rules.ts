// Rules for values of a label request as Mondial Relay would get them; each gives no fault or one that says what would
// be right.
import { textBlock } from '../../model/text-block.ts';
import type { LabelField, LabelRequest } from '../../model/shipping.ts';
import { digits, type Findings } from '../label-rules.ts';
import type { Version } from './account.ts';
import { internationalPhone, phoneAdvice } from './phone.ts';
import { countryCode, strangers } from './plain-text.ts';

/** What a text may be. */
export interface TextRule {
  /** What it is, for the fault of a missing one; null where it may be missing. */
  readonly needed: string | null;
  readonly min?: number;
  readonly max: number;
  /** Matches each character that may be in it. */
  readonly allowed?: RegExp;
  /** The same in words. */
  readonly characters?: string;
}

/**
 * Checks a text.
 * @param value as it would be sent: accents and the like are rewritten already
 */
export function textFindings(
  field: LabelField,
  value: string,
  { needed, min = 1, max, allowed, characters = '' }: TextRule,
): Findings {
  if (value === '')
    return needed === null ? [] : [{ field, code: 'required', detail: `${field} is needed: ${needed}.` }];
  if (value.length > max)
    return [
      {
        field,
        code: 'too-long',
        detail: `${field} has ${value.length} characters as it is sent; at most ${max} are allowed.`,
      },
    ];
  const strange = allowed === undefined ? [] : strangers(value, allowed);
  if (strange.length > 0)
    return [
      {
        field,
        code: 'wrong-format',
        detail: textBlock`
          ${field} holds ${strange.map((character) => JSON.stringify(character)).join(' ')}; it may hold ${characters}.
        `,
      },
    ];
  return value.length < min
    ? [{ field, code: 'too-short', detail: `${field} must have at least ${min} characters.` }]
    : [];
}

/** @param right what would be right, as the end of `expZip must be …` */
export function patternFindings(field: LabelField, value: string, pattern: RegExp, right: string): Findings {
  return value === '' || pattern.test(value)
    ? []
    : [{ field, code: 'wrong-format', detail: `${field} must be ${right}.` }];
}

/** @param needed what it is */
export function choiceFindings(field: LabelField, value: string, choices: readonly string[], needed: string): Findings {
  if (value === '')
    return [{ field, code: 'required', detail: `${field} is needed: ${needed}, one of ${choices.join(', ')}.` }];
  return choices.includes(value)
    ? []
    : [{ field, code: 'unknown-code', detail: `${field} must be one of ${choices.join(', ')}.` }];
}

/** @param needed whose telephone it is, where it must be there */
export function phoneFindings(
  request: LabelRequest,
  side: 'exp' | 'dest',
  version: Version,
  needed: string | null,
): Findings {
  const field = `${side}Tel1` as const;
  const phone = internationalPhone(request[field], request[`${side}Country`]);
  if (phone === '')
    return needed === null ? [] : [{ field, code: 'required', detail: `${field} is needed: ${needed}.` }];
  const advice = phoneAdvice(phone, version);
  return advice === null ? [] : [{ field, code: 'wrong-format', detail: `${field} must be ${advice}.` }];
}

export function mailFindings(field: LabelField, value: string): Findings {
  const found = textFindings(field, value, {
    needed: null,
    min: 7,
    max: 70,
    allowed: /[\w\-.@]/,
    characters: 'letters without accents, digits and - _ . @',
  });
  return found.length > 0 ? found : patternFindings(field, value, /^[^@]+@[^@]+$/, 'an e-mail address');
}

export function countryFindings(field: LabelField, value: string, needed: string): Findings {
  if (value === '') return [{ field, code: 'required', detail: `${field} is needed: ${needed}.` }];
  return patternFindings(field, value, /^[A-Z]{2}$/, 'a country in two letters (ISO 3166-1), such as FR');
}

/** Number of parcels, and that the way of delivery takes several. */
export function countFindings({ nbPackage, modeLiv }: LabelRequest, several: readonly string[]): Findings {
  const count = digits(nbPackage);
  if (nbPackage === '')
    return [{ field: 'nbPackage', code: 'required', detail: 'nbPackage is needed: how many parcels.' }];
  if (count === null || count < 1 || count > 99)
    return [
      {
        field: 'nbPackage',
        code: count === null ? 'wrong-format' : 'out-of-range',
        detail: 'nbPackage must be a number of parcels, in digits, from 1 to 99.',
      },
    ];
  if (count === 1 || several.includes(modeLiv)) return [];
  return [
    {
      field: 'nbPackage',
      code: 'not-offered',
      detail: `nbPackage must be 1 with this modeLiv: several parcels go with ${several.join(', ')} alone.`,
    },
  ];
}

/** Grams, within bounds. */
export function weightFindings({ weight }: LabelRequest, least: number, most: number): Findings {
  const grams = digits(weight);
  if (weight === '')
    return [{ field: 'weight', code: 'required', detail: 'weight is needed: the weight of the shipment in grams.' }];
  if (grams !== null && grams >= least && grams <= most) return [];
  return [
    {
      field: 'weight',
      code: grams === null ? 'wrong-format' : 'out-of-range',
      detail: `weight must be grams, in digits, from ${least} to ${most}.`,
    },
  ];
}

/** A relay as a request names it. */
export interface Relay {
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
 * @param needed why it must be there, null where it need not be
 */
export function relayFindings(
  request: LabelRequest,
  field: PointField,
  pattern: RegExp,
  right: string,
  needed: string | null,
): Findings {
  const countryField = `${field}Country` as const;
  const { country, number } = relayOf(request, field);
  const [, prefix = ''] = /^([A-Z]{2})-/.exec(request[field].trim().toUpperCase()) ?? [];
  const missing =
    needed === null
      ? []
      : [
          ...(number === '' ? [{ field, code: 'required', detail: `${field} is needed: ${needed}.` }] : []),
          ...(country === ''
            ? [
                {
                  field: countryField,
                  code: 'required',
                  detail: `${countryField} is needed: the country of the relay.`,
                },
              ]
            : []),
        ];
  if (missing.length > 0) return missing;
  if (number !== '' && country === '')
    return [
      {
        field: countryField,
        code: 'required',
        detail: `${countryField} is needed with ${field}: the country of the relay.`,
      },
    ];
  if (prefix !== '' && countryCode(prefix) !== country)
    return [
      {
        field,
        code: 'wrong-format',
        detail: `${field} and ${countryField} name different countries; give the country once.`,
      },
    ];
  return [
    ...patternFindings(countryField, country, /^[A-Z]{2}$/, 'a country in two letters, such as FR'),
    ...patternFindings(field, number, pattern, right),
  ];
}
