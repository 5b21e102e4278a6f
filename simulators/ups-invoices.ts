// The commercial invoice of a shipment as UPS's simulator accepts it.
import { type JsonObject, type JsonValue, listAt, textAt, valueAt } from '../src/carriers/json.ts';
import { must, object, type Shape, text } from './json-shape.ts';
import { samplePdf } from './sample-label.ts';

const amount = object({ MonetaryValue: must(text(15, { pattern: /^\d+(\.\d{1,2})?$/ })) });

/**
 * `ShipmentServiceOptions` of a shipment. Source: requests that clients in use and their tests send (UPS's own reason
 * codes, `PCS` among the units, up to 3 lines of 35 characters of a description), and UPS's description of
 * InternationalForms: at most 50 products, 35 characters of an invoice number, 15 of a commodity code.
 * The buyer has a contact (`Contacts_SoldTo`: Name, AttentionName and Address are mandatory).
 * @param buyer shape of a party with a contact
 */
export function serviceOptionsShape(buyer: Shape): Shape {
  return object({
    Notification: {
      kind: 'list',
      of: object({ NotificationCode: must(text(1)), EMail: must(object({ EMailAddress: must(text(50)) })) }),
    },
    InternationalForms: object({
      FormType: must({ kind: 'list', of: text(2, { choices: ['01'] }) }),
      InvoiceNumber: text(35),
      InvoiceDate: must(text(8, { pattern: /^\d{8}$/ })),
      ReasonForExport: must(text(20)),
      TermsOfShipment: text(3, {
        choices: ['CFR', 'CIF', 'CIP', 'CPT', 'DAF', 'DDP', 'DAP', 'DEQ', 'DES', 'EXW', 'FAS', 'FCA', 'FOB'],
      }),
      CurrencyCode: must(text(3, { pattern: /^[A-Z]{3}$/ })),
      FreightCharges: amount,
      Comments: text(150),
      Contacts: must(object({ SoldTo: must(buyer) })),
      Product: must({
        kind: 'list',
        of: object({
          Description: must({ kind: 'list', of: must(text(35, { pattern: /^[\x20-\x7e]*$/ })) }),
          Unit: must(
            object({
              Number: must(text(7, { pattern: /^[1-9]\d*$/ })),
              UnitOfMeasurement: must(object({ Code: must(text(3)) })),
              Value: must(text(19, { pattern: /^\d+(\.\d{1,6})?$/ })),
            }),
          ),
          CommodityCode: text(15),
          PartNumber: text(10),
          OriginCountryCode: must(text(2, { pattern: /^[A-Z]{2}$/ })),
        }),
      }),
    }),
  });
}

/**
 * `PackageServiceOptions` of a package. Source: UPS's description of its Shipping interface, which Karrio keeps with
 * its connector ups (vendors/Shipping.yaml, PackageServiceOptions_DeclaredValue).
 */
export const packageOptionsShape = object({
  DeclaredValue: object({
    Type: object({ Code: must(text(2, { choices: ['01', '02'] })) }),
    CurrencyCode: must(text(3, { pattern: /^[A-Z]{3}$/ })),
    MonetaryValue: must(text(19, { pattern: /^\d+(\.\d{1,2})?$/ })),
  }),
});

/** The message on a wrong invoice of a shipment; null if nothing is wrong. */
export function invoiceFault(shipment: JsonValue | undefined): string | null {
  const form = valueAt(shipment, 'ShipmentServiceOptions', 'InternationalForms');
  if (form === undefined) return null;
  const products = listAt(form, 'Product').length;
  if (products < 1 || products > 50) return 'The number of products must be between 1 and 50';
  return textAt(shipment, 'Description') === '' ? 'Missing or invalid description of goods' : null;
}

/** The member of an answer that holds the invoice. */
export function invoiceForm(shipment: JsonValue | undefined): JsonObject {
  if (valueAt(shipment, 'ShipmentServiceOptions', 'InternationalForms') === undefined) return {};
  const GraphicImage = samplePdf(['Simulator for UPS', 'Commercial invoice']).toString('base64');
  return {
    Form: {
      Code: '01',
      Description: 'All Requested International Forms',
      Image: { ImageFormat: { Code: 'PDF', Description: 'PDF' }, GraphicImage },
    },
  };
}
