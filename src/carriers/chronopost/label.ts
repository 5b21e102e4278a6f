// Labels of Chronopost: one call of shippingMultiParcelV5 for all parcels of a shipment, which returns the labels.
import type {
  CarrierAccount,
  CarrierLabel,
  CarrierOutput,
  LabelTask,
  CarrierAnswer,
  CarrierRequest,
} from '../carrier.ts';
import { bytesAt } from '../json.ts';
import { labelOutputs, parcelNumbers, readableLabels } from '../label-outputs.ts';
import { inLines, isFrenchMobile, outputOf, parcelWeights } from '../label-rules.ts';
import { parisTime } from '../paris-time.ts';
import { elementsOf, soapRequest, soapResponse } from '../soap.ts';
import { xmlChild, xmlChildren, type XmlElement, xmlValue } from '../xml/element.ts';
import { xml, type XmlPart } from '../xml/write.ts';
import type { CustomsDeclaration } from '../../model/customs.ts';
import type { LabelRequest } from '../../model/shipping.ts';
import { insuredFor } from '../customs/rules.ts';
import { chronopostCustoms, declared } from './customs.ts';
import { faultError, resultError, title } from './errors.ts';
import { type PointAddress, pointOf } from './points.ts';
import { serviceOf } from './products.ts';
import { chronopostOutputs, lineLength } from './rules.ts';
import { unreadable, afterCreation } from '../carrier-messages.ts';

const namespace = 'http://cxf.shipping.soap.chronopost.fr/';
const operation = 'shippingMultiParcelV5';

/** Creates all parcels of the shipment; the number of the first one stands for them. */
export function* createLabel({
  account,
  request,
  customs,
  now,
}: LabelTask): Generator<CarrierRequest, CarrierLabel, CarrierAnswer> {
  const point = yield* pointOf(account, request);
  const answer = yield soapRequest({
    url: `${account.settings.baseUrl}/shipping-cxf/ShippingServiceWS`,
    action: '',
    repeat: 'never',
    operation: shippingOf(request, account, { point, customs, now }),
  });
  const result = xmlChild(soapResponse(title, answer, `${operation}Response`, faultError), 'return');
  if (result === null) throw unreadable(title, 'no result');
  const parcels = xmlChildren(result, 'resultMultiParcelValue');
  const numbers = parcels.map((parcel) => xmlValue(parcel, 'skybillNumber')).filter((number) => number !== '');
  // The number on the label, under which parcels are tracked as well.
  const aliases = parcels.map((parcel) => xmlValue(parcel, 'geoPostNumeroColis')).filter((number) => number !== '');
  const asked = parcelWeights(request).length;
  const { type } = outputOf(request, chronopostOutputs);
  try {
    const refused = resultError(result);
    // Parcels before the refused one may have been created.
    if (refused !== null) throw refused;
    const [first] = numbers;
    if (first === undefined) throw unreadable(title, 'no parcel number');
    if (numbers.length !== asked) throw unreadable(title, `${numbers.length} parcels in place of ${asked}`);
    return { expeditionNumber: first, outputs: [...documentsOf(parcels, type), ...parcelNumbers(numbers)], aliases };
  } catch (error) {
    const outputs = [...readableLabels(type, printedData(parcels)), ...parcelNumbers(numbers)];
    throw afterCreation(error, title, numbers, { asked, given: { outputs, aliases } });
  }
}

/**
 * One document for each parcel, or one for all of them: Chronopost does not describe which of the two several parcels
 * get.
 */
function documentsOf(parcels: readonly XmlElement[], type: string): readonly CarrierOutput[] {
  const data = printedData(parcels);
  if (data.length > 1 && data.length !== parcels.length)
    throw unreadable(title, `${data.length} labels of ${parcels.length} parcels`);
  return labelOutputs(title, type, data);
}

/** The labels in an answer; null for what is not base64. */
function printedData(parcels: readonly XmlElement[]): readonly (Buffer | null)[] {
  return parcels
    .map((parcel) => xmlValue(parcel, 'pdfEtiquette'))
    .filter((text) => text !== '')
    .map((text) => bytesAt(text));
}

/** What a shipment is requested with, beside the label request. */
interface ShipmentContent {
  readonly point: PointAddress | null;
  readonly customs: CustomsDeclaration | undefined;
  readonly now: number;
}

/** Elements in the order of the service's schema; only the operation has a namespace. */
function shippingOf(
  request: LabelRequest,
  { settings }: CarrierAccount,
  { point, customs, now }: ShipmentContent,
): XmlPart {
  const { accountNumber = '', password = '', subAccount = '', idEmit = '' } = settings;
  const weights = parcelWeights(request);
  const recipientRef = request.shippingPickupPoint === '' ? request.nClient : request.shippingPickupPoint.toUpperCase();
  const { type, format } = outputOf(request, chronopostOutputs);
  const content = [
    xml('headerValue', elementsOf({ accountNumber, idEmit, subAccount })),
    xml('shipperValue', partyOf(request, 'exp', 'shipper')),
    // The sender is also the customer who pays.
    xml('customerValue', partyOf(request, 'exp', 'customer')),
    xml('recipientValue', partyOf(request, 'dest', 'recipient', point)),
    ...weights.map(() => xml('refValue', elementsOf({ recipientRef, shipperRef: request.nDossier }))),
    ...weights.map((grams, index) =>
      xml('skybillValue', parcelOf(request, grams, { rank: index + 1, count: weights.length, customs, now })),
    ),
    xml('skybillParamsValue', elementsOf({ mode: modeOf(type, format) })),
    ...elementsOf({
      password,
      modeRetour: '1',
      numberOfParcel: String(weights.length),
      version: '2.0',
      multiParcel: weights.length > 1 ? 'Y' : 'N',
    }),
    ...(customs === undefined ? [] : [declared(customs)]),
  ];
  return xml(`cxf:${operation}`, content, { 'xmlns:cxf': namespace });
}

interface Parcel extends Pick<ShipmentContent, 'customs' | 'now'> {
  readonly rank: number;
  readonly count: number;
}

function parcelOf(request: LabelRequest, grams: number, { rank, count, customs, now }: Parcel): readonly XmlPart[] {
  const { date, time } = parisTime(now);
  const insured = insuredFor(customs, chronopostCustoms.insurance, request);
  return elementsOf({
    bulkNumber: String(count),
    evtCode: 'DC',
    // Cents, as Chronopost's own modules send it.
    ...(insured > 0 ? { insuredCurrency: 'EUR', insuredValue: String(insured) } : {}),
    objectType: customs?.category === 'documents' ? 'DOC' : 'MAR',
    productCode: request.modeLiv,
    service: serviceOf(request),
    shipDate: `${date}T${time}`,
    shipHour: String(Number(time.slice(0, 2))),
    skybillRank: String(rank),
    weight: (grams / 1000).toFixed(3),
    weightUnit: 'KGM',
    // The schema requires them; a label request does not have them.
    height: '1',
    length: '1',
    width: '1',
  });
}

/**
 * @param point takes the place of the recipient, who becomes the person it is kept for, as Chronopost's modules send it
 */
function partyOf(
  request: LabelRequest,
  side: 'exp' | 'dest',
  prefix: 'shipper' | 'customer' | 'recipient',
  point: PointAddress | null = null,
): readonly XmlPart[] {
  const person = request[`${side}Addr1`];
  const telephone = telephoneDigits(request[`${side}Tel1`]);
  const place = point ?? placeOf(request, side);
  const values = {
    Adress1: place.street,
    Adress2: place.supplement,
    City: place.city,
    // Recipients have no title.
    Civility: prefix === 'recipient' ? '' : 'M',
    ContactName: person,
    Country: place.country,
    Email: request[`${side}Mail`],
    MobilePhone: isFrenchMobile(telephone) ? telephone : '',
    Name: place.name,
    Name2: point === null ? '' : person,
    Phone: telephone,
    PreAlert: '0',
    ZipCode: place.zip,
  };
  return elementsOf(Object.fromEntries(Object.entries(values).map(([part, value]) => [`${prefix}${part}`, value])));
}

function placeOf(request: LabelRequest, side: 'exp' | 'dest'): PointAddress {
  const [street = '', supplement = ''] = inLines(request[`${side}Addr2`], lineLength, 2) ?? [request[`${side}Addr2`]];
  return {
    name: request[`${side}Addr1`],
    street,
    supplement,
    zip: request[`${side}Zip`],
    city: request[`${side}City`],
    country: request[`${side}Country`],
  };
}

/** Digits only: French numbers as dialled in France, others with 00 before the country code. */
function telephoneDigits(telephone: string): string {
  const figures = telephone.trim().replace(/^\+/, '00').replace(/\(0\)/, '').replace(/\D/g, '');
  return figures.replace(/^00330?(?=[1-9]\d{8}$)/, '0');
}

const modes: Readonly<Record<string, string>> = { '10x15': 'THE', A4: 'SPD', A4_deposit: 'PDF' };

function modeOf(type: string, format: string): string {
  return type === 'PdfUrl' ? (modes[format] ?? 'THE') : format;
}
