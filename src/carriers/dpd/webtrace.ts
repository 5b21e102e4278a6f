// Tracking of DPD France through its service Webtrace (SOAP, operation GetShipmentTrace).
import type { Tracking } from '../../model/shipping.ts';
import {
  type CarrierAccount,
  CarrierError,
  type ParcelTask,
  type CarrierAnswer,
  type CarrierRequest,
} from '../carrier.ts';
import { elementsOf } from '../soap.ts';
import { isAwaited, oldestFirst, registered, stepTime, type TimedStep } from '../tracking-steps.ts';
import { xmlChild, xmlChildren, type XmlElement, xmlValue } from '../xml/element.ts';
import { xml, type XmlPart } from '../xml/write.ts';
import { cargonetRequest, cargonetResponse } from './cargonet.ts';
import { reprintError } from './errors.ts';

const namespace = 'http://www.cargonet.software/';
const operation = 'GetShipmentTrace';

/** Tracks one parcel; one made here that DPD does not know yet counts as registered. */
export function* track(task: ParcelTask): Generator<CarrierRequest, Tracking, CarrierAnswer> {
  const { account, expeditionNumber } = task;
  if (!/^\w{1,28}$/.test(expeditionNumber))
    throw new CarrierError('unknown', 'A parcel number of DPD France has up to 28 letters and digits.');
  const answer = yield cargonetRequest(account, {
    url: account.settings.trackingUrl ?? '',
    namespace,
    action: `${namespace}${operation}`,
    operation,
    request: questionOf(account, expeditionNumber),
    repeat: 'safe',
  });
  const trace = traceIn(answer, task);
  if (trace !== null) return trackingOf(trace);
  if (isAwaited(task)) return registered('');
  throw new CarrierError('unknown', 'DPD France knows no such parcel.');
}

/** Null if DPD knows nothing about the parcel. */
function traceIn(answer: CarrierAnswer, task: ParcelTask): XmlElement | null {
  try {
    const result = xmlChild(cargonetResponse(answer, `${operation}Response`, reprintError), `${operation}Result`);
    // The schema has a list of parcels here; one program has seen the parcel itself.
    const trace = xmlChild(result, 'ShipmentTrace') ?? result;
    return xmlValue(trace, 'ShipmentNumber') === '' && xmlChild(trace, 'Traces') === null ? null : trace;
  } catch (error) {
    if (error instanceof CarrierError && error.kind === 'unknown' && isAwaited(task)) return null;
    throw error;
  }
}

/** Elements in the schema's order; without the customer DPD denies access to everything. */
function questionOf({ settings }: CarrierAccount, number: string): readonly XmlPart[] {
  const { centerNumber = '', customerNumber = '', countryCode = '', language = '' } = settings;
  return [
    xml('Customer', elementsOf({ centernumber: centerNumber, number: customerNumber, countrycode: countryCode })),
    ...elementsOf({
      Language: language,
      ShipmentNumber: number,
      ExpandContainerMode: 'MasterOnly',
      GetImages: 'false',
      GetPhotos: 'false',
      GetParsedInfo: 'false',
      GetServices: 'false',
    }),
  ];
}

/** Numbers of states, as DPD's own module for PrestaShop reads them; it ignores all others. */
const announced: readonly string[] = ['8'];
const delivered: readonly string[] = ['40', '400'];

function trackingOf(trace: XmlElement): Tracking {
  const events = xmlChildren(xmlChild(trace, 'Traces'), 'clsTrace').map((event) => ({
    code: xmlValue(event, 'StatusNumber'),
    ...stepOf(event),
  }));
  const steps = oldestFirst(events, 'newest first');
  return {
    status: statusOf(events.map(({ code }) => code)),
    wording1: steps.at(-1)?.wording ?? '',
    wording2: '',
    relayWording: xmlValue(trace, 'PointRelaisName'),
    relayNumber: steps.findLast(({ relayId }) => relayId !== '')?.relayId ?? '',
    steps,
  };
}

/** A proof of delivery may come after the delivery: any delivery event counts. */
function statusOf(codes: readonly string[]): Tracking['status'] {
  if (codes.some((code) => delivered.includes(code))) return '82';
  return codes.every((code) => announced.includes(code)) ? '80' : '81';
}

function stepOf(event: XmlElement): TimedStep {
  const { date, hour, at } = stepTime(isoTime(xmlValue(event, 'ScanDate'), xmlValue(event, 'ScanTime')));
  const step = {
    wording: xmlValue(event, 'StatusDescription'),
    date,
    hour,
    location: xmlValue(event, 'CenterName'),
    relayId: xmlValue(event, 'RelaisInfo', 'ID'),
    relayCountry: '',
  };
  return { step, at };
}

/** DPD's schema types both as text: days are read as YYYY-MM-DD and as DD.MM.YYYY. */
function isoTime(date: string, time: string): string {
  const day = date.replace(/T.*$/, '').replace(/^(\d{2})[./](\d{2})[./](\d{4})$/, '$3-$2-$1');
  return /^\d{2}:\d{2}/.test(time) ? `${day}T${time.slice(0, 8)}` : day;
}
