// DPD France's Webtrace: the way of each parcel by its number, newest event first.
// Sources: the schema that DPD hands out (Webtrace_Service.xsd, v5.0 of October 2025) as Karrio's connector has it; the
// numbers of states of DPD's own module for PrestaShop (8 announced, 10 under way, 40 delivered) and of a program that
// watched the service (20 under way, 30 with the driver).
import { xml, type XmlPart } from '../../src/carriers/xml/write.ts';
import { parisTime } from '../../src/carriers/paris-time.ts';
import type { SimulatorAnswer } from '../server.ts';
import { type Read, response, type Schema } from './dotnet.ts';

/** With a slash at its end, unlike that of labels. */
export const traceNamespace = 'http://www.cargonet.software/';
export const tracePath = '/trace-service/Webtrace_Service.asmx';

export interface TracedParcel {
  readonly number: string;
  /** When it was announced, milliseconds since 1970. */
  readonly at: number;
}

export const traceOperations: Readonly<Record<string, Schema>> = {
  GetShipmentTrace: {
    Customer: { centernumber: '#', number: '#', countrycode: '#' },
    Language: '',
    ShipmentNumber: '',
    ExpandContainerMode: 'MasterOnly|MasterAndSlave',
    GetImages: 'true|false',
    GetPhotos: 'true|false',
    GetParsedInfo: 'true|false',
    GetServices: 'true|false',
  },
};

/** Parcels in every state; their last event was yesterday. */
const samples: Readonly<Record<string, readonly number[]>> = {
  '10774000000010': [8],
  '10774000000027': [8, 10, 20],
  '10774000000034': [8, 10, 20, 30],
  '10774000000041': [8, 10, 20, 30, 40],
};

const wordings: Readonly<Record<number, string>> = {
  8: 'Les données de votre colis nous ont été transmises.',
  10: 'Votre colis a été pris en charge.',
  20: "Votre colis est en cours d'acheminement.",
  30: 'Votre colis est en cours de livraison.',
  40: 'Votre colis est livré.',
};

/** The parcels made here, as announced, and the samples; an empty list for any other number. */
export function trace(sent: Read, known: readonly TracedParcel[]): SimulatorAnswer {
  const number = sent.ShipmentNumber ?? '';
  const made = known.find((parcel) => parcel.number === number);
  const codes = made === undefined && Object.hasOwn(samples, number) ? (samples[number] ?? []) : made ? [8] : [];
  const first = made?.at ?? Date.now() - codes.length * day;
  const events = codes.map((code, index) => eventOf(code, first + index * day)).toReversed();
  const shipment = xml('ShipmentTrace', [
    xml('ShipmentNumber', number),
    xml('DestinationCountry', 'FR'),
    xml('Weight', '1.2'),
    xml('Traces', events),
    xml('PointRelaisName', ''),
  ]);
  return response('GetShipmentTrace', traceNamespace, codes.length === 0 ? [] : [shipment]);
}

const day = 86_400_000;

function eventOf(code: number, at: number): XmlPart {
  const { date, time } = parisTime(at);
  return xml('clsTrace', [
    xml('ScanDate', date.split('-').toReversed().join('.')),
    xml('ScanTime', time),
    xml('StatusNumber', String(code)),
    xml('StatusDescription', wordings[code] ?? ''),
    xml('CenterName', 'LYON'),
  ]);
}
