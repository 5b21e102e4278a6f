// Customs declarations in Karrio's form, the same for every carrier behind it.
import { type CustomsDeclaration, type GoodsCategory, goodsCents, incoterms } from '../../model/customs.ts';
import { textBlock } from '../../model/text-block.ts';
import { shortDescription } from '../customs/goods-text.ts';
import type { CarrierCustoms } from '../customs/rules.ts';
import { type JsonObject, withoutEmpty } from '../json.ts';
import { cashOnDeliveryCents } from '../label-rules.ts';

const contentTypes: Readonly<Record<GoodsCategory, string>> = {
  sale: 'merchandise',
  gift: 'gift',
  sample: 'sample',
  documents: 'documents',
  return: 'return_merchandise',
  other: 'other',
};

const maxDescription = 250;
const maxSku = 35;
const maxInvoice = 50;

export const karrioCustoms = {
  // Karrio names no limit; carriers behind it accept as many or fewer, and say so.
  maxLines: 99,
  // Its list of terms is older than DPU.
  terms: incoterms.filter((term) => term !== 'DPU'),
  insurance: {},
  // The options of a shipment have a single currency.
  check: (customs, request, { settings: { currency = '' } }) => {
    const insured = customs.lines.find((line) => line.insuredCents > 0);
    return insured === undefined || !(cashOnDeliveryCents(request) > 0) || currency === customs.currency
      ? []
      : [
          {
            code: 'conflict',
            pointer: `${insured.pointer}/articleInsuredAmount`,
            detail: textBlock`
              The order is in ${customs.currency}, cash on delivery in ${currency}: Karrio has one currency for
              both.
            `,
          },
        ];
  },
} as const satisfies CarrierCustoms;

/** The member `customs` of a shipment. Values and weights are per piece. */
export function declared(customs: CustomsDeclaration): JsonObject {
  const { currency, lines, incoterm } = customs;
  return withoutEmpty({
    commodities: lines.map((line) =>
      withoutEmpty({
        description: shortDescription(line.description, maxDescription),
        quantity: line.quantity,
        sku: line.reference.slice(0, maxSku),
        hs_code: line.hsCode,
        value_amount: line.unitCents / 100,
        value_currency: currency,
        weight: line.unitGrams / 1000,
        weight_unit: 'KG',
        origin_country: line.originCountry,
      }),
    ),
    duty: { paid_by: incoterm === 'DDP' ? 'sender' : 'recipient', currency, declared_value: goodsCents(customs) / 100 },
    content_type: contentTypes[customs.category],
    content_description: shortDescription(lines[0]?.description ?? '', maxDescription),
    incoterm,
    invoice: customs.invoiceNumber.slice(0, maxInvoice),
    invoice_date: customs.invoiceDate,
    commercial_invoice: customs.category === 'sale',
    options: withoutEmpty({
      eori_number: customs.eori,
      vat_registration_number: customs.vatNumber,
      ioss: customs.ioss,
    }),
  });
}
