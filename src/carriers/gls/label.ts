// Labels of GLS: an access token, then one call for all parcels of a shipment.
import { requestWithToken } from '../access-token.ts';
import {
  type CarrierAccount,
  type CarrierLabel,
  type CarrierOutput,
  type LabelTask,
  type CarrierAnswer,
  type CarrierRequest,
  isSuccess,
} from '../carrier.ts';
import {
  answeredJson,
  bytesAt,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  textAt,
  valueAt,
  withoutEmpty,
} from '../json.ts';
import { labelOutputs, parcelNumbers, readableLabels, requireNumbers } from '../label-outputs.ts';
import { cashOnDeliveryCents, inLinesOf, isFrenchMobile, outputOf, parcelWeights } from '../label-rules.ts';
import type { CustomsDeclaration } from '../../model/customs.ts';
import type { LabelRequest } from '../../model/shipping.ts';
import { insuranceService } from './customs.ts';
import { declareGoods } from './customs-consignment.ts';
import { glsToken, mediaType, shipmentError, title } from './errors.ts';
import { glsModes, glsOutputs, isReturn, plain, sendsSender, streetLines } from './rules.ts';
import { unreadable, afterCreation } from '../carrier-messages.ts';

/** Creates all parcels of the shipment; the number of the first one stands for them. */
export function* createLabel({
  account,
  request,
  customs,
}: LabelTask): Generator<CarrierRequest, CarrierLabel, CarrierAnswer> {
  const answer = yield* requestWithToken(glsToken(account), (token) => ({
    method: 'POST',
    url: `${account.settings.baseUrl}/shipit-farm/v1/backend/rs/shipments`,
    repeat: 'never',
    headers: { Accept: mediaType, 'Content-Type': mediaType, Authorization: `Bearer ${token}` },
    body: JSON.stringify(orderOf(request, account, customs)),
  }));
  if (!isSuccess(answer)) throw shipmentError(answer, isReturn(request));
  const created = valueAt(answeredJson(answer, title), 'CreatedShipment');
  const parcels = listAt(created, 'ParcelData');
  const numbers = parcels.map((parcel) => textAt(parcel, 'ParcelNumber')).filter((number) => number !== '');
  const asked = parcelWeights(request).length;
  const { type } = outputOf(request, glsOutputs);
  const data = printedData(created);
  const tracked = trackIds(parcels);
  const aliases = tracked.map(({ text }) => text);
  try {
    const [first] = numbers;
    if (first === undefined) throw unreadable(title, 'no parcel number');
    requireNumbers(title, numbers, asked);
    // One label may be that of all parcels; half of them cannot.
    if (data.length > 1 && data.length < asked) throw unreadable(title, `${data.length} labels of ${asked} parcels`);
    const documents = labelOutputs(title, type, data);
    const ids = tracked.length === numbers.length ? tracked.map(({ text }) => text) : numbers;
    const declared = yield* declareGoods({ account, request, customs, numbers: ids });
    return {
      expeditionNumber: first,
      outputs: [...documents, ...parcelNumbers(numbers), ...tracked, ...declared],
      aliases,
    };
  } catch (error) {
    // A parcel without a number exists all the same, and is cancelled by its TrackID.
    const names = parcels
      .map((parcel) => textAt(parcel, 'ParcelNumber') || textAt(parcel, 'TrackID'))
      .filter((name) => name !== '');
    const outputs = [...readableLabels(type, data), ...parcelNumbers(names), ...tracked];
    throw afterCreation(error, title, names, { asked, given: { outputs, aliases } });
  }
}

/**
 * The labels in an answer, in one piece or one for each parcel, the data as a text or as a list of texts: both are
 * documented. Null for what is not base64.
 */
function printedData(created: JsonValue | undefined): readonly (Buffer | null)[] {
  return listAt(created, 'PrintData')
    .flatMap((print): readonly JsonValue[] => {
      const given = isJsonObject(print) ? print.Data : undefined;
      return Array.isArray(given) ? given : given === undefined ? [] : [given];
    })
    .map((text) => bytesAt(text));
}

/** The short number that recipients are given. */
function trackIds(parcels: readonly JsonValue[]): readonly (CarrierOutput & { readonly kind: 'text' })[] {
  return parcels
    .map((parcel) => textAt(parcel, 'TrackID'))
    .filter((text) => text !== '')
    .map((text) => ({ name: 'TrackID', kind: 'text', text }));
}

/** The body that ShipIT receives for a shipment. */
export function orderOf(
  request: LabelRequest,
  account: CarrierAccount,
  customs: CustomsDeclaration | undefined,
): JsonObject {
  const { settings } = account;
  const { product, service } = glsModes[request.modeLiv] ?? { product: 'PARCEL', service: null };
  const { type, format } = outputOf(request, glsOutputs);
  const isShop = service === 'service_shopdelivery';
  // The consignee of a return is the person who hands it in; it goes to the address of the contact ID, or to the one in
  // its place.
  const [handsIn, other] = isReturn(request) ? (['exp', 'dest'] as const) : (['dest', 'exp'] as const);
  return {
    Shipment: withoutEmpty({
      ShipmentReference: request.nDossier === '' ? [] : [request.nDossier],
      IncotermCode: settings.incoterm,
      Middleware: settings.middleware,
      Product: product,
      Consignee: withoutEmpty({ ConsigneeID: request.nClient, Address: addressOf(request, handsIn, isShop) }),
      Shipper: withoutEmpty({
        ContactID: settings.contactId,
        AlternativeShipperAddress: sendsSender(account, request) ? addressOf(request, other, false) : undefined,
      }),
      ShipmentUnit: parcelWeights(request).map((grams) =>
        withoutEmpty({
          Weight: Math.ceil(grams / 10) / 100,
          Note1: plain(request.instruction),
          Note2: plain(request.content),
          Service: [...cashService(request, settings), ...insuranceService(request, customs)],
        }),
      ),
      Service: service === null ? [] : [serviceOf(service, request)],
    }),
    PrintingOptions: {
      ReturnLabels: {
        TemplateSet: type === 'ZplCode' ? `ZPL_${format.slice(0, 3)}` : 'NONE',
        LabelFormat: type === 'ZplCode' ? 'ZEBRA' : type === 'PngImage' ? 'PNG' : 'PDF',
      },
    },
  };
}

function serviceOf(ServiceName: string, request: LabelRequest): JsonObject {
  if (ServiceName === 'service_shopdelivery')
    return { ShopDelivery: { ServiceName, ParcelShopID: request.shippingPickupPoint } };
  return isReturn(request) ? { ShopReturn: { ServiceName, NumberOfLabels: 1 } } : { Service: { ServiceName } };
}

function addressOf(request: LabelRequest, side: 'exp' | 'dest', needsMessages: boolean): JsonObject {
  const telephone = plain(request[`${side}Tel1`]);
  const street = plain(request[`${side}Addr2`]);
  const [Street = '', Name2 = '', Name3 = ''] = inLinesOf(street, streetLines) ?? [street];
  return withoutEmpty({
    Name1: plain(request[`${side}Addr1`]),
    Name2,
    Name3,
    CountryCode: request[`${side}Country`],
    ZIPCode: plain(request[`${side}Zip`]),
    City: plain(request[`${side}City`]),
    Street,
    eMail: request[`${side}Mail`],
    [needsMessages || isFrenchMobile(telephone) ? 'MobilePhoneNumber' : 'FixedLinePhonenumber']: telephone,
  });
}

/** Amounts are texts with two decimals. */
function cashService(
  request: LabelRequest,
  { currency = '' }: Readonly<Record<string, string>>,
): readonly JsonObject[] {
  return cashOnDeliveryCents(request) > 0
    ? [
        {
          Cash: {
            ServiceName: 'service_cash',
            Reason: request.nDossier,
            Amount: (cashOnDeliveryCents(request) / 100).toFixed(2),
            Currency: currency,
          },
        },
      ]
    : [];
}
