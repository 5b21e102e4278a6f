// Rules for the fields of a label request that many carriers have alike; each gives no fault or one that says what
// would be right.
import type { LabelField, LabelRequest } from '../model/shipping.ts';
import { characters } from '../model/text.ts';
import type { FieldFault } from './carrier.ts';

/** What a rule found: nothing or one fault. */
export type Findings = readonly FieldFault[];

/** @param what what the field says, such as `the name of the sender` */
export function required(request: LabelRequest, field: LabelField, what: string): Findings {
  return request[field].trim() === '' ? [{ field, code: 'required', detail: `${field} is needed: ${what}.` }] : [];
}

/** Counts characters as people do: one for a letter outside the basic plane. */
export function longest(request: LabelRequest, field: LabelField, most: number): Findings {
  const length = characters(request[field]);
  return length > most
    ? [{ field, code: 'too-long', detail: `${field} has ${length} characters; at most ${most} are allowed.` }]
    : [];
}

/** @param right what would be right, as the end of `expZip must be …` */
export function matching(request: LabelRequest, field: LabelField, pattern: RegExp, right: string): Findings {
  return request[field] === '' || pattern.test(request[field])
    ? []
    : [{ field, code: 'wrong-format', detail: `${field} must be ${right}.` }];
}

/** Digits between two bounds, in the unit that `unit` names; '' is no fault. */
export function within(request: LabelRequest, field: LabelField, least: number, most: number, unit: string): Findings {
  const value = digits(request[field]);
  if (request[field] === '' || (value !== null && value >= least && value <= most)) return [];
  return [
    {
      field,
      code: value === null ? 'wrong-format' : 'out-of-range',
      detail: `${field} must be ${unit}, in digits, from ${least} to ${most}.`,
    },
  ];
}

export function among(request: LabelRequest, field: LabelField, choices: readonly string[]): Findings {
  if (request[field] === '' || choices.includes(request[field])) return [];
  return [
    {
      field,
      code: 'unknown-code',
      detail: `${field} must be ${choices.length === 1 ? '' : 'one of '}${choices.join(', ')}.`,
    },
  ];
}

/** @param why why the carrier cannot have the field, as a sentence */
export function unwanted(request: LabelRequest, field: LabelField, why: string): Findings {
  return request[field] === '' ? [] : [{ field, code: 'not-offered', detail: why }];
}

/** Amounts that are none are given as '' or as zeros. */
export function cashUnwanted(request: LabelRequest, why: string): Findings {
  return cashOf(request) === 0 ? [] : [{ field: 'crtValue', code: 'not-offered', detail: why }];
}

/** Two capital letters, as ISO 3166-1 has them. */
export function country(request: LabelRequest, field: LabelField): Findings {
  return matching(request, field, /^[A-Z]{2}$/, 'a country as two capital letters (ISO 3166-1), such as FR');
}

export function email(request: LabelRequest, field: LabelField): Findings {
  return matching(request, field, /^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'an e-mail address');
}

/** The output that is asked for must be one that the carrier makes. */
export function outputs(request: LabelRequest, offered: Readonly<Record<string, readonly string[]>>): Findings {
  const type = request.outputType === '' ? (Object.keys(offered)[0] ?? '') : request.outputType;
  const formats = Object.hasOwn(offered, type) ? (offered[type] ?? []) : null;
  return formats === null
    ? among(request, 'outputType', Object.keys(offered))
    : among(request, 'outputFormat', formats);
}

/** Weight and number of parcels: at least a gram for each, and no parcel heavier than the carrier takes. */
export function parcels(
  request: LabelRequest,
  { most, heaviest, lightest = 1 }: { readonly most: number; readonly heaviest: number; readonly lightest?: number },
): Findings {
  const count = digits(request.nbPackage);
  const found = [
    ...required(request, 'nbPackage', 'how many parcels'),
    ...within(request, 'nbPackage', 1, most, 'a number of parcels'),
    ...required(request, 'weight', 'the weight in grams'),
  ];
  const factor = count === null || count < 1 || count > most ? 1 : count;
  return [
    ...found,
    ...within(
      request,
      'weight',
      lightest * factor,
      heaviest * factor,
      factor === 1 ? 'grams' : `grams of all ${factor} parcels`,
    ),
  ];
}

/**
 * A text in lines, parted at spaces; no word is lost.
 * @param most lines
 * @returns null where it does not fit, at least one line otherwise
 */
export function inLines(text: string, length: number, most: number): readonly string[] | null {
  const lines: string[] = [];
  let rest = text.trim();
  while (rest.length > length) {
    const cut = rest.lastIndexOf(' ', length);
    if (cut <= 0) return null;
    lines.push(rest.slice(0, cut).trimEnd());
    rest = rest.slice(cut).trimStart();
  }
  return lines.length < most ? [...lines, rest] : null;
}

/** A telephone of France that takes messages. */
export function isFrenchMobile(telephone: string): boolean {
  return /^(?:(?:\+|00)33\s?(?:\(0\))?|0)\s?[67]/.test(telephone.trim());
}

/** Digits as a number; null for anything else. */
export function digits(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** Cash on delivery in cents; 0 where there is none. */
export function cashOf(request: LabelRequest): number {
  return digits(request.crtValue) ?? (request.crtValue === '' ? 0 : Number.NaN);
}

/** Output type and format that are asked for, the carrier's first where nothing is said. */
export function outputOf(
  request: LabelRequest,
  offered: Readonly<Record<string, readonly string[]>>,
): { readonly type: string; readonly format: string } {
  const type = request.outputType === '' ? (Object.keys(offered)[0] ?? '') : request.outputType;
  return { type, format: request.outputFormat === '' ? (offered[type]?.[0] ?? '') : request.outputFormat };
}

/**
 * Grams of each parcel: the interface has one weight for the shipment, so that equal shares are all that can be said.
 */
export function parcelWeights(request: LabelRequest): readonly number[] {
  const count = digits(request.nbPackage) ?? 1;
  const grams = digits(request.weight) ?? 0;
  const share = Math.floor(grams / count);
  return Array.from({ length: count }, (_, index) => (index === 0 ? grams - share * (count - 1) : share));
}
