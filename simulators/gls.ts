// A simulator for GLS: tokens, ShipIT with its errors in headers, and Track and Trace with a parcel in every state.
import { textBlock } from '../src/model/text-block.ts';
import { type JsonValue, listAt, parseJson, textAt, valueAt } from '../src/carriers/json.ts';
import { endDay, type GlsParcel, shippingDay } from './gls-end-of-day.ts';
import { consignmentPath, declare } from './gls-consignments.ts';
import { shape, validationShape } from './gls-shapes.ts';
import { type Shape, shapeFaults } from './json-shape.ts';
import { samplePdf, samplePng, sampleZpl } from './sample-label.ts';
import { failed, ofShape, shopsNear, validated } from './gls-answers.ts';
import { serveSimulator, type Simulator, type SimulatorAnswer, type SimulatorRequest } from './server.ts';

const account = { clientId: 'simulator', clientSecret: 'simulator-secret', contactId: '276a45e7ZY' } as const;
const token = 'simulator-token-8c1f';

/** A contact ID whose contract allows senders other than its own. */
export const glsSenderContact = '276a45e7ZS';

/** Numbers that tracking knows, with their states in GLS's spelling. */
export const glsSamples: Readonly<Record<string, string>> = {
  604831862010: 'PREADVICE',
  604831862020: 'INTRANSIT',
  604831862030: 'INDELIVERY',
  604831862040: 'DELIVEREDPS',
  604831862050: 'DELIVERED',
  604831862060: 'NOTDELIVERED',
  604831862070: 'CANCELED',
  604831862080: 'FINAL',
};

/**
 * Starts the simulator. It refuses postcode 00000 of the recipient as a wrong value, and EXPRESS to countries other
 * than Germany as a service; a parcel for a recipient called TAKEN was scanned and cannot be cancelled. The answers to
 * cancelling are from the description of ShipIT (CancelParcelResponse) and from programs that read it: CANCELLED,
 * CANCELLATION_PENDING, SCANNED or ERROR.
 */
export async function startGlsSimulator(port = 0): Promise<Simulator> {
  const known: GlsParcel[] = [];
  const server = await serveSimulator((request) => answer(request, known), port);
  return { settings: { ...account, baseUrl: server.url }, url: server.url, close: server.close };
}

function answer(request: SimulatorRequest, known: GlsParcel[]): SimulatorAnswer {
  if (request.path === '/oauth2/v2/token') return tokenAnswer(request);
  if (request.headers.authorization !== `Bearer ${token}`)
    return {
      status: 401,
      body: { fault: { faultstring: 'Invalid access token', detail: { errorcode: 'oauth.v2.InvalidAccessToken' } } },
    };
  const number = /^\/track-and-trace-v1\/tracking\/simple\/trackids\/([^/]+)$/.exec(request.path)?.[1];
  if (request.method === 'GET' && number !== undefined)
    return { status: 200, body: { parcels: [tracked(number, known)] } };
  const cancelled = /^\/shipit-farm\/v1\/backend\/rs\/shipments\/cancel\/([^/]+)$/.exec(request.path)?.[1];
  if (request.method === 'POST' && cancelled !== undefined) return cancel(cancelled, known);
  if (request.method === 'POST' && request.path === '/shipit-farm/v1/backend/rs/shipments/endofday')
    return endDay(request.query.get('date'), known);
  if (request.method === 'POST' && request.path === consignmentPath) return declare(request, known);
  if (request.method !== 'POST' || !posts.includes(request.path)) return { status: 404, body: '' };
  if (request.headers['content-type'] !== 'application/glsVersion1+json') return { status: 415, body: '' };
  const body = parseJson(request.body);
  if (request.path.endsWith('/parcelshop/address')) return shopsNear(body);
  return request.path.endsWith('/validate') ? validated(refusalOf(body, validationShape)) : create(body, known);
}

const posts = ['shipments', 'shipments/validate', 'parcelshop/address'].map(
  (path) => `/shipit-farm/v1/backend/rs/${path}`,
);

function tokenAnswer({ method, headers, body }: SimulatorRequest): SimulatorAnswer {
  const isKnown = headers.authorization === `Basic ${btoa(`${account.clientId}:${account.clientSecret}`)}`;
  if (method !== 'POST' || new URLSearchParams(body.toString()).get('grant_type') !== 'client_credentials')
    return { status: 400, body: { errors: [{ message: 'Unsupported grant type', type: 'invalid_request' }] } };
  if (!isKnown)
    return { status: 401, body: { errors: [{ message: 'Invalid client credentials', type: 'invalid_client' }] } };
  return { status: 200, body: { token_type: 'Bearer', access_token: token, expires_in: 3600 } };
}

/** Countries of the European Union, and Monaco: the zone of the simulator's contract. */
const union: readonly string[] =
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MC MT NL PL PT RO SE SI SK'.split(' ');

/** What is wrong with a shipment; null if it is created. */
function refusalOf(body: JsonValue | undefined, wanted: Shape): SimulatorAnswer | null {
  const [fault] = shapeFaults(body, wanted);
  if (body === undefined || fault !== undefined)
    return fault === undefined ? { status: 400, body: 'Unexpected end-of-input' } : ofShape(fault);
  const shipment = valueAt(body, 'Shipment');
  if (![account.contactId, glsSenderContact].includes(textAt(shipment, 'Shipper', 'ContactID')))
    return failed(
      'INVALID_FIELD_VALUE',
      'Shipment.Shipper.ContactID',
      textBlock`
        Invalid field Shipment.Shipper.ContactID. Value ${textAt(shipment, 'Shipper', 'ContactID')} is not a valid
        value.
      `,
    );
  const units = listAt(shipment, 'ShipmentUnit');
  if (units.length < 1 || units.length > 150 || units.some((unit) => !isWeight(textAt(unit, 'Weight'))))
    return failed(
      'INVALID_FIELD_VALUE',
      'Shipment.ShipmentUnit.Weight',
      'Invalid field Shipment.ShipmentUnit.Weight. The weight must be above 0.10 and have two decimals at most.',
    );
  // A sender other than that of the contact ID is accepted only if GLS has allowed it for the contract.
  if (
    valueAt(shipment, 'Shipper', 'AlternativeShipperAddress') !== undefined &&
    textAt(shipment, 'Shipper', 'ContactID') !== glsSenderContact
  )
    return failed(
      'INVALID_FIELD_VALUE',
      'Shipment.Shipper.AlternativeShipperAddress',
      'The contract does not allow an alternative shipper address.',
    );
  // "If you ship between different commercial zones, you have to specify the inco term for this shipment."
  const to = textAt(shipment, 'Consignee', 'Address', 'CountryCode');
  if (!union.includes(to) && textAt(shipment, 'IncotermCode') === '')
    return failed(
      'MANDATORY_PARAMETER_NOT_SET',
      'Shipment.IncotermCode',
      'The mandatory parameter Shipment.IncotermCode is not set.',
    );
  if (textAt(shipment, 'Consignee', 'Address', 'ZIPCode') === '00000')
    return failed(
      'INVALID_FIELD_VALUE',
      'Shipment.Consignee.Address.ZIPCode',
      'Invalid field Shipment.Consignee.Address.ZIPCode. Value 00000 is not a valid value.',
    );
  if (textAt(shipment, 'Product') === 'EXPRESS' && textAt(shipment, 'Consignee', 'Address', 'CountryCode') !== 'DE')
    return failed(
      'INVALID_SERVICE_SELECTION',
      'Shipment.Product',
      'The product EXPRESS is not available for this relation.',
    );
  return null;
}

function create(body: JsonValue | undefined, known: GlsParcel[]): SimulatorAnswer {
  const refusal = refusalOf(body, shape);
  if (refusal !== null) return refusal;
  const shipment = valueAt(body, 'Shipment');
  const parcels = listAt(shipment, 'ShipmentUnit').map((_, index) => ({
    number: String(202_800_020_000 + (known.length + index + 1) * 11),
    trackId: `STND${String(known.length + index + 1).padStart(4, '0')}`,
    name: textAt(shipment, 'Consignee', 'Address', 'Name1'),
    shippingDate: shippingDay(textAt(shipment, 'ShippingDate'), Date.now()),
    isCancelled: false,
    isClosed: false,
  }));
  known.push(...parcels);
  return created(shipment, textAt(body, 'PrintingOptions', 'ReturnLabels', 'LabelFormat'), parcels);
}

/** By the TrackID alone: the number of the parcel is not accepted. */
function cancel(trackId: string, known: readonly GlsParcel[]): SimulatorAnswer {
  const parcel = known.find((each) => each.trackId === trackId);
  if (parcel === undefined) return failed('PARCEL_NOT_FOUND', trackId, 'The parcel could not be found.');
  const result = parcel.name === 'TAKEN' ? 'SCANNED' : parcel.isCancelled ? 'CANCELLED' : 'CANCELLATION_PENDING';
  parcel.isCancelled ||= result === 'CANCELLATION_PENDING';
  return {
    status: 200,
    headers: { 'Content-Type': 'application/glsVersion1+json' },
    body: { TrackID: trackId, Result: result },
  };
}

function isWeight(given: string): boolean {
  return Number(given) > 0.1 && /^\d+(\.\d{1,2})?$/.test(given);
}

function created(shipment: JsonValue | undefined, format: string, parcels: readonly GlsParcel[]): SimulatorAnswer {
  const name = textAt(shipment, 'Consignee', 'Address', 'Name1');
  const labels = parcels.map(({ number }) => {
    const lines = ['Simulator for GLS', 'Not for shipping', number, name];
    return format === 'PDF' ? samplePdf(lines) : format === 'PNG' ? samplePng() : sampleZpl(lines);
  });
  return {
    status: 201,
    headers: { 'Content-Type': 'application/glsVersion1+json' },
    body: {
      CreatedShipment: {
        ShipmentReference: listAt(shipment, 'ShipmentReference'),
        ParcelData: parcels.map(({ number, trackId }) => ({
          TrackID: trackId,
          ParcelNumber: number,
          Barcodes: { Primary1D: number },
        })),
        PrintData: labels.map((label) => ({ Data: label.toString('base64'), LabelFormat: format })),
        CustomerID: account.contactId,
        PickupLocation: 'DE 777',
        GDPR: [],
      },
    },
  };
}

function tracked(number: string, known: readonly GlsParcel[]): JsonValue {
  const isMade = known.some((parcel) => parcel.number === number || parcel.trackId === number);
  const state = Object.hasOwn(glsSamples, number) ? (glsSamples[number] ?? '') : isMade ? 'PREADVICE' : null;
  if (state === null) return { requested: number, errorCode: 'E_404_01', errorMessage: 'Resource Not Found' };
  const event = (
    code: string,
    description: string,
    eventDateTime: string,
    city = 'Neuenstein',
    postalCode = '36286',
  ) => ({ code, city, postalCode, country: 'DE', description, eventDateTime });
  const announced = event(
    'INTIAL.PREADVICE',
    'The parcel data was entered into the GLS IT system; the parcel was not yet handed over to GLS.',
    '2026-11-19T09:30:00+0100',
    '',
    '',
  );
  const events =
    state === 'PREADVICE'
      ? [announced]
      : [
          event(`STAND.${state}`, `Simulator: ${state}`, '2026-11-20T15:24:57+0100'),
          event('INTIAL.NORMAL', 'The parcel was handed over to GLS.', '2026-11-19T18:46:14+0100'),
          announced,
        ];
  // The number without its check digit.
  return {
    requested: number,
    unitno: number.slice(0, 11),
    status: state,
    statusDateTime: events[0]?.eventDateTime ?? null,
    events,
  };
}
