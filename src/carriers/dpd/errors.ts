// Classifies faults of DPD France's EPrint by who must act. Each has an identifier and a wording; no full list of them
// is published.
import { textBlock } from '../../model/text-block.ts';
import { type CarrierError, type CarrierErrorKind, reasonAt } from '../carrier.ts';
import type { SoapFault } from '../soap.ts';
import { xmlDescendants, xmlValue } from '../xml/element.ts';
import type { LabelField } from '../../model/shipping.ts';
import { type CarrierMessage, carrierError } from '../carrier-messages.ts';
import type { Reason } from '../../model/record.ts';

export const title = 'DPD France';

/** Identifiers that have been seen, and the fields that each is about. */
const fields: Readonly<Record<string, readonly LabelField[]>> = {
  InvalidWeight: ['weight'],
  // DPD does not say which of the two countries.
  InvalidCountryPrefix: ['expCountry', 'destCountry'],
};

/** What DPD's fault means for a label to be created. */
export function creationError(fault: SoapFault): CarrierError {
  const message = messageIn(fault);
  const general = generalError(fault, message);
  if (general !== null) return general;
  const kind: CarrierErrorKind = message.code.startsWith('Invalid') ? 'invalid' : 'refused';
  const about =
    message.text === 'no sms number given'
      ? ['destTel1' as const]
      : Object.hasOwn(fields, message.code)
        ? (fields[message.code] ?? [])
        : [];
  const reasons = about.map(
    (field): Reason =>
      reasonAt(
        field,
        'refused-by-carrier',
        `DPD France says of ${field}: "${message.text === '' ? message.code : message.text}".`,
      ),
  );
  return carrierError(
    kind,
    kind === 'invalid' ? 'DPD France finds the shipment wrong' : 'DPD France refuses the shipment',
    message,
    { reasons },
  );
}

/**
 * What it means for the reprint of a label: any fault that is not about the account says that there is no such label.
 */
export function reprintError(fault: SoapFault): CarrierError {
  const message = messageIn(fault);
  return generalError(fault, message) ?? carrierError('unknown', 'DPD France gives no label of this parcel', message);
}

/** What it means for a parcel to be voided. */
export function terminationError(fault: SoapFault): CarrierError {
  const message = messageIn(fault);
  const general = generalError(fault, message);
  if (general !== null) return general;
  return /not found|unknown|inconnu/i.test(message.text)
    ? carrierError('unknown', 'DPD France knows no such parcel', message)
    : carrierError('refused', 'DPD France does not take the label back', message);
}

/** Who is denied, by the identifier: each of them ends alike, and each is the account's. */
const denied = {
  PermissionDenied: textBlock`
    DPD France does not let this account in: user ID, password, customer number or the address of this server is not one
    that it knows
  `,
  IpPermissionDenied: 'DPD France does not know the address of this server, and lets in none that it does not know',
  CustomerPermissionDenied: textBlock`
    DPD France does not let this account act for its customer: depot, customer number or country is not one that it
    knows for the user ID
  `,
} as const satisfies Readonly<Record<string, string>>;

/** Faults that are not about the shipment; null for all others. */
function generalError({ code }: SoapFault, message: CarrierMessage): CarrierError | null {
  if (message.code.endsWith('PermissionDenied')) return carrierError('configuration', deniedBy(message.code), message);
  if (message.code !== code) return null;
  // Without an identifier, the service could not read the request, or failed.
  return carrierError('unavailable', 'DPD France could not process the request', message, {
    ...(code === 'Client' ? { acted: 'no' } : {}),
  });
}

function deniedBy(code: string): string {
  return new Map<string, string>(Object.entries(denied)).get(code) ?? denied.PermissionDenied;
}

function messageIn({ code, message, detail }: SoapFault): CarrierMessage {
  const [error = null] = detail === null ? [] : xmlDescendants(detail, 'Error');
  return { code: xmlValue(error, 'ErrorId') || code, text: xmlValue(error, 'ErrorMessage') || message };
}
