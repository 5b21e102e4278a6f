// Rules for the fields of a label request that many carriers share; each says what is wrong and what would be right.
import type { ReasonCode } from '../model/reason-codes.ts';
import type { LabelField, LabelRequest } from '../model/shipping.ts';
import { characters } from '../model/text.ts';
import { reasonAt } from './carrier.ts';
import type { Reason } from '../model/record.ts';

/** No reason if all is well, else one. */
export function unless(isRight: boolean, field: LabelField, code: ReasonCode, detail: string): readonly Reason[] {
  return isRight ? [] : [reasonAt(field, code, detail)];
}

/** @param what what the field holds, such as `the name of the sender` */
export function required(request: LabelRequest, field: LabelField, what: string): readonly Reason[] {
  return unless(request[field].trim() !== '', field, 'required', `${field} is needed: ${what}.`);
}

/** Counts code points, so that a letter outside the basic plane counts once. */
export function maxLength(request: LabelRequest, field: LabelField, max: number): readonly Reason[] {
  const length = characters(request[field]);
  return unless(length <= max, field, 'too-long', `${field} has ${length} characters; at most ${max} are allowed.`);
}

/** @param right what would be right, as the end of `expZip must be …` */
export function matching(request: LabelRequest, field: LabelField, pattern: RegExp, right: string): readonly Reason[] {
  const isRight = request[field] === '' || pattern.test(request[field]);
  return unless(isRight, field, 'wrong-format', `${field} must be ${right}.`);
}

/** Digits between two bounds, in the unit that `unit` names; '' is no fault. */
export function within(
  request: LabelRequest,
  field: LabelField,
  min: number,
  max: number,
  unit: string,
): readonly Reason[] {
  const value = digits(request[field]);
  const isRight = request[field] === '' || (value !== null && value >= min && value <= max);
  const code = value === null ? 'wrong-format' : 'out-of-range';
  return unless(isRight, field, code, `${field} must be ${unit}, in digits, from ${min} to ${max}.`);
}

/** A value that is not on a list, which a form can offer. */
interface ChoiceReason extends Reason {
  readonly choices: readonly string[];
}

export function isChoice(reason: Reason): reason is ChoiceReason {
  return 'choices' in reason;
}

export function among(request: LabelRequest, field: LabelField, choices: readonly string[]): readonly ChoiceReason[] {
  const isRight = request[field] === '' || choices.includes(request[field]);
  const right = `${choices.length === 1 ? '' : 'one of '}${choices.join(', ')}`;
  return unless(isRight, field, 'unknown-code', `${field} must be ${right}.`).map((reason) => ({ ...reason, choices }));
}

/** @param why why the carrier does not accept the field, as a sentence */
export function unwanted(request: LabelRequest, field: LabelField, why: string): readonly Reason[] {
  return unless(request[field] === '', field, 'not-offered', why);
}

/** The absence of an amount is given as '' or as zeros. */
export function refuseCashOnDelivery(request: LabelRequest, why: string): readonly Reason[] {
  return unless(cashOnDeliveryCents(request) === 0, 'crtValue', 'not-offered', why);
}

/** Two capital letters, as in ISO 3166-1. */
export function country(request: LabelRequest, field: LabelField): readonly Reason[] {
  return matching(request, field, /^[A-Z]{2}$/, 'a country as two capital letters (ISO 3166-1), such as FR');
}

export function email(request: LabelRequest, field: LabelField): readonly Reason[] {
  return matching(request, field, /^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'an e-mail address');
}

/** A text that is sent as at most so many lines, split at spaces. */
export function lines(request: LabelRequest, field: LabelField, length: number, max: number): readonly Reason[] {
  return linesOf(field, request[field], Array<number>(max).fill(length));
}

/**
 * The same for lines of several lengths.
 * @param text as it would be sent
 */
export function linesOf(field: LabelField, text: string, lengths: readonly number[]): readonly Reason[] {
  const [length = 0] = lengths;
  const isEven = lengths.every((one) => one === length);
  const room = isEven
    ? `${lengths.length === 2 ? 'two' : lengths.length} lines of ${length} characters`
    : `lines of ${lengths.slice(0, -1).join(', ')} and ${lengths.at(-1)} characters`;
  const where = lengths.length === 2 ? 'at a space' : 'at spaces';
  return unless(
    inLinesOf(text, lengths) !== null,
    field,
    'too-long',
    `${field} must fit into ${room}, parted ${where}.`,
  );
}

/** Maximum lengths of the parts of an address; where one is absent, the carrier's own rule sets it. */
interface AddressLimits {
  readonly name: number;
  readonly street?: number;
  readonly city: number;
  readonly zip?: number;
  readonly mail?: number;
}

/** The required parts of every address, and their maximum lengths. */
export function addressPartReasons(
  request: LabelRequest,
  side: 'exp' | 'dest',
  limits: AddressLimits,
): readonly Reason[] {
  const who = side === 'exp' ? 'sender' : 'recipient';
  const parts = [
    ['Addr1', 'name', limits.name],
    ['Addr2', 'street', limits.street],
    ['City', 'city', limits.city],
    ['Zip', 'postcode', limits.zip],
  ] as const;
  return [
    ...parts.flatMap(([part, what, max = Infinity]) => [
      ...required(request, `${side}${part}`, `the ${what} of the ${who}`),
      ...maxLength(request, `${side}${part}`, max),
    ]),
    ...required(request, `${side}Country`, `the country of the ${who}`),
    ...email(request, `${side}Mail`),
    ...maxLength(request, `${side}Mail`, limits.mail ?? Infinity),
  ];
}

/** A postcode of France has five digits. */
export function frenchZip(request: LabelRequest, side: 'exp' | 'dest'): readonly Reason[] {
  return request[`${side}Country`] === 'FR'
    ? matching(request, `${side}Zip`, /^\d{5}$/, 'a French postcode of five digits')
    : [];
}

/** The requested output must be one that the carrier makes. */
export function outputs(
  request: LabelRequest,
  offered: Readonly<Record<string, readonly string[]>>,
): readonly Reason[] {
  const type = request.outputType === '' ? (Object.keys(offered)[0] ?? '') : request.outputType;
  const formats = Object.hasOwn(offered, type) ? (offered[type] ?? []) : null;
  return formats === null
    ? among(request, 'outputType', Object.keys(offered))
    : among(request, 'outputFormat', formats);
}

/** What a carrier accepts at once; grams are those of one parcel. */
interface ParcelLimits {
  readonly maxParcels: number;
  readonly maxGrams: number;
  readonly minGrams?: number;
}

/** Weight and number of parcels: at least one gram for each, and no parcel heavier than the carrier accepts. */
export function parcels(
  request: LabelRequest,
  { maxParcels, maxGrams, minGrams = 1 }: ParcelLimits,
): readonly Reason[] {
  const count = digits(request.nbPackage);
  const found = [
    ...required(request, 'nbPackage', 'how many parcels'),
    ...within(request, 'nbPackage', 1, maxParcels, 'a number of parcels'),
    ...required(request, 'weight', 'the weight in grams'),
  ];
  const factor = count === null || count < 1 || count > maxParcels ? 1 : count;
  return [
    ...found,
    ...within(
      request,
      'weight',
      minGrams * factor,
      maxGrams * factor,
      factor === 1 ? 'grams' : `grams of all ${factor} parcels`,
    ),
  ];
}

/**
 * Splits a text into lines at spaces; no word is lost.
 * @returns null if it does not fit, at least one line otherwise
 */
export function inLines(text: string, length: number, maxLines: number): readonly string[] | null {
  return inLinesOf(text, Array<number>(maxLines).fill(length));
}

/**
 * The same for lines of several lengths.
 * @param lengths maximum length of each line; there are no more lines
 */
export function inLinesOf(text: string, lengths: readonly number[]): readonly string[] | null {
  const lines: string[] = [];
  let rest = text.trim();
  for (const length of lengths) {
    if (rest.length <= length) return [...lines, rest];
    const cut = rest.lastIndexOf(' ', length);
    if (cut <= 0) return null;
    lines.push(rest.slice(0, cut).trimEnd());
    rest = rest.slice(cut).trimStart();
  }
  return null;
}

/** Whether it is a French number that receives messages. */
export function isFrenchMobile(telephone: string): boolean {
  return /^(?:(?:\+|00)33\s?(?:\(0\))?|0)\s?[67]/.test(telephone.trim());
}

/** Digits as a number; null for anything else. */
export function digits(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** Cash on delivery in cents; 0 if there is none. */
export function cashOnDeliveryCents(request: LabelRequest): number {
  return digits(request.crtValue) ?? (request.crtValue === '' ? 0 : Number.NaN);
}

/** The requested output type and format, by default the carrier's first. */
export function outputOf(
  request: LabelRequest,
  offered: Readonly<Record<string, readonly string[]>>,
): { readonly type: string; readonly format: string } {
  const type = request.outputType === '' ? (Object.keys(offered)[0] ?? '') : request.outputType;
  return { type, format: request.outputFormat === '' ? (offered[type]?.[0] ?? '') : request.outputFormat };
}

/** Grams of each parcel: the interface has one weight for the whole shipment, so it can only be shared equally. */
export function parcelWeights(request: LabelRequest): readonly number[] {
  const count = digits(request.nbPackage) ?? 1;
  const grams = digits(request.weight) ?? 0;
  const share = Math.floor(grams / count);
  return Array.from({ length: count }, (_, index) => (index === 0 ? grams - share * (count - 1) : share));
}
