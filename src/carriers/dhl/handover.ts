// Closes the day at DHL Paket (manifests): closes the shipments that are handed over before DHL does so itself.
import { requestWithToken } from '../access-token.ts';
import type { CarrierError, CarrierAnswer, CarrierRequest } from '../carrier.ts';
import { carrierError, unreadable } from '../carrier-messages.ts';
import type { CarrierHandover, HandoverRules, HandoverTask } from '../desk.ts';
import { answeredJson, type JsonValue, listAt, parseJson, textAt } from '../json.ts';
import { dhlToken, headersOf, itemError, messageIn, shipmentError, statusOf, title } from './errors.ts';
import { isReturn } from './returns.ts';

export const handover: HandoverRules = { maxParcels: 150, isReturn, close };

const manifests = '/parcel/de/shipping/v2/manifests';
/** Most shipments that one request may name. */
const maxAtOnce = 30;

/**
 * Closes these shipments and no others. DHL's own document of a day names all shipments of the customer, including
 * those of other activities, so it is not requested and the list is ours.
 */
function* close(task: HandoverTask): Generator<CarrierRequest, CarrierHandover, CarrierAnswer> {
  const { parcelNumbers } = task;
  const before: string[] = [];
  for (let first = 0; first < parcelNumbers.length; first += maxAtOnce)
    before.push(...(yield* closeSome(task, parcelNumbers.slice(first, first + maxAtOnce))));
  const closed = parcelNumbers.length - before.length;
  const rest = before.length === 0 ? '' : ` ${before.length} had been closed before.`;
  return { detail: `${title} has closed ${closed} of ${parcelNumbers.length}.${rest}`, number: null, slip: null };
}

/** Returns the shipments that were already closed. */
function* closeSome(
  { account }: HandoverTask,
  shipmentNumbers: readonly string[],
): Generator<CarrierRequest, readonly string[], CarrierAnswer> {
  const answer = yield* requestWithToken(dhlToken(account), (token) => ({
    method: 'POST',
    url: `${account.settings.baseUrl}${manifests}`,
    // Closed shipments stay closed.
    repeat: 'safe',
    headers: headersOf(account, token),
    body: JSON.stringify({ profile: account.settings.profile ?? '', shipmentNumbers }),
  }));
  if (answer.status >= 400 && listAt(parseJson(answer.body), 'items').length === 0) throw shipmentError(answer);
  const body = answeredJson(answer, title);
  const items = listAt(body, 'items');
  if (items.length === 0) throw unreadable(title, 'no shipments');
  const before: string[] = [];
  const refused: string[] = [];
  let reason: CarrierError | null = null;
  for (const [place, number] of shipmentNumbers.entries()) {
    const item = items.find((each) => textAt(each, 'shipmentNo') === number) ?? unnamed(items[place]);
    if (item === undefined) throw unreadable(title, `nothing of the shipment ${number}`);
    if (saysClosed(item)) before.push(number);
    else if (statusOf(item) !== '200') {
      refused.push(number);
      reason ??= itemError(item, messageIn(body));
    }
  }
  if (reason !== null) throw refusal(refused, reason);
  return before;
}

/** DHL may leave out the number of a shipment that it does not know; items come in the order of the request. */
function unnamed(item: JsonValue | undefined): JsonValue | undefined {
  return item !== undefined && textAt(item, 'shipmentNo') === '' ? item : undefined;
}

/** A shipment closed before gives a warning by today's description, and status 400 by the previous one. */
function saysClosed(item: JsonValue): boolean {
  const words = `${textAt(item, 'sstatus', 'title')} ${textAt(item, 'sstatus', 'detail')}`;
  return /already|bereits/i.test(words);
}

function refusal(numbers: readonly string[], { kind, carrierCode, carrierMessage }: CarrierError): CarrierError {
  return carrierError(
    kind === 'configuration' || kind === 'unavailable' ? kind : 'refused',
    `DHL does not close ${numbers.join(', ')}`,
    { code: carrierCode ?? '', text: carrierMessage ?? '' },
  );
}
