// Version 2 (REST): the exchange that creates a label, and the reading of its answer.
import type { LabelRequest } from '../../model/shipping.ts';
import {
  CarrierError,
  type CarrierLabel,
  type CarrierOutput,
  type CarrierAnswer,
  type CarrierRequest,
} from '../carrier.ts';
import { parseJson, textAt } from '../json.ts';
import { labelOutput, parcelNumbers } from '../label-outputs.ts';
import { outputOf, parcelWeights } from '../label-rules.ts';
import { xmlChild, xmlChildren, xmlDescendants, type XmlElement, XmlError, xmlValue } from '../xml/element.ts';
import { xmlOfAnswer } from '../xml/read.ts';
import type { RestAccount } from './account.ts';
import { restAnswer } from './codes.ts';
import { isNumber, refusalError, title, warningOutput, withParcel } from './errors.ts';
import { labelFileOrLink } from './label-file.ts';
import { restOutputs, shipmentDocument } from './rest-request.ts';
import { accessError, type CarrierMessage, unreadable } from '../carrier-messages.ts';

/**
 * Creates a label. Its first request creates the parcel and is made once.
 * @param isGivenAgain the label can be fetched by version 1: what came of one that is not whole need not be kept
 * @throws CarrierError as the status codes say; if a parcel exists despite the error, its number is in the sentence
 */
export function* createRestLabel(
  request: LabelRequest,
  account: RestAccount,
  isGivenAgain: boolean,
): Generator<CarrierRequest, CarrierLabel, CarrierAnswer> {
  const answer = yield {
    method: 'POST',
    url: account.url,
    repeat: 'never',
    body: shipmentDocument(request, account),
    // Without this Accept the answer is JSON of another shape.
    headers: { Accept: 'application/xml', 'Content-Type': 'text/xml' },
  };
  const { expeditionNumber, labels, barcodes, warnings, refusal } = readShipment(answer);
  const { type } = outputOf(request, restOutputs);
  const wanted = parcelWeights(request).length;
  const lack = refusal ?? lackOf(labels, wanted);
  const documents: CarrierOutput[] = [];
  for (const [index, label] of (type === 'PdfUrl' ? [...new Set(labels)] : labels).entries()) {
    const isFetched = lack === null && index < maxFiles;
    const document =
      type === 'PdfUrl' ? yield* labelFileOrLink(account.labelOrigin, label, isFetched) : codeOutput(type, label);
    if (document !== null) documents.push(document);
  }
  const outputs = [
    ...documents,
    ...(barcodes.length === wanted ? parcelNumbers(barcodes) : []),
    ...warnings.map((warning) => warningOutput(warning, account.password)),
  ];
  const isReadable = type === 'PdfUrl' || documents.length === labels.length;
  const error = lack ?? (isReadable ? null : unreadable(title, `a label that is not ${type} in base64`));
  if (error !== null) throw withParcel(error, expeditionNumber, isGivenAgain ? null : { outputs });
  return { expeditionNumber, outputs };
}

/** What a shipment of several parcels lacks; null: nothing. One label may be that of all parcels; half cannot. */
function lackOf(labels: readonly string[], wanted: number): CarrierError | null {
  if (labels.length === 0) return unreadable(title, 'no label');
  return labels.length > 1 && labels.length < wanted
    ? unreadable(title, `${labels.length} labels in place of ${wanted}`)
    : null;
}

/** An exchange must end: further files are returned as the carrier's links. */
const maxFiles = 15;

interface Status extends CarrierMessage {
  readonly level: string;
}

/** Codes of a system failure that do not say what failed. */
const breakdowns: readonly string[] = ['-1', '99999'];

/** What was created, and what was left out of it. */
interface Shipment {
  readonly expeditionNumber: string;
  /** A link, base64, or the content of a QR code. */
  readonly labels: readonly string[];
  /** The contents of the parcels' bar codes, each once: the shipment has one number for all of them. */
  readonly barcodes: readonly string[];
  readonly warnings: readonly CarrierMessage[];
  /** Why it is not whole, or should not exist; null: it is as requested. */
  readonly refusal: CarrierError | null;
}

function readShipment(answer: CarrierAnswer): Shipment {
  const root = documentOf(answer);
  const shipment = xmlChild(root, 'ShipmentsList', 'Shipment');
  const expeditionNumber = shipment?.attributes.get('ShipmentNumber')?.trim() ?? '';
  const statuses = xmlDescendants(root, 'Status').map(statusOf);
  // The sandbox has a success status without a level; a warning is not a failure either.
  const failing = statuses.filter(({ level }) => /^(?:critical )?error$/i.test(level));
  // By the documentation, a request with a failing status creates nothing; a system that broke down cannot know that.
  const refusal =
    failing.length === 0
      ? null
      : refusalError(failing, restAnswer, failing.some(({ code }) => breakdowns.includes(code)) ? 'unknown' : 'no');
  if (!isNumber(expeditionNumber)) throw refusal ?? accessError(title, answer) ?? withoutNumber(statuses);
  const parcels = xmlChildren(xmlChild(shipment, 'LabelList'), 'Label');
  const labels = parcels.map((label) => xmlValue(label, 'Output')).filter((label) => label !== '');
  const barcodes = [...new Set(parcels.flatMap(barcodeOf))];
  return { expeditionNumber, labels, barcodes, warnings: statuses.filter(isWarning), refusal };
}

/** The sandbox has a text in place of the digits. */
function barcodeOf(label: XmlElement): readonly string[] {
  const [barcode] = xmlDescendants(label, 'Barcode');
  const value = barcode?.attributes.get('Value')?.trim() ?? '';
  return /^\d{8,64}$/.test(value) ? [value] : [];
}

function documentOf(answer: CarrierAnswer): XmlElement {
  const other = (what: string): CarrierError =>
    accessError(title, answer) ??
    new CarrierError('unavailable', `${title} answered with status ${answer.status} and ${what}.`);
  if (/^\s*[{[]/.test(answer.body.toString('latin1', 0, 100))) {
    throw withParcel(
      other('JSON instead of XML: something on the way changes the header Accept'),
      textAt(parseJson(answer.body), 'shipmentsListField', 0, 'shipmentNumberField'),
    );
  }
  try {
    const root = xmlOfAnswer(answer);
    if (root.name !== 'ShipmentCreationResponse') throw other('another document than that of a shipment');
    return root;
  } catch (error) {
    throw error instanceof XmlError ? other('something that cannot be read as XML') : error;
  }
}

function statusOf({ attributes }: XmlElement): Status {
  const either = (name: string): string => (attributes.get(name) ?? attributes.get(name.toLowerCase()) ?? '').trim();
  return { code: either('Code'), level: either('Level'), text: either('Message') };
}

function isWarning({ level }: Status): boolean {
  return /^warning$/i.test(level);
}

/**
 * A status without a level may still say why there is no number; a warning does not: what it is about was created, or
 * lost.
 */
function withoutNumber(statuses: readonly Status[]): CarrierError {
  const telling = statuses.filter((status) => status.code !== '0' && status.code !== '' && !isWarning(status));
  return telling.length === 0 ? unreadable(title, 'no shipment number') : refusalError(telling.slice(0, 1), restAnswer);
}

/** Printer code comes in base64, null if it does not; the content of a QR code is plain text. */
function codeOutput(type: string, label: string): CarrierOutput | null {
  if (type === 'QRCode') return { name: type, kind: 'text', text: label };
  const base64 = label.replaceAll(/\s+/g, '');
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64)
    ? labelOutput(type, Buffer.from(base64, 'base64'))
    : null;
}
