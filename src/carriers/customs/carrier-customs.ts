// How a carrier declares goods to customs, and the rules that are alike at all carriers.
import { amountText, type CustomsDeclaration, goodsCents, goodsGrams } from '../../model/customs.ts';
import type { Reason } from '../../model/record.ts';
import type { LabelRequest } from '../../model/shipping.ts';
import { textBlock } from '../../model/text-block.ts';
import { type CarrierAccount, CarrierError } from '../carrier.ts';
import { digits, unless } from '../label-rules.ts';
import { leavesUnion, needsDeclaration, type Place } from './areas.ts';

/** What a carrier takes of declarations. */
export interface CarrierCustoms {
  /** What we draw for the sender to put on the parcel; absent: nothing, or the carrier makes it. */
  readonly paper?: 'invoice';
  /** Most lines of a declaration. */
  readonly maxLines: number;
  /**
   * What the carrier's own rules find wrong with a declaration.
   * @throws CarrierError `configuration` where a setting of the account is missing
   */
  readonly check: (customs: CustomsDeclaration, request: LabelRequest, account: CarrierAccount) => readonly Reason[];
}

/** Whether what a request wants to send has to be declared. */
export function isDeclared(request: LabelRequest): boolean {
  return needsDeclaration(sideOf(request, 'exp'), sideOf(request, 'dest'));
}

/** Where a shipment begins or ends. */
export function sideOf(request: LabelRequest, side: 'exp' | 'dest'): Place {
  return { country: request[`${side}Country`], zip: request[`${side}Zip`] };
}

/**
 * What is wrong with a declaration whatever the carrier.
 * @throws CarrierError `configuration` where the account lacks what customs want
 */
export function declarationReasons(
  customs: CustomsDeclaration,
  request: LabelRequest,
  account: CarrierAccount,
): readonly Reason[] {
  requireEori(customs, request, account);
  const net = goodsGrams(customs);
  const weight = digits(request.weight);
  return unless(
    weight === null || net <= weight,
    'weight',
    'out-of-range',
    `The pieces of the order weigh ${net} g without packaging, more than weight says.`,
  );
}

/**
 * Beyond this value goods leave the Union by a declaration that names the exporter; up to it a parcel declares itself
 * (Delegated Regulation (EU) 2015/2446, articles 137, 139 and 141; exporters have an EORI number by article 9 of
 * Regulation (EU) No 952/2013).
 */
const declaredFromCents = 100_000;

function requireEori(customs: CustomsDeclaration, request: LabelRequest, { settings }: CarrierAccount): void {
  const total = goodsCents(customs);
  const isExport = leavesUnion(sideOf(request, 'exp'), sideOf(request, 'dest'));
  if (!isExport || customs.currency !== 'EUR' || total <= declaredFromCents || settings.eori !== '') return;
  throw new CarrierError(
    'configuration',
    textBlock`
      The account has no EORI number (setting eori). Goods of ${amountText(total)} EUR do not leave the European Union
      without one.
    `,
  );
}

/** What goods are, in so many characters: the words that fit, and at worst a part of the first one. */
export function shortDescription(text: string, max: number): string {
  const all = Array.from(text);
  if (all.length <= max) return text;
  const cut = all.slice(0, max + 1).join('');
  const end = cut.lastIndexOf(' ');
  return (end > 0 ? cut.slice(0, end) : all.slice(0, max).join('')).trimEnd();
}

/** The reason of an incoterm that a carrier does not have. @param detail one sentence: which ones it has, or not */
export function termReasons(isOffered: boolean, detail: string): readonly Reason[] {
  return isOffered ? [] : [{ code: 'not-offered', pointer: '/orderId/incotrm', detail }];
}

/** One parcel alone, where a carrier wants a declaration for each: an order does not say what is in which parcel. */
export function singleParcel(request: LabelRequest, title: string): readonly Reason[] {
  return unless(
    request.nbPackage === '' || digits(request.nbPackage) === 1,
    'nbPackage',
    'not-offered',
    textBlock`
      nbPackage must be 1 where goods are declared to customs: ${title} wants a declaration for each parcel, and an
      order does not say what is in which.
    `,
  );
}

/**
 * Reasons for goods whose description has letters that a carrier does not print.
 * @param plain the description as it would be sent; '' where nothing is left of it
 */
export function unprintedGoods(
  { lines }: CustomsDeclaration,
  plain: (description: string) => string,
  title: string,
): readonly Reason[] {
  return lines.flatMap(({ pointer, description }) =>
    /^(?:[^\p{L}]|\p{Script=Latin})*$/u.test(description) && plain(description) !== ''
      ? []
      : [
          {
            code: 'wrong-format',
            pointer: `${pointer}/articleBLDesignation`,
            detail: `What the goods are must be in Latin letters: ${title} prints no others for customs.`,
          },
        ],
  );
}

/** Latin letters and signs of ASCII: accents taken off, joined letters parted, other signs left out. */
export function plainAscii(text: string): string {
  const joined: Readonly<Record<string, string>> = {
    ...{ œ: 'oe', Œ: 'OE', æ: 'ae', Æ: 'AE', ß: 'ss', ø: 'o', Ø: 'O', ł: 'l', Ł: 'L', đ: 'd', Đ: 'D' },
    ...{ ð: 'd', Ð: 'D', þ: 'th', Þ: 'TH', ı: 'i', '’': "'", '‘': "'", '“': '"', '”': '"', '–': '-', '—': '-' },
  };
  return Array.from(text.normalize('NFD'), (character) => joined[character] ?? character)
    .join('')
    .replaceAll(/[^\x20-\x7e]/gu, '')
    .replaceAll(/ +/g, ' ')
    .trim();
}
