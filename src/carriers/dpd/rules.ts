// DPD France's rules for the fields of a label request, and its print formats.
import {
  addressPartReasons,
  among,
  refuseCashOnDelivery,
  country,
  frenchZip,
  lines,
  matching,
  maxLength,
  outputs,
  parcels,
  required,
  unwanted,
} from '../label-rules.ts';
import { soapTextReasons } from '../soap.ts';
import type { LabelRequest } from '../../model/shipping.ts';
import { isReturn, returnMode } from './returns.ts';
import type { Reason } from '../../model/record.ts';

export const dpdOutputs = {
  PdfUrl: ['A6', 'A4'],
  ZplCode: ['ZPL', 'ZPL300', 'ZPL_A6', 'ZPL300_A6'],
  EplCode: ['EPL'],
  PngImage: ['PNG'],
} as const;

/** The interface has services instead of product codes; these are the names under which DPD sells them. */
const dpdModes = ['CLASSIC', 'PREDICT', 'RELAIS', returnMode] as const;

export const infoLength = 35;
/** Each parcel is a separate call. */
const maxParcels = 10;
const maxGrams = 31_500;

export function dpdReasons(request: LabelRequest): readonly Reason[] {
  return [
    ...required(request, 'modeLiv', 'CLASSIC, PREDICT, RELAIS or RETURN'),
    ...among(request, 'modeLiv', dpdModes),
    ...addressReasons(request, 'exp'),
    ...addressReasons(request, 'dest'),
    ...required(request, 'expTel1', 'the telephone of the sender'),
    ...serviceReasons(request),
    ...parcels(request, { maxParcels, maxGrams }),
    ...refuseCashOnDelivery(request, 'crtValue must be 0: the interface of DPD France has no cash on delivery.'),
    ...unwanted(
      request,
      'pickupPoint',
      'pickupPoint cannot be sent: DPD France takes no point where parcels are handed in.',
    ),
    ...maxLength(request, 'nDossier', 35),
    ...maxLength(request, 'nClient', 35),
    ...lines(request, 'instruction', infoLength, 2),
    ...soapTextReasons(request, ['nDossier', 'nClient', 'instruction']),
    ...among(request, 'apiVersion', ['Bc']),
    ...outputs(request, dpdOutputs),
  ];
}

function addressReasons(request: LabelRequest, side: 'exp' | 'dest'): readonly Reason[] {
  return [
    ...addressPartReasons(request, side, { name: 35, street: 70, city: 35, zip: 10 }),
    ...frenchZip(request, side),
    ...country(request, `${side}Country`),
    ...matching(request, `${side}Tel1`, /^(?:[^\d]*\d){4,15}[^\d]*$/, 'a telephone of 4 to 15 digits'),
    ...soapTextReasons(request, [`${side}Addr1`, `${side}Addr2`, `${side}City`, `${side}Zip`, `${side}Mail`]),
  ];
}

/** Predict tells the recipient when the parcel comes; a relay is a point. */
function serviceReasons(request: LabelRequest): readonly Reason[] {
  if (request.modeLiv === 'RELAIS')
    return [
      ...required(request, 'shippingPickupPoint', 'the number of the relay where the recipient collects the parcel'),
      ...matching(request, 'shippingPickupPoint', /^[0-9A-Za-z]{2,15}$/, 'the number of a relay, such as P32500'),
    ];
  const predicted =
    request.modeLiv === 'PREDICT'
      ? required(request, 'destTel1', 'the mobile telephone of the recipient, whom PREDICT tells when the parcel comes')
      : [];
  const unsaid = isReturn(request)
    ? unwanted(request, 'instruction', 'instruction cannot be sent with a return: DPD France takes none.')
    : [];
  return [
    ...predicted,
    ...unsaid,
    ...unwanted(
      request,
      'shippingPickupPoint',
      `shippingPickupPoint cannot be sent with modeLiv ${request.modeLiv}: leave it out, or choose RELAIS.`,
    ),
  ];
}
