// Customs declarations of Colissimo, which prints the form CN23 from them, as La Poste's own modules send them.
import {
  amountText,
  type CustomsDeclaration,
  type GoodsCategory,
  goodsCents,
  insuredCents,
} from '../../model/customs.ts';
import type { Reason } from '../../model/record.ts';
import type { LabelRequest } from '../../model/shipping.ts';
import { textBlock } from '../../model/text-block.ts';
import type { CarrierAccount } from '../carrier.ts';
import { areaCode } from '../customs/areas.ts';
import {
  declarationReasons,
  plainAscii,
  shortDescription,
  sideOf,
  singleParcel,
  unprintedGoods,
} from '../customs/carrier-customs.ts';
import { type JsonObject, withoutEmpty } from '../json.ts';
import { unless } from '../label-rules.ts';
import { pointProducts, returnProducts } from './rules.ts';

/** No number is published; four pages of the form's continuation hold as many. */
export const maxLines = 100;

/** The categories of the form, numbered. */
const categories: Readonly<Record<GoodsCategory, number>> = {
  gift: 1,
  sample: 2,
  sale: 3,
  documents: 4,
  other: 5,
  return: 6,
};

/** Where the sender may pay taxes and duties ("franc de taxes et droits"). */
const paidBySender: readonly string[] = ['GF', 'GP', 'MQ', 'RE', 'YT'];

/** Products that can be insured, and for how many euros; for points less. */
const insurable: readonly string[] = ['DOS', 'CDS', 'COL', 'COLI', 'CORE', 'CORI', 'HD'];
const maxInsuredCents = 500_000;
const maxInsuredAtPointCents = 100_000;
const maxDescription = 64;
const maxReference = 44;
/** Forms that are printed: what La Poste's modules ask for where nobody says otherwise. */
const copies = 4;

/** What Colissimo's own rules find wrong with a declaration. */
export function customsReasons(
  customs: CustomsDeclaration,
  request: LabelRequest,
  account: CarrierAccount,
): readonly Reason[] {
  const area = areaCode(sideOf(request, 'dest'));
  return [
    ...declarationReasons(customs, request, account),
    ...singleParcel(request, 'Colissimo'),
    ...unprintedGoods(customs, plainAscii, 'Colissimo'),
    ...unless(
      !returnProducts.includes(request.modeLiv) && customs.category !== 'return',
      'modeLiv',
      'not-offered',
      textBlock`
        A return through customs names the invoice and the parcel that it goes back from, which cannot be said here:
        have it made at Colissimo.
      `,
    ),
    ...shippingReasons(customs),
    ...incotermReasons(customs, area),
    ...insuranceReasons(customs, request),
  ];
}

/** Colissimo takes no declaration without the cost of transport. */
function shippingReasons({ shippingCents }: CustomsDeclaration): readonly Reason[] {
  return shippingCents !== null && shippingCents > 0
    ? []
    : [
        {
          code: 'required',
          pointer: '/orderId/shippingCost',
          detail: 'shippingCost of the order must be more than 0: Colissimo takes no declaration of free transport.',
        },
      ];
}

function incotermReasons({ incoterm }: CustomsDeclaration, area: string): readonly Reason[] {
  return incoterm !== 'DDP' || paidBySender.includes(area)
    ? []
    : [
        {
          code: 'not-offered',
          pointer: '/orderId/incotrm',
          detail: textBlock`
            incotrm must not be DDP: Colissimo lets the sender pay duties in ${paidBySender.join(', ')} alone; elsewhere
            it wants dimensions, which a label request does not hold.
          `,
        },
      ];
}

function insuranceReasons(customs: CustomsDeclaration, { modeLiv }: LabelRequest): readonly Reason[] {
  const insured = insuredCents(customs);
  const [line] = customs.lines.filter((one) => one.insuredCents > 0);
  if (line === undefined || !insurable.includes(modeLiv)) return [];
  const most = pointProducts.includes(modeLiv) ? maxInsuredAtPointCents : maxInsuredCents;
  if (customs.currency === 'EUR' && insured <= most) return [];
  return [
    {
      code: 'out-of-range',
      pointer: `${line.pointer}/articleInsuredAmount`,
      detail: `Colissimo insures up to ${amountText(most)} EUR, in no other currency.`,
    },
  ];
}

/** What a declaration adds to an order. */
interface Declared {
  readonly service: JsonObject;
  readonly parcel: JsonObject;
  readonly customsDeclarations: JsonObject;
  readonly fields: readonly JsonObject[];
}

/** The members of a declaration, by where they stand in an order. */
export function declared(customs: CustomsDeclaration, request: LabelRequest, account: CarrierAccount): Declared {
  const insured = insurable.includes(request.modeLiv) ? insuredCents(customs) : 0;
  const toGreatBritain = request.destCountry === 'GB';
  const eori = toGreatBritain ? greatBritainEori(customs, account) : customs.eori;
  const shippingCents = customs.shippingCents ?? 0;
  return {
    service: { totalAmount: shippingCents, transportationAmount: shippingCents },
    parcel: {
      ...(customs.incoterm === 'DDP' ? { ftd: true } : {}),
      ...(insured > 0 ? { insuranceValue: insured } : {}),
    },
    customsDeclarations: withoutEmpty({
      includeCustomsDeclarations: true,
      numberOfCopies: copies,
      contents: {
        article: customs.lines.map((line) =>
          withoutEmpty({
            description: shortDescription(plainAscii(line.description), maxDescription),
            quantity: line.quantity,
            weight: Math.max(10, line.unitGrams) / 1000,
            value: line.unitCents / 100,
            currency: customs.currency,
            hsCode: line.hsCode,
            originCountry: line.originCountry,
            artref: plainAscii(line.reference).slice(0, maxReference),
            originalIdent: 'A',
          }),
        ),
        category: { value: categories[customs.category] },
      },
      invoiceNumber: plainAscii(customs.invoiceNumber),
      comments: toGreatBritain && customs.vatNumber !== '' ? `N. TVA : ${customs.vatNumber}` : '',
    }),
    fields: [
      { key: 'OUTPUT_PRINT_TYPE_CN23', value: 'PDF_A4_300dpi' },
      ...(eori === '' ? [] : [{ key: 'EORI', value: eori }]),
    ],
  };
}

/** Great Britain has numbers of its own; from 1,000 on that of the Union is sent beside it. */
function greatBritainEori(customs: CustomsDeclaration, { settings }: CarrierAccount): string {
  const own = goodsCents(customs) >= 100_000 ? customs.eori : '';
  return [settings.eoriGb ?? '', own].filter((number) => number !== '').join(' ');
}
