// GLS's ways of saying no: headers without a body, exceptions as text, lists of errors; and the request for its access
// token.
import { basicAuthorization, type TokenRequest } from '../access-token.ts';
import { type CarrierAccount, CarrierError, type WireAnswer, reasonAt } from '../carrier.ts';
import { type JsonValue, listAt, parseJson, textAt } from '../json.ts';
import type { LabelField } from '../../model/shipping.ts';
import { type CarrierMessage, carrierError, accessError } from '../carrier-messages.ts';

export const title = 'GLS';

/** ShipIT's own media type, both ways. */
export const mediaType = 'application/glsVersion1+json';

export function glsToken({ settings }: CarrierAccount): TokenRequest {
  const { baseUrl = '', clientId = '', clientSecret = '' } = settings;
  return {
    title,
    url: `${baseUrl}/oauth2/v2/token`,
    headers: { Authorization: basicAuthorization(clientId, clientSecret) },
    form: { grant_type: 'client_credentials' },
    messageIn,
  };
}

/** Errors of the gateway, of the token service and of tracking. */
export function messageIn(body: JsonValue | undefined): CarrierMessage {
  const [first] = listAt(body, 'errors');
  return {
    code:
      textAt(first, 'type') ||
      textAt(first, 'code') ||
      textAt(body, 'fault', 'detail', 'errorcode') ||
      textAt(body, 'error'),
    text:
      textAt(first, 'message') ||
      textAt(body, 'fault', 'faultstring') ||
      textAt(body, 'error_description') ||
      textAt(body, 'detail') ||
      textAt(body, 'title'),
  };
}

/** What the member of ShipIT's request is about, by the end of its path. */
const fieldsByPath: readonly (readonly [RegExp, LabelField])[] = [
  [/AlternativeShipperAddress\.Name1/, 'expAddr1'],
  [/AlternativeShipperAddress\.(Street|Name[23])/, 'expAddr2'],
  [/AlternativeShipperAddress\.City/, 'expCity'],
  [/AlternativeShipperAddress\.ZIPCode/, 'expZip'],
  [/AlternativeShipperAddress\.CountryCode/, 'expCountry'],
  [/AlternativeShipperAddress\.eMail/, 'expMail'],
  [/AlternativeShipperAddress\.\w*Phone\w*/, 'expTel1'],
  [/Address\.Name1/, 'destAddr1'],
  [/Address\.(Street|Name[23])/, 'destAddr2'],
  [/Address\.City/, 'destCity'],
  [/Address\.ZIPCode/, 'destZip'],
  [/Address\.CountryCode/, 'destCountry'],
  [/Address\.eMail/, 'destMail'],
  [/Address\.\w*Phone\w*/, 'destTel1'],
  [/ConsigneeID/, 'nClient'],
  [/ParcelShopID/, 'shippingPickupPoint'],
  [/ShipmentReference/, 'nDossier'],
  [/Weight/, 'weight'],
  [/Note1/, 'instruction'],
  [/Note2/, 'content'],
  [/Cash/, 'crtValue'],
  [/Product|Service/, 'modeLiv'],
  [/LabelFormat|TemplateSet/, 'outputFormat'],
];

/** Members that come from the settings of the account. */
const ofAccount = /ContactID|Middleware|Identifier|IncotermCode/;

/** The error of a label request: code, wording and the member at fault stand in headers, mostly without a body. */
export function shipmentError(answer: WireAnswer): CarrierError {
  const { error = '', message: wording = '', args = '' } = answer.headers;
  const inBody = messageIn(parseJson(answer.body));
  const message: CarrierMessage = { code: error || inBody.code, text: wording || inBody.text || textOf(answer) };
  const denied = accessError(title, answer, message);
  if (denied !== null) return denied;
  if (message.code === '' && message.text === '')
    return new CarrierError('unavailable', `GLS answered with status ${answer.status} and no reason that can be read.`);
  const path = /(?:Shipment|PrintingOptions)[\w.[\]]*/.exec(`${args} ${wording}`)?.[0] ?? '';
  if (ofAccount.test(path))
    return carrierError('configuration', 'GLS does not accept what this account is set up for', message);
  if (answer.status !== 400) return carrierError('unavailable', `GLS failed with status ${answer.status}`, message);
  const field = fieldsByPath.find(([pattern]) => pattern.test(path))?.[1];
  const reasons =
    field === undefined ? [] : [reasonAt(field, 'refused', `GLS says of ${field}: "${message.text || message.code}".`)];
  const isRefusal =
    message.code === 'INVALID_SERVICE_SELECTION' ||
    !/^(INVALID_FIELD_VALUE|MANDATORY_PARAMETER_NOT_SET|NUMBER_EXCEEDS_LENGTH)$/.test(message.code);
  return carrierError(
    isRefusal ? 'refused' : 'invalid',
    isRefusal ? 'GLS refuses the shipment' : 'GLS finds the shipment wrong',
    message,
    { reasons },
  );
}

/** The error of a request to cancel a parcel, in headers too. */
export function cancelError(answer: WireAnswer): CarrierError {
  const { error = '', message: wording = '' } = answer.headers;
  const inBody = messageIn(parseJson(answer.body));
  const message: CarrierMessage = { code: error || inBody.code, text: wording || inBody.text || textOf(answer) };
  const denied = accessError(title, answer, message);
  if (denied !== null) return denied;
  if (message.code === '' && message.text === '')
    return new CarrierError('unavailable', `GLS answered with status ${answer.status} and no reason that can be read.`);
  return answer.status === 404 || /NOT_FOUND|UNKNOWN/.test(message.code)
    ? carrierError('unknown', 'GLS knows no such parcel', message)
    : carrierError('refused', 'GLS does not cancel the parcel', message);
}

/** An exception of its reader comes as plain text; a page of a gateway says nothing that helps. */
function textOf({ headers, body }: WireAnswer): string {
  const text = body.toString('utf8', 0, 1000).trim();
  return /html/i.test(headers['content-type'] ?? '') || /^[<[{]/.test(text) ? '' : text;
}
