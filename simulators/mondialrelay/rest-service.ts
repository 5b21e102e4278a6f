// Version 2 as the simulator speaks it: XML that echoes the password, JSON unless the client asks for XML, a sandbox
// whose success looks like an error.
import { textBlock } from '../../src/model/text-block.ts';
import { samplePdf, sampleZpl } from '../sample-label.ts';
import type { SimulatorAnswer, SimulatorRequest } from '../server.ts';
import { xmlChild, xmlChildren, type XmlElement, xmlValue } from '../../src/carriers/xml/element.ts';
import { parseXml } from '../../src/carriers/xml/read.ts';
import { xml, type XmlPart, xmlText } from '../../src/carriers/xml/write.ts';
import { parcelBarcode } from './parcel-barcode.ts';
import { type Parcels, type SimulatedParcel, simulatorAccount } from './parcels.ts';
import { type CheckedStatus, misplaced, shipmentStatuses } from './rest-checks.ts';

/** Output types of version 2, and the formats of each. */
const formats: Readonly<Record<string, readonly string[]>> = {
  PdfUrl: ['10x15', 'A4', 'A5'],
  ZplCode: ['Generic_ZPL_10x15_200dpi'],
  IplCode: ['Generic_IPL_10x15_204dpi'],
  QRCode: [],
};

interface Place {
  readonly origin: string;
  readonly isSandbox: boolean;
  readonly parcels: Parcels;
}

/** One shipment of a request, created or refused. */
interface Outcome {
  readonly parcel: SimulatedParcel | null;
  readonly statuses: readonly CheckedStatus[];
  readonly labels: readonly string[];
}

/** Answers POST /api/shipment. */
export function restService(request: SimulatorRequest, place: Place): SimulatorAnswer {
  const root = documentOf(request.body);
  const refused = requestStatuses(root);
  const shipments = xmlChildren(xmlChild(root, 'ShipmentsList'), 'Shipment');
  const outcomes =
    refused.some(isFailure) || root === null ? [] : shipments.map((shipment) => outcomeOf(root, shipment, place));
  if (!(request.headers.accept ?? '').includes('xml'))
    return {
      status: 200,
      headers: { 'Content-Type': 'application/json; charset=utf-8' },
      body: backingFields(outcomes, refused),
    };
  return {
    status: 200,
    headers: { 'Content-Type': 'application/xml; charset=utf-8' },
    body: xmlText(responsePart(root, outcomes, refused, place)),
  };
}

/** The PDF behind a link of version 2. */
export function labelPdf({ query }: SimulatorRequest, parcels: Parcels): SimulatorAnswer {
  const parcel = parcels.find(query.get('expedition') ?? '');
  if (parcel === null || query.get('crc') !== parcel.check || parcel.sent.OrderNo === 'NOPDF')
    return { status: 404, headers: { 'Content-Type': 'text/html' }, body: '<html><body>Not found</body></html>' };
  return {
    status: 200,
    headers: { 'Content-Type': 'application/pdf' },
    body: samplePdf(['SIMULATOR, NOT A LABEL', parcel.number, query.get('format') ?? '', parcel.sent.Recipient ?? '']),
  };
}

function documentOf(bytes: Buffer): XmlElement | null {
  try {
    return parseXml(bytes);
  } catch {
    return null;
  }
}

function isFailure({ level }: CheckedStatus): boolean {
  return level !== 'Warning';
}

/** Checks account and output options before any shipment. */
function requestStatuses(root: XmlElement | null): readonly CheckedStatus[] {
  const stop = (code: string, message: string, level: CheckedStatus['level'] = 'Error'): readonly CheckedStatus[] => [
    { code, level, message },
  ];
  if (root === null || root.name !== 'ShipmentCreationRequest' || root.namespace !== 'http://www.example.org/Request')
    return stop('10061', 'Not Well-formed XML request.');
  const wrong = misplaced(root);
  if (wrong !== null) return stop('99998', `XML Parse error: the element ${wrong} is not expected.`);
  const of = (name: string): string => xmlValue(root, 'Context', name);
  // As the carrier's message, this one quotes the password: passing it on discloses it.
  if (of('Login') !== simulatorAccount.login || of('Password') !== simulatorAccount.password)
    return stop('10001', `Invalid user and/or password (${of('Login')}, ${of('Password')}).`, 'Critical Error');
  if (of('CustomerId') !== simulatorAccount.customerId) return stop('10005', 'Unknown customer Id.', 'Critical Error');
  if (!/^[a-z]{2}-[A-Z]{2}$/.test(of('Culture'))) return stop('10006', 'Unknown culture.', 'Critical Error');
  if (of('VersionAPI') !== '1.0') return stop('10007', 'Unknown VersionAPI.', 'Critical Error');
  const type = xmlValue(root, 'OutputOptions', 'OutputType');
  const format = xmlValue(root, 'OutputOptions', 'OutputFormat');
  if (type === '') return stop('10009', 'No output type defined in the output options.');
  const known = Object.hasOwn(formats, type) ? formats[type] : undefined;
  if (known === undefined) return stop('10010', 'Invalid output type defined in the output options.');
  if (xmlChild(root, 'ShipmentsList', 'Shipment') === null)
    return stop('10011', 'No shipment entity defined in the request.');
  return known.includes(format) || (known.length === 0 && format === '')
    ? []
    : stop('10008', 'Unknown outputFormat. Statement ignored.', 'Warning');
}

function outcomeOf(root: XmlElement, shipment: XmlElement, { origin, isSandbox, parcels }: Place): Outcome {
  const statuses = shipmentStatuses(shipment);
  if (statuses.some(isFailure)) return { parcel: null, statuses, labels: [] };
  const sent = {
    OrderNo: xmlValue(shipment, 'OrderNo'),
    Recipient: isSandbox ? 'SANDBOX MODE' : xmlValue(shipment, 'Recipient', 'Address', 'AddressAdd1'),
    Mode: xmlChild(shipment, 'DeliveryMode')?.attributes.get('Mode') ?? '',
  };
  const parcel = parcels.make('2', sent);
  const { customerId } = simulatorAccount;
  const format = xmlValue(root, 'OutputOptions', 'OutputFormat');
  const link =
    `${origin}//${customerId}/etiquette/GetStickersExpeditionsAnonyme2?ens=${customerId}&expedition=${parcel.number}&` +
    `lg=${xmlValue(root, 'Context', 'Culture')}&format=${format}&crc=${parcel.check}`;
  const count = Number(xmlValue(shipment, 'ParcelCount'));
  const codes: Readonly<Record<string, (part: number) => string>> = {
    PdfUrl: () => link,
    ZplCode: (part) => sampleZpl(['SIMULATOR, NOT A LABEL', parcel.number, `${part}/${count}`]).toString('base64'),
    IplCode: (part) => Buffer.from(`<STX>SIMULATOR ${parcel.number} ${part}/${count}<ETX>`).toString('base64'),
    QRCode: (part) => `SIMULATOR:${parcel.number}:${part}`,
  };
  const labels = Array.from(
    { length: count },
    (_, index) => codes[xmlValue(root, 'OutputOptions', 'OutputType')]?.(index + 1) ?? '',
  );
  return { parcel, statuses, labels };
}

/** Statuses of a refused shipment are inside it and in lower case, as in some answers; all others are at the root. */
function responsePart(
  root: XmlElement | null,
  outcomes: readonly Outcome[],
  refused: readonly CheckedStatus[],
  { isSandbox }: Place,
): XmlPart {
  const hasMade = outcomes.some(({ parcel }) => parcel !== null);
  const warnings = [
    ...refused,
    ...outcomes.filter(({ parcel }) => parcel !== null).flatMap(({ statuses }) => statuses),
  ];
  const sandbox =
    isSandbox && hasMade
      ? [
          xml('Status', '', {
            Code: '0',
            Message: textBlock`
              API Mondial Relay Sandbox, aucune donnée n'a été enregistrée, le résultat ne peut être utilisé sur un flux
              de production.
            `,
          }),
        ]
      : [];
  const status = ({ code, level, message }: CheckedStatus): XmlPart =>
    xml('Status', '', { Code: code, Level: level, Message: message });
  const echoed =
    root !== null && hasMade ? [copyOf(xmlChild(root, 'Context')), copyOf(xmlChild(root, 'OutputOptions'))] : [];
  return xml(
    'ShipmentCreationResponse',
    [
      ...echoed,
      ...(outcomes.length === 0
        ? []
        : [
            xml(
              'ShipmentsList',
              outcomes.map((outcome) => shipmentPart(outcome, isSandbox)),
            ),
          ]),
      xml('StatusList', [...warnings.map(status), ...sandbox]),
    ],
    {
      'xmlns:xsd': 'http://www.w3.org/2001/XMLSchema',
      'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
      xmlns: 'http://www.example.org/Response',
    },
  );
}

function shipmentPart({ parcel, statuses, labels }: Outcome, isSandbox: boolean): XmlPart {
  if (parcel === null)
    return xml('Shipment', [
      xml(
        'StatusList',
        statuses.map(({ code, level, message }) => xml('Status', '', { code, level, message })),
      ),
    ]);
  const shown = isSandbox ? 'SANDBOX MODE' : parcel.number;
  const values = {
    'MR.Expedition.NumeroExpedition': shown,
    'MR.PlanTri.Mode': parcel.sent.Mode ?? '',
    ...(isSandbox ? { ModeSandbox: 'True' } : {}),
  };
  const raw = (index: number): XmlPart => {
    const code = isSandbox ? shown : parcelBarcode(parcel.number, index + 1, labels.length);
    return xml('RawContent', [
      ...Object.entries(values).map(([key, value]) => xml('LabelValues', '', { Key: key, Value: value })),
      xml('Barcodes', [xml('Barcode', '', { CarrierCode: 'MR', DisplayedValue: code, Type: 'Code128', Value: code })]),
    ]);
  };
  return xml(
    'Shipment',
    [
      xml(
        'LabelList',
        labels.map((label, index) => xml('Label', [raw(index), xml('Output', label)])),
      ),
    ],
    { ShipmentNumber: parcel.number },
  );
}

function copyOf(element: XmlElement | null): XmlPart {
  return xml(
    element?.name ?? '',
    (element?.children ?? []).map(({ name, text }) => xml(name, text)),
  );
}

/** How .NET writes the same objects if the client does not ask for XML. */
function backingFields(outcomes: readonly Outcome[], refused: readonly CheckedStatus[]): string {
  const statusOf = ({ code, level, message }: CheckedStatus) => ({
    codeField: code,
    levelField: level,
    messageField: message,
  });
  return JSON.stringify({
    shipmentsListField: outcomes.map(({ parcel, labels }) => ({
      shipmentNumberField: parcel?.number ?? null,
      labelListField: { labelField: { outputField: labels[0] ?? null } },
    })),
    statusListField: [...refused, ...outcomes.flatMap(({ statuses }) => statuses)].map(statusOf),
  });
}
