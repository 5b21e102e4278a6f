// The shape of the shipments that UPS's simulator accepts, and who must have a contact.
import { type JsonValue, textAt } from '../src/carriers/json.ts';
import { must, object, text } from './json-shape.ts';
import { packageOptionsShape, serviceOptionsShape } from './ups-invoices.ts';

export const address = must(
  object({
    AddressLine: must({ kind: 'list', of: text(35) }),
    City: must(text(30)),
    StateProvinceCode: text(5),
    PostalCode: text(9),
    CountryCode: must(text(2, { pattern: /^[A-Z]{2}$/ })),
  }),
);
const party = {
  Name: must(text(35)),
  AttentionName: text(35),
  CompanyDisplayableName: text(35),
  TaxIdentificationNumber: text(15),
  Phone: object({ Number: must(text(15, { pattern: /^\d+$/ })) }),
  EMailAddress: text(50),
  Address: address,
};
/** A code with its meaning in words. */
const code = (max: number) => object({ Code: must(text(max)), Description: text(35) });
const unit = (...choices: readonly string[]) =>
  must(object({ Code: must(text(undefined, { choices })), Description: text(35) }));
const side = must(text(8, { pattern: /^\d+(\.\d+)?$/ }));
/**
 * A shipment. Source: UPS's published description of its Shipping interface (lengths and mandatory members), with what
 * the shipments in the tests of Karrio's connector ups name beside that.
 */
export const shipmentShape = must(
  object({
    ShipmentRequest: must(
      object({
        Request: must(
          object({
            RequestOption: must(text(undefined, { choices: ['nonvalidate', 'validate'] })),
            SubVersion: text(5, { pattern: /^v?\d{4}$/ }),
            TransactionReference: object({ CustomerContext: text(512) }),
          }),
        ),
        Shipment: must(
          object({
            Description: text(50),
            Shipper: must(object({ ...party, ShipperNumber: must(text(6)) })),
            ShipTo: must(object(party)),
            ShipFrom: object(party),
            InvoiceLineTotal: object({ CurrencyCode: must(text(3)), MonetaryValue: must(text(11)) }),
            NumOfPiecesInShipment: text(5),
            RatingMethodRequestedIndicator: text(),
            TaxInformationIndicator: text(),
            ShipmentRatingOptions: object({ NegotiatedRatesIndicator: text() }),
            PaymentInformation: must(
              object({
                ShipmentCharge: must({
                  kind: 'list',
                  of: object({ Type: must(text(2)), BillShipper: must(object({ AccountNumber: must(text(6)) })) }),
                }),
              }),
            ),
            ReferenceNumber: { kind: 'list', of: object({ Code: text(2), Value: must(text(35)) }) },
            Service: must(code(2)),
            ShipmentServiceOptions: serviceOptionsShape(object({ ...party, AttentionName: must(text(35)) })),
            Package: must({
              kind: 'list',
              of: object({
                Description: text(35),
                Packaging: must(code(2)),
                Dimensions: object({ UnitOfMeasurement: unit('CM', 'IN'), Length: side, Width: side, Height: side }),
                PackageServiceOptions: packageOptionsShape,
                PackageWeight: must(
                  object({
                    UnitOfMeasurement: unit('KGS', 'LBS'),
                    Weight: must(text(5, { pattern: /^\d+(\.\d)?$/ })),
                  }),
                ),
              }),
            }),
          }),
        ),
        LabelSpecification: must(
          object({
            LabelImageFormat: unit('GIF', 'PNG', 'ZPL', 'EPL', 'SPL'),
            HTTPUserAgent: text(),
            // The description of the interface lists it as mandatory, also for pictures.
            LabelStockSize: must(
              object({
                Height: must(text(undefined, { choices: ['6', '8'] })),
                Width: must(text(undefined, { choices: ['4'] })),
              }),
            ),
          }),
        ),
      }),
    ),
  }),
);

/** Between countries both sides have a contact, by UPS's description and the tests of its clients. */
export function sideWithoutContact(sides: Readonly<Record<string, JsonValue | undefined>>): string | undefined {
  return Object.keys(sides).find((side) => textAt(sides[side], 'AttentionName') === '');
}
