// Colissimo's own tracking (REST), with the credentials for labels: stages and events of a parcel by its number.
import {
  type CarrierAccount,
  CarrierError,
  type ParcelTask,
  type CarrierAnswer,
  type CarrierRequest,
} from '../carrier.ts';
import { accessError, carrierError, unreadable } from '../carrier-messages.ts';
import { answeredJson, isJsonObject, type JsonValue, listAt, textAt, valueAt, withoutEmpty } from '../json.ts';
import type { Tracking } from '../../model/shipping.ts';
import { isAwaited, oldestFirst, registered, stepTime, type TimedStep } from '../tracking-steps.ts';
import { title } from './answers.ts';
import { statusOfCode } from './timeline-codes.ts';

/** Tracks one parcel; one made here that Colissimo does not know yet counts as registered. */
export function* trackTimeline(task: ParcelTask): Generator<CarrierRequest, Tracking, CarrierAnswer> {
  const { account, expeditionNumber } = task;
  if (!/^[A-Za-z0-9]{11,15}$/.test(expeditionNumber))
    throw new CarrierError('unknown', 'A parcel number of Colissimo has 11 to 15 letters and digits.');
  const answer = yield question(account, expeditionNumber);
  const denied = accessError(title, answer);
  if (denied !== null) throw denied;
  const json = answeredJson(answer, title);
  const [status] = listAt(json, 'status');
  const message = { code: textAt(status, 'code'), text: textAt(status, 'message') };
  const parcel = valueAt(json, 'parcel');
  if (message.code === '') throw unreadable(title, 'no code');
  if (ofAccount.includes(message.code))
    throw carrierError('configuration', 'Colissimo does not accept this account for tracking', message);
  if (ofParcel.includes(message.code)) {
    if (isAwaited(task)) return registered(message.text);
    throw carrierError('unknown', 'Colissimo knows no such parcel', message);
  }
  if (message.code !== '0') throw carrierError('unavailable', 'Colissimo gave no tracking', message);
  if (!isJsonObject(parcel)) throw unreadable(title, 'no parcel');
  return trackingOf(parcel);
}

/** Codes of the service: no number, a wrong one, no such parcel; wrong credentials. */
const ofParcel: readonly string[] = ['101', '103', '104', '105'];
const ofAccount: readonly string[] = ['201', '202'];

/** Credentials go into the body. */
function question({ settings }: CarrierAccount, parcelNumber: string): CarrierRequest {
  const { baseUrl = '', apiKey = '', contractNumber = '', password = '', language = '' } = settings;
  const access = apiKey === '' ? { login: contractNumber, password } : { apiKey };
  return {
    method: 'POST',
    repeat: 'safe',
    url: `${baseUrl}/tracking-timeline-ws/rest/tracking/timelineCompany`,
    headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
    body: JSON.stringify(withoutEmpty({ ...access, parcelNumber, lang: language })),
  };
}

function trackingOf(parcel: JsonValue): Tracking {
  const events = listAt(parcel, 'event').map((event) => ({
    code: textAt(event, 'code').toUpperCase(),
    ...stepOf(event),
  }));
  const steps = oldestFirst(events, 'newest first');
  const last = steps.at(-1);
  const code = events.find(({ step }) => step === last)?.code ?? '';
  const stage = listAt(parcel, 'step').findLast((one) => textAt(one, 'status') === 'STEP_STATUS_ACTIVE');
  return {
    status: last === undefined ? statusOfStage(stage) : statusOfCode(code),
    wording1: last?.wording ?? '',
    wording2: textAt(stage, 'labelShort'),
    relayWording: textAt(parcel, 'removalPoint', 'siteName'),
    relayNumber: textAt(parcel, 'removalPoint', 'siteCode'),
    steps,
  };
}

/** Without an event: the last stage reached, from 0 announced to 5 delivered. */
function statusOfStage(stage: JsonValue | undefined): Tracking['status'] {
  const id = textAt(stage, 'stepId');
  if (id === '5') return '82';
  return id === '' || id === '0' ? '80' : '81';
}

/** Times are French local time, without an offset. */
function stepOf(event: JsonValue): TimedStep {
  const { date, hour, at } = stepTime(textAt(event, 'date'));
  const step = {
    wording: textAt(event, 'labelLong') || textAt(event, 'labelShort'),
    date,
    hour,
    location: textAt(event, 'siteName'),
    relayId: '',
    relayCountry: '',
  };
  return { step, at };
}
