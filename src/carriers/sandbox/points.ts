// Pick-up points of the sandbox: some near every address, always the same.
import { CarrierError, reasonAt } from '../carrier.ts';
import { openingHoursOf, type PickupPoint, type PointTask } from '../points.ts';
import { countryName, deliveryModes, postcodes } from './modes.ts';

/** A postcode without points nearby. */
const lonelyZip = '00000';

const shops = [
  ['Sandbox bakery', '1 rue du Moulin', 180, 20_000],
  ['Sandbox book shop', '14 rue de la Gare', 420, 20_000],
  ['Sandbox lockers', '3 place du Marché', 950, 10_000],
  ['Sandbox garage', '27 route de Lyon', 2300, 30_000],
  ['Sandbox post office', '8 avenue de la Poste', 3100, 30_000],
] as const;

/** @throws CarrierError `invalid` for an unknown country, or a postcode that is not one of its country */
export function pointsNear({ query, limit }: PointTask): readonly PickupPoint[] {
  const { destZip, destCity, destCountry, modeLiv } = query;
  if (countryName(destCountry) === null)
    throw wrong('destCountry', 'destCountry must be a country as two capital letters (ISO 3166-1), such as FR.');
  const shape = Object.hasOwn(postcodes, destCountry) ? postcodes[destCountry] : undefined;
  if (shape !== undefined && !shape.test(destZip))
    throw wrong('destZip', `destZip must be a postcode of ${countryName(destCountry) ?? destCountry}.`);
  if (destZip === lonelyZip) return [];
  const mode = deliveryModes[modeLiv]?.point === true ? modeLiv : '24R';
  return shops.slice(0, limit).map(([name, street, distanceMeters, maxGrams], index) => ({
    labelRequest: {
      modeLiv: mode,
      shippingPickupPoint: `${destZip.replace(/[^0-9A-Za-z]/g, '').slice(0, 8)}-${index + 1}`,
      shippingPickupPointCountry: destCountry,
    },
    name,
    street,
    supplement: '',
    zip: destZip,
    city: destCity,
    country: destCountry,
    latitude: null,
    longitude: null,
    distanceMeters,
    maxGrams,
    openingHours: [1, 2, 3, 4, 5, 6].flatMap((day) =>
      openingHoursOf(day, [
        ['09:00', '12:30'],
        ['14:00', '19:00'],
      ]),
    ),
  }));
}

function wrong(field: 'destCountry' | 'destZip', detail: string): CarrierError {
  return new CarrierError('invalid', detail, { reasons: [reasonAt(field, 'unknown-code', detail)] });
}
