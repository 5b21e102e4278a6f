// The address of a point by its number, from Colissimo's directory: a parcel to a point is addressed to the point.
import { frenchDay } from '../paris-time.ts';
import { directoryAddress } from '../laposte/directory-points.ts';
import { type CarrierAccount, CarrierError, reasonAt, type WireAnswer, type WireRequest } from '../carrier.ts';
import { accessError, type CarrierMessage, carrierError, beforeCreation, unreadable } from '../carrier-messages.ts';
import { answeredJson, type JsonValue, textAt, valueAt, withoutEmpty } from '../json.ts';
import type { LabelRequest } from '../../model/shipping.ts';
import { lineLength, pointProducts } from './rules.ts';

/** An address in the lines of an order. */
export interface PointAddress {
  readonly name: string;
  readonly line2: string;
  readonly line3: string;
  readonly countryCode: string;
  readonly city: string;
  readonly zipCode: string;
}

/** Whom errors of the directory are about. */
export const title = "Colissimo's directory of points";

/**
 * The address of the point that a parcel goes to; null where it goes to none, or to one outside of France: for those
 * the directory wants their network too, which a label request does not hold.
 * @param now milliseconds since 1970
 * @throws CarrierError `invalid` where there is no such point; nothing has been made then
 */
export function* pointOf(
  account: CarrierAccount,
  request: LabelRequest,
  now: number,
): Generator<WireRequest, PointAddress | null, WireAnswer> {
  if (!pointProducts.includes(request.modeLiv) || countryOf(request) !== 'FR') return null;
  try {
    return addressIn(yield question(account, request, now));
  } catch (error) {
    throw error instanceof CarrierError ? beforeCreation(error) : error;
  }
}

function countryOf({ shippingPickupPointCountry, destCountry }: LabelRequest): string {
  return shippingPickupPointCountry === '' ? destCountry : shippingPickupPointCountry;
}

function question(account: CarrierAccount, request: LabelRequest, now: number): WireRequest {
  return askDirectory(account, 'findPointRetraitAcheminementByID', {
    id: request.shippingPickupPoint,
    date: frenchDay(now),
    filterRelay: '1',
  });
}

/**
 * A question for the directory of points; credentials go into the body, as they were recorded.
 * @param asked what is asked beside them; empty texts are left out
 */
export function askDirectory(
  { settings }: CarrierAccount,
  operation: string,
  asked: Readonly<Record<string, string>>,
): WireRequest {
  const { baseUrl = '', apiKey = '', contractNumber = '', password = '', accountNumber = '' } = settings;
  const access = apiKey === '' ? { accountNumber: contractNumber, password } : { apiKey, accountNumber };
  return {
    method: 'POST',
    repeat: 'safe',
    url: `${baseUrl}/pointretrait-ws-cxf/rest/v2/pointretrait/${operation}`,
    headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
    body: JSON.stringify(withoutEmpty({ ...access, ...asked })),
  };
}

/** Codes of "Choix de livraison": of the account, and of the number of the point. */
const ofAccount: readonly string[] = ['101', '102', '201', '202'];
const ofPoint: readonly string[] = ['107', '124', '300', '301'];

/**
 * An answer of the directory, with what it says of itself.
 * @throws CarrierError where the account is not let in, or the answer makes no sense
 */
export function directoryAnswer(answer: WireAnswer): { readonly json: JsonValue; readonly message: CarrierMessage } {
  const denied = accessError(title, answer);
  if (denied !== null) throw denied;
  const json = answeredJson(answer, title);
  const message = { code: textAt(json, 'errorCode'), text: textAt(json, 'errorMessage') };
  if (ofAccount.includes(message.code))
    throw carrierError('configuration', `${title} does not accept this account`, message);
  if (message.code === '') throw unreadable(title, 'no code');
  return { json, message };
}

function addressIn(answer: WireAnswer): PointAddress {
  const { json, message } = directoryAnswer(answer);
  if (ofPoint.includes(message.code))
    throw carrierError('invalid', `${title} has no such point`, message, {
      reasons: [
        reasonAt(
          'shippingPickupPoint',
          'refused',
          `Colissimo has no point of this number: "${message.text === '' ? message.code : message.text}".`,
        ),
      ],
    });
  if (message.code !== '0') throw carrierError('unavailable', `${title} gave no address`, message);
  const point = valueAt(json, 'pointRetraitAcheminement');
  const lines = directoryAddress((member) => textAt(point, member), lineLength);
  if (lines === null) throw unreadable(title, 'no address of the point');
  const { name, street, supplement, city, zip } = lines;
  return {
    name,
    line2: street,
    line3: supplement,
    countryCode: textAt(point, 'codePays') || 'FR',
    city,
    zipCode: zip,
  };
}
