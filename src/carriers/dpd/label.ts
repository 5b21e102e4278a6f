// Labels of DPD France: one call of EPrint for each parcel, and reprints by number.
import { textBlock } from '../../model/text-block.ts';
import {
  type CarrierAccount,
  CarrierError,
  type CarrierLabel,
  type CarrierOutput,
  type LabelTask,
  type ParcelTask,
  type CarrierAnswer,
  type CarrierRequest,
} from '../carrier.ts';
import { bytesAt } from '../json.ts';
import { labelOutputs, parcelNumbers } from '../label-outputs.ts';
import { inLines, outputOf, parcelWeights } from '../label-rules.ts';
import { elementsOf } from '../soap.ts';
import { xmlChild, xmlChildren, type XmlElement, xmlValue } from '../xml/element.ts';
import { xml, type XmlPart } from '../xml/write.ts';
import type { LabelRequest } from '../../model/shipping.ts';
import { cargonetRequest, cargonetResponse } from './cargonet.ts';
import { creationError, reprintError, title } from './errors.ts';
import { isReturn, returnCreation, returnOf } from './returns.ts';
import { dpdOutputs, infoLength } from './rules.ts';
import { addressOf, customerOf, telephoneDigits, kilograms } from './shipment-parts.ts';
import { unreadable, afterCreation } from '../carrier-messages.ts';

type Talk<T> = Generator<CarrierRequest, T, CarrierAnswer>;

const namespace = 'http://www.cargonet.software';
const creation = 'CreateShipmentWithLabelsBc';
const reprint = 'GetLabelBc';

/** A number that no parcel has, so that asking for it has no effect. */
const noParcel = '00000000000000';

/** Creates a label for each parcel; the first parcel's number stands for all of them. */
export function* createLabel({ account, request, now }: LabelTask): Talk<CarrierLabel> {
  const { type, format } = outputOf(request, dpdOutputs);
  const operation = isReturn(request) ? returnCreation : creation;
  const numbers: string[] = [];
  const outputs: CarrierOutput[] = [];
  for (const [index, grams] of parcelWeights(request).entries()) {
    try {
      const parcel = { grams, now, labelType: labelTypeOf(type, format) };
      const content = isReturn(request) ? returnOf(request, account, parcel) : shipmentOf(request, account, parcel);
      const answer = yield eprint(account, operation, content, 'never');
      const result = xmlChild(cargonetResponse(answer, `${operation}Response`, creationError), `${operation}Result`);
      numbers.push(numberIn(result));
      outputs.push(...labelsIn(result, type));
    } catch (error) {
      throw afterCreation(error, title, numbers, { asked: index + 1 });
    }
  }
  return { expeditionNumber: numbers[0] ?? '', outputs: [...outputs, ...parcelNumbers(numbers)] };
}

/** Reprints the label of one parcel in the format in which it was requested. */
export function* fetchLabel({ account, expeditionNumber, label }: ParcelTask): Talk<CarrierLabel> {
  if (!/^\w{1,28}$/.test(expeditionNumber))
    throw new CarrierError('unknown', 'A parcel number of DPD France has up to 28 letters and digits.');
  const { type, format } = label === null ? { type: 'PdfUrl', format: 'A6' } : outputOf(label.request, dpdOutputs);
  const answer = yield eprint(
    account,
    reprint,
    reprintOf(account, expeditionNumber, labelTypeOf(type, format)),
    'safe',
  );
  return {
    expeditionNumber,
    outputs: labelsIn(xmlChild(cargonetResponse(answer, `${reprint}Response`, reprintError), `${reprint}Result`), type),
  };
}

/**
 * Asks for the label of a parcel that does not exist: any answer that is not about the account shows that the account
 * works.
 */
export function* probe(account: CarrierAccount): Talk<string> {
  const answer = yield eprint(account, reprint, reprintOf(account, noParcel, 'PDF_A6'), 'safe');
  try {
    cargonetResponse(answer, `${reprint}Response`, reprintError);
  } catch (error) {
    if (!(error instanceof CarrierError) || error.kind !== 'unknown') throw error;
  }
  return textBlock`
    DPD France accepts the user ID and the password. Whether it accepts the customer number shows only with a label.
  `;
}

function eprint(
  account: CarrierAccount,
  operation: string,
  request: readonly XmlPart[],
  repeat: CarrierRequest['repeat'],
): CarrierRequest {
  const url = account.settings.baseUrl ?? '';
  return cargonetRequest(account, { url, namespace, action: `${namespace}/${operation}`, operation, request, repeat });
}

interface Parcel {
  readonly grams: number;
  readonly now: number;
  readonly labelType: string;
}

/** Elements in the order of the service's schema. */
function shipmentOf(
  request: LabelRequest,
  account: CarrierAccount,
  { grams, now, labelType }: Parcel,
): readonly XmlPart[] {
  const { notification = '' } = account.settings;
  const [vinfo1 = '', vinfo2 = ''] = inLines(request.instruction, infoLength, 2) ?? [];
  const contact = xml(
    'contact',
    elementsOf({
      sms: telephoneDigits(request.destTel1),
      email: request.destMail,
      type: contactType(request, notification),
    }),
  );
  const shop =
    request.modeLiv === 'RELAIS'
      ? [xml('parcelshop', [xml('shopaddress', [xml('shopid', request.shippingPickupPoint.toUpperCase())])])]
      : [];
  return [
    xml('receiveraddress', addressOf(request, 'dest')),
    xml('receiverinfo', elementsOf({ vinfo1, vinfo2 })),
    xml('shipperaddress', addressOf(request, 'exp')),
    ...customerOf(account, now),
    xml('services', [contact, ...shop]),
    ...elementsOf({ weight: kilograms(grams), referencenumber: request.nDossier, reference2: request.nClient }),
    xml('labelType', elementsOf({ type: labelType })),
  ];
}

/** A message needs a telephone or an e-mail address. */
function contactType({ modeLiv, destTel1, destMail }: LabelRequest, notification: string): string {
  if (modeLiv === 'PREDICT') return 'Predict';
  return (notification === 'AutomaticSMS' && destTel1 === '') || (notification === 'AutomaticMail' && destMail === '')
    ? 'No'
    : notification;
}

function reprintOf({ settings }: CarrierAccount, shipmentNumber: string, labelType: string): readonly XmlPart[] {
  const { countryCode = '', centerNumber = '', customerNumber = '' } = settings;
  return [
    xml('labelType', elementsOf({ type: labelType })),
    xml('shipmentNumber', shipmentNumber),
    xml('customer', elementsOf({ centernumber: centerNumber, number: customerNumber, countrycode: countryCode })),
  ];
}

const labelTypes: Readonly<Record<string, string>> = { A6: 'PDF_A6', A4: 'PDF', PNG: 'Default' };

function labelTypeOf(type: string, format: string): string {
  return type === 'PdfUrl' || type === 'PngImage' ? (labelTypes[format] ?? 'PDF_A6') : format;
}

function numberIn(result: XmlElement | null): string {
  // A return is one shipment, not a list of them; programs that read it spell its name in lower case.
  const number = [['shipments', 'ShipmentBc'], ['Shipment'], ['shipment']]
    .map((path) => xmlValue(result, ...path, 'Shipment', 'BarcodeId'))
    .find((found) => found !== '');
  if (number === undefined) throw unreadable(title, 'no parcel number');
  return number;
}

function labelsIn(result: XmlElement | null, type: string): readonly CarrierOutput[] {
  return labelOutputs(
    title,
    type,
    xmlChildren(xmlChild(result, 'labels') ?? xmlChild(result, 'Labels'), 'Label').map((given) =>
      bytesAt(xmlValue(given, 'label')),
    ),
  );
}
