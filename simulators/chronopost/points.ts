// Chronopost's directory of points: where the recipient collects, by the number of the point.
import { type XmlElement, xmlValue } from '../../src/carriers/xml/element.ts';
import { xml, type XmlPart } from '../../src/carriers/xml/write.ts';
import { lonelyPostcode, nearbyShops } from '../nearby.ts';
import { contract } from './rules.ts';

export const pointNamespace = 'http://cxf.rechercheBt.soap.chronopost.fr/';

interface PointAnswer {
  readonly code: number;
  readonly message: string;
  readonly more: readonly XmlPart[];
}

/**
 * Answers rechercheDetailPointChronopost, its counterpart with the suffix Inter for points abroad, and the search near
 * an address. Sources: the description of PointRelaisServiceWS in clients generated from it (names, order, numeric
 * country of a point); the tests of the client chronopost-api-php (317 for an invalid number, 700 for a country);
 * Chronopost's own modules, which ask in this way before they order; notes of a program on the service's answer to an
 * unknown account (1500).
 */
export function answerPoint(operation: XmlElement): PointAnswer {
  if (operation.name === 'recherchePointChronopostInter') return answerPoints(operation);
  const [number, country] = ['identifiant', 'countryCode'].map((name) => xmlValue(operation, name));
  if (
    xmlValue(operation, 'accountNumber') !== contract.accountNumber ||
    xmlValue(operation, 'password') !== contract.password
  )
    return refused(1500, 'invalid account or password');
  if (isUnserved(country)) return refused(700, 'Country not supported');
  if (number === undefined || number === '' || number === unknownPoint) return refused(317, 'Point not found');
  return { code: 0, message: '', more: [pointOf(number)] };
}

/**
 * Answers recherchePointChronopostInter. Sources: the description of the service (section 2.4.2), quoted by a program
 * for a shop that tried it on Chronopost's test account: type, service and city are mandatory (300, 700), the weight
 * has at most five digits, days are 1 for Monday to 7 with their hours as a text, heaviest parcels are in kilograms,
 * answers of quality 0 are to be ignored; the client chronopost-api-php (at most 25 points and 50 kilometers).
 */
function answerPoints(operation: XmlElement): PointAnswer {
  const value = (name: string): string => xmlValue(operation, name);
  if (value('accountNumber') !== contract.accountNumber || value('password') !== contract.password)
    return refused(1500, 'invalid account or password');
  if (isUnserved(value('countryCode'))) return refused(700, 'Country not supported');
  if (value('city') === '') return refused(700, "The parameter named 'city' is required");
  if (value('type') === '') return refused(300, 'Il faut que le type ou le pudoType soient renseignés');
  if (!['L', 'T', 'D'].includes(value('service'))) return refused(300, `service [${value('service')}] incorrect`);
  if (!/^\d{0,5}$/.test(value('weight'))) return refused(300, `weight [${value('weight')}] incorrect`);
  if (!/^\d\d\/\d\d\/\d{4}$/.test(value('shippingDate'))) return refused(300, 'shippingDate incorrect');
  if (Number(value('maxPointChronopost')) > 25 || Number(value('maxDistanceSearch')) > 50)
    return refused(300, 'maxPointChronopost or maxDistanceSearch incorrect');
  // P: shops and lockers; C: shops alone.
  const kinds = nearbyShops.filter(({ name }) => value('type') !== 'C' || !name.startsWith('LOCKER'));
  const shops = value('zipCode') === lonelyPostcode ? [] : kinds.slice(0, Number(value('maxPointChronopost')));
  return {
    code: 0,
    message: '',
    more: [
      ...shops.map(({ name, street, meters }, index) =>
        xml('listePointRelais', [
          xml('accesPersonneMobiliteReduite', 'true'),
          xml('actif', 'true'),
          xml('adresse1', street),
          xml('codePays', '250'),
          xml('codePostal', value('zipCode')),
          xml('coordGeolocalisationLatitude', '48.86113710000'),
          xml('coordGeolocalisationLongitude', '2.34258780000'),
          xml('distanceEnMetre', String(meters)),
          xml('identifiant', `${9835 + index}U`),
          ...[2, 1].map((day) =>
            xml('listeHoraireOuverture', [
              xml('horairesAsString', '11:30-15:00 15:30-22:30'),
              xml('jour', String(day)),
              xml('listeHoraireOuverture', [xml('debut', '11:30'), xml('fin', '15:00')]),
            ]),
          ),
          xml('localite', value('city').toUpperCase()),
          xml('nom', name),
          xml('poidsMaxi', '20'),
          xml('typeDePoint', 'P'),
        ]),
      ),
      xml('qualiteReponse', '2'),
      xml('wsRequestId', '1'),
    ],
  };
}

/**
 * Countries without points: one that is not served, and the overseas departments by their codes of two letters, which
 * have codes of three letters here (REU). Source: Chronopost's own modules, which say that nothing is found otherwise.
 */
function isUnserved(country: string | undefined): boolean {
  return country !== undefined && /^(US|GF|GP|MQ|RE|YT)$/.test(country);
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
    xml('poidsMaxi', '20'),
  ]);
}
