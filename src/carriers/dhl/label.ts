// Labels of DHL Paket: an access token, then one call with a shipment for each parcel.
import { requestWithToken } from '../access-token.ts';
import {
  type CarrierAccount,
  type CarrierLabel,
  type CarrierOutput,
  type LabelTask,
  type ParcelTask,
  type CarrierAnswer,
  type CarrierRequest,
  isSuccess,
} from '../carrier.ts';
import { type DryRunTask, takenSentence } from '../desk.ts';
import {
  answeredJson,
  bytesAt,
  type JsonObject,
  type JsonValue,
  listAt,
  parseJson,
  textAt,
  withoutEmpty,
} from '../json.ts';
import { labelOutput, parcelNumbers, requireNumbers } from '../label-outputs.ts';
import { cashOnDeliveryCents, inLinesOf, outputOf, parcelWeights } from '../label-rules.ts';
import type { CustomsDeclaration } from '../../model/customs.ts';
import type { LabelRequest } from '../../model/shipping.ts';
import { alpha3 } from './countries.ts';
import { declared, declaredServices } from './customs.ts';
import { dhlToken, errorOf, headersOf, messageIn, orders, shipmentError, statusOf, title } from './errors.ts';
import { createReturn, isReturn } from './returns.ts';
import { billingNumber, dhlModes, type DhlMode, dhlOutputs, streetLines } from './rules.ts';
import { unreadable, afterCreation } from '../carrier-messages.ts';

type Talk<T> = Generator<CarrierRequest, T, CarrierAnswer>;
interface Printed {
  readonly type: string;
  readonly format: string;
}

/** Creates a shipment for each parcel; the number of the first stands for them. */
export function* createLabel(task: LabelTask): Talk<CarrierLabel> {
  const { account, request, customs } = task;
  if (isReturn(request)) return yield* createReturn(task);
  const printed = outputOf(request, dhlOutputs);
  const body = JSON.stringify(orderOf(request, account, customs));
  const answer = yield* requestWithToken(dhlToken(account), (token) => ({
    method: 'POST',
    url: `${account.settings.baseUrl}${orders}?${printing(printed)}`,
    headers: headersOf(account, token),
    body,
    repeat: 'never',
  }));
  // A shipment that was made has its number, whatever the status says of the others.
  if (!isSuccess(answer) && !listAt(parseJson(answer.body), 'items').some(mayExist)) throw shipmentError(answer);
  return labelsIn(answer, printed.type, parcelWeights(request).length);
}

/** Has the shipments judged without creating them. */
export function* dryRun(task: DryRunTask): Talk<string> {
  if (isReturn(task.request)) return 'DHL has no trial of a return; the rules of this service find nothing wrong.';
  return validationOutcome(yield* requestWithToken(dhlToken(task.account), (token) => trialOf(task, token)));
}

/** Asks DHL to judge shipments (`validate=true`), which creates none. */
export function trialOf(
  { account, request, customs }: Pick<DryRunTask, 'account' | 'request' | 'customs'>,
  token: string,
): CarrierRequest {
  return {
    method: 'POST',
    url: `${account.settings.baseUrl}${orders}?validate=true`,
    headers: headersOf(account, token),
    body: JSON.stringify(orderOf(request, account, customs)),
    repeat: 'safe',
  };
}

/**
 * Reads DHL's verdict on shipments.
 * @throws CarrierError with the faults that it finds
 */
export function validationOutcome(answer: CarrierAnswer): string {
  if (!isSuccess(answer)) throw shipmentError(answer);
  const given = answeredJson(answer, title);
  const items = listAt(given, 'items');
  if (items.length === 0) throw unreadable(title, 'no shipment');
  const failed = items.filter((item) => statusOf(item) !== '200');
  if (failed.length > 0) throw errorOf(failed, messageIn(given));
  return takenSentence(title);
}

/** Labels can be fetched again until the day is closed. */
export function* fetchLabel({ account, expeditionNumber, label }: ParcelTask): Talk<CarrierLabel> {
  const printed = label === null ? { type: 'PdfUrl', format: '10x15' } : outputOf(label.request, dhlOutputs);
  const query = new URLSearchParams({ shipment: expeditionNumber });
  const url = `${account.settings.baseUrl}${orders}?${query}&${printing(printed)}`;
  const answer = yield* requestWithToken(dhlToken(account), (token) => ({
    method: 'GET',
    url,
    headers: headersOf(account, token),
    body: null,
    repeat: 'safe',
  }));
  if (!isSuccess(answer)) throw shipmentError(answer);
  const { outputs } = labelsIn(answer, printed.type, 1);
  return { expeditionNumber, outputs };
}

/** Some shipments may be created and others not: the numbers of those that exist must not be lost. */
function labelsIn(answer: CarrierAnswer, type: string, parcels: number): CarrierLabel {
  const body = answeredJson(answer, title);
  const items = listAt(body, 'items');
  if (items.length === 0) throw unreadable(title, 'no shipment');
  const numbers = items.filter(mayExist).map((item) => textAt(item, 'shipmentNo'));
  try {
    const failed = items.filter((item) => statusOf(item) !== '200');
    if (failed.length > 0) throw errorOf(failed, messageIn(body));
    requireNumbers(title, numbers, parcels);
    return {
      expeditionNumber: numbers[0] ?? '',
      outputs: [...items.flatMap((item) => documentsOf(item, type)), ...parcelNumbers(numbers)],
    };
  } catch (error) {
    throw afterCreation(error, title, numbers, { asked: parcels });
  }
}

/** A shipment with a number, unless DHL says that it is wrong. */
function mayExist(item: JsonValue): boolean {
  return textAt(item, 'shipmentNo') !== '' && /^(?:200|5\d\d)$/.test(statusOf(item));
}

/** PDF comes in base64, printer code as plain text. */
function documentsOf(item: JsonValue, type: string): readonly CarrierOutput[] {
  const zpl = textAt(item, 'label', 'zpl2');
  const bytes = type === 'ZplCode' && zpl !== '' ? Buffer.from(zpl) : bytesAt(item, 'label', 'b64');
  const label = bytes === null ? null : labelOutput(type, bytes);
  if (label === null) throw unreadable(title, `no label of the type ${type}`);
  const further = [
    ['customsDoc', 'CustomsUrl'],
    ['codLabel', 'CashUrl'],
  ] as const;
  return [
    label,
    ...further.flatMap(([member, name]) => {
      const document = bytesAt(item, member, 'b64');
      const output = document === null ? null : labelOutput('PdfUrl', document);
      return output === null ? [] : [{ ...output, name }];
    }),
  ];
}

function printing({ type, format }: Printed): string {
  return new URLSearchParams({
    includeDocs: 'include',
    docFormat: type === 'ZplCode' ? 'ZPL2' : 'PDF',
    printFormat: format === '10x15' ? '910-300-400' : format,
    combine: 'false',
  }).toString();
}

function orderOf(request: LabelRequest, account: CarrierAccount, customs: CustomsDeclaration | undefined): JsonObject {
  const mode = dhlModes[request.modeLiv] ?? { product: request.modeLiv, procedure: '', to: 'address' };
  const isLongReference = request.nDossier.length >= 8;
  const shipment = {
    product: mode.product,
    billingNumber: billingNumber(account, mode) ?? undefined,
    // DHL accepts references of at least 8 characters; a shorter one is printed on the label all the same.
    refNo: isLongReference ? request.nDossier : undefined,
    costCenter: [isLongReference ? '' : request.nDossier, request.nClient].filter((text) => text !== '').join(' / '),
    shipper: withoutEmpty({ ...addressOf(request, 'exp'), email: request.expMail }),
    consignee: consigneeOf(request, mode),
    services: { ...servicesOf(request, account, mode), ...declaredServices(customs, request) },
    customs: customs === undefined ? undefined : declared(customs, request),
  };
  return {
    profile: account.settings.profile ?? '',
    shipments: parcelWeights(request).map((value) =>
      withoutEmpty({ ...shipment, details: { weight: { uom: 'g', value } } }),
    ),
  };
}

function addressOf(request: LabelRequest, side: 'exp' | 'dest'): JsonObject {
  const street = request[`${side}Addr2`];
  const lengths = streetLines(request, side);
  const [addressStreet = '', second = '', name3 = ''] = inLinesOf(street, lengths) ?? [street];
  return withoutEmpty({
    name1: request[`${side}Addr1`],
    ...(lengths.length === 3 ? { name2: second, name3 } : {}),
    addressStreet,
    ...(lengths.length === 2 ? { additionalAddressInformation1: second } : {}),
    postalCode: request[`${side}Zip`],
    city: request[`${side}City`],
    country: alpha3(request[`${side}Country`]) ?? undefined,
  });
}

/** Within Germany, DHL accepts no telephone number of a recipient. */
function consigneeOf(request: LabelRequest, { to }: DhlMode): JsonObject {
  if (to === 'address')
    return withoutEmpty({
      ...addressOf(request, 'dest'),
      email: request.destMail,
      phone: request.expCountry === 'DE' && request.destCountry === 'DE' ? '' : request.destTel1,
    });
  const place = {
    name: request.destAddr1,
    postNumber: request.destAddr2,
    city: request.destCity,
    postalCode: request.destZip,
    country: alpha3(request.destCountry) ?? undefined,
  };
  const point = Number(request.shippingPickupPoint);
  return withoutEmpty(
    to === 'locker' ? { ...place, lockerID: point } : { ...place, retailID: point, email: request.destMail },
  );
}

function servicesOf(request: LabelRequest, { settings }: CarrierAccount, mode: DhlMode): JsonObject {
  const cash =
    cashOnDeliveryCents(request) > 0
      ? {
          cashOnDelivery: {
            amount: { currency: 'EUR', value: cashOnDeliveryCents(request) / 100 },
            accountReference: settings.cashAccount ?? '',
            transferNote1: request.nDossier,
          },
        }
      : {};
  return { ...mode.services, ...cash };
}
