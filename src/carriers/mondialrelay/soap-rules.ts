// What version 1 (SOAP) accepts in a label request, checked on the values that would be sent.
import type { ReasonCode } from '../../model/reason-codes.ts';
import type { LabelField, LabelRequest } from '../../model/shipping.ts';
import { digits, linesOf } from '../label-rules.ts';
import { isXmlText } from '../xml/element.ts';
import type { SoapAccount } from './account.ts';
import {
  choiceReasons,
  countReasons,
  countryReasons,
  mailReasons,
  patternReasons,
  phoneReasons,
  relayReasons,
  relayOf,
  textReasons,
  weightReasons,
} from './field-rules.ts';
import { creationParameters, labelText, recipientLanguages, soapStreetLines } from './soap-request.ts';
import { wrapped } from './plain-text.ts';
import { reasonAt } from '../carrier.ts';
import type { Reason } from '../../model/record.ts';

/** Label formats of version 1. */
export const soapFormats: readonly string[] = ['10x15', 'A4', 'A5'];

const collections: readonly string[] = ['CCC', 'CDR', 'CDS', 'REL'];
const deliveries: readonly string[] = ['24R', '24L', '24X', 'HOM', 'LD1', 'LDS', 'LCC', 'DRI', 'ESP'];
const relayDeliveries: readonly string[] = ['24R', '24L', '24X'];
const homeDeliveries: readonly string[] = ['HOM', 'LD1', 'LDS'];
/** As version 2 documents them; version 1 says only that several parcels may not go to a relay (STAT 48). */
const severalParcels: readonly string[] = ['24L', 'LD1', 'LDS'];

const lineRule = {
  max: 32,
  allowed: /[0-9A-Z_\-'., /]/,
  characters: "letters, digits, spaces and - _ ' . , /",
} as const;

/** Everything that version 1 would not accept. */
export function soapReasons(request: LabelRequest, account: SoapAccount): readonly Reason[] {
  const sent = new Map(creationParameters(request, account));
  const value = (name: string): string => sent.get(name) ?? '';
  return [
    ...choiceReasons('modeCol', request.modeCol, collections, 'how the parcel is collected'),
    ...choiceReasons('modeLiv', request.modeLiv, deliveries, 'how the parcel is delivered'),
    ...patternReasons('expLang', value('Expe_Langage'), /^[A-Z]{2}$/, 'a language in two letters, such as FR'),
    ...patternReasons(
      'destLang',
      value('Dest_Langage'),
      /^(?:FR|ES|NL)$/,
      `one of ${recipientLanguages.join(', ')} in version 1`,
    ),
    ...addressReasons(request, 'exp', value),
    ...addressReasons(request, 'dest', value),
    ...weightReasons(request, 1, 9_999_999),
    ...countReasons(request, severalParcels),
    ...cashReasons(request),
    ...relaysReasons(request, value),
    ...textReasons('nClient', value('NClient'), {
      needed: null,
      max: 9,
      allowed: /[0-9A-Z]/,
      characters: 'letters and digits',
    }),
    ...textReasons('nDossier', value('NDossier'), {
      needed: null,
      max: 15,
      allowed: /[0-9A-Z_ -]/,
      characters: 'letters, digits, spaces and - _',
    }),
    ...outputReasons(request),
    ...textReasons('instruction', value('Instructions'), { ...lineRule, needed: null, max: 31 }),
    ...contentReasons(request),
  ];
}

function addressReasons(
  request: LabelRequest,
  side: 'exp' | 'dest',
  value: (name: string) => string,
): readonly Reason[] {
  const prefix = side === 'exp' ? 'Expe' : 'Dest';
  const whose = side === 'exp' ? 'the sender' : 'the recipient';
  const country = value(`${prefix}_Pays`);
  const postcode = value(`${prefix}_CP`);
  const phoneNeeded =
    side === 'exp'
      ? `the telephone of ${whose}`
      : homeDeliveries.includes(request.modeLiv)
        ? 'delivery to the door needs the telephone of the recipient'
        : null;
  return [
    ...textReasons(`${side}Addr1`, value(`${prefix}_Ad1`), { ...lineRule, needed: `the name of ${whose}`, min: 2 }),
    ...streetReasons(`${side}Addr2`, [value(`${prefix}_Ad3`), value(`${prefix}_Ad4`)], `the street of ${whose}`),
    ...textReasons(`${side}City`, value(`${prefix}_Ville`), {
      needed: `the city of ${whose}`,
      min: 2,
      max: 26,
      allowed: /[A-Z_\-' ]/,
      characters: "letters, spaces and - _ '",
    }),
    ...(postcode === ''
      ? textReasons(`${side}Zip`, '', { needed: `the postcode of ${whose}`, max: 10 })
      : postcodeReasons(`${side}Zip`, postcode, country)),
    ...countryReasons(`${side}Country`, country, `the country of ${whose}`),
    ...phoneReasons(request, side, '1', phoneNeeded),
    ...mailReasons(`${side}Mail`, value(`${prefix}_Mail`)),
  ];
}

/** A street that does not fit into its lines is put into the first one whole. */
function streetReasons(
  field: 'expAddr2' | 'destAddr2',
  [first = '', second = '']: readonly string[],
  needed: string,
): readonly Reason[] {
  const tooLong = linesOf(field, first, soapStreetLines);
  if (tooLong.length > 0) return tooLong;
  const found = textReasons(field, first, { ...lineRule, needed, min: 2 });
  return found.length > 0 ? found : textReasons(field, second, { ...lineRule, needed: null });
}

/** The pattern is documented for France; that of other countries is unknown. */
function postcodeReasons(field: LabelField, postcode: string, country: string): readonly Reason[] {
  return country === 'FR'
    ? patternReasons(field, postcode, /^[0-9@]\d{4}$/, 'five digits in France')
    : patternReasons(field, postcode, /^[0-9A-Z-]{2,10}$/, '2 to 10 letters, digits and -');
}

function cashReasons({ crtValue }: LabelRequest): readonly Reason[] {
  const cents = digits(crtValue);
  if (crtValue === '' || (cents !== null && cents <= 9_999_999)) return [];
  return [
    reasonAt(
      'crtValue',
      cents === null ? 'wrong-format' : 'out-of-range',
      'crtValue must be cents, in digits, from 0 to 9999999.',
    ),
  ];
}

function relaysReasons(request: LabelRequest, value: (name: string) => string): readonly Reason[] {
  const deliveryNeeded = relayDeliveries.includes(request.modeLiv)
    ? 'the relay where the recipient collects the parcel'
    : null;
  const collectionNeeded =
    request.modeCol === 'REL'
      ? 'the relay where the parcel is handed in, or AUTO for the one nearest to the sender'
      : null;
  // AUTO finds the country, too.
  const isAutomatic = relayOf(request, 'pickupPoint').number === 'AUTO' && request.pickupPointCountry === '';
  const delivery = relayReasons(
    request,
    'shippingPickupPoint',
    /^\d{1,6}$/,
    'the number of a relay: up to six digits',
    deliveryNeeded,
  );
  const isAbroad = deliveryNeeded !== null && delivery.length === 0 && value('LIV_Rel_Pays') !== value('Dest_Pays');
  return [
    ...(isAutomatic
      ? []
      : relayReasons(
          request,
          'pickupPoint',
          /^(?:\d{1,6}|AUTO)$/,
          'the number of a relay, up to six digits, or AUTO',
          collectionNeeded,
        )),
    ...delivery,
    ...(isAbroad
      ? [
          reasonAt(
            'shippingPickupPointCountry',
            'wrong-format',
            'shippingPickupPointCountry must be the country of the recipient: the relay is to be there.',
          ),
        ]
      : []),
  ];
}

function outputReasons({ outputType, outputFormat }: LabelRequest): readonly Reason[] {
  if (outputType !== '' && outputType !== 'PdfUrl')
    return [reasonAt('outputType', 'not-offered', 'outputType must be PdfUrl in version 1.')];
  return outputFormat === '' ? [] : choiceReasons('outputFormat', outputFormat, soapFormats, 'the format of the label');
}

function contentReasons({ content }: LabelRequest): readonly Reason[] {
  const text = content.trim();
  const fault = (code: ReasonCode, detail: string): readonly Reason[] => [reasonAt('content', code, detail)];
  if (text === '') return [];
  if (/[<>&']/.test(text) || !isXmlText(text))
    return fault('wrong-format', "content must be without < > & ' and without control characters in version 1.");
  const lines = wrapped(text, labelText.length);
  if (lines === null || lines.length > labelText.lines)
    return fault(
      'too-long',
      `content must fit on ${labelText.lines} lines of ${labelText.length} characters, broken at spaces, in version 1.`,
    );
  return (lines[0] ?? '').length < 3
    ? fault('too-short', 'content must have at least 3 characters on its first line in version 1.')
    : [];
}
