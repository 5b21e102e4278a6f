// Looks up the address of a point by its number in Colissimo's directory: a parcel to a point is addressed to the
// point.
import { frenchDay } from '../paris-time.ts';
import { directoryAddress } from '../laposte/directory-points.ts';
import { type CarrierAccount, CarrierError, reasonAt, type CarrierAnswer, type CarrierRequest } from '../carrier.ts';
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

/** What errors of the directory name. */
export const title = "Colissimo's directory of points";

/**
 * The address of the point that a parcel goes to; null if it goes to none, or to one outside France: for those the
 * directory also needs their network, which a label request does not hold.
 * @param now milliseconds since 1970
 * @throws CarrierError `invalid` if there is no such point; nothing has been created then
 */
export function* pointOf(
  account: CarrierAccount,
  request: LabelRequest,
  now: number,
): Generator<CarrierRequest, PointAddress | null, CarrierAnswer> {
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

function question(account: CarrierAccount, request: LabelRequest, now: number): CarrierRequest {
  return askDirectory(account, 'findPointRetraitAcheminementByID', {
    id: request.shippingPickupPoint,
    date: frenchDay(now),
    filterRelay: '1',
  });
}

/**
 * A question for the directory of points; credentials go into the body, as recorded.
 * @param asked the other members; empty texts are left out
 */
export function askDirectory(
  { settings }: CarrierAccount,
  operation: string,
  asked: Readonly<Record<string, string>>,
): CarrierRequest {
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

/** Codes of "Choix de livraison" about the account, and about the number of the point. */
const ofAccount: readonly string[] = ['101', '102', '201', '202'];
const ofPoint: readonly string[] = ['107', '124', '300', '301'];

/**
 * Reads an answer of the directory and the message in it.
 * @throws CarrierError if the account is refused, or the answer makes no sense
 */
export function directoryAnswer(answer: CarrierAnswer): { readonly json: JsonValue; readonly message: CarrierMessage } {
  const denied = accessError(title, answer);
  if (denied !== null) throw denied;
  const json = answeredJson(answer, title);
  const message = { code: textAt(json, 'errorCode'), text: textAt(json, 'errorMessage') };
  if (ofAccount.includes(message.code))
    throw carrierError('configuration', `${title} does not accept this account`, message);
  if (message.code === '') throw unreadable(title, 'no code');
  return { json, message };
}

function addressIn(answer: CarrierAnswer): PointAddress {
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
