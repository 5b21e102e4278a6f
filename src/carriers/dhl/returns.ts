// Returns of DHL ("Parcel DE Returns" v1): a label with which a consumer sends a parcel back to a receiver that is
// registered in the business customer portal.
import { textBlock } from '../../model/text-block.ts';
import type { Reason } from '../../model/record.ts';
import type { LabelRequest } from '../../model/shipping.ts';
import { requestWithToken } from '../access-token.ts';
import {
  type CarrierAccount,
  type CarrierLabel,
  isSuccess,
  type LabelTask,
  reasonAt,
  type CarrierAnswer,
  type CarrierRequest,
} from '../carrier.ts';
import { afterCreation, unreadable } from '../carrier-messages.ts';
import { sideOf } from '../customs/rules.ts';
import { needsDeclaration } from '../customs/areas.ts';
import { answeredJson, bytesAt, type JsonObject, textAt, withoutEmpty } from '../json.ts';
import { labelOutput } from '../label-outputs.ts';
import {
  refuseCashOnDelivery,
  inLinesOf,
  linesOf,
  maxLength,
  outputs,
  parcels,
  unless,
  unwanted,
} from '../label-rules.ts';
import { dhlToken, headersOf, shipmentError, title } from './errors.ts';

/** The value of modeLiv for a return. */
export const returnMode = 'RETURN';

export function isReturn({ modeLiv }: Pick<LabelRequest, 'modeLiv'>): boolean {
  return modeLiv === returnMode;
}

const returnOutputs = { PdfUrl: ['default'] } as const;
const lineLengths: readonly number[] = [50, 50, 50];
const maxGrams = 31_500;

/** What is wrong with a return, beside the address rules of every shipment. */
export function returnReasons(request: LabelRequest, account: CarrierAccount): readonly Reason[] {
  return [
    ...receiverReasons(request, account),
    ...unless(
      request.expCountry === '' || !needsDeclaration(sideOf(request, 'exp'), { country: 'DE', zip: '' }),
      'expCountry',
      'not-offered',
      'expCountry must be a country whose goods need no declaration in Germany: none is sent with a return.',
    ),
    ...linesOf('expAddr2', houseOf(request.expAddr2)?.street ?? '', lineLengths),
    ...unless(
      request.expAddr2 === '' || houseOf(request.expAddr2) !== null,
      'expAddr2',
      'wrong-format',
      'expAddr2 must be a street with the number of the house behind or before it: DHL wants both of a return.',
    ),
    ...maxLength(request, 'expMail', 70),
    ...maxLength(request, 'expTel1', 20),
    ...parcels(request, { maxParcels: 1, maxGrams }),
    ...refuseCashOnDelivery(request, 'crtValue must be 0: a return is not paid for.'),
    ...unwanted(request, 'shippingPickupPoint', 'shippingPickupPoint cannot be sent: a return goes to its receiver.'),
    ...maxLength(request, 'nDossier', 50),
    ...maxLength(request, 'nClient', 50),
    ...outputs(request, returnOutputs),
  ];
}

/** Creates one return; it goes to the receiver for the consumer's country. */
export function* createReturn({ account, request }: LabelTask): Generator<CarrierRequest, CarrierLabel, CarrierAnswer> {
  const body = JSON.stringify(orderOf(request, account));
  const answer = yield* requestWithToken(dhlToken(account), (token) => ({
    method: 'POST',
    url: `${account.settings.baseUrl}/parcel/de/shipping/returns/v1/orders?labelType=SHIPMENT_LABEL`,
    headers: headersOf(account, token),
    body,
    repeat: 'never',
  }));
  if (!isSuccess(answer)) throw shipmentError(answer);
  const order = answeredJson(answer, title);
  const expeditionNumber = textAt(order, 'shipmentNo');
  if (expeditionNumber === '') throw unreadable(title, 'no number of the return');
  const bytes = bytesAt(order, 'label', 'b64');
  const label = bytes === null ? null : labelOutput('PdfUrl', bytes);
  if (label === null) throw afterCreation(unreadable(title, 'no label of the return'), title, [expeditionNumber]);
  return { expeditionNumber, outputs: [label] };
}

function orderOf(request: LabelRequest, account: CarrierAccount): JsonObject {
  const { street, house } = houseOf(request.expAddr2) ?? { street: request.expAddr2, house: '' };
  const [addressStreet = '', name2 = '', name3 = ''] = inLinesOf(street, lineLengths) ?? [street];
  return withoutEmpty({
    receiverId: receiverOf(request, account) ?? undefined,
    customerReference: request.nDossier,
    shipmentReference: request.nClient,
    shipper: withoutEmpty({
      name1: request.expAddr1,
      name2,
      name3,
      addressStreet,
      addressHouse: house,
      postalCode: request.expZip,
      city: request.expCity,
      email: request.expMail,
      phone: request.expTel1,
    }),
    itemWeight: { uom: 'g', value: Number(request.weight) },
  });
}

/** The receiver for consumers of a country; null if the account has none. */
function receiverOf({ expCountry }: LabelRequest, { settings }: CarrierAccount): string | null {
  const known = (settings.returnReceivers ?? '').split(/,\s*/).map((receiver) => receiver.split('='));
  return known.find(([country]) => country === expCountry)?.[1] ?? null;
}

function receiverReasons(request: LabelRequest, account: CarrierAccount): readonly Reason[] {
  if (receiverOf(request, account) !== null || request.expCountry === '') return [];
  return [
    reasonAt(
      'expCountry',
      'not-configured',
      textBlock`
        expCountry must be a country that returns are taken from: the account has no receiver for
        ${request.expCountry}, which the operator could add (setting returnReceivers).
      `,
    ),
  ];
}

/** A street and its house number, of at most ten characters; null if there is no number. */
function houseOf(text: string): { readonly street: string; readonly house: string } | null {
  const behind = /^(?<street>.*?\S)[\s,]+(?<house>\d[\w/-]{0,9})$/u.exec(text.trim())?.groups;
  const found = behind ?? /^(?<house>\d[\w/-]{0,9})[\s,]+(?<street>\S.*)$/u.exec(text.trim())?.groups;
  return found?.street === undefined || found.house === undefined ? null : { street: found.street, house: found.house };
}
