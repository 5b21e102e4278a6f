// Customs declarations as Karrio has them for every carrier behind it.
import { type CustomsDeclaration, type GoodsCategory, goodsCents } from '../../model/customs.ts';
import type { Reason } from '../../model/record.ts';
import type { LabelRequest } from '../../model/shipping.ts';
import type { CarrierAccount } from '../carrier.ts';
import { declarationReasons, shortDescription, termReasons } from '../customs/carrier-customs.ts';
import { type JsonObject, withoutEmpty } from '../json.ts';

/** Karrio names no number; carriers behind it take as many or fewer, and say so. */
export const maxLines = 99;

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

/** What Karrio's own rules find wrong with a declaration. */
export function customsReasons(
  customs: CustomsDeclaration,
  request: LabelRequest,
  account: CarrierAccount,
): readonly Reason[] {
  return [
    ...declarationReasons(customs, request, account),
    ...termReasons(customs.incoterm !== 'DPU', 'incotrm must not be DPU: Karrio has no such term.'),
  ];
}

/** The member `customs` of a shipment. Values and weights are those of one piece. */
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
