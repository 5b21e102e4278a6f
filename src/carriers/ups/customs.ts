// The commercial invoice that UPS makes of a declaration ("InternationalForms" of its Shipping interface).
import { amountText, type CustomsDeclaration, type GoodsCategory, incoterms } from '../../model/customs.ts';
import type { CarrierOutput } from '../carrier.ts';
import { plainAscii, shortDescription } from '../customs/goods-text.ts';
import type { CarrierCustoms } from '../customs/rules.ts';
import { bytesAt, type JsonObject, type JsonValue, listAt, withoutEmpty } from '../json.ts';
import { labelOutput } from '../label-outputs.ts';
import { required } from '../label-rules.ts';

/** UPS's reasons; any other text of up to 20 characters is printed as it is. */
const reasons: Readonly<Record<GoodsCategory, string>> = {
  sale: 'SALE',
  gift: 'GIFT',
  sample: 'SAMPLE',
  documents: 'DOCUMENTS',
  return: 'RETURN',
  other: 'OTHER',
};

const descriptionLine = 35;
const maxReference = 35;

export const upsCustoms = {
  // Of an invoice.
  maxLines: 50,
  printed: plainAscii,
  terms: incoterms.filter((term) => term !== 'DPU'),
  insurance: {},
  check: (_customs, request) =>
    required(request, 'content', 'a description of the goods, for shipments through customs'),
} as const satisfies CarrierCustoms;

/**
 * The members that a declaration adds to a shipment.
 * @param buyer to whom the goods are sold: the recipient
 */
export function declared(customs: CustomsDeclaration, buyer: JsonObject): JsonObject {
  const numbers = [
    ['EORI', customs.eori],
    ['VAT', customs.vatNumber],
    ['IOSS', customs.ioss],
  ].flatMap(([name, number]) => (number === '' ? [] : [`${name} ${number}`]));
  return {
    ShipmentServiceOptions: {
      InternationalForms: withoutEmpty({
        FormType: ['01'],
        InvoiceNumber: customs.invoiceNumber.slice(0, maxReference),
        InvoiceDate: customs.invoiceDate.replaceAll('-', ''),
        ReasonForExport: reasons[customs.category],
        TermsOfShipment: customs.incoterm,
        CurrencyCode: customs.currency,
        FreightCharges: customs.shippingCents === null ? {} : { MonetaryValue: amountText(customs.shippingCents) },
        Comments: numbers.join(', '),
        Contacts: { SoldTo: buyer },
        Product: customs.lines.map((line) =>
          withoutEmpty({
            Description: [shortDescription(plainAscii(line.description), descriptionLine)],
            Unit: {
              Number: String(line.quantity),
              UnitOfMeasurement: { Code: 'PCS' },
              Value: amountText(line.unitCents),
            },
            CommodityCode: line.hsCode,
            PartNumber: plainAscii(line.reference).slice(0, 10),
            OriginCountryCode: line.originCountry,
          }),
        ),
      }),
    },
  };
}

/** The invoice that came with a shipment; nothing if UPS keeps it (paperless). */
export function invoiceOf(results: JsonValue | undefined): readonly CarrierOutput[] {
  return listAt(results, 'Form').flatMap((form) => {
    const bytes = bytesAt(form, 'Image', 'GraphicImage');
    const output = bytes === null ? null : labelOutput('PdfUrl', bytes);
    return output === null ? [] : [{ ...output, name: 'InvoiceUrl' }];
  });
}
