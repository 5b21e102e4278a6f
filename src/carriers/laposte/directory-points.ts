// Reads points with the member names that the directories of Chronopost and Colissimo share: both belong to La Poste's
// group, one writes XML and the other JSON.
import { decimal, type PickupPoint, wholeOf } from '../points.ts';

/** The text of a member of a point, '' if there is none. */
type Reader = (member: string) => string;

/** The address of a point in lines of a label. */
export interface PointLines {
  readonly name: string;
  readonly street: string;
  readonly supplement: string;
  readonly zip: string;
  readonly city: string;
}

/** The parts that each directory writes in its own way. */
interface OwnWays extends Pick<PickupPoint, 'country' | 'openingHours'> {
  readonly modeLiv: string;
  /** Grams in one unit of the weight of the heaviest parcel. */
  readonly weightUnit: number;
}

/** A point of a search. */
export function directoryPoint(read: Reader, { country, openingHours, modeLiv, weightUnit }: OwnWays): PickupPoint {
  return {
    labelRequest: {
      modeLiv,
      shippingPickupPoint: read('identifiant'),
      shippingPickupPointCountry: country,
    },
    name: read('nom'),
    street: read('adresse1'),
    supplement: [read('adresse2'), read('adresse3')].filter((line) => line !== '').join(', '),
    zip: read('codePostal'),
    city: read('localite'),
    country,
    latitude: decimal(read('coordGeolocalisationLatitude')),
    longitude: decimal(read('coordGeolocalisationLongitude')),
    distanceMeters: wholeOf(read('distanceEnMetre')),
    maxGrams: wholeOf(read('poidsMaxi'), weightUnit),
    openingHours,
  };
}

/**
 * The address of one point; null if it has no street, postcode or town. Some names and streets of points are longer
 * than a line and are cut: the number of the point routes the parcel.
 */
export function directoryAddress(read: Reader, lineLength: number): PointLines | null {
  const cut = (text: string): string => text.slice(0, lineLength).trimEnd();
  const lines = {
    name: cut(read('nom')),
    street: cut(read('adresse1')),
    supplement: cut(read('adresse2')),
    zip: read('codePostal'),
    city: cut(read('localite')),
  };
  return lines.street === '' || lines.zip === '' || lines.city === '' ? null : lines;
}
