// La Poste's "Suivi v2" as questions and answers: the parcel by its number, its events and its state.
import { CarrierError, type CarrierAnswer, type CarrierRequest, isSuccess } from '../carrier.ts';
import { isJsonObject, type JsonObject, type JsonValue, listAt, parseJson, textAt, valueAt } from '../json.ts';
import { oldestFirst, registered, stepTime, type TimedStep } from '../tracking-steps.ts';
import type { Tracking } from '../../model/shipping.ts';
import { type CarrierMessage, carrierError, accessError, unreadable } from '../carrier-messages.ts';

export const suiviAddress = 'https://api.laposte.fr';
export const languages = ['fr_FR', 'en_GB', 'de_DE', 'es_ES', 'it_IT', 'nl_NL'] as const;

interface SuiviAccess {
  readonly baseUrl: string;
  readonly key: string;
  readonly language: string;
}

interface SuiviQuestion {
  readonly access: SuiviAccess;
  readonly number: string;
  /** The label was made here: it counts as registered even if La Poste does not know it yet. */
  readonly isAwaited: boolean;
}

type Talk<T> = Generator<CarrierRequest, T, CarrierAnswer>;

const title = 'La Poste';
/** The example in the published description. */
const exampleNumber = 'CB662173705US';

/** @throws CarrierError `unknown` for a number that La Poste does not know, or that cannot be one */
export function* trackSuivi({ access, number, isAwaited }: SuiviQuestion): Talk<Tracking> {
  // A comma would ask for several parcels.
  if (!/^[A-Za-z0-9]{11,15}$/.test(number))
    throw new CarrierError('unknown', 'A number of La Poste has 11 to 15 letters and digits.');
  const answer = yield question(access, number);
  const body = bodyOf(answer);
  const shipment = valueAt(body, 'shipment');
  if (isJsonObject(shipment) && textAt(shipment, 'idShip') !== '') return trackingOf(shipment);
  const code = Number(textAt(body, 'returnCode') || (isSuccess(answer) ? Number.NaN : answer.status));
  const isUnknown = [101, 104, 105, 109, 201, 208, 400, 404].includes(code);
  if (isUnknown && isAwaited) return registered(textAt(body, 'returnMessage'));
  const message = messageIn(body);
  if (isUnknown) throw carrierError('unknown', 'La Poste knows no such parcel', message);
  if (code === 401) throw carrierError('configuration', 'La Poste does not accept the key of this account', message);
  if (message.text !== '') throw carrierError('unavailable', 'La Poste gave no tracking', message);
  throw unreadable(title, 'no shipment');
}

/** Asks for the number of the published example: any answer in the interface's form shows that the key is accepted. */
export function* probeSuivi(access: SuiviAccess): Talk<string> {
  const answer = yield question(access, exampleNumber);
  const body = bodyOf(answer);
  const code = textAt(body, 'returnCode');
  if (code === '') throw unreadable(title, 'no return code');
  if (code === '401' || code === '504')
    throw carrierError(code === '401' ? 'configuration' : 'unavailable', 'La Poste gave no tracking', messageIn(body));
  return 'La Poste accepts the key of this account.';
}

/** The same for an account whose labels another service makes: '' if it has no key for tracking. */
export function* probeTracking({
  suiviKey = '',
  suiviUrl = '',
  language = '',
}: Readonly<Record<string, string>>): Talk<string> {
  return suiviKey === '' ? '' : yield* probeSuivi({ baseUrl: suiviUrl, key: suiviKey, language });
}

function question({ baseUrl, key, language }: SuiviAccess, number: string): CarrierRequest {
  return {
    method: 'GET',
    url: `${baseUrl}/suivi/v2/idships/${number}?lang=${language}`,
    headers: { Accept: 'application/json', 'X-Okapi-Key': key },
    body: null,
    repeat: 'safe',
  };
}

/** The answer for one number is an object or a list of one; for a wrong number it may also be 404 without JSON. */
function bodyOf(answer: CarrierAnswer): JsonObject {
  const json = parseJson(answer.body);
  const body = listAt(json).find(isJsonObject);
  const error = accessError(title, answer, messageIn(body));
  if (error !== null) throw error;
  if (body !== undefined) return body;
  if (answer.status === 404) return {};
  throw new CarrierError(
    'unavailable',
    `La Poste answered with status ${answer.status} and nothing that its interface describes.`,
  );
}

function messageIn(body: JsonValue | undefined): CarrierMessage {
  return {
    code: textAt(body, 'returnCode') || textAt(body, 'code'),
    text: textAt(body, 'returnMessage') || textAt(body, 'message'),
  };
}

/** Delivered, the last of the five stages that La Poste shows. */
const lastStage = '5';

/** Codes of events → the published states. */
const statuses: Readonly<Record<string, Tracking['status']>> = {
  DR1: '80',
  PC1: '81',
  PC2: '81',
  ET1: '81',
  ET2: '81',
  ET3: '81',
  ET4: '81',
  EP1: '81',
  DO1: '81',
  DO2: '81',
  // News from customs.
  ID0: '81',
  PB2: '81',
  MD2: '81',
  AG1: '81',
  // Late, and still on its way.
  DI3: '81',
  DI0: '82',
  DI1: '82',
  DR2: '83',
  DO3: '83',
  PB1: '83',
  ND1: '83',
  RE1: '83',
  DI2: '83',
};

function trackingOf(shipment: JsonObject): Tracking {
  const events = listAt(shipment, 'event').map((event) => ({
    code: textAt(event, 'code').toUpperCase(),
    ...stepOf(event),
  }));
  const steps = oldestFirst(events, 'newest first');
  const last = steps.at(-1);
  const code = events.find(({ step }) => step === last)?.code ?? '';
  const reached = listAt(shipment, 'timeline')
    .filter((stage) => valueAt(stage, 'status') === true)
    .at(-1);
  return {
    status: statuses[code] ?? fallback(shipment, reached, steps.length),
    wording1: last?.wording ?? '',
    wording2: textAt(reached, 'shortLabel'),
    relayWording: textAt(shipment, 'contextData', 'removalPoint', 'name'),
    relayNumber: '',
    steps,
  };
}

/**
 * For unlisted codes: what La Poste says about the shipment as a whole. That nothing more will come does not mean that
 * it was delivered: it may be lost, or returned.
 */
function fallback(shipment: JsonObject, reached: JsonValue | undefined, count: number): Tracking['status'] {
  if (valueAt(reached, 'type') === -1) return '83';
  const isDelivered = textAt(shipment, 'deliveryDate') !== '' || textAt(reached, 'id') === lastStage;
  if (valueAt(shipment, 'isFinal') === true && isDelivered) return '82';
  return count === 0 ? '80' : '81';
}

/** La Poste does not say where an event happened; it writes French local time. */
const zones = ['Europe/Paris'] as const;

function stepOf(event: JsonValue): TimedStep {
  const { date, hour, at } = stepTime(textAt(event, 'date'), zones);
  return { step: { wording: textAt(event, 'label'), date, hour, location: '', relayId: '', relayCountry: '' }, at };
}
