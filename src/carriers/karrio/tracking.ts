// Tracking through Karrio, which asks the carrier at once and stores nothing.
import type { ParcelTask, CarrierAnswer, CarrierRequest } from '../carrier.ts';
import { CarrierError, isSuccess } from '../carrier.ts';
import { answeredJson, isJsonObject, type JsonValue, listAt, textAt, valueAt } from '../json.ts';
import { isAwaited, oldestFirst, registered, type StepTime, stepTime, type TimedStep } from '../tracking-steps.ts';
import type { Tracking } from '../../model/shipping.ts';
import { connectorError, headersOf, karrioError, messageIn, title } from './errors.ts';
import { carrierError } from '../carrier-messages.ts';

/** Karrio's own states (its list of tracker statuses) → the published ones. */
const statuses: Readonly<Record<string, Tracking['status']>> = {
  pending: '80',
  unknown: '80',
  picked_up: '81',
  in_transit: '81',
  out_for_delivery: '81',
  ready_for_pickup: '81',
  delivered: '82',
  on_hold: '83',
  delivery_delayed: '83',
  delivery_failed: '83',
  return_to_sender: '83',
  cancelled: '83',
};

/** Tracks a parcel. The event that Karrio itself makes up when the carrier knows nothing yet is not a step. */
export function* track(task: ParcelTask): Generator<CarrierRequest, Tracking, CarrierAnswer> {
  const { account, expeditionNumber } = task;
  const { baseUrl, carrierName, carrierId } = account.settings;
  const body = JSON.stringify({
    tracking_number: expeditionNumber,
    carrier_name: carrierName,
    ...(carrierId ? { carrier_id: carrierId } : {}),
  });
  const answer = yield {
    method: 'POST',
    url: `${baseUrl}/v1/proxy/tracking`,
    headers: headersOf(account),
    body,
    repeat: 'safe',
  };
  const json = isSuccess(answer) ? answeredJson(answer, title) : undefined;
  const tracking = valueAt(json, 'tracking');
  if (!isJsonObject(tracking)) {
    const error = json === undefined ? karrioError(answer, 'tracking') : nothingFound(json);
    if (error.kind === 'unknown' && isAwaited(task)) return registered(error.carrierMessage ?? '');
    throw error;
  }
  const steps = oldestFirst(
    listAt(tracking, 'events')
      .filter((event) => !isMadeUp(event))
      .map(stepOf),
    'newest first',
  );
  const known = statuses[textAt(tracking, 'status').toLowerCase()];
  return {
    status: known ?? (valueAt(tracking, 'delivered') === true ? '82' : steps.length > 0 ? '81' : '80'),
    wording1: steps.at(-1)?.wording ?? '',
    wording2: textAt(tracking, 'status'),
    relayWording: '',
    relayNumber: '',
    steps,
  };
}

function nothingFound(json: JsonValue): CarrierError {
  const message = messageIn(json);
  if (message.text === '' && message.code === '')
    return new CarrierError(
      'unavailable',
      'The answer of Karrio makes no sense: it holds neither tracking nor a message.',
    );
  return connectorError(json) ?? carrierError('unknown', 'The carrier behind Karrio knows no such parcel', message);
}

function isMadeUp(event: JsonValue): boolean {
  return textAt(event, 'code') === 'UNKNOWN' && /^awaiting update from carrier/i.test(textAt(event, 'description'));
}

function stepOf(event: JsonValue): TimedStep {
  const { date, hour, at } = eventTime(textAt(event, 'date'), textAt(event, 'time'));
  return {
    step: {
      wording: textAt(event, 'description'),
      date,
      hour,
      location: textAt(event, 'location'),
      relayId: '',
      relayCountry: '',
    },
    at,
  };
}

/** Hours come as `10:39`, `09:38 AM` and, from some carriers, `16:25 PM`. */
function eventTime(date: string, time: string): StepTime {
  const [, hour = '', minute = '', half = ''] = /^(\d{1,2}):(\d{2})(?::\d{2})?\s*([AP]M)?$/i.exec(time) ?? [];
  if (hour === '') return stepTime(date);
  const given = Number(hour);
  const inDay =
    half.toUpperCase() === 'PM' && given < 12 ? given + 12 : half.toUpperCase() === 'AM' && given === 12 ? 0 : given;
  return stepTime(`${date.slice(0, 10)}T${String(inDay).padStart(2, '0')}:${minute}`);
}
