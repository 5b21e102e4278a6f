// Classifies errors of a Karrio server by who must act: the server, the carrier behind it, or the client.
import { type CarrierAccount, CarrierError, type CarrierAnswer, reasonAt } from '../carrier.ts';
import { isJsonObject, type JsonValue, listAt, parseJson, textAt, valueAt } from '../json.ts';
import type { LabelField } from '../../model/shipping.ts';
import { type CarrierMessage, carrierError, accessError } from '../carrier-messages.ts';
import type { Reason } from '../../model/record.ts';

export const title = 'Karrio';

/** The kind of request: the same status means different things for each. */
type Request = 'creation' | 'reading' | 'tracking' | 'cancellation';

/** Karrio takes the key after the word Token. */
export function headersOf({ settings }: CarrierAccount): Readonly<Record<string, string>> {
  return { Accept: 'application/json', 'Content-Type': 'application/json', Authorization: `Token ${settings.apiKey}` };
}

/** The error of an answer that is not a success of the operation. */
export function karrioError(answer: CarrierAnswer, request: Request): CarrierError {
  const body = parseJson(answer.body);
  const message = messageIn(body);
  const byStatus = accessError(title, answer, message);
  if (byStatus !== null) return byStatus;
  if (message.code === '' && message.text === '')
    return new CarrierError(
      'unavailable',
      `Karrio answered with status ${answer.status} and no reason that can be read.`,
    );
  const ofConnector = connectorError(body);
  if (ofConnector !== null) return ofConnector;
  if (request === 'cancellation') return cancelError(answer, message);
  if (listAt(body, 'errors').length > 0) return ownError(answer, request, message);
  // Messages come from the carrier behind Karrio.
  if (request === 'creation') return carrierError('refused', 'The carrier behind Karrio refuses the shipment', message);
  if (answer.status === 404) return carrierError('unknown', 'The carrier behind Karrio knows no such parcel', message);
  return carrierError('unavailable', 'The carrier behind Karrio gave no answer', message);
}

/**
 * The error if a connector of Karrio failed; null if it did not. Karrio reports whatever a connector did not expect
 * like a message of the carrier behind it: no connection, no answer in time, an answer that cannot be read. The carrier
 * may have made or voided a parcel nevertheless, and says nothing of one that is tracked.
 */
export function connectorError(body: JsonValue | undefined): CarrierError | null {
  return entriesOf(body).some((entry) => textAt(entry, 'code') === 'SHIPPING_SDK_INTERNAL_ERROR')
    ? carrierError('unavailable', 'A connector of Karrio failed', messageIn(body))
    : null;
}

/** Code and wording of the first error, followed by the wordings of further ones. */
export function messageIn(body: JsonValue | undefined): CarrierMessage {
  const entries = entriesOf(body);
  const messages = entries.map((entry) => textAt(entry, 'message')).filter((message) => message !== '');
  return { code: textAt(entries[0], 'code'), text: [...new Set(messages)].join('; ') };
}

function entriesOf(body: JsonValue | undefined): readonly JsonValue[] {
  return [...listAt(body, 'errors'), ...listAt(body, 'messages')];
}

/** A shipment that is void already, or that the carrier behind Karrio does not void. */
function cancelError({ status }: CarrierAnswer, message: CarrierMessage): CarrierError {
  return status === 404
    ? carrierError('unknown', 'Karrio has no such shipment', message)
    : carrierError('refused', 'Karrio does not cancel the shipment', message);
}

function ownError(answer: CarrierAnswer, request: Request, message: CarrierMessage): CarrierError {
  if (answer.status === 404 && request === 'reading')
    return carrierError('unknown', 'Karrio has no such shipment', message);
  if (answer.status === 404)
    return carrierError('configuration', 'Karrio has no connection for the carrier of this account', message);
  if (message.code === 'service_unavailable') {
    const reasons: readonly Reason[] = [
      reasonAt('modeLiv', 'refused', 'modeLiv must be a service that Karrio offers for this shipment.'),
    ];
    return carrierError('refused', 'Karrio does not offer this service for this shipment', message, {
      reasons,
    });
  }
  if (answer.status === 409) return carrierError('refused', 'Karrio refuses the shipment', message);
  const reasons = listAt(parseJson(answer.body), 'errors').flatMap((error) =>
    fieldReasons(valueAt(error, 'details'), ''),
  );
  return carrierError('invalid', 'Karrio finds the shipment wrong', message, { reasons });
}

/** Maps Karrio's own fields to fields of the request. */
const fieldsByPath: readonly (readonly [RegExp, LabelField])[] = [
  [/^shipper\.(company_name|person_name)/, 'expAddr1'],
  [/^shipper\.address_line[12]/, 'expAddr2'],
  [/^shipper\.city/, 'expCity'],
  [/^shipper\.postal_code/, 'expZip'],
  [/^shipper\.country_code/, 'expCountry'],
  [/^shipper\.phone_number/, 'expTel1'],
  [/^shipper\.email/, 'expMail'],
  [/^recipient\.(company_name|person_name)/, 'destAddr1'],
  [/^recipient\.address_line[12]/, 'destAddr2'],
  [/^recipient\.city/, 'destCity'],
  [/^recipient\.postal_code/, 'destZip'],
  [/^recipient\.country_code/, 'destCountry'],
  [/^recipient\.phone_number/, 'destTel1'],
  [/^recipient\.email/, 'destMail'],
  [/^parcels.*\.weight/, 'weight'],
  [/^parcels.*\.content/, 'content'],
  [/^service/, 'modeLiv'],
  [/^reference/, 'nDossier'],
  [/^order_id/, 'nClient'],
  [/^label_type/, 'outputType'],
  [/^options\.cash_on_delivery/, 'crtValue'],
];

/** Details repeat the shape of the request, with lists of sentences in place of wrong values. */
function fieldReasons(details: JsonValue | undefined, path: string): readonly Reason[] {
  if (typeof details === 'string') {
    const field = fieldsByPath.find(([pattern]) => pattern.test(path))?.[1];
    return field === undefined ? [] : [reasonAt(field, 'refused', `Karrio says of ${path}: ${details}`)];
  }
  if (Array.isArray(details)) return details.flatMap((detail: JsonValue) => fieldReasons(detail, path));
  if (!isJsonObject(details)) return [];
  return Object.entries(details).flatMap(([name, detail]) =>
    fieldReasons(detail, path === '' ? name : `${path}.${name}`),
  );
}
