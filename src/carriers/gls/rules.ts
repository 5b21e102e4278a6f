// GLS's rules for the fields of a label request, and the values of modeLiv.
import type { CarrierAccount } from '../carrier.ts';
import {
  addressPartReasons,
  among,
  cashOnDeliveryCents,
  country,
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
import type { LabelField, LabelRequest } from '../../model/shipping.ts';
import type { Reason } from '../../model/record.ts';

export const glsOutputs = { PdfUrl: ['default'], ZplCode: ['200dpi', '300dpi'], PngImage: ['default'] } as const;

interface GlsMode {
  readonly product: 'PARCEL' | 'EXPRESS';
  readonly service: string | null;
}

/** modeLiv → product and service, in ShipIT's spelling. */
export const glsModes: Readonly<Record<string, GlsMode>> = {
  PARCEL: { product: 'PARCEL', service: null },
  FLEX: { product: 'PARCEL', service: 'service_flexdelivery' },
  SHOP: { product: 'PARCEL', service: 'service_shopdelivery' },
  SIGNATURE: { product: 'PARCEL', service: 'service_signature' },
  ADDRESSEEONLY: { product: 'PARCEL', service: 'service_addresseeonly' },
  GUARANTEED24: { product: 'PARCEL', service: 'service_guaranteed24' },
  PRIVATE: { product: 'PARCEL', service: 'service_privatedelivery' },
  RETURN: { product: 'PARCEL', service: 'service_shopreturn' },
  EXPRESS: { product: 'EXPRESS', service: null },
  EXPRESS0800: { product: 'EXPRESS', service: 'service_0800' },
  EXPRESS0900: { product: 'EXPRESS', service: 'service_0900' },
  EXPRESS1000: { product: 'EXPRESS', service: 'service_1000' },
  EXPRESS1200: { product: 'EXPRESS', service: 'service_1200' },
  EXPRESS1300: { product: 'EXPRESS', service: 'service_1300' },
  SATURDAY: { product: 'EXPRESS', service: 'service_Saturday' },
  SATURDAY0900: { product: 'EXPRESS', service: 'service_saturday_0900' },
  SATURDAY1000: { product: 'EXPRESS', service: 'service_saturday_1000' },
  SATURDAY1200: { product: 'EXPRESS', service: 'service_saturday_1200' },
};

/** The most parcels in a ShipIT shipment. */
const maxParcels = 150;
/** A hundred grams are too little; no maximum is published. */
const minGrams = 101;
const maxGrams = 1_000_000;

/** The street, and two further lines of the name, which GLS prints too. */
export const streetLines: readonly number[] = [40, 40, 40];

/** Whether it is a return: the sender of the request hands the parcel in at a ParcelShop. */
export function isReturn({ modeLiv }: LabelRequest): boolean {
  return glsModes[modeLiv]?.service === 'service_shopreturn';
}

/** Whether the request gives a sender other than that of the contact ID, which GLS must have allowed. */
export function sendsSender({ settings }: CarrierAccount, { expAddr1 }: LabelRequest): boolean {
  return settings.senderOnLabel === 'request' && expAddr1 !== '';
}

export function glsReasons(request: LabelRequest, account: CarrierAccount): readonly Reason[] {
  return [
    ...required(request, 'modeLiv', 'a service of GLS'),
    ...among(request, 'modeLiv', Object.keys(glsModes)),
    ...(!isReturn(request) || sendsSender(account, request) ? addressReasons(request, 'dest') : []),
    ...(isReturn(request) || sendsSender(account, request) ? addressReasons(request, 'exp') : []),
    ...shopReasons(request),
    ...(isReturn(request)
      ? unless(
          cashOnDeliveryCents(request) === 0,
          'crtValue',
          'not-offered',
          'crtValue must be 0: a return is not paid for.',
        )
      : cashReasons(request)),
    ...parcels(request, { maxParcels: isReturn(request) ? 1 : maxParcels, minGrams, maxGrams }),
    ...unwanted(request, 'pickupPoint', 'pickupPoint cannot be sent: GLS knows no point where parcels are handed in.'),
    ...reference(request, 'nDossier'),
    ...reference(request, 'nClient'),
    ...maxLength(request, 'instruction', 50),
    ...maxLength(request, 'content', 50),
    ...among(request, 'apiVersion', ['v1']),
    ...outputs(request, glsOutputs),
  ];
}

/** Checks that an address has everything that GLS requires. */
function addressReasons(request: LabelRequest, side: 'exp' | 'dest'): readonly Reason[] {
  const [street, telephone] = [`${side}Addr2`, `${side}Tel1`] as const;
  const texts = [`${side}Addr1`, `${side}Addr2`, `${side}City`, `${side}Zip`] as const;
  return [
    ...addressPartReasons(request, side, { name: 40, city: 40, zip: 10, mail: 80 }),
    ...linesOf(street, plain(request[street]), streetLines),
    ...texts
      .filter((field) => plain(request[field]) === '')
      .flatMap((field) => matching(request, field, /[\p{L}\p{N}]/u, 'in letters or digits')),
    ...country(request, `${side}Country`),
    ...matching(
      { ...request, [telephone]: plain(request[telephone]) || request[telephone] },
      telephone,
      /^(?=.*[\p{L}\p{N}]).{4,35}$/su,
      'a telephone of 4 to 35 characters',
    ),
  ];
}

function shopReasons(request: LabelRequest): readonly Reason[] {
  if (glsModes[request.modeLiv]?.service !== 'service_shopdelivery')
    return unwanted(
      request,
      'shippingPickupPoint',
      'shippingPickupPoint can be sent only with modeLiv SHOP: choose it, or leave the point out.',
    );
  const abroad =
    request.shippingPickupPointCountry === ''
      ? []
      : among(request, 'shippingPickupPointCountry', [request.destCountry]);
  return [
    ...required(
      request,
      'shippingPickupPoint',
      'the ParcelShop where the recipient collects the parcel, such as GLS_DE-2760238818',
    ),
    ...abroad,
    ...unless(
      request.destMail !== '' || request.destTel1 !== '',
      'destMail',
      'required',
      'destMail or destTel1 is needed: GLS tells the recipient there that the parcel is in the shop.',
    ),
  ];
}

/** The amount belongs to one parcel; with several, nothing says to which. */
function cashReasons(request: LabelRequest): readonly Reason[] {
  if (cashOnDeliveryCents(request) === 0) return [];
  return [
    ...within(request, 'crtValue', 0, 100_000_000, 'cents'),
    ...required(request, 'nDossier', 'the reason of payment for cash on delivery'),
    ...unless(
      request.nbPackage === '1',
      'crtValue',
      'not-offered',
      'crtValue must be 0 with several parcels: GLS collects cash for each parcel by itself.',
    ),
  ];
}

/** A reference must not be changed, so GLS must accept all of its characters. */
function reference(request: LabelRequest, field: LabelField): readonly Reason[] {
  return [
    ...maxLength(request, field, 40),
    ...matching(
      request,
      field,
      /^[^"{},;()|\\\p{Cc}]*$/u,
      'without " { } , ; ( ) | \\ and line breaks: GLS does not take them',
    ),
  ];
}

/** Removes the characters that GLS does not accept from names and addresses, which stay readable. */
export function plain(text: string): string {
  return text.replace(/["{},;()|\\\p{Cc}\s]+/gu, ' ').trim();
}
