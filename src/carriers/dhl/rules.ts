// DHL's rules for the fields of a label request, and the values of modeLiv.
import { textBlock } from '../../model/text-block.ts';
import { type CarrierAccount, CarrierError, reasonAt } from '../carrier.ts';
import {
  among,
  cashOnDeliveryCents,
  email,
  linesOf,
  matching,
  maxLength,
  outputs,
  parcels,
  required,
  unless,
  unwanted,
  within,
} from '../label-rules.ts';
import type { LabelRequest } from '../../model/shipping.ts';
import { alpha3 } from './countries.ts';
import { isReturn, returnMode, returnReasons } from './returns.ts';
import type { Reason } from '../../model/record.ts';

/** Print formats by DHL's names; 10x15 stands for 910-300-400 (103 by 150 mm). */
const printFormats = [
  '10x15',
  'A4',
  '910-300-700',
  '910-300-700-oz',
  '910-300-710',
  '910-300-600',
  '910-300-610',
  '910-300-300',
  '910-300-300-oz',
  '910-300-400',
  '910-300-410',
  '100x70mm',
] as const;
export const dhlOutputs = { PdfUrl: printFormats, ZplCode: printFormats } as const;

export interface DhlMode {
  readonly product: string;
  /** Digits 11 and 12 of the billing number. */
  readonly procedure: string;
  /** Where the parcel goes. */
  readonly to: 'address' | 'locker' | 'retail';
  readonly services?: Readonly<Record<string, boolean>>;
}

/** modeLiv → DHL's product, destination and service. */
export const dhlModes: Readonly<Record<string, DhlMode>> = {
  V01PAK: { product: 'V01PAK', procedure: '01', to: 'address' },
  'V01PAK-LOCKER': { product: 'V01PAK', procedure: '01', to: 'locker' },
  'V01PAK-RETAIL': { product: 'V01PAK', procedure: '01', to: 'retail' },
  V62KP: { product: 'V62KP', procedure: '62', to: 'address' },
  V53WPAK: { product: 'V53WPAK', procedure: '53', to: 'address' },
  'V53WPAK-PREMIUM': { product: 'V53WPAK', procedure: '53', to: 'address', services: { premium: true } },
  'V53WPAK-CDP': { product: 'V53WPAK', procedure: '53', to: 'address', services: { closestDropPoint: true } },
  V54EPAK: { product: 'V54EPAK', procedure: '54', to: 'address' },
  V66WPI: { product: 'V66WPI', procedure: '66', to: 'address' },
};

/** The most shipments in one request to DHL; each is one parcel. */
const maxParcels = 30;
const maxGrams = 31_500;

/** The billing number for a mode; null if the account has none. */
export function billingNumber({ settings }: CarrierAccount, { procedure }: DhlMode): string | null {
  return (settings.billingNumbers ?? '').split(/,\s*/).find((number) => number.slice(10, 12) === procedure) ?? null;
}

export function dhlReasons(request: LabelRequest, account: CarrierAccount): readonly Reason[] {
  const mode = dhlModes[request.modeLiv];
  const common = [
    ...required(request, 'modeLiv', 'a product of DHL, such as V01PAK'),
    ...among(request, 'modeLiv', [...Object.keys(dhlModes), returnMode]),
    ...unwanted(request, 'pickupPoint', 'pickupPoint cannot be sent: DHL takes no point where parcels are handed in.'),
    ...unwanted(request, 'instruction', 'instruction cannot be sent: DHL takes none for the driver.'),
  ];
  if (isReturn(request))
    return [...common, ...addressReasons(request, 'exp', 'sender'), ...returnReasons(request, account)];
  return [
    ...common,
    ...unbilled(request, account),
    ...addressReasons(request, 'exp', 'sender'),
    ...addressReasons(request, 'dest', 'recipient'),
    ...destinationReasons(request, mode),
    ...cashReasons(request, account),
    ...parcels(request, { maxParcels, maxGrams }),
    ...maxLength(request, 'nDossier', 35),
    ...(request.nDossier.length < 8 ? maxLength(request, 'nClient', 35) : maxLength(request, 'nClient', 50)),
    ...among(request, 'apiVersion', ['v2']),
    ...outputs(request, dhlOutputs),
  ];
}

/** The client can choose another product; if the account has no billing number at all, the operator must act. */
function unbilled({ modeLiv }: LabelRequest, account: CarrierAccount): readonly Reason[] {
  const modes = Object.entries(dhlModes);
  const billed = modes.filter(([, mode]) => billingNumber(account, mode) !== null).map(([name]) => name);
  if (billed.length === 0)
    throw new CarrierError(
      'configuration',
      'No billing number of the account has the digits 11 and 12 of a product (setting billingNumbers).',
    );
  if (billed.includes(modeLiv) || !Object.hasOwn(dhlModes, modeLiv)) return [];
  return [
    reasonAt(
      'modeLiv',
      'not-configured',
      textBlock`
        modeLiv must be one of ${billed.join(', ')}: the account has no billing number for ${modeLiv}, with
        ${dhlModes[modeLiv]?.procedure ?? ''} as digits 11 and 12, which the operator could add (setting
        billingNumbers).
      `,
    ),
  ];
}

/**
 * Maximum lengths of the lines of a street. Within Germany, and for the sender: the street and two further lines of the
 * name, which DHL prints everywhere. Abroad: the street and the line after it, which DHL prints only there.
 */
export function streetLines({ destCountry }: LabelRequest, side: 'exp' | 'dest'): readonly number[] {
  return side === 'exp' || destCountry === 'DE' ? [50, 50, 50] : [50, 60];
}

function addressReasons(request: LabelRequest, side: 'exp' | 'dest', who: string): readonly Reason[] {
  const [name, street, city, zip, land, mail] = [
    `${side}Addr1`,
    `${side}Addr2`,
    `${side}City`,
    `${side}Zip`,
    `${side}Country`,
    `${side}Mail`,
  ] as const;
  const needsStreet = side === 'exp' || (dhlModes[request.modeLiv]?.to ?? 'address') === 'address';
  const unknownCountry =
    request[land] !== '' && alpha3(request[land]) === null
      ? [reasonAt(land, 'unknown-code', `${land} must be a country as two capital letters (ISO 3166-1), such as DE.`)]
      : [];
  return [
    ...required(request, name, `the name of the ${who}`),
    ...maxLength(request, name, 50),
    ...(needsStreet ? required(request, street, `the street of the ${who}, with the number of the house`) : []),
    ...linesOf(street, request[street], streetLines(request, side)),
    ...required(request, city, `the city of the ${who}`),
    ...maxLength(request, city, 40),
    ...required(request, zip, `the postcode of the ${who}`),
    ...matching(
      request,
      zip,
      /^(?=.{3,10}$)[0-9A-Za-z]+([ -]?[0-9A-Za-z]+)*$/,
      'a postcode of 3 to 10 letters and digits',
    ),
    ...required(request, land, `the country of the ${who}`),
    ...unknownCountry,
    ...email(request, mail),
    ...maxLength(request, mail, 80),
  ];
}

/** Lockers and shops are in Germany and have a number of three digits; a post number tells DHL who collects. */
function destinationReasons(request: LabelRequest, mode: DhlMode | undefined): readonly Reason[] {
  if (mode === undefined || mode.to === 'address') {
    return [
      ...unwanted(
        request,
        'shippingPickupPoint',
        'shippingPickupPoint can be sent only with modeLiv V01PAK-LOCKER or V01PAK-RETAIL.',
      ),
      ...maxLength(request, 'destTel1', 20),
      ...unless(
        mode?.services?.closestDropPoint !== true || request.destTel1 !== '' || request.destMail !== '',
        'destMail',
        'required',
        'destMail or destTel1 is needed: DHL tells the recipient there where the parcel waits.',
      ),
    ];
  }
  const least = mode.to === 'locker' ? 100 : 401;
  const postNumber = matching(request, 'destAddr2', /^\d{6,10}$/, 'the post number of the recipient, 6 to 10 digits');
  const known =
    mode.to === 'locker' || request.destMail === ''
      ? required(
          request,
          'destAddr2',
          `the post number of the recipient${mode.to === 'retail' ? ', or else destMail' : ''}`,
        )
      : [];
  return [
    ...required(request, 'shippingPickupPoint', 'the number of the Packstation or of the shop'),
    ...within(request, 'shippingPickupPoint', least, 999, 'the number of the Packstation or of the shop'),
    ...among(request, 'destCountry', ['DE']),
    ...known,
    ...postNumber,
  ];
}

function cashReasons(request: LabelRequest, { settings }: CarrierAccount): readonly Reason[] {
  if (cashOnDeliveryCents(request) === 0) return [];
  if (!settings.cashAccount)
    return [
      reasonAt(
        'crtValue',
        'not-configured',
        'crtValue must be 0: the account names no bank account for cash on delivery (setting cashAccount).',
      ),
    ];
  return [
    ...within(request, 'crtValue', 0, 10_000_000, 'cents'),
    ...required(request, 'nDossier', 'the note of the transfer for cash on delivery'),
    ...unless(
      request.nbPackage === '1',
      'crtValue',
      'not-offered',
      'crtValue must be 0 with several parcels: DHL collects cash for each parcel by itself.',
    ),
  ];
}
