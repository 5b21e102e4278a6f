// Looks up the address of a point by its number in Chronopost's directory: a parcel to a point is addressed to the
// point.
import { type CarrierAccount, CarrierError, reasonAt, type CarrierAnswer, type CarrierRequest } from '../carrier.ts';
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
  /** An ISO 3166-1 code. */
  readonly country: string;
}

/**
 * What the directory calls the overseas departments: it knows no points there by their ISO 3166-1 codes of two letters.
 * Source: Chronopost's own modules for WooCommerce and Magento, which ask for them in this way.
 */
const overseasCodes: Readonly<Record<string, string>> = { GF: 'GUF', GP: 'GLP', MQ: 'MTQ', RE: 'REU', YT: 'MYT' };

/** The directory's code of an overseas department; null for any other country. */
export function overseasCode(country: string): string | null {
  return Object.hasOwn(overseasCodes, country) ? (overseasCodes[country] ?? null) : null;
}

/** What errors of the directory name. */
export const title = "Chronopost's directory of points";
const namespace = 'http://cxf.rechercheBt.soap.chronopost.fr/';

/**
 * The address of the point that a parcel goes to; null if it goes to none, or if the product is not known to go to
 * points.
 * @throws CarrierError `invalid` if there is no such point; nothing has been created then
 */
export function* pointOf(
  account: CarrierAccount,
  request: LabelRequest,
): Generator<CarrierRequest, PointAddress | null, CarrierAnswer> {
  if (!pointProducts.includes(request.modeLiv)) return null;
  const country = request.shippingPickupPointCountry || request.destCountry;
  const isFrench = country === 'FR' || overseasCode(country) !== null;
  const operation = isFrench ? 'rechercheDetailPointChronopost' : 'rechercheDetailPointChronopostInter';
  // The directory wants a country for points abroad alone.
  const abroad = isFrench ? {} : { countryCode: country, language: 'FR', version: '2.0' };
  try {
    const answer = yield askDirectory(account, operation, {
      identifiant: request.shippingPickupPoint.toUpperCase(),
      ...abroad,
    });
    return addressIn(xmlChild(soapResponse(title, answer, `${operation}Response`, faultError), 'return'), country);
  } catch (error) {
    throw error instanceof CarrierError ? beforeCreation(error) : error;
  }
}

/**
 * A question for the directory of points, preceded by the account.
 * @param asked in the schema's order; empty texts are left out
 */
export function askDirectory(
  { settings }: CarrierAccount,
  operation: string,
  asked: Readonly<Record<string, string>>,
): CarrierRequest {
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

/** @param country as requested: the directory uses numbers and codes of its own */
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

/** What the directory answers to an unknown account. */
const wrongPassword = '1500';

function errorOf(message: CarrierMessage): CarrierError {
  return ofPoint.includes(message.code) ? noPoint(message) : directoryError(message);
}

/** An error that is not about the request itself. */
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
