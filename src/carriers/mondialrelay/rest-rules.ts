// What version 2 (REST) accepts in a label request, checked on the values that would be sent.
import { textBlock } from '../../model/text-block.ts';
import type { LabelField, LabelRequest } from '../../model/shipping.ts';
import { refuseCashOnDelivery, digits, linesOf, outputs } from '../label-rules.ts';
import { isXmlText } from '../xml/element.ts';
import {
  choiceReasons,
  countReasons,
  countryReasons,
  mailReasons,
  patternReasons,
  phoneReasons,
  relayOf,
  relayReasons,
  textReasons,
  weightReasons,
} from './field-rules.ts';
import { capitals } from './plain-text.ts';
import { automatic, cultures, oneLine, restAddress, restOutputs, restStreetLines } from './rest-request.ts';
import { reasonAt } from '../carrier.ts';
import type { Reason } from '../../model/record.ts';

const collections: readonly string[] = ['CCC', 'REL'];
const deliveries: readonly string[] = ['24R', '24L', 'HOM', 'LCC', 'XOH'];
const relayDeliveries: readonly string[] = ['24R', '24L', 'XOH'];
/** The documentation also names LD1 and LDS, which are not among its delivery modes. */
const severalParcels: readonly string[] = ['24L'];

/** Grams of the minGrams parcel. */
const minGrams = 10;
const maxGrams = 9_999_999_999;

const lineRule = { allowed: /[0-9A-Za-z_\-'., /]/, characters: "letters, digits, spaces and - _ ' . , /" } as const;

/** Everything that version 2 would not accept, or would leave out with a warning. */
export function restReasons(request: LabelRequest): readonly Reason[] {
  const relayNeeded = relayDeliveries.includes(request.modeLiv)
    ? 'the relay where the recipient collects the parcel'
    : null;
  const count = Math.max(1, Math.min(99, digits(request.nbPackage) ?? 1));
  return [
    ...choiceReasons('modeCol', request.modeCol, collections, 'how the parcel is collected'),
    ...choiceReasons('modeLiv', request.modeLiv, deliveries, 'how the parcel is delivered'),
    ...patternReasons(
      'expLang',
      request.expLang.trim().toLowerCase(),
      new RegExp(`^(?:${Object.keys(cultures).join('|')})$`),
      `one of ${Object.keys(cultures).join(', ')}`,
    ),
    ...patternReasons('destLang', request.destLang.trim(), /^[A-Za-z]{2}$/, 'a language in two letters, such as fr'),
    ...addressReasons(request, 'exp'),
    ...addressReasons(request, 'dest'),
    ...polandReasons(request),
    ...weightReasons(request, minGrams * count, maxGrams),
    ...countReasons(request, severalParcels),
    ...refuseCashOnDelivery(request, 'crtValue must be 0: version 2 of Mondial Relay has no cash on delivery.'),
    ...(relayOf(request, 'pickupPoint').number === automatic
      ? []
      : relayReasons(
          request,
          'pickupPoint',
          /^[0-9A-Z]{1,7}$/,
          'the number of a relay, without its country up to seven digits, or AUTO',
          null,
        )),
    ...relayReasons(
      request,
      'shippingPickupPoint',
      /^(?!AUTO$)[0-9A-Z]{1,7}$/,
      'the number of a relay, without its country up to seven digits',
      relayNeeded,
    ),
    ...textReasons('nClient', capitals(request.nClient), {
      needed: null,
      max: 9,
      allowed: /[0-9A-Z]/,
      characters: 'letters and digits',
    }),
    ...textReasons('nDossier', capitals(request.nDossier), {
      needed: null,
      max: 15,
      allowed: /[0-9A-Z_-]/,
      characters: 'letters, digits and - _',
    }),
    ...outputReasons(request),
    ...freeTextReasons('instruction', request.instruction, 30),
    ...freeTextReasons('content', request.content, 40),
  ];
}

function addressReasons(request: LabelRequest, side: 'exp' | 'dest'): readonly Reason[] {
  const { name, street, city, postcode, country, mail } = restAddress(request, side);
  const whose = side === 'exp' ? 'the sender' : 'the recipient';
  const phoneNeeded =
    side === 'dest' && request.modeLiv === 'HOM' ? 'delivery to the door needs the telephone of the recipient' : null;
  return [
    ...textReasons(`${side}Addr1`, name, { ...lineRule, needed: `the name of ${whose}`, max: 30 }),
    ...textReasons(`${side}Addr2`, street, { ...lineRule, needed: `the street of ${whose}`, max: Infinity }),
    ...linesOf(`${side}Addr2`, street, restStreetLines),
    ...textReasons(`${side}City`, city, {
      needed: `the city of ${whose}`,
      min: 2,
      max: 30,
      allowed: /[A-Za-z_\-' ]/,
      characters: "letters, spaces and - _ '",
    }),
    ...textReasons(`${side}Zip`, postcode, {
      needed: `the postcode of ${whose}`,
      min: 2,
      max: 10,
      allowed: /[0-9A-Za-z_\-']/,
      characters: "letters, digits and - _ '",
    }),
    ...countryReasons(`${side}Country`, country, `the country of ${whose}`),
    ...phoneReasons(request, side, '2', phoneNeeded),
    ...mailReasons(`${side}Mail`, mail),
  ];
}

/** Parcels to Poland need a length, a width and a depth. */
function polandReasons({ destCountry }: LabelRequest): readonly Reason[] {
  if (destCountry.trim().toUpperCase() !== 'PL') return [];
  return [
    reasonAt(
      'destCountry',
      'not-offered',
      textBlock`
          destCountry may not be PL: Mondial Relay wants the size of parcels to Poland, which a label request has no
          field for.
        `,
    ),
  ];
}

function outputReasons(request: LabelRequest): readonly Reason[] {
  const { outputType, outputFormat } = request;
  if (outputType !== 'QRCode' || outputFormat === '') return outputs(request, restOutputs);
  return [reasonAt('outputFormat', 'not-offered', 'outputFormat must be empty with the outputType QRCode.')];
}

function freeTextReasons(field: LabelField, text: string, max: number): readonly Reason[] {
  const value = oneLine(text);
  const found = textReasons(field, value, { needed: null, max });
  return found.length > 0 || isXmlText(value)
    ? found
    : [reasonAt(field, 'wrong-format', `${field} must be without control characters.`)];
}
