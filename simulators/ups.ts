// A simulator for UPS: tokens, shipments in pictures or printer code, label recovery (also as PDF), tracking in every
// state.
import { type JsonValue, listAt, parseJson, textAt, valueAt } from '../src/carriers/json.ts';
import { type ShapeFault, shapeFaults } from './json-shape.ts';
import { sampleGif, samplePdf, samplePng, sampleZpl } from './sample-label.ts';
import { serveSimulator, type Simulator, type SimulatorAnswer, type SimulatorRequest } from './server.ts';
import { invoiceFault, invoiceForm } from './ups-invoices.ts';
import { rated, rateShape } from './ups-rates.ts';
import { shipmentShape, sideWithoutContact } from './ups-shapes.ts';
import { voidShipment } from './ups-voids.ts';

const account = { clientId: 'simulator', clientSecret: 'simulator-secret', accountNumber: 'A1B2C3' } as const;
const token = 'simulator-token-5e2d';

interface Parcel {
  readonly shipment: string;
  readonly numbers: readonly string[];
  readonly name: string;
  isVoid: boolean;
}

/** Numbers that tracking knows, with their status types in UPS's spelling. */
export const upsSamples: Readonly<Record<string, string>> = {
  '1ZA1B2C30300000011': 'M',
  '1ZA1B2C30300000020': 'P',
  '1ZA1B2C30300000039': 'I',
  '1ZA1B2C30300000048': 'O',
  '1ZA1B2C30300000057': 'D',
  '1ZA1B2C30300000066': 'X',
  '1ZA1B2C30300000075': 'RS',
  '1ZA1B2C30300000084': 'MV',
};

/**
 * Starts the simulator. Postcode 00000 of the recipient has no service (111210); recoveries fail while a shipment's
 * recipient is called NOPDF. Like the real one, it answers an unknown number with status 200 and a warning.
 */
export async function startUpsSimulator(port = 0): Promise<Simulator> {
  const known: Parcel[] = [];
  const server = await serveSimulator((request) => answer(request, known), port);
  return { settings: { ...account, baseUrl: server.url }, url: server.url, close: server.close };
}

function answer(request: SimulatorRequest, known: Parcel[]): SimulatorAnswer {
  if (request.path === '/security/v1/oauth/token') return tokenAnswer(request);
  if (request.headers.authorization !== `Bearer ${token}`)
    return failed(401, '250002', 'Invalid Authentication Information.');
  const number = /^\/api\/track\/v1\/details\/([^/]+)$/.exec(request.path)?.[1];
  if (request.method === 'GET' && number !== undefined) return tracked(request, number, known);
  const voided = /^\/api\/shipments\/v2409\/void\/cancel\/([^/]+)$/.exec(request.path)?.[1];
  if (request.method === 'DELETE' && voided !== undefined) return voidShipment(voided, known);
  if (request.method !== 'POST') return failed(404, '250100', 'Not Found');
  if (request.path === '/api/labels/v1/recovery') return recovered(parseJson(request.body), known);
  if (request.path === '/api/rating/v2409/Rate') return rate(parseJson(request.body));
  return request.path === '/api/shipments/v2409/ship'
    ? ship(parseJson(request.body), known)
    : failed(404, '250100', 'Not Found');
}

function failed(status: number, code: string, message: string): SimulatorAnswer {
  return { status, body: { response: { errors: [{ code, message }] } } };
}

function tokenAnswer({ method, headers, body }: SimulatorRequest): SimulatorAnswer {
  if (method !== 'POST' || new URLSearchParams(body.toString()).get('grant_type') !== 'client_credentials')
    return failed(400, '10400', 'Invalid/Missing Grant Type');
  if (headers.authorization !== `Basic ${btoa(`${account.clientId}:${account.clientSecret}`)}`)
    return failed(401, '10401', 'ClientId is Invalid');
  return {
    status: 200,
    body: {
      token_type: 'Bearer',
      issued_at: '1763730000000',
      client_id: account.clientId,
      access_token: token,
      expires_in: '14399',
      status: 'approved',
    },
  };
}

function ship(body: JsonValue | undefined, known: Parcel[]): SimulatorAnswer {
  const [fault] = shapeFaults(body, shipmentShape);
  if (body === undefined || fault !== undefined)
    return fault === undefined ? failed(400, '9100000', 'Invalid JSON request') : ofShape(fault);
  const shipment = valueAt(body, 'ShipmentRequest', 'Shipment');
  const [from, to] = [valueAt(shipment, 'Shipper'), valueAt(shipment, 'ShipTo')];
  const payer = textAt(listAt(shipment, 'PaymentInformation', 'ShipmentCharge')[0], 'BillShipper', 'AccountNumber');
  const refused = refusalOf(from, to, payer);
  if (refused !== null) return refused;
  const isAbroad = textAt(from, 'Address', 'CountryCode') !== textAt(to, 'Address', 'CountryCode');
  const nobody = isAbroad ? sideWithoutContact({ Shipper: from, ShipTo: to }) : undefined;
  if (nobody !== undefined) return failed(400, '120001', `Missing required field Shipment.${nobody}.AttentionName`);
  if (isAbroad && textAt(from, 'Phone', 'Number') === '')
    return failed(400, '120001', 'Missing required field Shipment.Shipper.Phone.Number');
  if (isAbroad && textAt(to, 'Phone', 'Number') === '')
    return failed(400, '120217', 'Missing or invalid ship to phone number');
  const invoice = invoiceFault(shipment);
  if (invoice !== null) return failed(400, '121100', invoice);
  const format = textAt(body, 'ShipmentRequest', 'LabelSpecification', 'LabelImageFormat', 'Code');
  const numbers = listAt(shipment, 'Package').map((_, index) =>
    numberOf(textAt(shipment, 'Service', 'Code'), (known.length + 1) * 1000 + index),
  );
  const parcel: Parcel = { shipment: numbers[0] ?? '', numbers, name: textAt(to, 'Name'), isVoid: false };
  known.push(parcel);
  return {
    status: 200,
    body: {
      ShipmentResponse: {
        Response: { ResponseStatus: { Code: '1', Description: 'Success' } },
        ShipmentResults: {
          ShipmentIdentificationNumber: parcel.shipment,
          ...invoiceForm(shipment),
          PackageResults: numbers.map((number) => ({
            TrackingNumber: number,
            ShippingLabel: {
              ImageFormat: { Code: format, Description: format },
              GraphicImage: labelOf(format, number, parcel.name).toString('base64'),
            },
          })),
        },
      },
    },
  };
}

/** Common reasons to refuse a shipment or its price. */
function refusalOf(from: JsonValue | undefined, to: JsonValue | undefined, payer: string): SimulatorAnswer | null {
  if (textAt(from, 'ShipperNumber') !== account.accountNumber || payer !== account.accountNumber)
    return failed(400, '120100', 'Missing or invalid shipper number');
  return textAt(to, 'Address', 'PostalCode') === '00000'
    ? failed(400, '111210', 'The requested service is unavailable between the selected locations.')
    : null;
}

/** The price of a shipment, if there is one. */
function rate(body: JsonValue | undefined): SimulatorAnswer {
  const [fault] = shapeFaults(body, rateShape);
  if (body === undefined || fault !== undefined)
    return fault === undefined ? failed(400, '9100000', 'Invalid JSON request') : ofShape(fault);
  const shipment = valueAt(body, 'RateRequest', 'Shipment');
  const payer = textAt(listAt(shipment, 'PaymentDetails', 'ShipmentCharge')[0], 'BillShipper', 'AccountNumber');
  return refusalOf(valueAt(shipment, 'Shipper'), valueAt(shipment, 'ShipTo'), payer) ?? rated(body);
}

function ofShape({ path, what }: ShapeFault): SimulatorAnswer {
  return failed(
    400,
    what === 'missing' ? '120001' : '9110022',
    `${what === 'missing' ? 'Missing' : 'Invalid'} required field ${path.replace('ShipmentRequest.', '')}`,
  );
}

function numberOf(service: string, count: number): string {
  return `1Z${account.accountNumber}${service}${String(count).padStart(8, '0')}`;
}

function labelOf(format: string, number: string, name: string): Buffer {
  const lines = ['Simulator for UPS', 'Not for shipping', number, name];
  if (format === 'PDF') return samplePdf(lines);
  if (format === 'PNG') return samplePng();
  return format === 'GIF' ? sampleGif() : sampleZpl(lines);
}

/** All labels are in the PDF of the first parcel; a single result comes without a list. */
function recovered(body: JsonValue | undefined, known: readonly Parcel[]): SimulatorAnswer {
  const request = valueAt(body, 'LabelRecoveryRequest');
  const number = textAt(request, 'TrackingNumber');
  const format = textAt(request, 'LabelSpecification', 'LabelImageFormat', 'Code');
  const parcel = known.find(({ numbers }) => numbers.includes(number));
  if (parcel === undefined) return failed(400, '300100', 'Label could not be found for the tracking number.');
  if (parcel.name === 'NOPDF') return failed(400, '300101', 'The label cannot be recovered.');
  const result = (one: string, image: boolean): JsonValue => ({
    TrackingNumber: one,
    ...(image
      ? {
          LabelImage: {
            LabelImageFormat: { Code: format },
            GraphicImage: labelOf(format, one, parcel.name).toString('base64'),
          },
        }
      : {}),
  });
  const results = parcel.numbers.map((one, index) => result(one, format !== 'PDF' || index === 0));
  return {
    status: 200,
    body: {
      LabelRecoveryResponse: {
        Response: { ResponseStatus: { Code: '1', Description: 'Success' } },
        ShipmentIdentificationNumber: parcel.shipment,
        LabelResults: results.length === 1 ? (results[0] ?? null) : results,
      },
    },
  };
}

function tracked({ headers }: SimulatorRequest, number: string, known: readonly Parcel[]): SimulatorAnswer {
  if (headers.transid === undefined || headers.transactionsrc === undefined)
    return failed(400, 'TW0002', 'Missing header transId or transactionSrc');
  const isMade = known.some(({ numbers }) => numbers.includes(number));
  const type = Object.hasOwn(upsSamples, number) ? (upsSamples[number] ?? '') : isMade ? 'M' : null;
  if (type === null)
    return {
      status: 200,
      body: {
        trackResponse: {
          shipment: [
            { inquiryNumber: number, warnings: [{ code: 'TW0001', message: 'Tracking Information Not Found' }] },
          ],
        },
      },
    };
  const activity = (code: string, description: string, date: string, time: string, city: string): JsonValue => ({
    date,
    time,
    // French winter time, as UPS writes it.
    gmtDate: date,
    gmtTime: `${String(Number(time.slice(0, 2)) - 1).padStart(2, '0')}:${time.slice(2, 4)}:${time.slice(4)}`,
    gmtOffset: '+01:00',
    location: { address: { city, countryCode: 'FR', country: 'FR' } },
    status: { type: code, code: 'XX', description, statusCode: '003' },
  });
  const announced = activity(
    'M',
    'Shipper created a label, UPS has not received the package yet.',
    '20261119',
    '093000',
    '',
  );
  const activities =
    type === 'M'
      ? [announced]
      : [
          activity(type, `Simulator: ${type}`, '20261120', '152457', 'Lyon'),
          activity('P', 'Pickup Scan', '20261119', '184614', 'Lille'),
          announced,
        ];
  return {
    status: 200,
    body: {
      trackResponse: {
        shipment: [
          {
            inquiryNumber: number,
            package: [
              {
                trackingNumber: number,
                currentStatus: { code: '003', description: `State ${type}`, type },
                activity: activities,
                packageCount: 1,
              },
            ],
          },
        ],
      },
    },
  };
}
