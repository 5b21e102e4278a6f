// Prices in the simulator for UPS: requests to its Rating interface, and their answers.
import { type JsonValue, listAt, textAt, valueAt } from '../src/carriers/json.ts';
import { must, object, type Shape, text } from './json-shape.ts';
import { packageOptionsShape } from './ups-invoices.ts';
import type { SimulatorAnswer } from './server.ts';
import { address } from './ups-shapes.ts';

const party = { Name: text(35), AttentionName: text(35), Address: address };

/**
 * Source: requests in the tests of Karrio's connector ups. Members are those of a shipment, except PaymentDetails and
 * PackagingType.
 */
export const rateShape: Shape = must(
  object({
    RateRequest: must(
      object({
        Request: must(
          object({
            RequestOption: must(text(undefined, { choices: ['Rate'] })),
            TransactionReference: object({ CustomerContext: text(512) }),
          }),
        ),
        Shipment: must(
          object({
            Shipper: must(object({ ...party, ShipperNumber: text(6) })),
            ShipTo: must(object(party)),
            ShipFrom: must(object(party)),
            PaymentDetails: object({
              ShipmentCharge: must({
                kind: 'list',
                of: object({ Type: must(text(2)), BillShipper: must(object({ AccountNumber: must(text(6)) })) }),
              }),
            }),
            Service: object({ Code: must(text(3)) }),
            NumOfPieces: text(5, { pattern: /^\d+$/ }),
            Package: must({
              kind: 'list',
              of: object({
                PackagingType: must(object({ Code: must(text(2)) })),
                PackageServiceOptions: packageOptionsShape,
                PackageWeight: must(
                  object({
                    UnitOfMeasurement: must(object({ Code: must(text(undefined, { choices: ['KGS', 'LBS'] })) })),
                    Weight: must(text(6, { pattern: /^\d+(\.\d)?$/ })),
                  }),
                ),
              }),
            }),
          }),
        ),
      }),
    ),
  }),
);

/** A price for each valid shipment; members are those of answers in Karrio's tests. */
export function rated(body: JsonValue | undefined): SimulatorAnswer {
  const shipment = valueAt(body, 'RateRequest', 'Shipment');
  const TotalCharges = { CurrencyCode: 'EUR', MonetaryValue: `${9 * listAt(shipment, 'Package').length}.90` };
  return {
    status: 200,
    body: {
      RateResponse: {
        Response: { ResponseStatus: { Code: '1', Description: 'Success' } },
        RatedShipment: [
          { Service: { Code: textAt(shipment, 'Service', 'Code'), Description: '' }, RatingMethod: '01', TotalCharges },
        ],
      },
    },
  };
}
