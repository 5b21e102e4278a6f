// Chronopost's directory of points: where the recipient collects, by the number of the point.
import { type XmlElement, xmlValue } from '../../src/carriers/xml/element.ts';
import { xml, type XmlPart } from '../../src/carriers/xml/write.ts';
import { contract } from './rules.ts';

export const pointNamespace = 'http://cxf.rechercheBt.soap.chronopost.fr/';

interface PointAnswer {
  readonly code: number;
  readonly message: string;
  readonly more: readonly XmlPart[];
}

/**
 * Answers rechercheDetailPointChronopost, and with Inter at its end the same for points abroad.
 * Sources: the description of PointRelaisServiceWS as clients generated from it have it (names, order, numeric country
 * of a point); the tests of the client chronopost-api-php (317 for a number that is none, 700 for a country);
 * Chronopost's own modules, which ask so before they order.
 */
export function answerPoint(operation: XmlElement): PointAnswer {
  const [number, country] = ['identifiant', 'countryCode'].map((name) => xmlValue(operation, name));
  if (
    xmlValue(operation, 'accountNumber') !== contract.accountNumber ||
    xmlValue(operation, 'password') !== contract.password
  )
    return refused(3, 'invalid account or password');
  if (country === 'US') return refused(700, 'Country not supported');
  if (number === undefined || number === '' || number === unknownPoint) return refused(317, 'Point not found');
  return { code: 0, message: '', more: [pointOf(number)] };
}

/** Every other number is that of a point. */
const unknownPoint = '0000F';

function refused(code: number, message: string): PointAnswer {
  return { code, message, more: [] };
}

function pointOf(number: string): XmlPart {
  return xml('listePointRelais', [
    xml('accesPersonneMobiliteReduite', 'false'),
    xml('actif', 'true'),
    xml('adresse1', '104 RUE DE LA LIBERATION'),
    xml('adresse2', 'GALERIE MARCHANDE'),
    xml('codePays', '250'),
    xml('codePostal', '91210'),
    xml('coordGeolocalisationLatitude', '48.6863'),
    xml('distanceEnMetre', '0'),
    xml('identifiant', number),
    xml('localite', 'DRAVEIL'),
    xml('nom', 'PRESSING DE LA LIBERATION ET RETOUCHES'),
    xml('poidsMaxi', '20000'),
  ]);
}
