// Tracking of GLS: an access token, then the parcel by its number.
import { requestWithToken } from '../access-token.ts';
import { CarrierError, type ParcelTask, type CarrierAnswer, type CarrierRequest } from '../carrier.ts';
import { answeredJson, type JsonValue, listAt, parseJson, textAt } from '../json.ts';
import { zonesOf } from '../../model/zone-clock.ts';
import { isAwaited, oldestFirst, registered, stepTime, type TimedStep } from '../tracking-steps.ts';
import type { Tracking } from '../../model/shipping.ts';
import { glsToken, messageIn, title } from './errors.ts';
import { type CarrierMessage, carrierError, accessError, unreadable } from '../carrier-messages.ts';

/** GLS's parcel states → the published ones. DELIVEREDPS waits in a ParcelShop. */
const statuses: Readonly<Record<string, Tracking['status']>> = {
  PLANNEDPICKUP: '80',
  INPICKUP: '80',
  PREADVICE: '80',
  INTRANSIT: '81',
  INWAREHOUSE: '81',
  INDELIVERY: '81',
  DELIVEREDPS: '81',
  DELIVERED: '82',
  FINAL: '82',
  NOTPICKEDUP: '83',
  NOTDELIVERED: '83',
  CANCELED: '83',
};

export function* track(task: ParcelTask): Generator<CarrierRequest, Tracking, CarrierAnswer> {
  const {
    account: { settings },
    expeditionNumber,
  } = task;
  // A comma would ask for several parcels. Small letters would be another spelling, under which nobody knows whose a
  // parcel is.
  if (!/^[A-Z0-9]{8,14}$/.test(expeditionNumber))
    throw new CarrierError(
      'unknown',
      'A parcel number of GLS has 11 or 12 digits, a track ID 8 capital letters and digits.',
    );
  const answer = yield* requestWithToken(glsToken(task.account), (token) => ({
    method: 'GET',
    url: `${settings.baseUrl}/track-and-trace-v1/tracking/simple/trackids/${expeditionNumber}`,
    repeat: 'safe',
    body: null,
    headers: {
      Accept: 'application/json',
      'Accept-Language': settings.language ?? '',
      Authorization: `Bearer ${token}`,
    },
  }));
  const parcel = parcelIn(answer);
  const code = textAt(parcel, 'errorCode');
  if (code === '') return trackingOf(parcel);
  const message: CarrierMessage = { code, text: textAt(parcel, 'errorMessage') };
  // Code 500 is a failure of GLS; every other one says that there is no such parcel, or cannot be.
  if (code.startsWith('E_5')) throw carrierError('unavailable', 'GLS gave no tracking', message);
  if (isAwaited(task)) return registered('');
  throw carrierError('unknown', 'GLS knows no such parcel', message);
}

/**
 * If a number has belonged to several parcels over the years, the last one counts. An unknown number is reported with
 * status 200.
 */
function parcelIn(answer: CarrierAnswer): JsonValue {
  const json = parseJson(answer.body);
  const message = messageIn(json);
  const denied = accessError(title, answer, message);
  if (denied !== null) throw denied;
  if (answer.status === 400 || answer.status === 404)
    return { errorCode: message.code || `E_${answer.status}`, errorMessage: message.text };
  const parcels = listAt(answeredJson(answer, title), 'parcels').toSorted((left, right) =>
    textAt(right, 'statusDateTime').localeCompare(textAt(left, 'statusDateTime')),
  );
  const parcel = parcels.find((one) => textAt(one, 'errorCode') === '') ?? parcels[0];
  if (parcel === undefined || (textAt(parcel, 'status') === '' && textAt(parcel, 'errorCode') === ''))
    throw unreadable(title, 'no parcel');
  return parcel;
}

function trackingOf(parcel: JsonValue): Tracking {
  const state = textAt(parcel, 'status');
  const steps = oldestFirst(listAt(parcel, 'events').map(stepOf), 'newest first');
  return {
    status: statuses[state] ?? (steps.length === 0 ? '80' : '81'),
    wording1: steps.at(-1)?.wording ?? '',
    wording2: state,
    relayWording: '',
    relayNumber: '',
    steps,
  };
}

function stepOf(event: JsonValue): TimedStep {
  const { date, hour, at } = stepTime(textAt(event, 'eventDateTime'), zonesOf(textAt(event, 'country')));
  const city = [textAt(event, 'postalCode'), textAt(event, 'city')].filter((part) => part !== '').join(' ');
  const location = [city, textAt(event, 'country')].filter((part) => part !== '').join(', ');
  return { step: { wording: textAt(event, 'description'), date, hour, location, relayId: '', relayCountry: '' }, at };
}
