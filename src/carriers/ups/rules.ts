// UPS's rules for the fields of a label request, and the values of modeLiv.
import { textBlock } from '../../model/text-block.ts';
import {
  addressPartReasons,
  among,
  refuseCashOnDelivery,
  country,
  lines,
  matching,
  maxLength,
  outputs,
  parcels,
  required,
  unless,
  unwanted,
} from '../label-rules.ts';
import type { LabelRequest } from '../../model/shipping.ts';
import type { Reason } from '../../model/record.ts';

/** In inches, height by width, as UPS names the stock. */
export const upsOutputs = {
  PdfUrl: ['6x4'],
  GifImage: ['6x4'],
  ZplCode: ['6x4', '8x4'],
  EplCode: ['6x4', '8x4'],
  SplCode: ['6x4', '8x4'],
} as const;

/** Service codes. 70 (Access Point Economy) is left out: it needs the address of an access point. */
export const upsServices = [
  '01',
  '02',
  '03',
  '07',
  '08',
  '11',
  '12',
  '13',
  '14',
  '17',
  '54',
  '59',
  '65',
  '71',
  '72',
  '74',
  '82',
  '83',
  '85',
  '86',
  '96',
] as const;

export const lineLength = 35;
export const maxLines = 3;
const maxParcels = 200;
const maxGrams = 70_000;
/** UPS Standard; between countries every other service needs a description of the goods. */
const standard = '11';

export function upsReasons(request: LabelRequest): readonly Reason[] {
  const isAbroad = request.expCountry !== request.destCountry;
  return [
    ...required(request, 'modeLiv', 'the code of a service of UPS, such as 11'),
    ...among(request, 'modeLiv', upsServices),
    ...addressReasons(request, 'exp'),
    ...addressReasons(request, 'dest'),
    ...(isAbroad
      ? [
          ...required(request, 'expTel1', 'the telephone of the sender, for shipments to another country'),
          ...required(request, 'destTel1', 'the telephone of the recipient, for shipments to another country'),
        ]
      : []),
    ...(isAbroad && request.modeLiv !== standard
      ? required(request, 'content', 'a description of the goods, for shipments to another country')
      : []),
    ...parcels(request, { maxParcels, maxGrams }),
    ...refuseCashOnDelivery(
      request,
      'crtValue must be 0: cash on delivery with UPS needs terms of payment that a label request does not hold.',
    ),
    ...unwanted(
      request,
      'shippingPickupPoint',
      textBlock`
        shippingPickupPoint cannot be sent: UPS wants name and address of its access point, which a label request does
        not hold.
      `,
    ),
    ...unwanted(request, 'pickupPoint', 'pickupPoint cannot be sent: UPS takes no point where parcels are handed in.'),
    ...maxLength(request, 'nDossier', 35),
    ...maxLength(request, 'nClient', 35),
    ...maxLength(request, 'content', 50),
    ...unwanted(request, 'instruction', 'instruction cannot be sent: UPS takes none with a shipment.'),
    ...among(request, 'apiVersion', ['v2409']),
    ...outputs(request, upsOutputs),
  ];
}

function addressReasons(request: LabelRequest, side: 'exp' | 'dest'): readonly Reason[] {
  const land = `${side}Country` as const;
  return [
    ...addressPartReasons(request, side, { name: 35, city: 30, zip: 9, mail: 50 }),
    ...lines(request, `${side}Addr2`, lineLength, maxLines),
    ...country(request, land),
    ...unless(
      !['US', 'CA', 'IE'].includes(request[land]),
      land,
      'not-offered',
      textBlock`
        ${land} cannot be ${request[land]}: UPS wants a state or province there, which a label request does not hold.
      `,
    ),
    ...matching(request, `${side}Tel1`, /^(?:[^\d]*\d){1,15}[^\d]*$/, 'a telephone of up to 15 digits'),
  ];
}
