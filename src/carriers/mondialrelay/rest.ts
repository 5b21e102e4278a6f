// Version 2 (REST): the conversation that makes a label, and what its answer says.
import type { LabelRequest } from '../../model/shipping.ts';
import { CarrierError, type CarrierLabel, type CarrierOutput, type FieldFault, type WireAnswer, type WireRequest } from '../carrier.ts';
import { accessError, afterCreation, quoted, senseless } from '../carrier-words.ts';
import { parseJson, textAt } from '../json.ts';
import { labelOutput } from '../label-outputs.ts';
import { outputOf } from '../label-rules.ts';
import { parseXml, xmlChild, xmlChildren, xmlDescendants, type XmlElement, XmlError, xmlValue } from '../xml.ts';
import type { RestAccount } from './account.ts';
import { restAnswer } from './codes.ts';
import { labelFileOrLink } from './label-file.ts';
import { restOutputs, shipmentDocument } from './rest-request.ts';

/** How people know the carrier. */
export const title = 'Mondial Relay';

/**
 * Makes a label. Its first request makes the parcel and is made once.
 * @throws CarrierError as the status codes say; where a parcel exists all the same, its number is in the sentence
 */
export function* createRestLabel(request: LabelRequest, account: RestAccount): Generator<WireRequest, CarrierLabel, WireAnswer> {
  const answer = yield {
    method: 'POST', url: account.url, repeat: 'never', body: shipmentDocument(request, account),
    // Without this Accept the answer is JSON of another shape.
    headers: { Accept: 'application/xml', 'Content-Type': 'text/xml' },
  };
  const { expeditionNumber, labels } = readShipment(answer);
  const { type } = outputOf(request, restOutputs);
  const outputs: CarrierOutput[] = [];
  try {
    if (labels.length === 0) throw senseless(title, 'no label');
    // One file may hold the labels of several parcels.
    for (const label of type === 'PdfUrl' ? new Set(labels) : labels) {
      outputs.push(type === 'PdfUrl' ? yield* labelFileOrLink(account.labelOrigin, label) : codeOutput(type, label));
    }
  } catch (error) {
    throw afterCreation(error, title, [expeditionNumber]);
  }
  return { expeditionNumber, outputs };
}

interface Status { readonly code: string; readonly level: string; readonly message: string }

/** The number of the shipment and what each label holds: a link, base64, or the content of a QR code. */
function readShipment(answer: WireAnswer): { readonly expeditionNumber: string; readonly labels: readonly string[] } {
  const root = documentOf(answer);
  const shipment = xmlChild(root, 'ShipmentsList', 'Shipment');
  const expeditionNumber = shipment?.attributes.get('ShipmentNumber')?.trim() ?? '';
  const statuses = xmlDescendants(root, 'Status').map(statusOf);
  // The sandbox has a status of success, which has no level; a warning is no failure either.
  const failing = statuses.filter(({ level }) => /^(?:critical )?error$/i.test(level));
  const known = /^\w{1,20}$/.test(expeditionNumber);
  if (failing.length > 0) throw afterCreation(refusalOf(failing), title, known ? [expeditionNumber] : []);
  if (!known) throw accessError(title, answer, { code: '', message: '' }) ?? withoutNumber(statuses);
  const labels = xmlChildren(xmlChild(shipment, 'LabelList'), 'Label').map((label) => xmlValue(label, 'Output'));
  return { expeditionNumber, labels: labels.filter((label) => label !== '') };
}

function documentOf(answer: WireAnswer): XmlElement {
  const other = (what: string): CarrierError => accessError(title, answer, { code: '', message: '' }) ?? new CarrierError('unavailable', `${title} answered with status ${answer.status} and ${what}.`);
  if (/^\s*[{[]/.test(answer.body.toString('latin1', 0, 100))) {
    const number = textAt(parseJson(answer.body), 'shipmentsListField', 0, 'shipmentNumberField');
    throw afterCreation(other('JSON instead of XML: something on the way changes the header Accept'), title, /^\w{1,20}$/.test(number) ? [number] : []);
  }
  try {
    const root = parseXml(answer.body);
    if (root.name !== 'ShipmentCreationResponse') throw other('another document than that of a shipment');
    return root;
  } catch (error) {
    throw error instanceof XmlError ? other('something that cannot be read as XML') : error;
  }
}

function statusOf({ attributes }: XmlElement): Status {
  const either = (name: string): string => (attributes.get(name) ?? attributes.get(name.toLowerCase()) ?? '').trim();
  return { code: either('Code'), level: either('Level'), message: either('Message') };
}

/** What the first failing status says; the fields of all of them. */
function refusalOf(failing: readonly Status[]): CarrierError {
  const [{ code, message } = { code: '', message: '' }] = failing;
  const { kind, detail } = restAnswer(code);
  const faults = failing.flatMap((status): readonly FieldFault[] => {
    const answer = restAnswer(status.code);
    return answer.fields.map((field) => ({ field, code: 'refused-by-carrier', detail: answer.detail }));
  });
  const first = faults.filter((fault, index) => faults.findIndex(({ field }) => field === fault.field) === index);
  return new CarrierError(kind, detail, { ...quoted({ code, message }), faults: first });
}

function withoutNumber(statuses: readonly Status[]): CarrierError {
  const [telling] = statuses.filter(({ code }) => code !== '0' && code !== '');
  return telling === undefined ? senseless(title, 'no shipment number') : refusalOf([telling]);
}

/** Code for a printer comes in base64; what a QR code holds is a text. */
function codeOutput(type: string, label: string): CarrierOutput {
  if (type === 'QRCode') return { name: type, kind: 'text', text: label };
  const base64 = label.replaceAll(/\s+/g, '');
  const output = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64) ? labelOutput(type, Buffer.from(base64, 'base64')) : null;
  if (output === null) throw senseless(title, `a label that is not ${type} in base64`);
  return output;
}
