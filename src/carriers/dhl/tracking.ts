// Tracking of DHL, whichever of its companies carries the parcel: one request with the account's key.
import {
  type CarrierAccount,
  CarrierError,
  type ParcelTask,
  type CarrierAnswer,
  type CarrierRequest,
} from '../carrier.ts';
import {
  answeredJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  parseJson,
  textAt,
  valueAt,
} from '../json.ts';
import { zonesOf } from '../../model/zone-clock.ts';
import {
  hasUtcOffset,
  isAwaited,
  localMoment,
  oldestFirst,
  registered,
  stepTime,
  type TimedStep,
} from '../tracking-steps.ts';
import type { Tracking } from '../../model/shipping.ts';
import { messageIn, title } from './errors.ts';
import { carrierError, accessError, unreadable } from '../carrier-messages.ts';

type Talk<T> = Generator<CarrierRequest, T, CarrierAnswer>;

/** DHL's status codes → the published ones. The code decides, whatever the text beside it says. */
const statuses: Readonly<Record<string, Tracking['status']>> = {
  'pre-transit': '80',
  unknown: '80',
  transit: '81',
  delivered: '82',
  failure: '83',
};

/** The example in the published description. */
const exampleNumber = '00340434161094042557';

export function* track(task: ParcelTask): Talk<Tracking> {
  const { account, expeditionNumber } = task;
  if (!account.settings.trackingKey)
    throw new CarrierError('configuration', 'The account has no key for tracking at DHL (setting trackingKey).');
  if (expeditionNumber === '') throw new CarrierError('unknown', 'A parcel of DHL has a number.');
  const answer = yield question(account, expeditionNumber);
  const message = messageIn(parseJson(answer.body));
  if (answer.status === 404 && isAwaited(task)) return registered('');
  const denied = accessError(title, answer, message);
  if (denied !== null) throw denied;
  if (answer.status === 404 || answer.status === 400)
    throw carrierError('unknown', 'DHL knows no such parcel', message);
  return trackingOf(shipmentIn(answer, expeditionNumber));
}

/** Any answer in the interface's form shows that the key is accepted. */
export function* probeTracking(account: CarrierAccount): Talk<void> {
  const answer = yield question(account, exampleNumber);
  const message = messageIn(parseJson(answer.body));
  const denied = accessError(title, answer, message);
  if (denied !== null) throw denied;
  if (answer.status === 404 && message.text !== '') return;
  if (!Array.isArray(valueAt(answeredJson(answer, title), 'shipments'))) throw unreadable(title, 'no shipments');
}

function question({ settings }: CarrierAccount, trackingNumber: string): CarrierRequest {
  const { trackingUrl, trackingKey = '', language = '' } = settings;
  return {
    method: 'GET',
    url: `${trackingUrl}/track/shipments?${new URLSearchParams({ trackingNumber, language })}`,
    headers: { Accept: 'application/json', 'DHL-API-Key': trackingKey },
    body: null,
    repeat: 'safe',
  };
}

/** Two companies of DHL may know the number: the one with the latest news counts. Numbers may come as JSON numbers. */
function shipmentIn(answer: CarrierAnswer, number: string): JsonObject {
  const shipments = listAt(answeredJson(answer, title), 'shipments')
    .filter(isJsonObject)
    .filter((shipment) => isJsonObject(valueAt(shipment, 'status')));
  const asked = shipments.filter((shipment) => textAt(shipment, 'id') === number);
  const [last] = (asked.length > 0 ? asked : shipments).toSorted((left, right) => lastTold(right) - lastTold(left));
  if (last === undefined) throw unreadable(title, 'no shipment with a status');
  return last;
}

function lastTold(shipment: JsonObject): number {
  return stepTime(textAt(shipment, 'status', 'timestamp')).at ?? 0;
}

function trackingOf(shipment: JsonObject): Tracking {
  const events = listAt(shipment, 'events');
  const countries = new Set(events.map(countryOf).filter((country) => country !== ''));
  // Steps without a place, such as an announcement, are in the country of the others if they are all in one.
  const [only = ''] = countries.size === 1 ? countries : [];
  const steps = oldestFirst(
    events.map((event) => stepOf(event, only)),
    'newest first',
  );
  const status = valueAt(shipment, 'status');
  return {
    status: statuses[textAt(status, 'statusCode')] ?? (steps.length === 0 ? '80' : '81'),
    wording1: wordingOf(status) || (steps.at(-1)?.wording ?? ''),
    wording2: textAt(status, 'remark') || textAt(status, 'nextSteps'),
    relayWording: '',
    relayNumber: '',
    steps,
  };
}

function wordingOf(event: JsonValue | undefined): string {
  return textAt(event, 'description') || textAt(event, 'status');
}

function countryOf(event: JsonValue): string {
  return textAt(event, 'location', 'address', 'countryCode');
}

/** @param onlyCountry of all steps with a place; '': there are several, or none */
function stepOf(event: JsonValue, onlyCountry: string): TimedStep {
  const address = valueAt(event, 'location', 'address');
  const timestamp = textAt(event, 'timestamp');
  const zones = zonesOf(countryOf(event));
  const { date, hour, at } = stepTime(timestamp, zones);
  const city = [textAt(address, 'postalCode'), textAt(address, 'addressLocality')]
    .filter((part) => part !== '')
    .join(' ');
  const location = [city, countryOf(event)].filter((part) => part !== '').join(', ');
  const step = { wording: wordingOf(event), date, hour, location, relayId: '', relayCountry: '' };
  if (hasUtcOffset(timestamp)) return { step, at };
  return { step, ...localMoment(at, location === '' ? zonesOf(onlyCountry) : zones) };
}
