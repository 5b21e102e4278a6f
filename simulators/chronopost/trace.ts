// Chronopost's own tracking, which needs no credentials: the events of a parcel by its number, oldest first. Sources:
// the description of TrackingServiceWS in clients generated from it; an answer recorded by Karrio's tests; the codes
// and wordings collected by a public tracker of Chronopost's parcels.
import { type XmlElement, xmlValue } from '../../src/carriers/xml/element.ts';
import { xml, type XmlPart } from '../../src/carriers/xml/write.ts';
import { parisTime } from '../../src/carriers/paris-time.ts';

export const traceNamespace = 'http://cxf.tracking.soap.chronopost.fr/';

export interface TracedParcel {
  readonly number: string;
  /** When it was announced, milliseconds since 1970. */
  readonly at: number;
  /** The recipient's name. */
  readonly name: string;
  isCancelled: boolean;
}

/** Parcels in every state, by the codes of their events; the last one was yesterday. */
const samples: Readonly<Record<string, readonly string[]>> = {
  XY700000010FR: ['DC'],
  XY700000027FR: ['DC', 'DB', 'TS'],
  XY700000034FR: ['DC', 'TS', 'TA', 'SM'],
  XY700000041FR: ['DC', 'TS', 'TA', 'D'],
  XY700000058FR: ['DC', 'TS', 'TA', 'P'],
  XY700000065FR: ['DC', 'TS', 'P', 'R', 'D'],
};

const wordings: Readonly<Record<string, string>> = {
  DC: "Envoi prêt chez l'expéditeur",
  DB: 'Envoi pris en charge',
  TS: 'Tri effectué dans l’agence de départ',
  TA: 'Envoi en cours de livraison',
  SM: 'SMS ou e-mail envoyé au destinataire',
  P: 'Destinataire absent',
  R: "Envoi en retour vers l'expéditeur",
  D: 'Livraison effectuée',
};

/** The parcels made here, as announced, and the samples; no event for any other number. */
export function traceOf(operation: XmlElement, known: readonly TracedParcel[]): readonly XmlPart[] {
  const number = xmlValue(operation, 'skybillNumber');
  const made = known.find((parcel) => parcel.number === number);
  const codes = made ? ['DC'] : Object.hasOwn(samples, number) ? (samples[number] ?? []) : [];
  const first = made?.at ?? Date.now() - codes.length * day;
  return [
    xml('listEventInfoComp', [
      ...codes.map((code, index) => eventOf(code, first + index * day)),
      xml('skybillNumber', number),
    ]),
  ];
}

/**
 * Cancels a parcel with the credentials of its contract; one for a recipient called TAKEN has been handed over.
 * Elements and members are those of clients generated from the description of TrackingServiceWS. Codes are those of
 * Chronopost's own modules for shops: 0 success, 1 a failure of the system, 2 not of the contract or not registered, 3
 * dispatched already. Wordings are the simulator's own, and so is the answer for a parcel that is cancelled: nobody has
 * published whether it says so.
 */
export function cancel(
  operation: XmlElement,
  known: readonly TracedParcel[],
  contract: { readonly accountNumber: string; readonly password: string },
): readonly [code: number, message: string] {
  const isOfContract =
    xmlValue(operation, 'accountNumber') === contract.accountNumber &&
    xmlValue(operation, 'password') === contract.password;
  const parcel = known.find(({ number }) => number === xmlValue(operation, 'skybillNumber'));
  if (!isOfContract || parcel === undefined)
    return [2, 'the parcel is not of the contract, or is not registered in the tracking system'];
  if (parcel.isCancelled) return [2, 'la LT est déjà annulée'];
  if (parcel.name === 'TAKEN') return [3, 'the parcel has been dispatched'];
  parcel.isCancelled = true;
  return [0, ''];
}

const day = 24 * 60 * 60 * 1000;

function eventOf(code: string, at: number): XmlPart {
  const { date, time } = parisTime(at);
  const place = code === 'DC' ? 'Web Services' : 'ARRAS CHRONOPOST';
  return xml('events', [
    xml('code', code),
    xml(
      'eventDate',
      `${date}T${time}+0${(Date.parse(`${date}T${time}Z`) - Math.floor(at / 1000) * 1000) / 3_600_000}:00`,
    ),
    xml('eventLabel', wordings[code] ?? code),
    xml('highPriority', 'false'),
    xml('NPC', code === 'DC' ? '' : '0862'),
    xml('officeLabel', place),
    xml('zipCode', code === 'DC' ? '' : '62000'),
  ]);
}
