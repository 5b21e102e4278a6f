// Answers of GLS's simulator beside labels: its errors, the validation of a shipment, and ParcelShops.
import { type JsonValue, textAt } from '../src/carriers/json.ts';
import { lonelyPostcode, nearbyShops } from './nearby.ts';
import type { ShapeFault } from './json-shape.ts';
import type { SimulatorAnswer } from './server.ts';

/** Errors have no body: code, wording and member are in headers, which hold only ASCII. */
export function failed(error: string, path: string, message: string): SimulatorAnswer {
  return {
    status: 400,
    headers: { error, message: message.replace(/[^\x20-\x7e]/g, '?'), args: `[${path}]` },
    body: '',
  };
}

/** The error of a request of another shape. */
export function ofShape({ path, what, value }: ShapeFault): SimulatorAnswer {
  const place = path.replace(/\[\d+\]/g, '');
  // The JSON reader itself fails at unknown members and wrong types, and says so as text.
  if (what === 'unknown' || what === 'type')
    return {
      status: 400,
      headers: { 'Content-Type': 'text/plain' },
      body: `Unrecognized field or type at "${place}" (class com.gls.shipit.Shipment), not marked as ignorable`,
    };
  if (what === 'missing')
    return failed('MANDATORY_PARAMETER_NOT_SET', place, `The mandatory parameter ${place} is not set.`);
  if (what === 'length') return failed('NUMBER_EXCEEDS_LENGTH', place, `The value of ${place} is too long.`);
  return failed('INVALID_FIELD_VALUE', place, `Invalid field ${place}. Value ${String(value)} is not a valid value.`);
}

/** The names that rules use for the members at which a shipment fails; others are given by their path. */
const ruleNames: Readonly<Record<string, readonly [rule: string, location: string]>> = {
  'Shipment.Consignee.Address.ZIPCode': ['ADDRESS_ZIPCODE_MANDATORY', 'consignee.zip'],
  'Shipment.Product': ['ARTICLES_DESTINATION_EXCLUSIONS', 'article.routing.notallowed'],
};

/**
 * Answers validateParcels. Source: the description of ShipIT 5.0.11 (rest_shipment_processing), which Karrio keeps with
 * its connector: rules have a name and a place, wrong members come as the rule COMMON with their path.
 * @param refusal the answer to creating the shipment; null if it would be created
 */
export function validated(refusal: SimulatorAnswer | null): SimulatorAnswer {
  const { error, message = '', args = '' } = refusal?.headers ?? {};
  // A failure of the JSON reader is no result of a validation.
  if (refusal !== null && error === undefined) return refusal;
  const path = args.slice(1, -1);
  const [rule, location] = (Object.hasOwn(ruleNames, path) ? ruleNames[path] : undefined) ?? ['COMMON', path];
  const issues =
    refusal === null ? [] : [{ Rule: rule, Location: location, ...(rule === 'COMMON' && { Parameters: [message] }) }];
  return {
    status: 200,
    headers: { 'Content-Type': 'application/glsVersion1+json' },
    body: { success: refusal === null, validationResult: { Issues: issues } },
  };
}

/**
 * Answers findNearestParcelShopForAddress. Source: the description of ShipIT 5.0.11 (rest_parcel_shop), which Karrio
 * keeps: postcode and country are mandatory, a street, if given, has more than three characters, distances are
 * kilometers up to 50, hours are milliseconds since one in the morning, breaks of -3600000 mean none.
 */
export function shopsNear(body: JsonValue | undefined): SimulatorAnswer {
  const [country, zip, street, distance] = ['CountryCode', 'ZIPCode', 'Street', 'Distance'].map((name) =>
    textAt(body, name),
  );
  for (const [name, value] of [
    ['ZIPCode', zip],
    ['CountryCode', country],
  ])
    if (value === '')
      return failed(
        'MANDATORY_PARAMETER_NOT_SET',
        `"parcelshopSearchLocation.${name}"`,
        `The Mandatory parameter parcelshopSearchLocation.${name} is not set`,
      );
  if (!countries.includes(country ?? ''))
    return failed(
      'INVALID_FIELD_VALUE',
      '"countryCode"',
      `Invalid field countryCode. Value ${country} is not a valid value. Country ${country} not found.`,
    );
  if (street !== '' && ((street ?? '').length < 4 || (street ?? '').length > 40))
    return failed('INVALID_FIELD_VALUE', '"street"', 'Invalid field street. Value is not a valid value.');
  if (!/^\d{0,2}$/.test(distance ?? '') || Number(distance) > 50)
    return failed('INVALID_FIELD_VALUE', '"distance"', 'Invalid field distance. Value is not a valid value.');
  const max = Number(textAt(body, 'MaxNumberOfShops') || '25');
  const shops = zip === lonelyPostcode ? [] : nearbyShops.slice(0, max);
  return {
    status: 200,
    headers: { 'Content-Type': 'application/glsVersion1+json' },
    body: {
      ParcelShop: shops.map(({ name, street: own, meters }, index) => ({
        ParcelShopID: `GLS_${country}-${2_761_234_567 + index}`,
        Type: 'SHOP',
        Location: { Latitude: '48.55597', Longitude: '12.56134' },
        Address: {
          Name1: name,
          Name2: '',
          Name3: '',
          CountryCode: country ?? '',
          ZIPCode: zip ?? '',
          City: textAt(body, 'City'),
          Street: own,
          StreetNumber: '17',
        },
        WorkingDay: ['MON', 'SAT'].map((day) => ({
          DayOfWeek: day,
          OpeningHours: { OpeningHours: [{ From: 28_800_000, To: 61_200_000 }] },
          Breaks: {
            OpeningHours: [day === 'MON' ? { From: 39_600_000, To: 43_200_000 } : { From: -3_600_000, To: -3_600_000 }],
          },
        })),
        AirlineDistance: String(meters / 1000),
      })),
    },
  };
}

const countries: readonly string[] = ['DE', 'AT', 'BE', 'FR', 'NL', 'LU', 'IT', 'ES', 'PL', 'DK'];
