// Faults of DPD France's EPrint, by who must act. Each has an identifier and a wording; a full list of them is not
// published.
import { textBlock } from '../../model/text-block.ts';
import { CarrierError, type CarrierErrorKind, type FieldFault } from '../carrier.ts';
import { quoted, type Said, saying } from '../carrier-words.ts';
import type { SoapFault } from '../soap.ts';
import { xmlDescendants, xmlValue } from '../xml.ts';
import type { LabelField } from '../../model/shipping.ts';

export const title = 'DPD France';

/** Identifiers that were seen, and the fields that each is about. */
const fields: Readonly<Record<string, readonly LabelField[]>> = {
  InvalidWeight: ['weight'],
  // DPD does not say whose country it is.
  InvalidCountryPrefix: ['expCountry', 'destCountry'],
};

/** What DPD's fault means for a label that was to be made. */
export function creationError(fault: SoapFault): CarrierError {
  const said = saidIn(fault);
  const general = generalError(fault, said);
  if (general !== null) return general;
  const kind: CarrierErrorKind = said.code.startsWith('Invalid') ? 'invalid' : 'refused';
  const about =
    said.message === 'no sms number given'
      ? ['destTel1' as const]
      : Object.hasOwn(fields, said.code)
        ? (fields[said.code] ?? [])
        : [];
  const faults = about.map(
    (field): FieldFault => ({
      field,
      code: 'refused-by-carrier',
      detail: `DPD France says of ${field}: "${said.message === '' ? said.code : said.message}".`,
    }),
  );
  return new CarrierError(
    kind,
    saying(kind === 'invalid' ? 'DPD France finds the shipment wrong' : 'DPD France refuses the shipment', said),
    { ...quoted(said), faults },
  );
}

/** What it means for a label that was made before: any other fault than one of the account says that there is none. */
export function reprintError(fault: SoapFault): CarrierError {
  const said = saidIn(fault);
  return (
    generalError(fault, said) ??
    new CarrierError('unknown', saying('DPD France gives no label of this parcel', said), quoted(said))
  );
}

/** Faults that are not about the shipment; null for all others. */
function generalError({ code }: SoapFault, said: Said): CarrierError | null {
  if (said.code === 'PermissionDenied')
    return new CarrierError(
      'configuration',
      saying(
        textBlock`
          DPD France does not let this account in: user ID, password, customer number or the address of this server is
          not one that it knows
        `,
        said,
      ),
      quoted(said),
    );
  if (said.code !== code) return null;
  // Without an identifier of its own, the service could not read the request, or failed.
  return new CarrierError('unavailable', saying('DPD France could not process the request', said), {
    ...quoted(said),
    ...(code === 'Client' ? { acted: 'no' } : {}),
  });
}

function saidIn({ code, message, detail }: SoapFault): Said {
  const [error = null] = detail === null ? [] : xmlDescendants(detail, 'Error');
  return { code: xmlValue(error, 'ErrorId') || code, message: xmlValue(error, 'ErrorMessage') || message };
}
