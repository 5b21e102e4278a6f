// The sandbox's own rules for a label request, modelled on carriers in France.
import type { LabelField, LabelRequest } from '../../model/shipping.ts';
import { reasonAt } from '../carrier.ts';
import { among, matching, outputs, parcels, required, within } from '../label-rules.ts';
import { printable } from './fonts/fonts.ts';
import type { BlockName } from './label/blocks.ts';
import { sharedText } from './label/content.ts';
import { overflowingBlocks } from './label/layout.ts';
import { collectionModes, countryName, deliveryModes, postcodes } from './modes.ts';
import type { Reason } from '../../model/record.ts';

/** Everything that is wrong with a request; empty: its label can be printed. */
export function checkRequest(
  request: LabelRequest,
  offered: Readonly<Record<string, readonly string[]>>,
): readonly Reason[] {
  const found = [
    ...modes(request),
    ...address(request, 'sender', ['expAddr1', 'expCity', 'expZip', 'expCountry']),
    ...address(request, 'recipient', ['destAddr1', 'destCity', 'destZip', 'destCountry']),
    ...home(request),
    ...points(request),
    ...parcels(request, { maxParcels: 99, minGrams: 10, maxGrams: 100_000 }),
    ...within(request, 'crtValue', 0, 9_999_999, 'cents'),
    ...outputs(request, offered),
  ];
  return found.length > 0 ? found : crowded(request);
}

function modes(request: LabelRequest): readonly Reason[] {
  return [
    ...required(request, 'modeCol', 'how the parcel is collected'),
    ...among(request, 'modeCol', Object.keys(collectionModes)),
    ...required(request, 'modeLiv', 'how the parcel is delivered'),
    ...among(request, 'modeLiv', Object.keys(deliveryModes)),
  ];
}

function address(
  request: LabelRequest,
  who: string,
  [name, city, zip, country]: readonly [LabelField, LabelField, LabelField, LabelField],
): readonly Reason[] {
  const code = request[country];
  const shape = Object.hasOwn(postcodes, code) ? postcodes[code] : undefined;
  return [
    ...visible(request, name, `the name of the ${who}`),
    ...visible(request, city, `the town of the ${who}`),
    ...visible(request, zip, `the postcode of the ${who}`),
    ...required(request, country, `the country of the ${who}`),
    ...knownCountry(request, country),
    ...(shape === undefined ? [] : matching(request, zip, shape, `a postcode of ${countryName(code) ?? code}`)),
  ];
}

/** A text of invisible characters counts as missing. */
function visible(request: LabelRequest, field: LabelField, what: string): readonly Reason[] {
  return required({ ...request, [field]: printable(request[field]) }, field, what);
}

function knownCountry(request: LabelRequest, field: LabelField): readonly Reason[] {
  return request[field] === '' || countryName(request[field]) !== null
    ? []
    : [reasonAt(field, 'unknown-code', `${field} must be a country as two capital letters (ISO 3166-1), such as FR.`)];
}

function home(request: LabelRequest): readonly Reason[] {
  return request.modeLiv !== 'HOM'
    ? []
    : [
        ...visible(request, 'destAddr2', 'the street of the recipient, for a home delivery'),
        ...required(request, 'destTel1', 'the telephone of the recipient, for a home delivery'),
      ];
}

function points(request: LabelRequest): readonly Reason[] {
  const { modeCol, modeLiv } = request;
  return [
    ...(collectionModes[modeCol]?.point === true
      ? point(request, 'pickupPoint', 'pickupPointCountry', `where the parcel is handed in (${modeCol})`)
      : []),
    ...(deliveryModes[modeLiv]?.point === true
      ? point(
          request,
          'shippingPickupPoint',
          'shippingPickupPointCountry',
          `where the recipient collects the parcel (${modeLiv})`,
        )
      : []),
  ];
}

function point(request: LabelRequest, number: LabelField, country: LabelField, where: string): readonly Reason[] {
  return [
    ...required(request, number, `the number of the point ${where}`),
    ...matching(request, number, /^[A-Za-z0-9-]+$/, 'letters, digits and hyphens'),
    ...required(request, country, `the country of the point ${where}`),
    ...knownCountry(request, country),
  ];
}

/** The fields whose text a block of the label shows. */
const shownIn: Readonly<Partial<Record<BlockName, readonly LabelField[]>>> = {
  sender: ['expAddr1', 'expAddr2', 'expCity', 'expZip', 'expTel1'],
  recipient: ['destAddr1', 'destAddr2', 'destCity', 'destZip', 'destTel1'],
  instruction: ['instruction'],
  service: ['pickupPoint'],
  delivery: ['shippingPickupPoint'],
  reference: ['nDossier'],
  customer: ['nClient'],
};

/** Refuses text that does not fit on the label in readable letters: nothing is ever cut off. */
function crowded(request: LabelRequest): readonly Reason[] {
  return overflowingBlocks(sharedText(request)).flatMap((block) => {
    const [longest] = (shownIn[block] ?? []).toSorted((a, b) => request[b].length - request[a].length);
    return longest === undefined
      ? []
      : [
          reasonAt(
            longest,
            'too-long',
            `${longest} does not fit on the label in letters that can be read: shorten it.`,
          ),
        ];
  });
}
