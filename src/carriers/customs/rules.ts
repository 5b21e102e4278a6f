// Which declarations a carrier accepts, as data, and what is wrong with those that it does not.
import { amountText, type CustomsDeclaration, goodsCents, goodsGrams, insuredCents } from '../../model/customs.ts';
import type { Reason } from '../../model/record.ts';
import type { LabelRequest } from '../../model/shipping.ts';
import { textBlock } from '../../model/text-block.ts';
import { type Carrier, type CarrierAccount, CarrierError } from '../carrier.ts';
import { digits, unless } from '../label-rules.ts';
import { leavesUnion, needsDeclaration, type Place } from './areas.ts';

/** What a carrier accepts in declarations. */
export interface CarrierCustoms {
  /** The paper that we draw for the sender to attach to the parcel; absent: none, or the carrier makes it. */
  readonly paper?: 'invoice';
  /** Most lines of a declaration. */
  readonly maxLines: number;
  /** The carrier requires a declaration for each parcel, and an order does not say which parcel holds what. */
  readonly singleParcel?: true;
  /** A description as it is sent, '' if nothing is left of it: the carrier prints only Latin letters. */
  readonly printed?: (description: string) => string;
  /** A subset of `incoterms`; absent: any that the order has. */
  readonly terms?: readonly string[];
  /** Absent: insured amounts are not sent. */
  readonly insurance?: Insurance;
  /**
   * What else the carrier's own rules find wrong.
   * @throws CarrierError `configuration` if a setting of the account is missing
   */
  readonly check?: (customs: CustomsDeclaration, request: LabelRequest, account: CarrierAccount) => readonly Reason[];
}

/** How a carrier insures a parcel. */
interface Insurance {
  /** Whether the product can be insured; the amount is not sent for one that cannot. Absent: every product can. */
  readonly covers?: (request: LabelRequest) => boolean;
  /** Hundredths of the currency; absent: the carrier decides. */
  readonly most?: (request: LabelRequest) => number;
  /** The only currency in which it insures; absent: that of the order. */
  readonly currency?: string;
}

/** Whether a requested shipment has to be declared. */
export function isDeclared(request: LabelRequest): boolean {
  return needsDeclaration(sideOf(request, 'exp'), sideOf(request, 'dest'));
}

/** Where a shipment begins or ends. */
export function sideOf(request: LabelRequest, side: 'exp' | 'dest'): Place {
  return { country: request[`${side}Country`], zip: request[`${side}Zip`] };
}

/** The insured amount of a parcel, in hundredths of the currency of its declaration; 0: none is sent. */
export function insuredFor(
  customs: Pick<CustomsDeclaration, 'lines'> | undefined,
  insurance: Insurance,
  request: LabelRequest,
): number {
  return customs !== undefined && (insurance.covers?.(request) ?? true) ? insuredCents(customs) : 0;
}

/**
 * What a carrier does not accept in a declaration.
 * @throws CarrierError `configuration` if the account lacks a setting that customs require
 */
export function customsReasons(
  { title, customs: rules }: Pick<Carrier, 'title' | 'customs'>,
  customs: CustomsDeclaration,
  request: LabelRequest,
  account: CarrierAccount,
): readonly Reason[] {
  if (rules === undefined) return [];
  const { printed, terms, insurance, check } = rules;
  requireEori(customs, request, account);
  const insured = insurance === undefined ? 0 : insuredFor(customs, insurance, request);
  return [
    ...weightReasons(customs, request),
    ...(rules.singleParcel === true ? loneParcel(request, `${title} wants a declaration for each parcel`) : []),
    ...(rules.singleParcel !== true && insured > 0 ? loneParcel(request, `${title} insures each parcel`) : []),
    ...(printed === undefined ? [] : unprintedGoods(customs, printed, title)),
    ...(terms === undefined ? [] : termReasons(customs, terms, title)),
    ...(insurance === undefined || insured === 0 ? [] : insuranceReasons(customs, insurance, request, title)),
    ...(check?.(customs, request, account) ?? []),
  ];
}

/**
 * Above this value an export declaration must name the exporter; up to it, handing over the parcel counts as the
 * declaration (Delegated Regulation (EU) 2015/2446, articles 137, 139 and 141; exporters have an EORI number by article
 * 9 of Regulation (EU) No 952/2013).
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

function weightReasons(customs: CustomsDeclaration, request: LabelRequest): readonly Reason[] {
  const net = goodsGrams(customs);
  const weight = digits(request.weight);
  return unless(
    weight === null || net <= weight,
    'weight',
    'out-of-range',
    `The pieces of the order weigh ${net} g without packaging, more than weight says.`,
  );
}

/** @param why the beginning of the sentence about it */
function loneParcel(request: LabelRequest, why: string): readonly Reason[] {
  return unless(
    request.nbPackage === '' || digits(request.nbPackage) === 1,
    'nbPackage',
    'not-offered',
    `nbPackage must be 1 here: ${why}, and an order does not say what is in which.`,
  );
}

/** Goods whose description has letters that a carrier does not print. */
function unprintedGoods(
  { lines }: CustomsDeclaration,
  printed: (description: string) => string,
  title: string,
): readonly Reason[] {
  return lines.flatMap(({ pointer, description }) =>
    /^(?:[^\p{L}]|\p{Script=Latin})*$/u.test(description) && printed(description) !== ''
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

function termReasons({ incoterm }: CustomsDeclaration, offered: readonly string[], title: string): readonly Reason[] {
  return incoterm === '' || offered.includes(incoterm)
    ? []
    : [
        {
          code: 'not-offered',
          pointer: '/orderId/incotrm',
          detail: `incotrm must be one of ${offered.join(', ')}: ${title} has no other terms.`,
        },
      ];
}

function insuranceReasons(
  customs: CustomsDeclaration,
  { most = () => Infinity, currency = customs.currency }: Insurance,
  request: LabelRequest,
  title: string,
): readonly Reason[] {
  const [limit, insured] = [most(request), insuredCents(customs)];
  const line = customs.lines.find((one) => one.insuredCents > 0);
  if (line === undefined || (currency === customs.currency && insured <= limit)) return [];
  const upTo = limit === Infinity ? '' : ` up to ${amountText(limit)}`;
  return [
    {
      code: 'out-of-range',
      pointer: `${line.pointer}/articleInsuredAmount`,
      detail: textBlock`
        ${title} insures${upTo} in ${currency}; the lines of the order have ${amountText(insured)}
        ${customs.currency}.
      `,
    },
  ];
}
