// Labels of UPS: one call for all parcels of a shipment; as PDF, or again, through label recovery.
import { requestWithToken } from '../access-token.ts';
import {
  type CarrierAccount,
  CarrierError,
  type CarrierLabel,
  type CarrierOutput,
  isSuccess,
  type LabelTask,
  type ParcelTask,
  type CarrierAnswer,
  type CarrierRequest,
} from '../carrier.ts';
import { answeredJson, bytesAt, type JsonObject, listAt, textAt, valueAt, withoutEmpty } from '../json.ts';
import { labelOutputs, parcelNumbers, requireNumbers } from '../label-outputs.ts';
import { outputOf, parcelWeights } from '../label-rules.ts';
import type { CustomsDeclaration } from '../../model/customs.ts';
import type { LabelRequest } from '../../model/shipping.ts';
import { declared, invoiceOf } from './customs.ts';
import { headersOf, title, upsError, upsToken } from './errors.ts';
import { upsOutputs } from './rules.ts';
import { chargesOf, contentsOf, partyOf } from './shipment-parts.ts';
import { unreadable, afterCreation } from '../carrier-messages.ts';

type Talk<T> = Generator<CarrierRequest, T, CarrierAnswer>;

/** UPS creates shipments with pictures or printer code, never with PDF; label recovery turns a picture into PDF. */
const imageFormats: Readonly<Record<string, string>> = {
  PdfUrl: 'GIF',
  GifImage: 'GIF',
  ZplCode: 'ZPL',
  EplCode: 'EPL',
  SplCode: 'SPL',
};
const browser = 'Mozilla/4.5';

/** Creates all parcels of the shipment; its number is that of the first one. */
export function* createLabel({ account, request, customs, sequence, now }: LabelTask): Talk<CarrierLabel> {
  const { type, format } = outputOf(request, upsOutputs);
  const body = JSON.stringify(shipmentOf(request, account, { type, stock: format, customs }));
  const answer = yield* requestWithToken(upsToken(account), (token) => ({
    method: 'POST',
    url: `${account.settings.baseUrl}/api/shipments/v2409/ship`,
    headers: headersOf(token, `${now}-${sequence}`),
    body,
    repeat: 'never',
  }));
  if (!isSuccess(answer)) throw upsError(answer, 'refused', 'UPS refuses the shipment');
  const results = valueAt(answeredJson(answer, title), 'ShipmentResponse', 'ShipmentResults');
  // Older versions write a single parcel without a list.
  const packages = listAt(results, 'PackageResults');
  const numbers = packages.map((one) => textAt(one, 'TrackingNumber')).filter((number) => number !== '');
  const asked = parcelWeights(request).length;
  const expeditionNumber = textAt(results, 'ShipmentIdentificationNumber') || (numbers[0] ?? '');
  if (expeditionNumber === '') throw unreadable(title, 'no shipment number');
  try {
    requireNumbers(title, numbers, asked);
    const pictures = labelOutputs(
      title,
      type === 'PdfUrl' ? 'GifImage' : type,
      packages.map((one) => bytesAt(one, 'ShippingLabel', 'GraphicImage')),
    );
    const outputs =
      type === 'PdfUrl'
        ? yield* asPdf({ account, number: expeditionNumber, transaction: `${now}-${sequence}-pdf` }, pictures)
        : pictures;
    return { expeditionNumber, outputs: [...outputs, ...invoiceOf(results), ...parcelNumbers(numbers)] };
  } catch (error) {
    throw afterCreation(error, title, numbers.length === 0 ? [expeditionNumber] : numbers, { asked });
  }
}

export function* fetchLabel({ account, expeditionNumber, label, now }: ParcelTask): Talk<CarrierLabel> {
  const type = label === null ? 'PdfUrl' : outputOf(label.request, upsOutputs).type;
  return {
    expeditionNumber,
    outputs: yield* recovered({ account, number: expeditionNumber, transaction: `${now}-again` }, type),
  };
}

interface Recovery {
  readonly account: CarrierAccount;
  readonly number: string;
  readonly transaction: string;
}

/** The parcel exists: if the PDF cannot be fetched, its pictures are better than an error. */
function* asPdf(recovery: Recovery, pictures: readonly CarrierOutput[]): Talk<readonly CarrierOutput[]> {
  try {
    return yield* recovered(recovery, 'PdfUrl');
  } catch (error) {
    if (error instanceof CarrierError) return pictures;
    throw error;
  }
}

/** One PDF holds all labels of a shipment, and comes with the first parcel only. */
function* recovered({ account, number, transaction }: Recovery, type: string): Talk<readonly CarrierOutput[]> {
  const format = type === 'PdfUrl' ? 'PDF' : (imageFormats[type] ?? 'GIF');
  const body = {
    LabelRecoveryRequest: {
      LabelSpecification: {
        HTTPUserAgent: browser,
        LabelImageFormat: { Code: format },
        LabelStockSize: { Height: '6', Width: '4' },
      },
      TrackingNumber: number,
    },
  };
  const answer = yield* requestWithToken(upsToken(account), (token) => ({
    method: 'POST',
    url: `${account.settings.baseUrl}/api/labels/v1/recovery`,
    headers: headersOf(token, transaction),
    body: JSON.stringify(body),
    repeat: 'safe',
  }));
  if (!isSuccess(answer)) throw upsError(answer, 'unknown', 'UPS has no label of this parcel');
  const images = listAt(answeredJson(answer, title), 'LabelRecoveryResponse', 'LabelResults').map((result) =>
    valueAt(result, 'LabelImage', 'GraphicImage'),
  );
  return labelOutputs(
    title,
    type,
    images.filter((image) => image !== undefined).map((image) => bytesAt(image)),
  );
}

/** What a shipment is requested with, beside the label request. */
interface ShipmentContent {
  readonly type: string;
  readonly stock: string;
  readonly customs: CustomsDeclaration | undefined;
}

function shipmentOf(
  request: LabelRequest,
  { settings }: CarrierAccount,
  { type, stock, customs }: ShipmentContent,
): JsonObject {
  const { accountNumber = '' } = settings;
  const [Height = '6', Width = '4'] = stock.split('x');
  const code = imageFormats[type] ?? 'GIF';
  const references = [request.nDossier, request.nClient].filter((reference) => reference !== '');
  return {
    ShipmentRequest: {
      Request: { RequestOption: 'nonvalidate' },
      Shipment: withoutEmpty({
        Description: request.content,
        Shipper: { ...partyOf(request, 'exp'), ShipperNumber: accountNumber },
        ShipTo: partyOf(request, 'dest'),
        PaymentInformation: {
          ShipmentCharge: chargesOf(accountNumber, customs),
        },
        ReferenceNumber: references.map((Value) => ({ Value })),
        Service: { Code: request.modeLiv },
        ...(customs === undefined ? {} : declared(customs, partyOf(request, 'dest'))),
        Package: parcelWeights(request).map((grams) => ({
          Packaging: { Code: '02' },
          ...contentsOf(grams, request, customs),
        })),
      }),
      LabelSpecification: {
        LabelImageFormat: { Code: code },
        ...(code === 'GIF' ? { HTTPUserAgent: browser } : {}),
        LabelStockSize: { Height, Width },
      },
    },
  };
}
