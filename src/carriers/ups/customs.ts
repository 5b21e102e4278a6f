// The commercial invoice that UPS makes of a declaration ("InternationalForms" of its Shipping interface).
import { amountText, type CustomsDeclaration, type GoodsCategory } from '../../model/customs.ts';
import type { Reason } from '../../model/record.ts';
import type { LabelRequest } from '../../model/shipping.ts';
import type { CarrierAccount, CarrierOutput } from '../carrier.ts';
import {
  declarationReasons,
  plainAscii,
  shortDescription,
  termReasons,
  unprintedGoods,
} from '../customs/carrier-customs.ts';
import { bytesAt, type JsonObject, type JsonValue, listAt, withoutEmpty } from '../json.ts';
import { labelOutput } from '../label-outputs.ts';
import { required } from '../label-rules.ts';

/** Most products of an invoice. */
export const maxLines = 50;

/** Reasons that UPS has; any other text of up to 20 characters is printed as it is. */
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

/** What UPS's own rules find wrong with a declaration. */
export function customsReasons(
  customs: CustomsDeclaration,
  request: LabelRequest,
  account: CarrierAccount,
): readonly Reason[] {
  return [
    ...declarationReasons(customs, request, account),
    ...unprintedGoods(customs, plainAscii, 'UPS'),
    ...required(request, 'content', 'a description of the goods, for shipments through customs'),
    ...termReasons(customs.incoterm !== 'DPU', 'incotrm must not be DPU: UPS has no such term of shipment.'),
  ];
}

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

/** The invoice that came with a shipment; nothing where UPS keeps it for itself (paperless). */
export function invoiceOf(results: JsonValue | undefined): readonly CarrierOutput[] {
  return listAt(results, 'Form').flatMap((form) => {
    const bytes = bytesAt(form, 'Image', 'GraphicImage');
    const output = bytes === null ? null : labelOutput('PdfUrl', bytes);
    return output === null ? [] : [{ ...output, name: 'InvoiceUrl' }];
  });
}
