// Voids shipments of DHL Paket, up to thirty in one request; possible until the day is closed.
import { requestWithToken } from '../access-token.ts';
import { CarrierError, type CarrierAnswer, type CarrierRequest, isSuccess } from '../carrier.ts';
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
    const left = yield* cancel(task, asked, voided);
    voided.push(...asked.filter((number) => !left.has(number)));
    const failures = new Map<string, CarrierError>();
    for (const [number, error] of left) {
      const failure = yield* failureOf(task, number, error);
      if (failure === null) voided.push(number);
      else failures.set(number, failure);
    }
    const errors = [...failures.values()];
    const error = errors.find(({ acted }) => acted === 'unknown') ?? errors[0];
    if (error !== undefined) throw voidInterrupted(error, voided, [...failures.keys()].join(', '));
  }
  return voidedSentence(title, parcelNumbers);
}

/**
 * Why a shipment that DHL has not cancelled is not void, by a look at it.
 * @param error what DHL said of it
 * @returns null if it is gone: it is void
 */
function* failureOf(task: VoidTask, number: string, error: CarrierError): Talk<CarrierError | null> {
  // DHL failed over it, and may have deleted it.
  const isDoubtful = error.acted === 'unknown';
  try {
    if (!(yield* isGone(task, number))) return isDoubtful ? error : refusal(error);
  } catch (failure) {
    if (!(failure instanceof CarrierError)) throw failure;
    return isDoubtful ? error : failure;
  }
  return task.again || isDoubtful ? null : unknown(error);
}

/**
 * Cancels shipments in one request.
 * @param voided what to name as void when it fails
 * @returns those that DHL has not cancelled, each with its message
 */
function* cancel(
  task: VoidTask,
  numbers: readonly string[],
  voided: readonly string[],
): Talk<ReadonlyMap<string, CarrierError>> {
  try {
    return notCancelled(yield* askToCancel(task, numbers), numbers);
  } catch (error) {
    throw error instanceof CarrierError ? voidInterrupted(error, voided, numbers.join(', ')) : error;
  }
}

function* askToCancel({ account }: VoidTask, numbers: readonly string[]): Talk<CarrierAnswer> {
  const query = new URLSearchParams([
    ['profile', account.settings.profile ?? ''],
    ...numbers.map((number) => ['shipment', number] as [string, string]),
  ]);
  return yield* requestWithToken(dhlToken(account), (token) => ({
    method: 'DELETE',
    url: `${account.settings.baseUrl}${orders}?${query}`,
    headers: headersOf(account, token),
    body: null,
    repeat: 'never',
  }));
}

/** The shipments that an answer does not say to be cancelled, each with its message. */
function notCancelled(answer: CarrierAnswer, numbers: readonly string[]): ReadonlyMap<string, CarrierError> {
  const body = answeredJson(answer, title);
  const items = listAt(body, 'items');
  if (items.length === 0) throw isSuccess(answer) ? unreadable(title, 'no shipment') : shipmentError(answer);
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
