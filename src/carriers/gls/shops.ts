// GLS's ParcelShops near an address (ShipIT, findNearestParcelShopForAddress).
import { requestWithToken } from '../access-token.ts';
import { type CarrierAnswer, type CarrierRequest, isSuccess, reasonAt } from '../carrier.ts';
import { carrierError, unreadable } from '../carrier-messages.ts';
import { answeredJson, isJsonObject, type JsonValue, listAt, textAt, valueAt, withoutEmpty } from '../json.ts';
import type { LabelField } from '../../model/shipping.ts';
import { decimal, openingHoursOf, type PickupPoint, type PointTask, wholeOf } from '../points.ts';
import { glsToken, mediaType, shipmentError, shipmentMessage, title } from './errors.ts';
import { plain } from './rules.ts';

/** The service searches no further. */
const radiusKilometers = 50;
/** A shorter street is refused. */
const minStreet = 4;

/** Asks for the shops near an address. */
export function* findShops({
  account,
  query,
  limit,
}: PointTask): Generator<CarrierRequest, readonly PickupPoint[], CarrierAnswer> {
  const street = plain(query.destAddr2);
  const body = JSON.stringify(
    withoutEmpty({
      Street: street.length < minStreet ? '' : Array.from(street).slice(0, 40).join(''),
      CountryCode: query.destCountry,
      ZIPCode: plain(query.destZip),
      City: plain(query.destCity),
      Distance: String(radiusKilometers),
      MaxNumberOfShops: String(limit),
    }),
  );
  const answer = yield* requestWithToken(glsToken(account), (token) => ({
    method: 'POST',
    url: `${account.settings.baseUrl}/shipit-farm/v1/backend/rs/parcelshop/address`,
    repeat: 'safe',
    headers: { Accept: mediaType, 'Content-Type': mediaType, Authorization: `Bearer ${token}` },
    body,
  }));
  if (!isSuccess(answer)) throw searchError(answer);
  const given = answeredJson(answer, title);
  const shops = valueAt(given, 'ParcelShop');
  if (!Array.isArray(shops) && !isJsonObject(shops)) throw unreadable(title, 'no list of shops');
  return listAt(given, 'ParcelShop').map((shop) => pointOf(shop, query.destCountry));
}

/** Parameter names in errors, and the fields of a label request that they stand for. */
const fieldsByParameter: readonly (readonly [RegExp, LabelField])[] = [
  [/countryCode/i, 'destCountry'],
  [/zipCode/i, 'destZip'],
  [/city/i, 'destCity'],
  [/street/i, 'destAddr2'],
];

function searchError(answer: CarrierAnswer): Error {
  const message = shipmentMessage(answer);
  const field = fieldsByParameter.find(([name]) => name.test(answer.headers.args ?? message.text))?.[1];
  return answer.status !== 400 || field === undefined
    ? shipmentError(answer, false)
    : carrierError('invalid', 'GLS does not understand the address', message, {
        reasons: [reasonAt(field, 'refused', `GLS says of ${field}: "${message.text || message.code}".`)],
      });
}

/** Distances are kilometers. */
function pointOf(shop: JsonValue, asked: string): PickupPoint {
  const country = textAt(shop, 'Address', 'CountryCode') || asked;
  return {
    labelRequest: {
      modeLiv: 'SHOP',
      shippingPickupPoint: textAt(shop, 'ParcelShopID'),
      shippingPickupPointCountry: country,
    },
    name: joined(shop, ['Name1', 'Name2', 'Name3']),
    street: joined(shop, ['Street', 'StreetNumber']),
    supplement: '',
    zip: textAt(shop, 'Address', 'ZIPCode'),
    city: textAt(shop, 'Address', 'City'),
    country,
    latitude: decimal(textAt(shop, 'Location', 'Latitude')),
    longitude: decimal(textAt(shop, 'Location', 'Longitude')),
    distanceMeters: wholeOf(textAt(shop, 'AirlineDistance'), 1000),
    maxGrams: null,
    openingHours: listAt(shop, 'WorkingDay').flatMap((day) =>
      openingHoursOf(dayNames.indexOf(textAt(day, 'DayOfWeek')) + 1, spansOf(day)),
    ),
  };
}

const dayNames: readonly string[] = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];

function joined(shop: JsonValue, members: readonly string[]): string {
  return members
    .map((member) => textAt(shop, 'Address', member))
    .filter((text) => text !== '')
    .join(' ');
}

/** A day is open from the first to the last time, except for the breaks. */
function spansOf(day: JsonValue): readonly (readonly [from: string, to: string])[] {
  const [open] = listAt(day, 'OpeningHours', 'OpeningHours').map(spanOf);
  if (open === undefined) return [];
  let from = open[0];
  const spans: (readonly [from: string, to: string])[] = [];
  for (const [first, last] of listAt(day, 'Breaks', 'OpeningHours').map(spanOf)) {
    if (first <= from || last > open[1] || first >= last) continue;
    spans.push([from, first]);
    from = last;
  }
  return [...spans, [from, open[1]]];
}

/** Milliseconds since one in the morning, as the service counts: 28800000 is nine. */
function spanOf(hours: JsonValue): readonly [from: string, to: string] {
  return [clockOf(textAt(hours, 'From')), clockOf(textAt(hours, 'To'))];
}

function clockOf(text: string): string {
  const minutes = Math.round(Number(text) / 60_000) + 60;
  return text === '' || !(minutes >= 0 && minutes <= 1440)
    ? ''
    : `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}
