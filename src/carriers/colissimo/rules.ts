// Colissimo's rules for the fields of a label request, as far as they are published.
import { textBlock } from '../../model/text-block.ts';
import { reasonAt } from '../carrier.ts';
import {
  addressPartReasons,
  among,
  cashOf,
  country,
  digits,
  frenchZip,
  isFrenchMobile,
  lines,
  matching,
  maxLength,
  outputs,
  parcels,
  required,
  unwanted,
  within,
} from '../label-rules.ts';
import type { LabelField, LabelRequest } from '../../model/shipping.ts';
import type { Reason } from '../../model/record.ts';

export const colissimoOutputs = {
  PdfUrl: ['10x15', 'A4', '10x10', '10x12'],
  ZplCode: ['10x15', '10x15_300dpi', '10x10', '10x10_300dpi', '10x12', '10x12_300dpi'],
  DplCode: ['10x15', '10x15_300dpi', '10x10', '10x10_300dpi', '10x12', '10x12_300dpi'],
} as const;

export const versions = ['2.0', '3.0', '3.1'] as const;

const homeProducts = [
  'DOM',
  'DOS',
  'COM',
  'CDS',
  'ECO',
  'CECO',
  'CORE',
  'CORI',
  'CORF',
  'COLR',
  'J+1',
  'COPLAT',
  'COPLAT_J1',
  'ACCI',
  'COLD',
  'COL',
  'COLI',
  'COLL',
] as const;
/** HD is the one of today, the others are older codes for the same. */
const pointProducts: readonly string[] = ['HD', 'A2P', 'BPR', 'CMT', 'PCS', 'BDP', 'ACP', 'CDI'];

const maxParcels = 10;
export const lineLength = 35;

/** Customs declarations are no matter of these rules: what needs one, Colissimo refuses itself. */
export function colissimoReasons(request: LabelRequest): readonly Reason[] {
  return [
    ...required(request, 'modeLiv', "Colissimo's code of the product, such as DOM, DOS or HD"),
    ...among(request, 'modeLiv', [...homeProducts, ...pointProducts]),
    ...among(request, 'apiVersion', versions),
    ...addressReasons(request, 'exp'),
    ...addressReasons(request, 'dest'),
    ...pointReasons(request),
    ...cashReasons(request),
    ...parcels(request, { maxParcels, minGrams: 10, maxGrams: 30_000 }),
    ...unwanted(
      request,
      'pickupPoint',
      'pickupPoint cannot be sent: Colissimo takes no point where parcels are handed in.',
    ),
    ...maxLength(request, 'nDossier', 30),
    ...maxLength(request, 'nClient', 15),
    ...latin(request, 'nDossier'),
    ...latin(request, 'nClient'),
    ...latin(request, 'instruction'),
    ...outputs(request, colissimoOutputs),
  ];
}

/** Colissimo cuts lines that are too long, which must not happen to an address. */
function addressReasons(request: LabelRequest, side: 'exp' | 'dest'): readonly Reason[] {
  return [
    ...addressPartReasons(request, side, { name: lineLength, city: lineLength, zip: 9 }),
    ...lines(request, `${side}Addr2`, lineLength, 2),
    ...frenchZip(request, side),
    ...country(request, `${side}Country`),
    ...([`${side}Addr1`, `${side}Addr2`, `${side}City`, `${side}Zip`] as const).flatMap((field) =>
      latin(request, field),
    ),
    ...matching(request, `${side}Lang`, /^[A-Za-z]{2}$/, 'a language as two letters, such as FR'),
  ];
}

/**
 * Delivery to a point needs the point and a mobile telephone for the message; delivery at home must not have a point.
 */
function pointReasons(request: LabelRequest): readonly Reason[] {
  if (!pointProducts.includes(request.modeLiv))
    return unwanted(
      request,
      'shippingPickupPoint',
      `shippingPickupPoint cannot be sent with modeLiv ${request.modeLiv}: leave it out, or choose HD.`,
    );
  const mobile =
    request.destCountry === 'FR' && !isFrenchMobile(request.destTel1) && request.destTel1 !== ''
      ? [
          reasonAt(
            'destTel1',
            'wrong-format',
            textBlock`
                destTel1 must be a mobile telephone (06… or 07…): Colissimo tells the recipient there that the parcel is
                at the point.
              `,
          ),
        ]
      : [];
  return [
    ...required(request, 'shippingPickupPoint', 'the number of the point where the recipient collects the parcel'),
    ...required(request, 'destTel1', 'the mobile telephone of the recipient'),
    ...mobile,
  ];
}

function cashReasons(request: LabelRequest): readonly Reason[] {
  if (cashOf(request) === 0) return [];
  const isOffered = request.modeLiv === 'COL' || (request.modeLiv === 'DOS' && request.destCountry === 'FR');
  // Every parcel would ask for the whole amount.
  if (isOffered && (digits(request.nbPackage) ?? 1) > 1)
    return [
      reasonAt(
        'crtValue',
        'not-offered',
        textBlock`
            crtValue must be 0 with several parcels, which go their ways one by one: ask for a label for each, with its
            own amount.
          `,
      ),
    ];
  return isOffered
    ? within(request, 'crtValue', 0, 100_000_000, 'cents')
    : [
        reasonAt(
          'crtValue',
          'not-offered',
          'crtValue must be 0: Colissimo takes cash on delivery only with DOS within France, and with COL.',
        ),
      ];
}

/**
 * Colissimo prints Latin letters; it takes the accents off itself and refuses other scripts (30600). Signs are those of
 * Western keyboards.
 */
function latin(request: LabelRequest, field: LabelField): readonly Reason[] {
  return matching(
    request,
    field,
    /^(?:[\p{Script=Latin}\u0020-\u007e\u00a0-\u00ff\u2010-\u2027€]|[\u0300-\u036f])*$/u,
    'in Latin letters, digits and the signs of a Western keyboard: Colissimo prints no others',
  );
}
