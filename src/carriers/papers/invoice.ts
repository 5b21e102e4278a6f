// Draws the invoice of a declaration as PDF: who sends what to whom, at which value, with which terms. For goods that
// are not sold it is a pro forma invoice, as GLS and Chronopost require.
import { amountText, type CustomsDeclaration, goodsCents, goodsGrams } from '../../model/customs.ts';
import type { LabelRequest } from '../../model/shipping.ts';
import type { CarrierOutput } from '../carrier.ts';
import { line, lineTo, type PaperMark, paperPdf, rule, wrapped } from './paper.ts';

/**
 * Draws the invoice as an output of the label.
 * @param now its creation date, milliseconds since 1970
 */
export async function invoicePaper(
  customs: CustomsDeclaration,
  request: LabelRequest,
  now: number,
): Promise<CarrierOutput> {
  const title = `${nameOf(customs)} ${customs.invoiceNumber}`;
  const bytes = await paperPdf(invoicePages(customs, request), title, now);
  return { name: 'InvoiceUrl', kind: 'document', mediaType: 'application/pdf', bytes };
}

function nameOf({ category }: CustomsDeclaration): string {
  return category === 'sale' ? 'Commercial invoice' : 'Pro forma invoice';
}

const left = 150;
const right = 1950;
const width = right - left;
/** Where the rows of goods begin on the first page and on later ones, and where they end. */
const firstTop = 1010;
const nextTop = 330;
const bottom = 2430;
const small = 28;

/** Left edges of text columns, right edges of number columns. */
const columns = { goods: 150, hsCode: 850, origin: 1120, quantity: 1360, weight: 1530, unit: 1740, sum: 1950 } as const;
const goodsWidth = 670;
const lineHeight = 38;
const gap = 22;

interface Row {
  readonly height: number;
  readonly draw: (y: number) => readonly PaperMark[];
}

/** The pages of an invoice; the totals are on the last one. */
export function invoicePages(customs: CustomsDeclaration, request: LabelRequest): readonly (readonly PaperMark[])[] {
  const rows = [...customs.lines.map((goods) => goodsRow(goods, customs)), totalsRow(customs)];
  const pages: PaperMark[][] = [];
  let y = bottom;
  for (const row of rows) {
    if (y + row.height > bottom) {
      y = pages.length === 0 ? firstTop : nextTop;
      pages.push(pages.length === 0 ? [...headOf(customs, request)] : []);
      pages.at(-1)?.push(...columnHeads(y - 70));
    }
    pages.at(-1)?.push(...row.draw(y));
    y += row.height;
  }
  const title = `${nameOf(customs).toUpperCase()} ${customs.invoiceNumber}`;
  return pages.map((marks, index) => [
    line(title, left, 200, 56, 'bold'),
    lineTo(`page ${index + 1} of ${pages.length}`, right, 200, small),
    ...marks,
  ]);
}

function headOf(customs: CustomsDeclaration, request: LabelRequest): readonly PaperMark[] {
  const half = left + width / 2;
  const facts = [
    `Date: ${customs.invoiceDate}`,
    `Reason of export: ${reasonWords[customs.category]}`,
    ...(customs.incoterm === '' ? [] : [`Terms of delivery: ${customs.incoterm}`]),
    ...(request.nDossier === '' ? [] : [`Shipment: ${request.nDossier}`]),
    `Parcels: ${request.nbPackage}`,
    `Gross weight: ${kilograms(Number(request.weight))} kg`,
  ];
  const numbers = [
    ['EORI', customs.eori],
    ['VAT', customs.vatNumber],
    ['IOSS', customs.ioss],
  ].flatMap(([name, number]) => (number === '' ? [] : [`${name}: ${number}`]));
  return [
    line(facts.slice(0, 3).join(' · '), left, 290),
    line(facts.slice(3).join(' · '), left, 335),
    rule(left, 375, width),
    ...partyOf('SENDER (EXPORTER)', request, 'exp', numbers, left),
    ...partyOf('RECIPIENT (IMPORTER)', request, 'dest', [], half),
    rule(left, 900, width),
  ];
}

const reasonWords = {
  sale: 'sale of goods',
  gift: 'gift',
  sample: 'commercial sample',
  documents: 'documents',
  return: 'returned goods',
  other: 'other',
} as const satisfies Readonly<Record<CustomsDeclaration['category'], string>>;

function partyOf(
  heading: string,
  request: LabelRequest,
  side: 'exp' | 'dest',
  numbers: readonly string[],
  x: number,
): readonly PaperMark[] {
  const place = [request[`${side}Zip`], request[`${side}City`], request[`${side}Country`]].join(' ');
  const texts = [
    request[`${side}Addr1`],
    request[`${side}Addr2`],
    place,
    request[`${side}Tel1`],
    request[`${side}Mail`],
    ...numbers,
  ].filter((text) => text !== '');
  const lines = texts.flatMap((text) => wrapped(text, width / 2 - 40, 32, 3)).slice(0, 10);
  return [
    line(heading, x, 430, small, 'bold'),
    ...lines.map((text, index) => line(text, x, 485 + index * 42, 32, index === 0 ? 'bold' : 'regular')),
  ];
}

function columnHeads(y: number): readonly PaperMark[] {
  return [
    line('GOODS', columns.goods, y, small, 'bold'),
    line('HS CODE', columns.hsCode, y, small, 'bold'),
    line('ORIGIN', columns.origin, y, small, 'bold'),
    lineTo('PIECES', columns.quantity, y, small, 'bold'),
    lineTo('NET KG', columns.weight, y, small, 'bold'),
    lineTo('UNIT', columns.unit, y, small, 'bold'),
    lineTo('VALUE', columns.sum, y, small, 'bold'),
    rule(left, y + 16, width),
  ];
}

function goodsRow(goods: CustomsDeclaration['lines'][number], { currency }: CustomsDeclaration): Row {
  const texts = [
    ...wrapped(goods.description, goodsWidth, 30, 3),
    ...(goods.reference === '' ? [] : [`Ref. ${goods.reference}`]),
  ];
  const { quantity, unitCents, unitGrams, hsCode, originCountry } = goods;
  return {
    height: texts.length * lineHeight + gap,
    draw: (y) => [
      ...texts.map((text, index) => line(text, columns.goods, y + index * lineHeight, 30)),
      line(hsCode, columns.hsCode, y, 30),
      line(originCountry, columns.origin, y, 30),
      lineTo(String(quantity), columns.quantity, y, 30),
      lineTo(kilograms(unitGrams * quantity), columns.weight, y, 30),
      lineTo(amountText(unitCents), columns.unit, y, 30),
      lineTo(`${amountText(unitCents * quantity)} ${currency}`, columns.sum, y, 30),
    ],
  };
}

/** Totals, the sender's statement, and room for a signature. */
function totalsRow(customs: CustomsDeclaration): Row {
  const { currency, shippingCents } = customs;
  const goods = goodsCents(customs);
  const amounts = [
    ['Goods', goods],
    ...(shippingCents === null ? [] : [['Transport', shippingCents] as const]),
    ['Total', goods + (shippingCents ?? 0)],
  ] as const;
  return {
    height: 430,
    draw: (y) => [
      rule(left, y - 20, width),
      line(`Net weight of all goods: ${kilograms(goodsGrams(customs))} kg`, left, y + 30, 30),
      ...amounts.flatMap(([name, cents], index) => {
        const weight = index === amounts.length - 1 ? ('bold' as const) : ('regular' as const);
        return [
          lineTo(name, columns.weight, y + 30 + index * 45, 32, weight),
          lineTo(`${amountText(cents)} ${currency}`, columns.sum, y + 30 + index * 45, 32, weight),
        ];
      }),
      line('I declare that what is said here is true and correct.', left, y + 230, 30),
      ...(['Place and date', 'Name and signature of the sender'] as const).flatMap((text, index): PaperMark[] => [
        line(text, left + index * 900, y + 290, small),
        rule(left + index * 900, y + 400, 800),
      ]),
    ],
  };
}

function kilograms(grams: number): string {
  return (grams / 1000).toFixed(3);
}
