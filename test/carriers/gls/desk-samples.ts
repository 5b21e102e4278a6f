// ParcelShops and validations of GLS as the description of ShipIT 5.0.11 shows them.
import type { Refusal } from '../contract.ts';
import { answer } from '../drive.ts';

const json = (body: unknown, status = 200) =>
  answer(JSON.stringify(body), status, { 'content-type': 'application/glsVersion1+json' });
const headers = {
  authorization: 'Bearer tok.1-2_3',
  'content-type': 'application/glsVersion1+json',
  accept: 'application/glsVersion1+json',
} as const;
const backend = 'https://api.gls-group.net/shipit-farm/v1/backend/rs';

export const shopRequest = {
  method: 'POST',
  url: `${backend}/parcelshop/address`,
  repeat: 'safe',
  headers,
  body:
    '{"Street":"Marktplatz 52","CountryCode":"DE","ZIPCode":"94419","City":"Reisbach","Distance":"50",' +
    '"MaxNumberOfShops":"10"}',
} as const;
export const shopQuery = {
  destCountry: 'DE',
  destZip: '94419',
  destCity: 'Reisbach',
  destAddr2: 'Marktplatz 52',
  weight: '',
  modeLiv: '',
} as const;

/** Hours are milliseconds since one in the morning; a break of -3600000 is none. */
const day = (name: string, from: number, to: number, breakFrom: number, breakTo: number) => ({
  DayOfWeek: name,
  OpeningHours: { OpeningHours: [{ From: from, To: to }] },
  Breaks: { OpeningHours: [{ From: breakFrom, To: breakTo }] },
});
export const shops = json({
  ParcelShop: [
    {
      ParcelShopID: 'GLS_DE-2761234567',
      Type: 'SHOP',
      Location: { Latitude: '48.55597', Longitude: '12.56134' },
      Address: {
        Name1: 'Vilstal-Bikes Baier',
        Name2: 'Andreas Baier e.K.',
        Name3: '',
        CountryCode: 'DE',
        ZIPCode: '84163',
        City: 'Marklkofen',
        Street: 'Reisbacher Str.',
        StreetNumber: '17',
      },
      WorkingDay: [
        day('MON', 28_800_000, 61_200_000, 39_600_000, 43_200_000),
        day('SAT', 28_800_000, 39_600_000, -3_600_000, -3_600_000),
      ],
      AirlineDistance: '5.232480979421174',
    },
  ],
});
export const shopPoints = [
  {
    labelRequest: {
      modeLiv: 'SHOP',
      shippingPickupPoint: 'GLS_DE-2761234567',
      shippingPickupPointCountry: 'DE',
    },
    name: 'Vilstal-Bikes Baier Andreas Baier e.K.',
    street: 'Reisbacher Str. 17',
    supplement: '',
    zip: '84163',
    city: 'Marklkofen',
    country: 'DE',
    latitude: 48.55597,
    longitude: 12.56134,
    distanceMeters: 5232,
    maxGrams: null,
    openingHours: [
      { day: 'monday', from: '09:00', to: '12:00' },
      { day: 'monday', from: '13:00', to: '18:00' },
      { day: 'saturday', from: '09:00', to: '12:00' },
    ],
  },
] as const;

export const validationRequest = {
  method: 'POST',
  url: `${backend}/shipments/validate`,
  repeat: 'safe',
  headers,
  body: /^\{"Shipment":\{"ShipmentReference":\["Ref-Unit-1234"\].*"ShipmentUnit":\[\{"Weight":5,.*\}\]\}\}$/,
} as const;
export const valid = json({ success: true, validationResult: { Issues: [] } });

const issues = (...found: readonly (readonly [rule: string, location: string, ...parameters: string[]])[]) =>
  json({
    success: false,
    validationResult: {
      Issues: found.map(([Rule, Location, ...Parameters]) => ({
        Rule,
        Location,
        ...(Parameters.length > 0 && { Parameters }),
      })),
    },
  });

/** @param token answer that gives the access token */
export function deskRefusals(token: ReturnType<typeof answer>): readonly Refusal[] {
  const refused = (error: string, message: string, args: string) => answer('', 400, { error, message, args });
  return [
    {
      name: 'a search in a country that is none',
      operation: 'findPoints',
      answers: [
        token,
        refused(
          'INVALID_FIELD_VALUE',
          'Invalid field countryCode. Value XY is not a valid value. Country XY not found.',
          '["countryCode","XY","Country XY not found."]',
        ),
      ],
      kind: 'invalid',
      carrierCode: 'INVALID_FIELD_VALUE',
      fields: ['destCountry'],
    },
    {
      name: 'a search without a postcode',
      operation: 'findPoints',
      answers: [
        token,
        refused(
          'MANDATORY_PARAMETER_NOT_SET',
          'The Mandatory parameter parcelshopSearchLocation.ZIPCode is not set',
          '["parcelshopSearchLocation.ZIPCode"]',
        ),
      ],
      kind: 'invalid',
      carrierCode: 'MANDATORY_PARAMETER_NOT_SET',
      fields: ['destZip'],
    },
    {
      name: 'a search of a client that it does not know',
      operation: 'findPoints',
      answers: [answer('{"errors":[{"message":"Invalid client","type":"invalid_client"}]}', 401)],
      kind: 'configuration',
      carrierCode: 'invalid_client',
      fields: [],
    },
    {
      name: 'a validation that finds postcode and town missing',
      operation: 'dryRun',
      answers: [
        token,
        issues(
          ['ADDRESS_ZIPCODE_MANDATORY', 'consignee.zip'],
          ['ADDRESS_CITY_MANDATORY', 'consignee.city'],
          ['SHIPMENT_VALID_ROUTING', 'routing'],
        ),
      ],
      kind: 'invalid',
      carrierCode: 'ADDRESS_ZIPCODE_MANDATORY',
      fields: ['destZip', 'destCity'],
    },
    {
      name: 'a validation that finds no way',
      operation: 'dryRun',
      answers: [token, issues(['SHIPMENT_VALID_ROUTING', 'routing'])],
      kind: 'refused',
      carrierCode: 'SHIPMENT_VALID_ROUTING',
      fields: [],
    },
    {
      name: 'a validation that finds a service not to be had there',
      operation: 'dryRun',
      answers: [token, issues(['ARTICLES_DESTINATION_EXCLUSIONS', 'article.routing.notallowed', 'DE', '27498'])],
      kind: 'invalid',
      carrierCode: 'ARTICLES_DESTINATION_EXCLUSIONS',
      fields: ['modeLiv'],
    },
    {
      name: 'a validation that finds the cash too high',
      operation: 'dryRun',
      answers: [token, issues(['ARTICLES_PRODUCT_MAX_COD', 'shipmentunit.attribute.cod.toohigh', 'PRODUCT'])],
      kind: 'invalid',
      carrierCode: 'ARTICLES_PRODUCT_MAX_COD',
      fields: ['crtValue'],
    },
    {
      name: 'a validation for a contact ID that it does not know',
      operation: 'dryRun',
      answers: [token, issues(['COMMON', 'Shipment.Shipper.ContactID', 'Shipper does not exist', '1234567890'])],
      kind: 'configuration',
      carrierCode: 'COMMON',
      fields: [],
    },
    {
      name: 'a label for a postcode that its rules name in their own way',
      operation: 'createLabel',
      answers: [
        token,
        refused(
          'INVALID_FIELD_VALUE',
          'Invalid field consignee.zip. Value 123 is not a valid value. Shipment validation failed',
          '["consignee.zip","123","Shipment validation failed"]',
        ),
      ],
      kind: 'invalid',
      carrierCode: 'INVALID_FIELD_VALUE',
      fields: ['destZip'],
    },
    {
      name: 'a label with an incoterm that its rules do not know',
      operation: 'createLabel',
      answers: [
        token,
        refused(
          'INVALID_FIELD_VALUE',
          'Invalid field shipment.incoterm. Value 99 is not a valid value. Shipment validation failed',
          '["shipment.incoterm","99","Shipment validation failed"]',
        ),
      ],
      kind: 'configuration',
      carrierCode: 'INVALID_FIELD_VALUE',
      fields: [],
    },
  ];
}
