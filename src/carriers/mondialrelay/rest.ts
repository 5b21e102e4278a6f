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
 * @throws CarrierError as the status codes say; if a parcel exists despite the error, its number is in the sentence
 */
export function* createRestLabel(
  request: LabelRequest,
  account: RestAccount,
): Generator<CarrierRequest, CarrierLabel, CarrierAnswer> {
  const answer = yield {
    method: 'POST',
    url: account.url,
    repeat: 'never',
    body: shipmentDocument(request, account),
    // Without this Accept the answer is JSON of another shape.
    headers: { Accept: 'application/xml', 'Content-Type': 'text/xml' },
  };
  const { expeditionNumber, labels, barcodes, warnings } = readShipment(answer);
  const { type } = outputOf(request, restOutputs);
  const outputs: CarrierOutput[] = [];
  try {
    const wanted = parcelWeights(request).length;
    if (labels.length === 0) throw unreadable(title, 'no label');
    // One label may be that of all parcels; half of them cannot.
    if (labels.length > 1 && labels.length < wanted)
      throw unreadable(title, `${labels.length} labels in place of ${wanted}`);
    for (const [index, label] of (type === 'PdfUrl' ? [...new Set(labels)] : labels).entries()) {
      outputs.push(
        type === 'PdfUrl'
          ? yield* labelFileOrLink(account.labelOrigin, label, index < maxFiles)
          : codeOutput(type, label),
      );
    }
  } catch (error) {
    throw withParcel(error, expeditionNumber);
  }
  return {
    expeditionNumber,
    outputs: [
      ...outputs,
      ...(barcodes.length === parcelWeights(request).length ? parcelNumbers(barcodes) : []),
      ...warnings.map((warning) => warningOutput(warning, account.password)),
    ],
  };
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
}

function readShipment(answer: CarrierAnswer): Shipment {
  const root = documentOf(answer);
  const shipment = xmlChild(root, 'ShipmentsList', 'Shipment');
  const expeditionNumber = shipment?.attributes.get('ShipmentNumber')?.trim() ?? '';
  const statuses = xmlDescendants(root, 'Status').map(statusOf);
  // The sandbox has a success status without a level; a warning is not a failure either.
  const failing = statuses.filter(({ level }) => /^(?:critical )?error$/i.test(level));
  // By the documentation, a request with a failing status creates nothing; a system that broke down cannot know that.
  if (failing.length > 0)
    throw withParcel(
      refusalError(failing, restAnswer, failing.some(({ code }) => breakdowns.includes(code)) ? 'unknown' : 'no'),
      expeditionNumber,
    );
  if (!isNumber(expeditionNumber)) throw accessError(title, answer) ?? withoutNumber(statuses);
  const parcels = xmlChildren(xmlChild(shipment, 'LabelList'), 'Label');
  const labels = parcels.map((label) => xmlValue(label, 'Output')).filter((label) => label !== '');
  const barcodes = [...new Set(parcels.flatMap(barcodeOf))];
  return { expeditionNumber, labels, barcodes, warnings: statuses.filter(isWarning) };
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

/** Printer code comes in base64; the content of a QR code is plain text. */
function codeOutput(type: string, label: string): CarrierOutput {
  if (type === 'QRCode') return { name: type, kind: 'text', text: label };
  const base64 = label.replaceAll(/\s+/g, '');
  const output = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64)
    ? labelOutput(type, Buffer.from(base64, 'base64'))
    : null;
  if (output === null) throw unreadable(title, `a label that is not ${type} in base64`);
  return output;
}
