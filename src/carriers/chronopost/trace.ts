// Chronopost's own tracking (SOAP, operation trackSkybillV2), which needs no credentials.
import type { Tracking } from '../../model/shipping.ts';
import { CarrierError, type ParcelTask, type CarrierAnswer, type CarrierRequest } from '../carrier.ts';
import { carrierError, unreadable } from '../carrier-messages.ts';
import { elementsOf, soapRequest, soapResponse } from '../soap.ts';
import { isAwaited, oldestFirst, registered, stepTime, type TimedStep } from '../tracking-steps.ts';
import { xmlChild, xmlChildren, type XmlElement, xmlValue } from '../xml/element.ts';
import { xml } from '../xml/write.ts';
import { faultError, title } from './errors.ts';

const namespace = 'http://cxf.tracking.soap.chronopost.fr/';
const operation = 'trackSkybillV2';

/** Tracks one parcel; one made here that Chronopost does not know yet counts as registered. */
export function* traceSkybill(task: ParcelTask): Generator<CarrierRequest, Tracking, CarrierAnswer> {
  const { baseUrl = '', language = '' } = task.account.settings;
  const number = task.expeditionNumber;
  if (!/^[A-Za-z0-9]{11,15}$/.test(number))
    throw new CarrierError('unknown', 'A parcel number of Chronopost has 11 to 15 letters and digits.');
  const answer = yield soapRequest({
    url: `${baseUrl}/tracking-cxf/TrackingServiceWS`,
    action: '',
    repeat: 'safe',
    operation: xml(`cxf:${operation}`, elementsOf({ language, skybillNumber: number }), { 'xmlns:cxf': namespace }),
  });
  const result = xmlChild(soapResponse(title, answer, `${operation}Response`, faultError), 'return');
  const message = { code: xmlValue(result, 'errorCode'), text: xmlValue(result, 'errorMessage') };
  if (!/^-?\d+$/.test(message.code)) throw unreadable(title, 'no error code');
  if (message.code !== '0') throw carrierError('unavailable', 'Chronopost gave no tracking', message);
  const events = xmlChildren(xmlChild(result, 'listEventInfoComp'), 'events');
  if (events.length > 0) return trackingOf(events);
  if (isAwaited(task)) return registered('');
  throw new CarrierError('unknown', 'Chronopost knows no such parcel.');
}

interface TracedStep extends TimedStep {
  readonly code: string;
}

function trackingOf(events: readonly XmlElement[]): Tracking {
  const traced = events.map((event): TracedStep => ({ code: xmlValue(event, 'code').toUpperCase(), ...stepOf(event) }));
  const steps = oldestFirst(traced, 'oldest first');
  const codeOf = new Map(traced.map(({ step, code }) => [step, code]));
  return {
    status: statusOf(steps.map((step) => codeOf.get(step) ?? '')),
    wording1: steps.at(-1)?.wording ?? '',
    wording2: '',
    relayWording: events.map(relayOf).findLast((name) => name !== '') ?? '',
    relayNumber: '',
    steps,
  };
}

const announced: readonly string[] = ['DC', 'EA'];
const delivered = 'D';
const returning = 'R';
/** Absent, waiting for instructions, going back. */
const anomalies: readonly string[] = ['P', 'SK', returning];
/** Messages and calls to the recipient: they do not say where the parcel is. */
const notices: readonly string[] = ['SM', 'CL'];

/** @param codes of the events, oldest first */
function statusOf(codes: readonly string[]): Tracking['status'] {
  const last = codes.findLast((code) => !notices.includes(code)) ?? '';
  // A parcel delivered after it was sent back has reached its sender.
  if (last === delivered) return codes.includes(returning) ? '83' : '82';
  if (anomalies.includes(last)) return '83';
  return last === '' || announced.includes(last) ? '80' : '81';
}

function stepOf(event: XmlElement): TimedStep {
  const { date, hour, at } = stepTime(xmlValue(event, 'eventDate'));
  const step = {
    wording: xmlValue(event, 'eventLabel'),
    date,
    hour,
    location: xmlValue(event, 'officeLabel'),
    relayId: '',
    relayCountry: '',
  };
  return { step, at };
}

function relayOf(event: XmlElement): string {
  const point = xmlChildren(event, 'infoCompList').find((info) => xmlValue(info, 'name') === 'Point de retrait');
  return xmlValue(point ?? null, 'value');
}
