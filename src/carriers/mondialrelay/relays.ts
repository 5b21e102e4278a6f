// Finds relays near an address by version 1 (WSI4_PointRelais_Recherche).
import type { CarrierError, CarrierAnswer, CarrierRequest } from '../carrier.ts';
import { decimal, openingHoursOf, type PickupPoint, type PointTask, wholeOf } from '../points.ts';
import { xmlChild, xmlChildren, type XmlElement, xmlValue } from '../xml/element.ts';
import type { SoapAccount } from './account.ts';
import type { CodeAnswer } from './codes.ts';
import { capitals, countryCode } from './plain-text.ts';
import { callSoap, refusalBy } from './soap.ts';
import type { SoapParameter } from './soap-request.ts';

/** Delivery modes to a relay; the first is the default. */
const relayModes: readonly string[] = ['24R', '24L', '24X'];
/** The service returns no more. */
const maxRelays = 30;
const radiusKilometers = 50;
/** The service's minimum weight. */
const minGrams = 15;

/** Asks for the relays near a postcode, and in a town if one is named. */
export function* findRelays(
  task: PointTask,
  account: SoapAccount,
): Generator<CarrierRequest, readonly PickupPoint[], CarrierAnswer> {
  const mode = relayModes.includes(task.query.modeLiv) ? task.query.modeLiv : (relayModes[0] ?? '');
  const result = yield* callSoap(account, 'WSI4_PointRelais_Recherche', parametersOf(task, account, mode));
  const status = xmlValue(result, 'STAT');
  if (status !== '0') throw refusalOf(status);
  return xmlChildren(xmlChild(result, 'PointsRelais'), 'PointRelais_Details').map((relay) => pointOf(relay, mode));
}

/**
 * In the order in which they are signed. The service knows no street; a town narrows the search, and a name spelled
 * differently finds nothing, so only the postcode is sent.
 */
function parametersOf({ query, limit }: PointTask, { enseigne }: SoapAccount, mode: string): readonly SoapParameter[] {
  const grams = wholeOf(query.weight);
  return [
    ['Enseigne', enseigne],
    ['Pays', countryCode(query.destCountry)],
    ['NumPointRelais', ''],
    ['Ville', ''],
    ['CP', capitals(query.destZip).replaceAll(' ', '')],
    ['Latitude', ''],
    ['Longitude', ''],
    ['Taille', ''],
    ['Poids', grams === null ? '' : String(Math.max(grams, minGrams))],
    ['Action', mode],
    ['DelaiEnvoi', '0'],
    ['RayonRecherche', String(radiusKilometers)],
    ['TypeActivite', ''],
    ['NACE', ''],
    ['NombreResultats', String(Math.min(limit, maxRelays)).padStart(2, '0')],
  ];
}

/** Names, streets and towns are padded with blanks; line 2 belongs to the name, line 4 to the street. */
function pointOf(relay: XmlElement, mode: string): PickupPoint {
  const country = xmlValue(relay, 'Pays');
  return {
    labelRequest: {
      modeLiv: mode,
      shippingPickupPoint: xmlValue(relay, 'Num'),
      shippingPickupPointCountry: country,
    },
    name: ['LgAdr1', 'LgAdr2'].map((line) => xmlValue(relay, line)).join(' '),
    street: xmlValue(relay, 'LgAdr3'),
    supplement: xmlValue(relay, 'LgAdr4'),
    zip: xmlValue(relay, 'CP'),
    city: xmlValue(relay, 'Ville'),
    country,
    latitude: decimal(xmlValue(relay, 'Latitude')),
    longitude: decimal(xmlValue(relay, 'Longitude')),
    distanceMeters: wholeOf(xmlValue(relay, 'Distance')),
    maxGrams: null,
    openingHours: dayNames.flatMap((name, index) => openingHoursOf(index + 1, spansOf(xmlChild(relay, name)))),
  };
}

const dayNames = ['Lundi', 'Mardi', 'Mercredi', 'Jeudi', 'Vendredi', 'Samedi', 'Dimanche'].map(
  (day) => `Horaires_${day}`,
);

/** Four times a day, as 0900; a pair of 0000 means closed. */
function spansOf(day: XmlElement | null): readonly (readonly [from: string, to: string])[] {
  const times = xmlChildren(day, 'string').map(({ text }) => text);
  return times.flatMap((from, index) => (index % 2 === 0 ? [[from, times[index + 1] ?? ''] as const] : []));
}

/** A code names the fields of both sender and recipient; here there is only the recipient. */
function refusalOf(status: string): CarrierError {
  return refusalBy(
    status,
    (answer): CodeAnswer => ({
      ...answer,
      fields: answer.fields.filter((field) => !field.startsWith('exp')),
      kind: answer.kind === 'unknown' ? 'refused' : answer.kind,
    }),
  );
}
