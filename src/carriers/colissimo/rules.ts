// Colissimo's rules for the fields of a label request, as far as they are published.
import { textBlock } from '../../model/text-block.ts';
import { reasonAt } from '../carrier.ts';
import {
  addressPartReasons,
  among,
  cashOnDeliveryCents,
  country,
  digits,
  frenchZip,
  lines,
  matching,
  maxLength,
  outputs,
  parcels,
  required,
  unless,
  unwanted,
  within,
} from '../label-rules.ts';
import type { LabelField, LabelRequest } from '../../model/shipping.ts';
import { characters } from '../../model/text.ts';
import { belgianMobile, frenchMobile, plainName, splitName } from './contact.ts';
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
/** HD is the current code, the others are older codes for the same. */
export const pointProducts: readonly string[] = ['HD', 'A2P', 'BPR', 'CMT', 'PCS', 'BDP', 'ACP', 'CDI'];
/** Returns: a person sends a parcel to a company. The description names CORE and CORI; CORF is sent the same way. */
export const returnProducts: readonly string[] = ['CORE', 'CORI', 'CORF'];

const maxParcels = 10;
export const lineLength = 35;
const maxFirstName = 29;
const maxSenderReference = 17;
const maxRecipientReference = 15;

/** Customs declarations are not checked here: Colissimo itself refuses a shipment that lacks one. */
export function colissimoReasons(request: LabelRequest): readonly Reason[] {
  return [
    ...required(request, 'modeLiv', "Colissimo's code of the product, such as DOM, DOS or HD"),
    ...among(request, 'modeLiv', [...homeProducts, ...pointProducts]),
    ...among(request, 'apiVersion', versions),
    ...addressReasons(request, 'exp'),
    ...addressReasons(request, 'dest'),
    ...pointReasons(request),
    ...returnReasons(request),
    ...cashReasons(request),
    ...parcels(request, { maxParcels, minGrams: 10, maxGrams: 30_000 }),
    ...unwanted(
      request,
      'pickupPoint',
      'pickupPoint cannot be sent: Colissimo takes no point where parcels are handed in.',
    ),
    ...maxLength(request, 'nDossier', maxSenderReference),
    ...maxLength(request, 'nClient', maxRecipientReference),
    ...maxLength(request, 'instruction', lineLength),
    ...latin(request, 'nDossier'),
    ...latin(request, 'nClient'),
    ...latin(request, 'instruction'),
    ...outputs(request, colissimoOutputs),
  ];
}

/** Colissimo truncates lines that are too long, which must not happen to an address. */
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
 * Delivery to a point needs the point, the recipient's first and last names, and a mobile number and an e-mail address
 * for notifications; home delivery must not have a point.
 */
function pointReasons(request: LabelRequest): readonly Reason[] {
  if (!pointProducts.includes(request.modeLiv))
    return unwanted(
      request,
      'shippingPickupPoint',
      `shippingPickupPoint cannot be sent with modeLiv ${request.modeLiv}: leave it out, or choose HD.`,
    );
  return [
    ...required(request, 'shippingPickupPoint', 'the number of the point where the recipient collects the parcel'),
    ...bothNames(request, 'destAddr1', 'of whoever collects a parcel'),
    ...required(request, 'destMail', 'Colissimo writes to the recipient there that the parcel is at the point'),
    ...required(request, 'destTel1', 'the mobile telephone of the recipient'),
    ...mobileReasons(request),
  ];
}

/** A return is sent by a person, to whom Colissimo must be able to write. */
function returnReasons(request: LabelRequest): readonly Reason[] {
  if (!returnProducts.includes(request.modeLiv)) return [];
  return [
    ...bothNames(request, 'expAddr1', 'of whoever sends a parcel back'),
    ...required(request, 'expMail', 'the e-mail address of whoever sends the parcel back'),
  ];
}

/** Whether a name can be split into a first and a last name. */
function bothNames(request: LabelRequest, field: 'expAddr1' | 'destAddr1', whose: string): readonly Reason[] {
  const { firstName, lastName } = splitName(plainName(request[field]));
  if (request[field].trim() === '') return [];
  return [
    ...unless(
      lastName !== '',
      field,
      'wrong-format',
      `${field} must be a first name and a name, parted by a space: Colissimo wants both ${whose}.`,
    ),
    ...unless(
      characters(firstName) <= maxFirstName,
      field,
      'too-long',
      `The first name in ${field} has ${characters(firstName)} characters; at most ${maxFirstName} are allowed.`,
    ),
  ];
}

/** Notifications go to telephones of the point's country, if Colissimo has a rule for it. */
function mobileReasons(request: LabelRequest): readonly Reason[] {
  const { destTel1, destCountry } = request;
  if (destTel1 === '') return [];
  const why = 'Colissimo tells the recipient there that the parcel is at the point';
  if (destCountry === 'BE')
    return unless(
      belgianMobile(destTel1) !== null,
      'destTel1',
      'wrong-format',
      `destTel1 must be a Belgian mobile telephone, such as +32470123456: ${why}.`,
    );
  return destCountry === 'FR'
    ? unless(
        frenchMobile(destTel1) !== null,
        'destTel1',
        'wrong-format',
        `destTel1 must be a mobile telephone (06… or 07…): ${why}.`,
      )
    : [];
}

function cashReasons(request: LabelRequest): readonly Reason[] {
  if (cashOnDeliveryCents(request) === 0) return [];
  const isSupported = request.modeLiv === 'COL' || (request.modeLiv === 'DOS' && request.destCountry === 'FR');
  // Every parcel would collect the whole amount.
  if (isSupported && (digits(request.nbPackage) ?? 1) > 1)
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
  return isSupported
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
 * Colissimo prints Latin letters; it removes accents itself and refuses other scripts (30600). The signs are those of
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
