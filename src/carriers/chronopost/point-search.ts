// Chronopost's points near an address (recherchePointChronopostInter of its directory).
import { reasonAt, type CarrierAnswer, type CarrierRequest } from '../carrier.ts';
import { carrierError, unreadable } from '../carrier-messages.ts';
import { areaCode } from '../customs/areas.ts';
import { directoryPoint } from '../laposte/directory-points.ts';
import { frenchDay } from '../paris-time.ts';
import { openingHoursOf, type PickupPoint, type PointTask, spansIn, wholeOf } from '../points.ts';
import { soapResponse } from '../soap.ts';
import { xmlChild, xmlChildren, type XmlElement, xmlValue } from '../xml/element.ts';
import { faultError } from './errors.ts';
import { askDirectory, directoryError, overseasCode, title } from './points.ts';
import { pointProducts } from './products.ts';

const operation = 'recherchePointChronopostInter';
const maxPoints = 25;
const radiusKilometers = 20;
/** Chrono Relais within France, Relais DOM overseas, Relais Europe elsewhere. */
const usualProducts = { within: '86', overseas: '4P', abroad: '49' } as const;
/** 2Shop Direct and 2Shop Europe, whose parcels are not put into lockers. */
const staffedOnly: readonly string[] = ['5X', '6B'];

/** Asks for the points near an address that accept the product. */
export function* findPoints({
  account,
  query,
  limit,
  now,
}: PointTask): Generator<CarrierRequest, readonly PickupPoint[], CarrierAnswer> {
  const overseas = overseasCode(areaCode({ country: query.destCountry, zip: query.destZip }));
  const where = overseas !== null ? 'overseas' : ['FR', 'MC'].includes(query.destCountry) ? 'within' : 'abroad';
  const product = pointProducts.includes(query.modeLiv) ? query.modeLiv : usualProducts[where];
  const answer = yield askDirectory(account, operation, {
    address: query.destAddr2,
    zipCode: query.destZip,
    // The service requires a town, and accepts the postcode in its place.
    city: query.destCity || query.destZip,
    countryCode: overseas ?? query.destCountry,
    // Pickup points with lockers or without them, as Chronopost's own module for WooCommerce asks for each product.
    type: staffedOnly.includes(product) ? 'C' : 'P',
    productCode: product,
    service: 'L',
    weight: String(wholeOf(query.weight) ?? ''),
    shippingDate: frenchDay(now),
    maxPointChronopost: String(Math.min(limit, maxPoints)),
    maxDistanceSearch: String(radiusKilometers),
    holidayTolerant: '1',
    language: 'FR',
    version: '2.0',
  });
  const result = xmlChild(soapResponse(title, answer, `${operation}Response`, faultError), 'return');
  return pointsIn(result, product, query.destCountry);
}

/** The service itself says to ignore answers of quality 0. */
function pointsIn(result: XmlElement | null, modeLiv: string, country: string): readonly PickupPoint[] {
  if (result === null) throw unreadable(title, 'no result');
  const message = { code: xmlValue(result, 'errorCode'), text: xmlValue(result, 'errorMessage') };
  if (message.code === unknownPlace)
    throw carrierError('invalid', `${title} does not understand the address`, message, {
      reasons: [
        reasonAt('destCountry', 'refused', `Chronopost says of the address: "${message.text || message.code}".`),
      ],
    });
  if (message.code !== '0') throw directoryError(message);
  if (xmlValue(result, 'qualiteReponse') === '0') return [];
  return xmlChildren(result, 'listePointRelais')
    .filter((point) => xmlValue(point, 'actif') !== 'false')
    .map((point) => pointOf(point, modeLiv, country));
}

/** A country that is not served, or a missing parameter. */
const unknownPlace = '700';

/** Weights are kilograms. @param country as requested: the directory uses numbers and codes of its own */
function pointOf(point: XmlElement, modeLiv: string, country: string): PickupPoint {
  const openingHours = xmlChildren(point, 'listeHoraireOuverture')
    .toSorted((left, right) => Number(xmlValue(left, 'jour')) - Number(xmlValue(right, 'jour')))
    .flatMap((day) => openingHoursOf(Number(xmlValue(day, 'jour')), spansIn(xmlValue(day, 'horairesAsString'))));
  const read = (member: string): string => xmlValue(point, member);
  return directoryPoint(read, { modeLiv, country, weightUnit: 1000, openingHours });
}
