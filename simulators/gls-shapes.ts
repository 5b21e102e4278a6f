// The shape of the shipments that GLS's simulator accepts.
import { must, object, type Shape, text } from './json-shape.ts';

/**
 * Source by default: the tables of the description of ShipIT 5.0.11 (rest_shipment_processing: lengths, mandatory
 * members, and forbidden characters), which Karrio keeps with its connector gls (vendor/doxygen). Amounts are texts
 * there, with or without decimals.
 */
const free = /^[^"{},;()|\\\n]*$/;
const amount = must(text(undefined, { pattern: /^\d+(?:\.\d{1,2})?$/ }));
const telephone = text(35, { pattern: /^.{4,}$/su });
const address = {
  Name1: must(text(40, { pattern: free })),
  Name2: text(40, { pattern: free }),
  Name3: text(40, { pattern: free }),
  CountryCode: must(text(2, { pattern: /^[A-Z]{2}$/ })),
  Province: text(40, { pattern: free }),
  ZIPCode: must(text(10, { pattern: free })),
  City: must(text(40, { pattern: free })),
  Street: must(text(40, { pattern: free })),
  StreetNumber: text(40),
  eMail: text(80),
  ContactPerson: text(40, { pattern: /^.{6,}$/su }),
  FixedLinePhonenumber: telephone,
  MobilePhoneNumber: telephone,
};
const named = object({ ServiceName: must(text(undefined, { pattern: /^service_/ })) });
const services: Shape = {
  kind: 'list',
  of: object({
    Service: named,
    ShopDelivery: object({
      ServiceName: must(text(undefined, { choices: ['service_shopdelivery'] })),
      ParcelShopID: text(50),
    }),
    ShopReturn: object({
      ServiceName: must(text(undefined, { choices: ['service_shopreturn'] })),
      NumberOfLabels: must({ kind: 'number' }),
      ReturnQR: text(),
    }),
  }),
};
const cash = object({
  ServiceName: must(text(undefined, { choices: ['service_cash'] })),
  Reason: must(text(160)),
  Amount: amount,
  Currency: must(text(3)),
});
/**
 * Source: GLS's description of its Customs API 3.3.0 (glsIncotermCode), as Karrio keeps it with its connector gls
 * (vendor/customs-consignments-v3.yaml).
 */
export const incotermCodes = ['10', '11', '12', '18', '20', '21', '25', '30', '33', '40', '41', '50', '91'];
/** Source: the table of services of ShipIT's description (rest_shipment_processing), as Karrio keeps it. */
const liability = object({
  ServiceName: must(text(undefined, { choices: ['service_addonliability'] })),
  Amount: amount,
  Currency: must(text(3, { pattern: /^[A-Z]{3}$/ })),
  ParcelContent: text(255, { pattern: free }),
});
const shipmentShape = must(
  object({
    ShipmentReference: { kind: 'list', of: text(40, { pattern: free }) },
    ShippingDate: text(10, { pattern: /^\d{4}-\d\d-\d\d$/ }),
    IncotermCode: text(2, { choices: incotermCodes }),
    Identifier: text(40),
    Middleware: must(text(40)),
    Product: must(text(undefined, { choices: ['PARCEL', 'EXPRESS'] })),
    ExpressAltDeliveryAllowed: { kind: 'boolean' },
    Consignee: must(
      object({
        ConsigneeID: text(40),
        CostCenter: text(80),
        Category: text(8, { choices: ['PRIVATE', 'BUSINESS'] }),
        Address: must(object(address)),
      }),
    ),
    Return: object({ Address: must(object(address)) }),
    Shipper: must(object({ ContactID: must(text(20)), AlternativeShipperAddress: object(address) })),
    ShipmentUnit: must({
      kind: 'list',
      of: object({
        ShipmentUnitReference: { kind: 'list', of: text(40) },
        PartnerParcelNumber: text(50),
        Weight: must({ kind: 'number' }),
        Note1: text(50, { pattern: free }),
        Note2: text(50, { pattern: free }),
        Service: { kind: 'list', of: object({ Cash: cash, AddonLiability: liability }) },
      }),
    }),
    Service: services,
  }),
);
export const shape = must(
  object({
    Shipment: shipmentShape,
    PrintingOptions: must(
      object({
        ReturnLabels: must(
          object({
            TemplateSet: must(text(undefined, { choices: ['NONE', 'ZPL_200', 'ZPL_300'] })),
            LabelFormat: must(text(undefined, { choices: ['PDF', 'PNG', 'ZEBRA'] })),
          }),
        ),
      }),
    ),
  }),
);

/** A shipment that is only judged comes without print options. */
export const validationShape = must(object({ Shipment: shipmentShape }));
