// Reads GLS's errors (headers without a body, exceptions as text, lists of errors), and builds the request for its
// access token.
import { basicAuthorization, type TokenRequest } from '../access-token.ts';
import { type CarrierAccount, CarrierError, type CarrierAnswer, reasonAt } from '../carrier.ts';
import { type JsonValue, listAt, parseJson, textAt, valueAt } from '../json.ts';
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

/** Reads errors of the gateway, of the token service and of tracking. */
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

/** The label field for a member of ShipIT's request, by the end of its path. */
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
  // In the spelling of rules.
  [/^shipper\.(alternative\w*\.)?zip/, 'expZip'],
  [/^shipper\.(alternative\w*\.)?city/, 'expCity'],
  [/^shipper\.(alternative\w*\.)?street/, 'expAddr2'],
  [/^shipper\.(alternative\w*\.)?name/, 'expAddr1'],
  [/^shipper\.(alternative\w*\.)?country/, 'expCountry'],
  [/^shipper\.(alternative\w*\.)?email/, 'expMail'],
  [/^consignee\.zip/, 'destZip'],
  [/^consignee\.city/, 'destCity'],
  [/^consignee\.street/, 'destAddr2'],
  [/^consignee\.name/, 'destAddr1'],
  [/^consignee\.country/, 'destCountry'],
  [/^consignee\.email/, 'destMail'],
  [/^shipmentunit\.weight/, 'weight'],
  [/^shipmentunit\.attribute\.cod/, 'crtValue'],
  [/^article/, 'modeLiv'],
];

/**
 * The error of a shipment that fails the validation: each issue names a rule and what breaks it.
 * @param issues as the service lists them, at least one
 */
export function validationError(issues: readonly JsonValue[], isReturn: boolean): CarrierError {
  const named = issues.map((issue) => ({
    rule: textAt(issue, 'Rule'),
    location: textAt(issue, 'Location'),
    parameters: listOfTexts(issue, 'Parameters'),
  }));
  const message: CarrierMessage = {
    code: named[0]?.rule ?? '',
    text: named.map(({ rule, location, parameters }) => `${rule} (${[location, ...parameters].join(', ')})`).join('; '),
  };
  if (named.some(({ location }) => ofAccount.test(location)))
    return carrierError('configuration', 'GLS does not accept what this account is set up for', message);
  const reasons = named.flatMap(({ rule, location, parameters }) => {
    const found = fieldOfPath(location);
    const field = found !== undefined && isReturn ? turned(found) : found;
    return field === undefined
      ? []
      : [reasonAt(field, 'refused', `GLS says of ${field}: "${[rule, ...parameters].join(', ')}".`)];
  });
  return reasons.length > 0
    ? carrierError('invalid', 'GLS finds the shipment wrong', message, { reasons })
    : carrierError('refused', 'GLS refuses the shipment', message);
}

function listOfTexts(value: JsonValue, name: string): readonly string[] {
  const list = valueAt(value, name);
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
}

/** Members that come from the account's settings. */
const ofAccount = /ContactID|Middleware|Identifier|Incoterm/i;

/**
 * The error of a label request: code, wording and the faulty member are in headers, mostly without a body.
 * @param isReturn the consignee is the sender of the request, and the alternative shipper its recipient
 */
export function shipmentError(answer: CarrierAnswer, isReturn: boolean): CarrierError {
  const { message: wording = '', args = '' } = answer.headers;
  const message = shipmentMessage(answer);
  const common = commonError(answer, message);
  if (common !== null) return common;
  const path = pathIn(`${args} ${wording}`);
  if (ofAccount.test(path))
    return carrierError('configuration', 'GLS does not accept what this account is set up for', message);
  if (answer.status !== 400) return carrierError('unavailable', `GLS failed with status ${answer.status}`, message);
  const found = fieldOfPath(path);
  const field = found !== undefined && isReturn ? turned(found) : found;
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

/** Code and wording of an error of ShipIT, wherever they are. */
export function shipmentMessage(answer: CarrierAnswer): CarrierMessage {
  const { error = '', message: wording = '' } = answer.headers;
  const inBody = messageIn(parseJson(answer.body));
  return { code: error || inBody.code, text: wording || inBody.text || textOf(answer) };
}

/** The member that an error names: by its path in the request, or in the spelling of rules, such as `consignee.zip`. */
function pathIn(text: string): string {
  return (
    /(?:Shipment|PrintingOptions)[.[][\w.[\]]*/.exec(text)?.[0] ??
    /\b(?:consignee|shipper|shipmentunit|shipment|article\w*|routing)(?:\.\w+)*/.exec(text)?.[0] ??
    ''
  );
}

function fieldOfPath(path: string): LabelField | undefined {
  return fieldsByPath.find(([pattern]) => pattern.test(path))?.[1];
}

/** The same field of the other side: a return swaps sender and recipient. */
function turned(field: LabelField): LabelField {
  const other = field.replace(/^(exp|dest)/, (side) => (side === 'exp' ? 'dest' : 'exp'));
  return fieldsByPath.find(([, known]) => known === other)?.[1] ?? field;
}

/** The error of a request to cancel a parcel, in headers too. */
export function cancelError(answer: CarrierAnswer): CarrierError {
  const message = shipmentMessage(answer);
  const common = commonError(answer, message);
  if (common !== null) return common;
  return answer.status === 404 || /NOT_FOUND|UNKNOWN/.test(message.code)
    ? carrierError('unknown', 'GLS knows no such parcel', message)
    : carrierError('refused', 'GLS does not cancel the parcel', message);
}

/** The error of closing the day: parcels that could not be transmitted (COULD_NOT_TRANSMIT). */
export function endOfDayError(answer: CarrierAnswer): CarrierError {
  const message = shipmentMessage(answer);
  return commonError(answer, message) ?? carrierError('refused', 'GLS does not close the day', message);
}

/** The error of denied access, or of an answer that says nothing. */
function commonError(answer: CarrierAnswer, message: CarrierMessage): CarrierError | null {
  const denied = accessError(title, answer, message);
  if (denied !== null) return denied;
  return message.code === '' && message.text === ''
    ? new CarrierError('unavailable', `GLS answered with status ${answer.status} and no reason that can be read.`)
    : null;
}

/** An exception of its reader comes as plain text; a gateway's page says nothing useful. */
function textOf({ headers, body }: CarrierAnswer): string {
  const text = body.toString('utf8', 0, 1000).trim();
  return /html/i.test(headers['content-type'] ?? '') || /^[<[{]/.test(text) ? '' : text;
}
