// The address of a point by its number, from Chronopost's directory: a parcel to a point is addressed to the point.
import { type CarrierAccount, CarrierError, reasonAt, type WireAnswer, type WireRequest } from '../carrier.ts';
import { type CarrierMessage, carrierError, beforeCreation, unreadable } from '../carrier-messages.ts';
import { directoryAddress, type PointLines } from '../laposte/directory-points.ts';
import { elementsOf, soapRequest, soapResponse } from '../soap.ts';
import { xmlChild, xmlChildren, type XmlElement, xmlValue } from '../xml/element.ts';
import { xml } from '../xml/write.ts';
import type { LabelRequest } from '../../model/shipping.ts';
import { faultError, isOfAccount } from './errors.ts';
import { pointProducts } from './products.ts';
import { lineLength } from './rules.ts';

/** An address in the lines of a shipment. */
export interface PointAddress extends PointLines {
  /** As ISO 3166-1 has it. */
  readonly country: string;
}

/** Whom errors of the directory are about. */
export const title = "Chronopost's directory of points";
const namespace = 'http://cxf.rechercheBt.soap.chronopost.fr/';

/**
 * The address of the point that a parcel goes to; null where it goes to none, or where the product is none of those
 * that are known to go to points.
 * @throws CarrierError `invalid` where there is no such point; nothing has been made then
 */
export function* pointOf(
  account: CarrierAccount,
  request: LabelRequest,
): Generator<WireRequest, PointAddress | null, WireAnswer> {
  if (!pointProducts.includes(request.modeLiv)) return null;
  const country = request.shippingPickupPointCountry || request.destCountry;
  const operation = country === 'FR' ? 'rechercheDetailPointChronopost' : 'rechercheDetailPointChronopostInter';
  try {
    const answer = yield question(account, operation, request.shippingPickupPoint.toUpperCase(), country);
    return addressIn(xmlChild(soapResponse(title, answer, `${operation}Response`, faultError), 'return'), country);
  } catch (error) {
    throw error instanceof CarrierError ? beforeCreation(error) : error;
  }
}

/** The directory asks for the country of points abroad alone. */
function question(account: CarrierAccount, operation: string, point: string, country: string): WireRequest {
  const abroad = country === 'FR' ? {} : { countryCode: country, language: 'FR', version: '2.0' };
  return askDirectory(account, operation, { identifiant: point, ...abroad });
}

/**
 * A question for the directory of points, with the account before it.
 * @param asked in the order of the schema; empty texts are left out
 */
export function askDirectory(
  { settings }: CarrierAccount,
  operation: string,
  asked: Readonly<Record<string, string>>,
): WireRequest {
  const { baseUrl = '', accountNumber = '', password = '' } = settings;
  return soapRequest({
    url: `${baseUrl}/recherchebt-ws-cxf/PointRelaisServiceWS`,
    action: '',
    repeat: 'safe',
    operation: xml(`cxf:${operation}`, elementsOf({ accountNumber, password, ...asked }), {
      'xmlns:cxf': namespace,
    }),
  });
}

/** Codes about the number of the point and its country. */
const ofPoint: readonly string[] = ['317', '700'];

/** @param country as it was asked for: the directory writes numbers and codes of its own */
function addressIn(result: XmlElement | null, country: string): PointAddress {
  if (result === null) throw unreadable(title, 'no result');
  const message = { code: xmlValue(result, 'errorCode'), text: xmlValue(result, 'errorMessage') };
  if (message.code !== '0') throw errorOf(message);
  const [point] = xmlChildren(result, 'listePointRelais');
  if (point === undefined) throw noPoint({ code: '', text: '' });
  const lines = directoryAddress((member) => xmlValue(point, member), lineLength);
  if (lines === null || lines.name === '') throw unreadable(title, 'no address of the point');
  return { ...lines, country };
}

/** What the directory answers to an account that it does not know. */
const wrongPassword = '1500';

function errorOf(message: CarrierMessage): CarrierError {
  return ofPoint.includes(message.code) ? noPoint(message) : directoryError(message);
}

/** An error that is not about what was asked. */
export function directoryError(message: CarrierMessage): CarrierError {
  if (message.code === '') return unreadable(title, 'no code');
  return isOfAccount(message) || message.code === wrongPassword
    ? carrierError('configuration', `${title} does not accept this account`, message)
    : carrierError('unavailable', `${title} gave nothing`, message);
}

function noPoint(message: CarrierMessage): CarrierError {
  const said = message.text === '' ? '.' : `: "${message.text}".`;
  return carrierError('invalid', `${title} has no such point`, message, {
    reasons: [reasonAt('shippingPickupPoint', 'refused', `Chronopost has no point of this number${said}`)],
  });
}
