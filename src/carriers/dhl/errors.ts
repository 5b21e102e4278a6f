// Reads DHL's errors, for the whole request or for one shipment, and builds the request for its access token.
import type { TokenRequest } from '../access-token.ts';
import { type CarrierAccount, CarrierError, type CarrierAnswer, reasonAt } from '../carrier.ts';
import { type JsonValue, listAt, parseJson, textAt } from '../json.ts';
import type { LabelField } from '../../model/shipping.ts';
import { type CarrierMessage, carrierError, accessError } from '../carrier-messages.ts';

export const title = 'DHL';

/** Path of the shipments. */
export const orders = '/parcel/de/shipping/v2/orders';

export function canShip({ settings: { clientId, clientSecret, username, password } }: CarrierAccount): boolean {
  return Boolean(clientId && clientSecret && username && password);
}

/**
 * How to get a token for the user of the business customer portal (OAuth 2.0 password grant, DHL's variant).
 * @throws CarrierError `configuration` if the account is set up for tracking alone
 */
export function dhlToken(account: CarrierAccount): TokenRequest {
  const { baseUrl = '', clientId = '', clientSecret = '', username = '', password = '' } = account.settings;
  if (!canShip(account))
    throw new CarrierError(
      'configuration',
      'The account is not set up for labels of DHL (settings clientId, clientSecret, username, password).',
    );
  return {
    title,
    url: `${baseUrl}/parcel/de/account/auth/ropc/v1/token`,
    headers: {},
    form: { grant_type: 'password', username, password, client_id: clientId, client_secret: clientSecret },
    messageIn,
  };
}

/** Headers of a request about shipments. */
export function headersOf({ settings }: CarrierAccount, token: string): Readonly<Record<string, string>> {
  return {
    Accept: 'application/json',
    'Content-Type': 'application/json',
    'Accept-Language': settings.language === 'de' ? 'de-DE' : 'en-US',
    Authorization: `Bearer ${token}`,
  };
}

/** Code and wording of a whole answer: a problem, a status, or an OAuth error. */
export function messageIn(body: JsonValue | undefined): CarrierMessage {
  return {
    code:
      textAt(body, 'status', 'status') ||
      textAt(body, 'status', 'statusCode') ||
      textAt(body, 'statusCode') ||
      textAt(body, 'status') ||
      textAt(body, 'error'),
    text:
      textAt(body, 'status', 'detail') ||
      textAt(body, 'detail') ||
      textAt(body, 'error_description') ||
      textAt(body, 'status', 'title') ||
      textAt(body, 'title'),
  };
}

const fieldsByProperty: readonly (readonly [RegExp, LabelField])[] = [
  [/shipper\.(addressStreet|addressHouse|name[23])/, 'expAddr2'],
  [/shipper\.name/, 'expAddr1'],
  [/shipper\.postalCode/, 'expZip'],
  [/shipper\.city/, 'expCity'],
  [/shipper\.country/, 'expCountry'],
  [/shipper\.email/, 'expMail'],
  [/consignee\.(addressStreet|addressHouse|postNumber|name[23]|additionalAddressInformation\d)/, 'destAddr2'],
  [/consignee\.name/, 'destAddr1'],
  [/consignee\.postalCode/, 'destZip'],
  [/consignee\.city/, 'destCity'],
  [/consignee\.country/, 'destCountry'],
  [/consignee\.email/, 'destMail'],
  [/consignee\.phone/, 'destTel1'],
  [/lockerID|retailID/, 'shippingPickupPoint'],
  [/weight/, 'weight'],
  [/refNo/, 'nDossier'],
  [/costCenter/, 'nClient'],
  [/cashOnDelivery/, 'crtValue'],
  [/product|services/, 'modeLiv'],
];

/** The error of an answer without a label; its kind is `unknown` if the shipment does not exist. */
export function shipmentError(answer: CarrierAnswer): CarrierError {
  const body = parseJson(answer.body);
  const denied = accessError(title, answer, messageIn(body));
  if (denied !== null) return denied;
  const items = listAt(body, 'items');
  const failed = items.filter((item) => statusOf(item) !== '200');
  if (items.length > 0) return errorOf(failed.length > 0 ? failed : items, messageIn(body));
  const message = messageIn(body);
  if (message.code === '' && message.text === '')
    return new CarrierError('unavailable', `DHL answered with status ${answer.status} and no reason that can be read.`);
  if (answer.status === 404) return carrierError('unknown', 'DHL knows no such parcel', message);
  return carrierError('refused', 'DHL refuses the shipment', message);
}

/** Status of one shipment. */
export function statusOf(item: JsonValue | undefined): string {
  return textAt(item, 'sstatus', 'status') || textAt(item, 'sstatus', 'statusCode');
}

/**
 * The error of several shipments, at least one: that of the first, unless another one may exist, which counts for the
 * whole request.
 */
export function errorOf(items: readonly JsonValue[], whole: CarrierMessage): CarrierError {
  const errors = items.map((item) => itemError(item, whole));
  const [first] = errors;
  if (first === undefined) throw new Error('an error is that of a shipment');
  return errors.find(({ acted }) => acted === 'unknown') ?? first;
}

/** The error of one shipment: its messages say what is wrong, each with the property that it is about. */
export function itemError(item: JsonValue, whole: CarrierMessage): CarrierError {
  const wrong = listAt(item, 'validationMessages').filter(
    (message) => textAt(message, 'validationState') !== 'Warning',
  );
  const code = statusOf(item) || whole.code;
  const words = wrong.map((message) => textAt(message, 'validationMessage')).filter((text) => text !== '');
  const message: CarrierMessage = {
    code,
    text: words.join('; ') || textAt(item, 'sstatus', 'detail') || whole.text || textAt(item, 'sstatus', 'title'),
  };
  const properties = wrong.map((message) => ({
    property: textAt(message, 'property'),
    text: textAt(message, 'validationMessage'),
  }));
  if (properties.some(({ property }) => /billingNumber|profile|accountReference/.test(property)))
    return carrierError('configuration', 'DHL does not accept what this account is set up for', message);
  if (code === '404') return carrierError('unknown', 'DHL knows no such parcel', message);
  // It failed over this one of several: the shipment may exist.
  if (/^5\d\d$/.test(code)) return carrierError('unavailable', `DHL failed with status ${code}`, message);
  if (message.code === '' && message.text === '')
    return new CarrierError('unavailable', 'The answer of DHL makes no sense: it holds neither a label nor a reason.');
  const reasons = properties.flatMap(({ property, text }) => {
    const field = fieldsByProperty.find(([pattern]) => pattern.test(property))?.[1];
    return field === undefined ? [] : [reasonAt(field, 'refused', `DHL says of ${field}: "${text}".`)];
  });
  return carrierError(
    reasons.length > 0 ? 'invalid' : 'refused',
    reasons.length > 0 ? 'DHL finds the shipment wrong' : 'DHL refuses the shipment',
    message,
    { reasons },
  );
}
