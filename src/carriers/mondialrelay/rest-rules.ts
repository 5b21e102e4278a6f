// What version 2 (REST) takes in a label request, checked on the values that would be sent.
import { textBlock } from '../../model/text-block.ts';
import type { LabelField, LabelRequest } from '../../model/shipping.ts';
import { cashUnwanted, digits, type Findings, outputs } from '../label-rules.ts';
import { isXmlText } from '../xml.ts';
import {
  choiceFindings,
  countFindings,
  countryFindings,
  mailFindings,
  patternFindings,
  phoneFindings,
  relayFindings,
  textFindings,
  weightFindings,
} from './field-rules.ts';
import { capitals } from './plain-text.ts';
import { cultures, oneLine, restAddress, restOutputs } from './rest-request.ts';

const collections: readonly string[] = ['CCC', 'REL'];
const deliveries: readonly string[] = ['24R', '24L', 'HOM', 'LCC', 'XOH'];
const relayDeliveries: readonly string[] = ['24R', '24L', 'XOH'];
/** The documentation names LD1 and LDS beside it, which are not among its ways of delivery. */
const severalParcels: readonly string[] = ['24L'];

/** Grams of the lightest parcel. */
const lightest = 10;
const heaviest = 9_999_999_999;

const lineRule = { allowed: /[0-9A-Za-z_\-'., /]/, characters: "letters, digits, spaces and - _ ' . , /" } as const;

/** Everything that version 2 would not take, or would leave out with a warning. */
export function restFindings(request: LabelRequest): Findings {
  const relayNeeded = relayDeliveries.includes(request.modeLiv)
    ? 'the relay where the recipient collects the parcel'
    : null;
  const count = Math.max(1, Math.min(99, digits(request.nbPackage) ?? 1));
  return [
    ...choiceFindings('modeCol', request.modeCol, collections, 'how the parcel is collected'),
    ...choiceFindings('modeLiv', request.modeLiv, deliveries, 'how the parcel is delivered'),
    ...patternFindings(
      'expLang',
      request.expLang.trim().toLowerCase(),
      new RegExp(`^(?:${Object.keys(cultures).join('|')})$`),
      `one of ${Object.keys(cultures).join(', ')}`,
    ),
    ...patternFindings('destLang', request.destLang.trim(), /^[A-Za-z]{2}$/, 'a language in two letters, such as fr'),
    ...addressFindings(request, 'exp'),
    ...addressFindings(request, 'dest'),
    ...polandFindings(request),
    ...weightFindings(request, lightest * count, heaviest),
    ...countFindings(request, severalParcels),
    ...cashUnwanted(request, 'crtValue must be 0: version 2 of Mondial Relay has no cash on delivery.'),
    ...relayFindings(
      request,
      'pickupPoint',
      /^[0-9A-Z]{1,7}$/,
      'the number of a relay, without its country up to seven digits',
      null,
    ),
    ...relayFindings(
      request,
      'shippingPickupPoint',
      /^[0-9A-Z]{1,7}$/,
      'the number of a relay, without its country up to seven digits',
      relayNeeded,
    ),
    ...textFindings('nClient', capitals(request.nClient), {
      needed: null,
      max: 9,
      allowed: /[0-9A-Z]/,
      characters: 'letters and digits',
    }),
    ...textFindings('nDossier', capitals(request.nDossier), {
      needed: null,
      max: 15,
      allowed: /[0-9A-Z_-]/,
      characters: 'letters, digits and - _',
    }),
    ...outputFindings(request),
    ...freeTextFindings('instruction', request.instruction, 30),
    ...freeTextFindings('content', request.content, 40),
  ];
}

function addressFindings(request: LabelRequest, side: 'exp' | 'dest'): Findings {
  const { name, street, city, postcode, country, mail } = restAddress(request, side);
  const whose = side === 'exp' ? 'the sender' : 'the recipient';
  const phoneNeeded =
    side === 'dest' && request.modeLiv === 'HOM' ? 'delivery to the door needs the telephone of the recipient' : null;
  return [
    ...textFindings(`${side}Addr1`, name, { ...lineRule, needed: `the name of ${whose}`, max: 30 }),
    ...textFindings(`${side}Addr2`, street, { ...lineRule, needed: `the street of ${whose}`, max: 40 }),
    ...textFindings(`${side}City`, city, {
      needed: `the city of ${whose}`,
      min: 2,
      max: 30,
      allowed: /[A-Za-z_\-' ]/,
      characters: "letters, spaces and - _ '",
    }),
    ...textFindings(`${side}Zip`, postcode, {
      needed: `the postcode of ${whose}`,
      min: 2,
      max: 10,
      allowed: /[0-9A-Za-z_\-']/,
      characters: "letters, digits and - _ '",
    }),
    ...countryFindings(`${side}Country`, country, `the country of ${whose}`),
    ...phoneFindings(request, side, '2', phoneNeeded),
    ...mailFindings(`${side}Mail`, mail),
  ];
}

/** Parcels to Poland need a length, a width and a depth. */
function polandFindings({ destCountry }: LabelRequest): Findings {
  if (destCountry.trim().toUpperCase() !== 'PL') return [];
  return [
    {
      field: 'destCountry',
      code: 'not-offered',
      detail: textBlock`
          destCountry may not be PL: Mondial Relay wants the size of parcels to Poland, which a label request has no
          field for.
        `,
    },
  ];
}

function outputFindings(request: LabelRequest): Findings {
  const { outputType, outputFormat } = request;
  if (outputType !== 'QRCode' || outputFormat === '') return outputs(request, restOutputs);
  return [
    { field: 'outputFormat', code: 'not-offered', detail: 'outputFormat must be empty with the outputType QRCode.' },
  ];
}

function freeTextFindings(field: LabelField, text: string, max: number): Findings {
  const value = oneLine(text);
  const found = textFindings(field, value, { needed: null, max });
  return found.length > 0 || isXmlText(value)
    ? found
    : [{ field, code: 'wrong-format', detail: `${field} must be without control characters.` }];
}
