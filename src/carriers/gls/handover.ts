// Closes the day at GLS (ShipIT, shipments/endofday): transmits what is not transmitted yet, and closes the parcels.
import { requestWithToken } from '../access-token.ts';
import { type CarrierAccount, type CarrierAnswer, type CarrierRequest, isSuccess } from '../carrier.ts';
import { unreadable } from '../carrier-messages.ts';
import type { CarrierHandover, HandoverRules, HandoverTask } from '../desk.ts';
import { answeredJson, isJsonObject, listAt, textAt, valueAt } from '../json.ts';
import { endOfDayError, glsToken, mediaType, title } from './errors.ts';
import { isReturn } from './rules.ts';

export const handover: HandoverRules = { maxParcels: 200, isReturn, close };

/** GLS itself closes a day four days after its labels were made. */
const maxDays = 5;

/**
 * Closes the shipping day of the parcels. A label without a day is shipped on the next working day, which only GLS
 * knows: so we ask for one day after another, from that of the labels on, until all parcels are closed. GLS returns no
 * paper.
 */
function* close(task: HandoverTask): Generator<CarrierRequest, CarrierHandover, CarrierAnswer> {
  const open = new Set(task.parcelNumbers.map(withoutCheckDigit));
  for (let after = 0; after < maxDays && open.size > 0; after += 1)
    for (const number of yield* closedOn(task.account, dayAfter(task.day, after))) open.delete(number);
  const closed = task.parcelNumbers.filter((number) => !open.has(withoutCheckDigit(number)));
  const left = task.parcelNumbers.filter((number) => open.has(withoutCheckDigit(number)));
  const rest =
    left.length === 0
      ? ''
      : ` Of ${left.length} it says nothing: it had closed them before, or closes them by itself (${shown(left)}).`;
  return {
    detail: `${title} has closed ${closed.length} of ${task.parcelNumbers.length}.${rest}`,
    number: null,
    slip: null,
  };
}

/** Numbers of the parcels that GLS closed: it names all parcels of the user, whoever made them. */
function* closedOn(account: CarrierAccount, date: string): Generator<CarrierRequest, readonly string[], CarrierAnswer> {
  const answer = yield* requestWithToken(glsToken(account), (token) => ({
    method: 'POST',
    url: `${account.settings.baseUrl}/shipit-farm/v1/backend/rs/shipments/endofday?date=${date}`,
    // Closed parcels stay closed: asked again, GLS closes the rest.
    repeat: 'safe',
    headers: { Accept: mediaType, 'Content-Type': mediaType, Authorization: `Bearer ${token}` },
    body: null,
  }));
  if (!isSuccess(answer)) throw endOfDayError(answer);
  // For a day without parcels some servers return nothing at all.
  if (answer.body.length === 0) return [];
  const body = answeredJson(answer, title);
  if (!isJsonObject(body) || (Object.keys(body).length > 0 && valueAt(body, 'Shipments') === undefined))
    throw unreadable(title, 'no shipments');
  return listAt(body, 'Shipments')
    .flatMap((shipment) => listAt(shipment, 'ShipmentUnit'))
    .map((unit) => withoutCheckDigit(textAt(unit, 'ParcelNumber')));
}

/** Numbers have 11 digits, or 12 with the check digit: both are documented for the same parcel. */
function withoutCheckDigit(number: string): string {
  return number.slice(0, 11);
}

function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

function shown(numbers: readonly string[]): string {
  return numbers.length > 5 ? `${numbers.slice(0, 5).join(', ')}, …` : numbers.join(', ');
}
