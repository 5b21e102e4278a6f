// Voids shipments of DHL Paket, up to thirty in one request; possible until the day is closed.
import { requestWithToken } from '../access-token.ts';
import { CarrierError, type CarrierAnswer, type CarrierRequest } from '../carrier.ts';
import { unreadable } from '../carrier-messages.ts';
import { voidedSentence, voidInterrupted, type VoidTask } from '../desk.ts';
import { answeredJson, type JsonValue, listAt, textAt } from '../json.ts';
import { dhlToken, headersOf, itemError, messageIn, orders, shipmentError, statusOf, title } from './errors.ts';
import { isReturn } from './returns.ts';

type Talk<T> = Generator<CarrierRequest, T, CarrierAnswer>;

/** Most shipments that one request may name. */
const maxAtOnce = 30;

/** DHL answers for each shipment: one that it does not cancel is looked up again before it counts as refused. */
export function* voidLabel(task: VoidTask): Talk<string> {
  const { parcelNumbers } = task;
  if (task.label !== null && isReturn(task.label.request))
    throw new CarrierError(
      'refused',
      'DHL has no request that takes a return back: destroy the label. It costs nothing until the parcel is handed in.',
    );
  const voided: string[] = [];
  for (let first = 0; first < parcelNumbers.length; first += maxAtOnce) {
    const asked = parcelNumbers.slice(first, first + maxAtOnce);
    const left = yield* unless(cancel(task, asked), (failure) => voidInterrupted(failure, voided, asked.join(', ')));
    voided.push(...asked.filter((number) => !left.has(number)));
    for (const [number, error] of left) {
      // DHL failed over it, and may have deleted it.
      const isDoubtful = error.acted === 'unknown';
      const isGoneNow = yield* unless(isGone(task, number), (failure) =>
        voidInterrupted(isDoubtful ? error : failure, voided, number),
      );
      if (!isGoneNow) throw voidInterrupted(isDoubtful ? error : refusal(error), voided, number);
      if (!task.again && !isDoubtful) throw voidInterrupted(unknown(error), voided, number);
      voided.push(number);
    }
  }
  return voidedSentence(title, parcelNumbers);
}

/** A part of a void. @param named what to throw when it fails: the error that names what is void by then */
function* unless<T>(part: Talk<T>, named: (failure: CarrierError) => CarrierError): Talk<T> {
  try {
    return yield* part;
  } catch (error) {
    throw error instanceof CarrierError ? named(error) : error;
  }
}

/** The shipments that DHL has not cancelled, each with its message. */
function* cancel({ account }: VoidTask, numbers: readonly string[]): Talk<ReadonlyMap<string, CarrierError>> {
  const query = new URLSearchParams([
    ['profile', account.settings.profile ?? ''],
    ...numbers.map((number) => ['shipment', number] as [string, string]),
  ]);
  const answer = yield* requestWithToken(dhlToken(account), (token) => ({
    method: 'DELETE',
    url: `${account.settings.baseUrl}${orders}?${query}`,
    headers: headersOf(account, token),
    body: null,
    repeat: 'never',
  }));
  const body = answeredJson(answer, title);
  const items = listAt(body, 'items');
  if (items.length === 0)
    throw answer.status === 200 || answer.status === 207 ? unreadable(title, 'no shipment') : shipmentError(answer);
  const left = new Map<string, CarrierError>();
  for (const number of numbers) {
    const item = items.find((each) => textAt(each, 'shipmentNo') === number);
    if (item === undefined && !isFine(items, numbers))
      left.set(number, unreadable(title, `nothing of the shipment ${number}`));
    if (item !== undefined && statusOf(item) !== '200') left.set(number, itemError(item, messageIn(body)));
  }
  return left;
}

/** The answer may leave out the number if there is only one shipment. */
function isFine(items: readonly JsonValue[], numbers: readonly string[]): boolean {
  const [only] = items;
  return numbers.length === 1 && items.length === 1 && only !== undefined && statusOf(only) === '200';
}

/** Whether DHL no longer knows the shipment: it gives the same answer for one that it never had. */
function* isGone({ account }: VoidTask, number: string): Talk<boolean> {
  const query = new URLSearchParams({ shipment: number, includeDocs: 'URL' });
  const answer = yield* requestWithToken(dhlToken(account), (token) => ({
    method: 'GET',
    url: `${account.settings.baseUrl}${orders}?${query}`,
    headers: headersOf(account, token),
    body: null,
    repeat: 'safe',
  }));
  if (answer.status === 404) return true;
  const [item] = listAt(answeredJson(answer, title), 'items');
  if (item === undefined) throw shipmentError(answer);
  return statusOf(item) === '404';
}

/** The shipment still exists. */
function refusal({ message, carrierCode, carrierMessage }: CarrierError): CarrierError {
  return new CarrierError('refused', message.replace('refuses the shipment', 'does not take the shipment back'), {
    carrierCode,
    carrierMessage,
  });
}

function unknown({ carrierCode, carrierMessage }: CarrierError): CarrierError {
  return new CarrierError('unknown', 'DHL knows no such shipment, or it was deleted there before.', {
    carrierCode,
    carrierMessage,
  });
}
