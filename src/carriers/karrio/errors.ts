// Errors of a Karrio server, by who must act: itself, the carrier behind it, or the caller.
import { type CarrierAccount, CarrierError, type FieldFault, type WireAnswer } from '../carrier.ts';
import { accessError, quoted, type Said, saying } from '../carrier-words.ts';
import { isObject, type JsonValue, listAt, parseJson, textAt, valueAt } from '../json.ts';
import type { LabelField } from '../../model/shipping.ts';

export const title = 'Karrio';

/** What was asked: the same status means different things for each. */
export type Asked = 'creating' | 'reading' | 'tracking';

/** Karrio takes the key with the word Token. */
export function headersOf({ settings }: CarrierAccount): Readonly<Record<string, string>> {
  return { Accept: 'application/json', 'Content-Type': 'application/json', Authorization: `Token ${settings.apiKey}` };
}

/** The error of an answer that is none of those that the operation ends well with. */
export function karrioError(answer: WireAnswer, asked: Asked): CarrierError {
  const body = parseJson(answer.body);
  const said = saidIn(body);
  const byStatus = accessError(title, answer, said);
  if (byStatus !== null) return byStatus;
  if (said.code === '' && said.message === '')
    return new CarrierError(
      'unavailable',
      `Karrio answered with status ${answer.status} and no reason that can be read.`,
    );
  if (listAt(body, 'errors').length > 0) return ownError(answer, asked, said);
  // Messages come from the carrier behind Karrio.
  if (asked === 'creating')
    return new CarrierError('refused', saying('The carrier behind Karrio refuses the shipment', said), quoted(said));
  if (answer.status === 404)
    return new CarrierError('unknown', saying('The carrier behind Karrio knows no such parcel', said), quoted(said));
  return new CarrierError('unavailable', saying('The carrier behind Karrio gave no answer', said), quoted(said));
}

/** Code and wording of the first error, the wordings of further ones behind it. */
export function saidIn(body: JsonValue | undefined): Said {
  const entries = [...listAt(body, 'errors'), ...listAt(body, 'messages')];
  const messages = entries.map((entry) => textAt(entry, 'message')).filter((message) => message !== '');
  return { code: textAt(entries[0], 'code'), message: [...new Set(messages)].join('; ') };
}

function ownError(answer: WireAnswer, asked: Asked, said: Said): CarrierError {
  if (answer.status === 404 && asked === 'reading')
    return new CarrierError('unknown', saying('Karrio has no such shipment', said), quoted(said));
  if (answer.status === 404)
    return new CarrierError(
      'configuration',
      saying('Karrio has no connection for the carrier of this account', said),
      quoted(said),
    );
  if (said.code === 'service_unavailable') {
    const faults: readonly FieldFault[] = [
      { field: 'modeLiv', code: 'refused', detail: 'modeLiv must be a service that Karrio offers for this shipment.' },
    ];
    return new CarrierError('refused', saying('Karrio does not offer this service for this shipment', said), {
      ...quoted(said),
      faults,
    });
  }
  if (answer.status === 409)
    return new CarrierError('refused', saying('Karrio refuses the shipment', said), quoted(said));
  const faults = listAt(parseJson(answer.body), 'errors').flatMap((error) =>
    fieldFaults(valueAt(error, 'details'), ''),
  );
  return new CarrierError('invalid', saying('Karrio finds the shipment wrong', said), { ...quoted(said), faults });
}

/** Where Karrio's own field stands for a field of the request. */
const fieldsByPath: readonly (readonly [RegExp, LabelField])[] = [
  [/^shipper\.(company_name|person_name)/, 'expAddr1'],
  [/^shipper\.address_line1/, 'expAddr2'],
  [/^shipper\.city/, 'expCity'],
  [/^shipper\.postal_code/, 'expZip'],
  [/^shipper\.country_code/, 'expCountry'],
  [/^shipper\.phone_number/, 'expTel1'],
  [/^shipper\.email/, 'expMail'],
  [/^recipient\.(company_name|person_name)/, 'destAddr1'],
  [/^recipient\.address_line1/, 'destAddr2'],
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

/** Details repeat the shape of the request, with lists of sentences where a value is wrong. */
function fieldFaults(details: JsonValue | undefined, path: string): readonly FieldFault[] {
  if (typeof details === 'string') {
    const field = fieldsByPath.find(([pattern]) => pattern.test(path))?.[1];
    return field === undefined ? [] : [{ field, code: 'refused', detail: `Karrio says of ${path}: ${details}` }];
  }
  if (Array.isArray(details)) return details.flatMap((detail: JsonValue) => fieldFaults(detail, path));
  if (!isObject(details)) return [];
  return Object.entries(details).flatMap(([name, detail]) =>
    fieldFaults(detail, path === '' ? name : `${path}.${name}`),
  );
}
