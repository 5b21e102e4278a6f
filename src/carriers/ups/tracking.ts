// Tracking of UPS: an access token, then the parcel by its number.
import { requestWithToken } from '../access-token.ts';
import { CarrierError, type ParcelTask, type CarrierAnswer, type CarrierRequest, isSuccess } from '../carrier.ts';
import { answeredJson, isJsonObject, type JsonValue, listAt, textAt, valueAt } from '../json.ts';
import { inOrder, isAwaited, localMoment, registered, stepTime, type TimedStep } from '../tracking-steps.ts';
import type { Tracking } from '../../model/shipping.ts';
import { zonesOf } from '../../model/zone-clock.ts';
import { headersOf, title, upsError, upsToken } from './errors.ts';
import { type CarrierMessage, carrierError, unreadable } from '../carrier-messages.ts';

/** UPS's status types → the published states. */
const statuses: Readonly<Record<string, Tracking['status']>> = {
  M: '80',
  MP: '80',
  NA: '80',
  P: '81',
  I: '81',
  W: '81',
  DO: '81',
  DD: '81',
  O: '81',
  U: '81',
  D: '82',
  MV: '83',
  X: '83',
  RS: '83',
};

/** An unknown parcel is reported with status 200 and a warning. */
export function* track(task: ParcelTask): Generator<CarrierRequest, Tracking, CarrierAnswer> {
  const { account, expeditionNumber, now } = task;
  if (!/^[A-Za-z0-9]{7,34}$/.test(expeditionNumber))
    throw new CarrierError('unknown', 'A tracking number of UPS has 7 to 34 letters and digits.');
  const { baseUrl, locale } = account.settings;
  const answer = yield* requestWithToken(upsToken(account), (token) => ({
    method: 'GET',
    url: `${baseUrl}/api/track/v1/details/${expeditionNumber}?locale=${locale}`,
    headers: headersOf(token, `${now}-track`),
    body: null,
    repeat: 'safe',
  }));
  const isMissing = answer.status === 404 && isAwaited(task);
  if (isMissing) return registered('');
  if (!isSuccess(answer)) throw upsError(answer, 'unknown', 'UPS knows no such parcel');
  const shipments = listAt(answeredJson(answer, title), 'trackResponse', 'shipment');
  const parcels = shipments.flatMap((shipment) => listAt(shipment, 'package'));
  const parcel = parcels.find((one) => textAt(one, 'trackingNumber') === expeditionNumber) ?? parcels[0];
  if (parcel !== undefined) return trackingOf(parcel);
  const [warning] = shipments.flatMap((shipment) => listAt(shipment, 'warnings'));
  const message: CarrierMessage = { code: textAt(warning, 'code'), text: textAt(warning, 'message') };
  if (message.code === '') throw unreadable(title, 'no parcel');
  if (isAwaited(task)) return registered(message.text);
  throw carrierError('unknown', 'UPS knows no such parcel', message);
}

function trackingOf(parcel: JsonValue): Tracking {
  const activities = inOrder(listAt(parcel, 'activity').map(stepOf), 'newest first');
  const steps = activities.map(({ step }) => step);
  const current = valueAt(parcel, 'currentStatus');
  // The current status may lack its type; the latest activity has it.
  const type = textAt(current, 'type') || (activities.at(-1)?.type ?? '');
  if (!isJsonObject(current) && steps.length === 0)
    throw unreadable(title, 'neither a status nor an activity of the parcel');
  return {
    status: statuses[type] ?? (steps.length === 0 ? '80' : '81'),
    wording1: steps.at(-1)?.wording ?? textAt(current, 'description'),
    wording2: textAt(current, 'description'),
    relayWording: '',
    relayNumber: '',
    steps,
  };
}

/** `20261121` and `093000` → `2026-11-21T09:30:00`. UPS writes times in UTC as `09:30:00`, or as a number. */
function momentOf(day: string, time: string): string {
  const date = day.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');
  const figures = time.replaceAll(':', '').replace(/^\d{5}$/, '0$&');
  return figures === '' ? date : `${date}T${figures.replace(/^(\d{2})(\d{2})(\d{2})$/, '$1:$2:$3')}`;
}

/** Null if UPS gives neither the time in UTC nor the offset of the place. */
function instantOf(activity: JsonValue, local: string): number | null {
  const [day, time] = [textAt(activity, 'gmtDate'), textAt(activity, 'gmtTime')];
  const { hour, at } = stepTime(`${momentOf(day, time)}Z`);
  if (hour !== '') return at;
  const offset = textAt(activity, 'gmtOffset');
  return offset === '' ? null : stepTime(`${local}${offset}`).at;
}

function stepOf(activity: JsonValue): TimedStep & { readonly type: string } {
  const moment = momentOf(textAt(activity, 'date'), textAt(activity, 'time'));
  const instant = instantOf(activity, moment);
  const { date, hour, at } = stepTime(moment).date === '' ? stepTime(moment.slice(0, 10)) : stepTime(moment);
  const address = valueAt(activity, 'location', 'address');
  const city = [textAt(address, 'postalCode'), textAt(address, 'city')].filter((part) => part !== '').join(' ');
  const country = textAt(address, 'countryCode') || textAt(address, 'country');
  const location = [city, textAt(address, 'stateProvince'), country].filter((part) => part !== '').join(', ');
  return {
    step: { wording: textAt(activity, 'status', 'description'), date, hour, location, relayId: '', relayCountry: '' },
    ...(instant === null ? localMoment(at, zonesOf(country)) : { at: instant }),
    type: textAt(activity, 'status', 'type'),
  };
}
