// Chronopost's rules for the fields of a label request, and its print modes.
import { textBlock } from '../../model/text-block.ts';
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
  unless,
  unwanted,
} from '../label-rules.ts';
import { soapTextReasons } from '../soap.ts';
import type { LabelRequest } from '../../model/shipping.ts';
import type { Reason } from '../../model/record.ts';
import { homeDeliveryProducts, isDayCode, ownServices, pointProducts } from './products.ts';

/** `A4` is the sheet without proof of deposit, `A4_deposit` the one with it. */
export const chronopostOutputs = { PdfUrl: ['10x15', 'A4', 'A4_deposit'], ZplCode: ['Z2D', 'ZPL300'] } as const;

export const lineLength = 38;
/** One answer holds all labels. */
const maxParcels = 20;
const maxGrams = 30_000;
const maxPointGrams = 20_000;

/** Chronopost itself says which products an account may ship with, and where they go. */
export function chronopostReasons(request: LabelRequest): readonly Reason[] {
  return [
    ...required(request, 'modeLiv', "Chronopost's code of the product, such as 01 or 86"),
    ...matching(
      request,
      'modeLiv',
      /^[0-9A-Z]{2}$/,
      "Chronopost's code of the product, two digits or capital letters, such as 01 or 86",
    ),
    ...matching(
      request,
      'modeCol',
      /^\d{1,3}$/,
      "Chronopost's code of the service, such as 0 (normal), 1 (Monday) or 6 (Saturday)",
    ),
    ...addressReasons(request, 'exp'),
    ...addressReasons(request, 'dest'),
    ...pointReasons(request),
    ...serviceReasons(request),
    ...parcels(request, { maxParcels, maxGrams: pointProducts.includes(request.modeLiv) ? maxPointGrams : maxGrams }),
    ...refuseCashOnDelivery(
      request,
      'crtValue must be 0: in what unit Chronopost takes cash on delivery is not known here.',
    ),
    ...unwanted(
      request,
      'pickupPoint',
      'pickupPoint cannot be sent: Chronopost takes no point where parcels are handed in.',
    ),
    ...unwanted(request, 'instruction', 'instruction cannot be sent: Chronopost takes none with a label.'),
    ...maxLength(request, 'nDossier', 35),
    ...maxLength(request, 'nClient', 35),
    ...soapTextReasons(request, ['nDossier', 'nClient']),
    ...among(request, 'apiVersion', ['V5']),
    ...outputs(request, chronopostOutputs),
  ];
}

function addressReasons(request: LabelRequest, side: 'exp' | 'dest'): readonly Reason[] {
  return [
    ...addressPartReasons(request, side, { name: 100, city: 50, zip: 9, mail: 50 }),
    ...lines(request, `${side}Addr2`, lineLength, 2),
    ...frenchZip(request, side),
    ...country(request, `${side}Country`),
    ...matching(request, `${side}Tel1`, /^(?:[^\d]*\d){4,15}[^\d]*$/, 'a telephone of 4 to 15 digits'),
    ...soapTextReasons(request, [`${side}Addr1`, `${side}Addr2`, `${side}City`, `${side}Zip`, `${side}Mail`]),
  ];
}

/** Some products have codes of their own, into which the codes for the day are translated. */
function serviceReasons({ modeLiv, modeCol }: LabelRequest): readonly Reason[] {
  const own = ownServices(modeLiv);
  return unless(
    own.length === 0 || isDayCode(modeCol) || own.includes(modeCol),
    'modeCol',
    'unknown-code',
    `modeCol must be one of 0, 1, 6, ${own.join(', ')} with modeLiv ${modeLiv}, or nothing.`,
  );
}

/** The point's number takes the place of the recipient's reference. */
function pointReasons(request: LabelRequest): readonly Reason[] {
  if (homeDeliveryProducts.includes(request.modeLiv))
    return unwanted(
      request,
      'shippingPickupPoint',
      textBlock`
        shippingPickupPoint cannot be sent with modeLiv ${request.modeLiv}, which goes to the door: leave it out, or
        choose 86.
      `,
    );
  const needed = pointProducts.includes(request.modeLiv)
    ? required(request, 'shippingPickupPoint', 'the number of the point where the recipient collects the parcel')
    : [];
  return [
    ...needed,
    ...country(request, 'shippingPickupPointCountry'),
    ...matching(
      request,
      'shippingPickupPoint',
      /^[0-9A-Za-z]{4,10}$/,
      'the number of a point, letters and digits, such as 854AF',
    ),
  ];
}
