// Customs declarations of Colissimo, which prints form CN23 from them, in the form that La Poste's own modules send.
import { type CustomsDeclaration, type GoodsCategory, goodsCents } from '../../model/customs.ts';
import type { Reason } from '../../model/record.ts';
import type { LabelRequest } from '../../model/shipping.ts';
import { textBlock } from '../../model/text-block.ts';
import type { CarrierAccount } from '../carrier.ts';
import { areaCode } from '../customs/areas.ts';
import { plainAscii, shortDescription } from '../customs/goods-text.ts';
import { type CarrierCustoms, insuredFor, sideOf } from '../customs/rules.ts';
import { type JsonObject, withoutEmpty } from '../json.ts';
import { unless } from '../label-rules.ts';
import { pointProducts, returnProducts } from './rules.ts';

/** The form's numbers for the categories. */
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
const maxReference = 35;
const maxText = 35;
/** Others are refused. */
const currencies: readonly string[] = ['USD', 'EUR', 'CHF', 'GBP', 'CNY', 'JPY', 'CAD', 'AUD'];
/** Copies of the form: what La Poste's modules ask for by default. */
const copies = 4;

export const colissimoCustoms = {
  maxLines: 100,
  paper: 'invoice',
  singleParcel: true,
  printed: plainAscii,
  insurance: {
    covers: ({ modeLiv }) => insurable.includes(modeLiv),
    most: ({ modeLiv }) => (pointProducts.includes(modeLiv) ? maxInsuredAtPointCents : maxInsuredCents),
    currency: 'EUR',
  },
  check: (customs, request) => [
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
    ...incotermReasons(customs, areaCode(sideOf(request, 'dest'))),
    ...goodsReasons(customs),
    ...americanReasons(request),
  ],
} as const satisfies CarrierCustoms;

/** Checks currencies and lengths of customs codes against what Colissimo accepts. */
function goodsReasons({ currency, lines }: CustomsDeclaration): readonly Reason[] {
  const wrongCodes = lines.filter(({ hsCode }) => hsCode.length % 2 === 1);
  return [
    ...(currencies.includes(currency)
      ? []
      : [
          {
            code: 'not-offered' as const,
            pointer: '/orderId/paymentCurrency',
            detail: `paymentCurrency must be one of ${currencies.join(', ')}: Colissimo declares goods in no other.`,
          },
        ]),
    ...wrongCodes.map(({ pointer }) => ({
      code: 'wrong-format' as const,
      pointer: `${pointer}/articleCN23CustomsCode`,
      detail: 'articleCN23CustomsCode must have 6, 8 or 10 digits for Colissimo.',
    })),
  ];
}

/** Labels to the United States must give the recipient's state. */
function americanReasons({ destCountry }: LabelRequest): readonly Reason[] {
  return unless(
    destCountry !== 'US',
    'destCountry',
    'not-offered',
    'destCountry must not be US: Colissimo wants the state of the recipient there, which no field of a request holds.',
  );
}

/** Colissimo accepts no declaration without the cost of transport. */
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

/** What a declaration adds to an order. */
interface Declared {
  readonly service: JsonObject;
  readonly parcel: JsonObject;
  readonly customsDeclarations: JsonObject;
  readonly fields: readonly JsonObject[];
}

/** The members of a declaration, by their place in an order. */
export function declared(customs: CustomsDeclaration, request: LabelRequest, account: CarrierAccount): Declared {
  const insured = insuredFor(customs, colissimoCustoms.insurance, request);
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
      contents: withoutEmpty({
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
        explanations: customs.category === 'other' ? explanationOf(customs, request) : '',
      }),
      invoiceNumber: plainAscii(customs.invoiceNumber).slice(0, maxText),
      comments: toGreatBritain && customs.vatNumber !== '' ? `N. TVA : ${customs.vatNumber}` : '',
    }),
    fields: [
      { key: 'OUTPUT_PRINT_TYPE_CN23', value: 'PDF_A4_300dpi' },
      ...(eori === '' ? [] : [{ key: 'EORI', value: eori }]),
    ],
  };
}

/** Why goods of no category are sent: what the request says about them, else the first line. */
function explanationOf({ lines }: CustomsDeclaration, { content }: LabelRequest): string {
  return shortDescription(plainAscii(content) || plainAscii(lines[0]?.description ?? ''), maxText);
}

/** Great Britain has its own EORI numbers; from a value of 1,000 the number of the Union is sent as well. */
function greatBritainEori(customs: CustomsDeclaration, { settings }: CarrierAccount): string {
  const own = goodsCents(customs) >= 100_000 ? customs.eori : '';
  return [settings.eoriGb ?? '', own].filter((number) => number !== '').join(' ');
}
