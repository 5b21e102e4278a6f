// Labels through Karrio: one call creates and pays for the shipment, a second one fetches its document.
import type {
  CarrierAccount,
  CarrierLabel,
  CarrierOutput,
  LabelTask,
  ParcelTask,
  CarrierAnswer,
  CarrierRequest,
} from '../carrier.ts';
import { CarrierError, isSuccess } from '../carrier.ts';
import {
  answeredJson,
  bytesAt,
  type JsonObject,
  type JsonValue,
  listAt,
  textAt,
  valueAt,
  withoutEmpty,
} from '../json.ts';
import { labelOutput, parcelNumbers, trackingLink } from '../label-outputs.ts';
import { cashOnDeliveryCents, outputOf, parcelWeights, inLines } from '../label-rules.ts';
import type { CustomsDeclaration } from '../../model/customs.ts';
import type { LabelRequest } from '../../model/shipping.ts';
import { insuredFor } from '../customs/rules.ts';
import { declared, karrioCustoms } from './customs.ts';
import { connectorError, headersOf, karrioError, messageIn, title } from './errors.ts';
import { carrierError, unreadable, afterCreation } from '../carrier-messages.ts';

/** Size and layout are set in Karrio, per connection. */
export const karrioOutputs = { PdfUrl: ['default'], ZplCode: ['default'], PngImage: ['default'] } as const;

type Talk<T> = Generator<CarrierRequest, T, CarrierAnswer>;

const labelTypes: Readonly<Record<string, string>> = { PdfUrl: 'PDF', ZplCode: 'ZPL', PngImage: 'PNG' };

/** Creates the shipment; its label comes with the answer or is fetched afterwards. */
export function* createLabel({ account, request, customs }: LabelTask): Talk<CarrierLabel> {
  const answer = yield post(account, '/v1/shipments', shipmentOf(request, account, customs), 'never');
  if (!isSuccess(answer)) throw karrioError(answer, 'creation');
  const shipment = answeredJson(answer, title);
  const number = textAt(shipment, 'tracking_number');
  if (number === '' || textAt(shipment, 'status') === 'draft') throw notBought(shipment);
  try {
    return yield* labelOf(account, shipment, number);
  } catch (error) {
    throw afterCreation(error, title, [...new Set([number, ...parcelsOf(shipment)])]);
  }
}

/** Finds the shipment by its tracking number and fetches its document again. */
export function* fetchLabel({ account, expeditionNumber }: ParcelTask): Talk<CarrierLabel> {
  return yield* labelOf(account, yield* findShipment(account, expeditionNumber), expeditionNumber);
}

/**
 * The newest shipment with this tracking number.
 * @throws CarrierError `unknown` if there is none
 */
export function* findShipment(account: CarrierAccount, trackingNumber: string): Talk<JsonValue> {
  const url = `${account.settings.baseUrl}/v1/shipments?${new URLSearchParams({ tracking_number: trackingNumber })}`;
  const answer = yield { method: 'GET', url, headers: headersOf(account), body: null, repeat: 'safe' };
  if (!isSuccess(answer)) throw karrioError(answer, 'reading');
  const results = valueAt(answeredJson(answer, title), 'results');
  if (!Array.isArray(results)) throw unreadable(title, 'no list of shipments');
  // The filter also finds numbers that only contain this one.
  const found = listAt(results).filter((shipment) => textAt(shipment, 'tracking_number') === trackingNumber);
  const newest = found.toSorted((left, right) =>
    textAt(right, 'created_at').localeCompare(textAt(left, 'created_at')),
  )[0];
  if (newest === undefined) throw new CarrierError('unknown', 'Karrio knows no shipment with this tracking number.');
  return newest;
}

function* labelOf(account: CarrierAccount, shipment: JsonValue, number: string): Talk<CarrierLabel> {
  const included = listAt(shipment, 'shipping_documents').find(
    (document) => textAt(document, 'category') === 'label' && bytesAt(document, 'base64') !== null,
  );
  const document = included ?? (yield* documentOf(account, textAt(shipment, 'id')));
  const format = textAt(document, 'format') || textAt(shipment, 'label_type') || 'PDF';
  const type = Object.keys(labelTypes).find((name) => labelTypes[name] === format.toUpperCase()) ?? 'PdfUrl';
  const bytes = bytesAt(document, 'base64');
  const output = bytes === null ? null : labelOutput(type, bytes);
  if (output === null) throw unreadable(title, `no label in the format ${format}`);
  return {
    expeditionNumber: number,
    outputs: [
      output,
      ...invoiceOf(shipment),
      ...parcelNumbers(parcelsOf(shipment)),
      ...trackingLink(textAt(shipment, 'tracking_url')),
    ],
  };
}

/** The numbers of the parcels, if Karrio knows them. */
function parcelsOf(shipment: JsonValue): readonly string[] {
  return listAt(shipment, 'meta', 'tracking_numbers')
    .map((entry) => textAt(entry))
    .filter((number) => number !== '');
}

/** The commercial invoice that some carriers print, if it comes with the shipment. */
function invoiceOf(shipment: JsonValue): readonly CarrierOutput[] {
  return listAt(shipment, 'shipping_documents').flatMap((document) => {
    const bytes = textAt(document, 'category') === 'invoice' ? bytesAt(document, 'base64') : null;
    const output = bytes === null ? null : labelOutput('PdfUrl', bytes);
    return output === null ? [] : [{ ...output, name: 'InvoiceUrl' }];
  });
}

function* documentOf(account: CarrierAccount, id: string): Talk<JsonValue> {
  if (id === '') throw unreadable(title, 'no identifier of the shipment');
  const answer = yield post(account, `/v1/shipments/${encodeURIComponent(id)}/documents/label`, null, 'safe');
  if (!isSuccess(answer)) throw karrioError(answer, 'reading');
  return answeredJson(answer, title);
}

/** A shipment without a number was kept as a draft: the messages say why. */
function notBought(shipment: JsonValue): CarrierError {
  const message = messageIn(shipment);
  if (message.text === '') return unreadable(title, 'no tracking number');
  return connectorError(shipment) ?? carrierError('refused', 'The carrier behind Karrio refuses the shipment', message);
}

/** Maximum length of each of the two lines of an address. */
export const streetLength = 100;

function streetOf(street: string): JsonObject {
  const [address_line1 = '', address_line2 = ''] = inLines(street, streetLength, 2) ?? [street];
  return { address_line1, address_line2 };
}

function shipmentOf(
  request: LabelRequest,
  { settings }: CarrierAccount,
  customs: CustomsDeclaration | undefined,
): JsonObject {
  const { type } = outputOf(request, karrioOutputs);
  const insured = insuredFor(customs, karrioCustoms.insurance, request);
  const options = withoutEmpty({
    cash_on_delivery: cashOnDeliveryCents(request) > 0 ? cashOnDeliveryCents(request) / 100 : undefined,
    insurance: insured > 0 ? insured / 100 : undefined,
    currency: cashOnDeliveryCents(request) > 0 ? settings.currency : insured > 0 ? customs?.currency : undefined,
    recipient_instructions: request.instruction,
    ...(settings.pickupOption ? { [settings.pickupOption]: request.shippingPickupPoint } : {}),
  });
  return withoutEmpty({
    service: request.modeLiv,
    carrier_ids: settings.carrierId ? [settings.carrierId] : undefined,
    shipper: withoutEmpty({
      company_name: request.expAddr1,
      ...streetOf(request.expAddr2),
      city: request.expCity,
      postal_code: request.expZip,
      country_code: request.expCountry,
      phone_number: request.expTel1,
      email: request.expMail,
    }),
    recipient: withoutEmpty({
      person_name: request.destAddr1,
      ...streetOf(request.destAddr2),
      city: request.destCity,
      postal_code: request.destZip,
      country_code: request.destCountry,
      phone_number: request.destTel1,
      email: request.destMail,
    }),
    parcels: parcelWeights(request).map((weight) =>
      withoutEmpty({ weight, weight_unit: 'G', content: request.content }),
    ),
    payment: { paid_by: 'sender' },
    customs: customs === undefined ? undefined : declared(customs),
    options,
    label_type: labelTypes[type],
    reference: request.nDossier,
    order_id: request.nClient,
  });
}

function post(
  account: CarrierAccount,
  path: string,
  body: JsonObject | null,
  repeat: 'safe' | 'never',
): CarrierRequest {
  return {
    method: 'POST',
    url: `${account.settings.baseUrl}${path}`,
    headers: headersOf(account),
    body: body === null ? null : JSON.stringify(body),
    repeat,
  };
}
