// What version 1 (SOAP) takes in a label request, checked on the values that would be sent.
import type { LabelField, LabelRequest } from '../../model/shipping.ts';
import { digits, type Findings } from '../label-rules.ts';
import { isXmlText } from '../xml.ts';
import type { SoapAccount } from './account.ts';
import {
  choiceFindings,
  countFindings,
  countryFindings,
  mailFindings,
  patternFindings,
  phoneFindings,
  relayFindings,
  relayOf,
  textFindings,
  weightFindings,
} from './field-rules.ts';
import { creationParameters, labelText, recipientLanguages } from './soap-request.ts';
import { wrapped } from './plain-text.ts';

/** Formats of labels of version 1. */
export const soapFormats: readonly string[] = ['10x15', 'A4', 'A5'];

const collections: readonly string[] = ['CCC', 'CDR', 'CDS', 'REL'];
const deliveries: readonly string[] = ['24R', '24L', '24X', 'HOM', 'LD1', 'LDS', 'LCC', 'DRI', 'ESP'];
const relayDeliveries: readonly string[] = ['24R', '24L', '24X'];
const homeDeliveries: readonly string[] = ['HOM', 'LD1', 'LDS'];
/** As version 2 documents them; version 1 says no more than that several parcels may not go to a relay (STAT 48). */
const severalParcels: readonly string[] = ['24L', 'LD1', 'LDS'];

const lineRule = {
  max: 32,
  allowed: /[0-9A-Z_\-'., /]/,
  characters: "letters, digits, spaces and - _ ' . , /",
} as const;

/** Everything that version 1 would not take. */
export function soapFindings(request: LabelRequest, account: SoapAccount): Findings {
  const sent = new Map(creationParameters(request, account));
  const value = (name: string): string => sent.get(name) ?? '';
  return [
    ...choiceFindings('modeCol', request.modeCol, collections, 'how the parcel is collected'),
    ...choiceFindings('modeLiv', request.modeLiv, deliveries, 'how the parcel is delivered'),
    ...patternFindings('expLang', value('Expe_Langage'), /^[A-Z]{2}$/, 'a language in two letters, such as FR'),
    ...patternFindings(
      'destLang',
      value('Dest_Langage'),
      /^(?:FR|ES|NL)$/,
      `one of ${recipientLanguages.join(', ')} in version 1`,
    ),
    ...addressFindings(request, 'exp', value),
    ...addressFindings(request, 'dest', value),
    ...weightFindings(request, 1, 9_999_999),
    ...countFindings(request, severalParcels),
    ...cashFindings(request),
    ...relaysFindings(request, value),
    ...textFindings('nClient', value('NClient'), {
      needed: null,
      max: 9,
      allowed: /[0-9A-Z]/,
      characters: 'letters and digits',
    }),
    ...textFindings('nDossier', value('NDossier'), {
      needed: null,
      max: 15,
      allowed: /[0-9A-Z_ -]/,
      characters: 'letters, digits, spaces and - _',
    }),
    ...outputFindings(request),
    ...textFindings('instruction', value('Instructions'), { ...lineRule, needed: null, max: 31 }),
    ...contentFindings(request),
  ];
}

function addressFindings(request: LabelRequest, side: 'exp' | 'dest', value: (name: string) => string): Findings {
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
    ...textFindings(`${side}Addr1`, value(`${prefix}_Ad1`), { ...lineRule, needed: `the name of ${whose}`, min: 2 }),
    ...textFindings(`${side}Addr2`, value(`${prefix}_Ad3`), { ...lineRule, needed: `the street of ${whose}`, min: 2 }),
    ...textFindings(`${side}City`, value(`${prefix}_Ville`), {
      needed: `the city of ${whose}`,
      min: 2,
      max: 26,
      allowed: /[A-Z_\-' ]/,
      characters: "letters, spaces and - _ '",
    }),
    ...(postcode === ''
      ? textFindings(`${side}Zip`, '', { needed: `the postcode of ${whose}`, max: 10 })
      : postcodeFindings(`${side}Zip`, postcode, country)),
    ...countryFindings(`${side}Country`, country, `the country of ${whose}`),
    ...phoneFindings(request, side, '1', phoneNeeded),
    ...mailFindings(`${side}Mail`, value(`${prefix}_Mail`)),
  ];
}

/** The pattern is documented for France; what it is elsewhere is not known. */
function postcodeFindings(field: LabelField, postcode: string, country: string): Findings {
  return country === 'FR'
    ? patternFindings(field, postcode, /^[0-9@]\d{4}$/, 'five digits in France')
    : patternFindings(field, postcode, /^[0-9A-Z-]{2,10}$/, '2 to 10 letters, digits and -');
}

function cashFindings({ crtValue }: LabelRequest): Findings {
  const cents = digits(crtValue);
  if (crtValue === '' || (cents !== null && cents <= 9_999_999)) return [];
  return [
    {
      field: 'crtValue',
      code: cents === null ? 'wrong-format' : 'out-of-range',
      detail: 'crtValue must be cents, in digits, from 0 to 9999999.',
    },
  ];
}

function relaysFindings(request: LabelRequest, value: (name: string) => string): Findings {
  const deliveryNeeded = relayDeliveries.includes(request.modeLiv)
    ? 'the relay where the recipient collects the parcel'
    : null;
  const collectionNeeded =
    request.modeCol === 'REL'
      ? 'the relay where the parcel is handed in, or AUTO for the one nearest to the sender'
      : null;
  // AUTO finds the country, too.
  const isAutomatic = relayOf(request, 'pickupPoint').number === 'AUTO' && request.pickupPointCountry === '';
  const delivery = relayFindings(
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
      : relayFindings(
          request,
          'pickupPoint',
          /^(?:\d{1,6}|AUTO)$/,
          'the number of a relay, up to six digits, or AUTO',
          collectionNeeded,
        )),
    ...delivery,
    ...(isAbroad
      ? [
          {
            field: 'shippingPickupPointCountry',
            code: 'wrong-format',
            detail: 'shippingPickupPointCountry must be the country of the recipient: the relay is to be there.',
          } as const,
        ]
      : []),
  ];
}

function outputFindings({ outputType, outputFormat }: LabelRequest): Findings {
  if (outputType !== '' && outputType !== 'PdfUrl')
    return [{ field: 'outputType', code: 'not-offered', detail: 'outputType must be PdfUrl in version 1.' }];
  return outputFormat === ''
    ? []
    : choiceFindings('outputFormat', outputFormat, soapFormats, 'the format of the label');
}

function contentFindings({ content }: LabelRequest): Findings {
  const text = content.trim();
  const fault = (code: string, detail: string): Findings => [{ field: 'content', code, detail }];
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
