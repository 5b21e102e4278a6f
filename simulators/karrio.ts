// A simulator of a Karrio server with one connection, to Chronopost: shipments, their documents, stateless tracking.
import { type JsonObject, type JsonValue, listAt, parseJson, textAt, valueAt } from '../src/carriers/json.ts';
import { must, number, object, type ShapeFault, shapeFaults, text } from './json-shape.ts';
import { samplePdf, samplePng, sampleZpl } from './sample-label.ts';
import { serveSimulator, type Simulator, type SimulatorAnswer, type SimulatorRequest } from './server.ts';

const apiKey = 'key_7fd2b0a1c4e94f0e8a6d35b9c2f1e870';
const connection = { carrier_name: 'chronopost', carrier_id: 'chronopost' };
const services = ['chronopost_13', 'chronopost_10', 'chronopost_18', 'chronopost_relais'];

interface Parcel {
  readonly id: string;
  readonly number: string;
  readonly type: string;
  readonly name: string;
  record: JsonObject;
}

/**
 * Starts the simulator. The carrier behind it refuses postcode 00000 of the recipient, Karrio itself a service that the
 * connection does not have; the carrier behind it does not cancel a shipment for a recipient called TAKEN, Karrio
 * itself one that is cancelled already (409, its source has the wording); tracking knows the parcels made here and
 * those of `karrioSamples`.
 */
export async function startKarrioSimulator(port = 0): Promise<Simulator> {
  const known: Parcel[] = [];
  const server = await serveSimulator((request) => answer(request, known), port);
  return {
    settings: { baseUrl: server.url, apiKey, carrierName: 'chronopost', carrierId: 'chronopost' },
    url: server.url,
    close: server.close,
  };
}

/** Tracking numbers that the simulator knows, with their states in Karrio's spelling. */
export const karrioSamples: Readonly<Record<string, string>> = {
  XX000000001FR: 'in_transit',
  XX000000002FR: 'out_for_delivery',
  XX000000003FR: 'ready_for_pickup',
  XX000000004FR: 'delivered',
  XX000000005FR: 'delivery_failed',
  XX000000006FR: 'return_to_sender',
  XX000000007FR: 'on_hold',
};

function answer(request: SimulatorRequest, known: Parcel[]): SimulatorAnswer {
  if (request.headers.authorization !== `Token ${apiKey}`)
    return failed(401, 'authentication_failed', 'Invalid token.');
  const document = /^\/v1\/shipments\/([^/]+)\/documents\/label$/.exec(request.path);
  if (request.method === 'POST' && document !== null) return documentOf(known.find(({ id }) => id === document[1]));
  const cancelled = /^\/v1\/shipments\/([^/]+)\/cancel$/.exec(request.path);
  if (request.method === 'POST' && cancelled !== null) return cancel(known.find(({ id }) => id === cancelled[1]));
  if (request.method === 'POST' && request.path === '/v1/proxy/tracking')
    return tracked(parseJson(request.body), known);
  if (request.path !== '/v1/shipments') return failed(404, 'not_found', 'Not found.');
  if (request.method === 'POST') return create(parseJson(request.body), known);
  const part = (request.query.get('tracking_number') ?? '').toLowerCase();
  const results = known.filter(({ number }) => number.toLowerCase().includes(part)).map(({ record }) => record);
  return { status: 200, body: { count: results.length, next: null, previous: null, results } };
}

function failed(status: number, code: string, message: string, details?: JsonValue): SimulatorAnswer {
  return { status, body: { errors: [{ code, message, ...(details === undefined ? {} : { details }) }] } };
}

/** Source: Karrio's published description of the interface (`AddressData`), and requests of its server's own tests. */
const address = must(
  object({
    person_name: text(100),
    company_name: text(100),
    street_number: text(100),
    address_line1: text(100),
    address_line2: text(100),
    city: text(50),
    postal_code: text(20),
    state_code: text(50),
    country_code: must(text(2, { pattern: /^[A-Z]{2}$/ })),
    phone_number: text(50),
    email: text(undefined, { pattern: /@/ }),
    residential: { kind: 'boolean' },
  }),
);

/**
 * Source: Karrio's own description of `CustomsData` and `CommodityData` in the documentation of its generated client
 * for Python (pages Customs and Commodity), with the choices of its list of units, and the serializers of its server:
 * 35 characters for a customs code, whole numbers of pieces and at least one commodity.
 */
const customsShape = object({
  commodities: must({
    kind: 'list',
    of: object({
      description: text(250),
      quantity: must(number({ least: 1, decimals: 0 })),
      sku: text(35),
      hs_code: text(35),
      value_amount: number(),
      value_currency: text(3, { pattern: /^[A-Z]{3}$/ }),
      weight: must(number({ least: 0 })),
      weight_unit: must(text(undefined, { choices: ['KG', 'LB', 'OZ', 'G'] })),
      origin_country: text(2, { pattern: /^[A-Z]{2}$/ }),
    }),
  }),
  duty: object({
    paid_by: text(undefined, { choices: ['sender', 'recipient', 'third_party'] }),
    currency: text(3),
    declared_value: number(),
  }),
  content_type: text(undefined, {
    choices: ['documents', 'gift', 'sample', 'merchandise', 'return_merchandise', 'other'],
  }),
  content_description: text(250),
  incoterm: text(undefined, {
    choices: ['CFR', 'CIF', 'CIP', 'CPT', 'DAP', 'DAF', 'DDP', 'DDU', 'DEQ', 'DES', 'EXW', 'FAS', 'FCA', 'FOB'],
  }),
  invoice: text(50),
  invoice_date: text(undefined, { pattern: /^\d{4}-\d\d-\d\d$/ }),
  commercial_invoice: { kind: 'boolean' },
  options: object({ eori_number: text(), vat_registration_number: text(), ioss: text() }),
});

const shape = object({
  service: must(text()),
  carrier_ids: { kind: 'list', of: text() },
  shipper: address,
  recipient: address,
  parcels: must({
    kind: 'list',
    of: object({
      weight: must({ kind: 'number' }),
      weight_unit: must(text(undefined, { choices: ['KG', 'LB', 'OZ', 'G'] })),
      package_preset: text(),
      content: text(100),
    }),
  }),
  payment: object({
    paid_by: text(undefined, { choices: ['sender', 'recipient', 'third_party'] }),
    currency: text(3, { pattern: /^[A-Z]{3}$/ }),
  }),
  customs: customsShape,
  options: object({
    cash_on_delivery: number(),
    insurance: number(),
    currency: text(3, { pattern: /^[A-Z]{3}$/ }),
    recipient_instructions: text(),
    hold_at_location: text(),
  }),
  label_type: text(undefined, { choices: ['PDF', 'ZPL', 'PNG'] }),
  reference: text(100),
  order_id: text(50),
});

function create(body: JsonValue | undefined, known: Parcel[]): SimulatorAnswer {
  const faults = shapeFaults(body, must(shape));
  if (body === undefined || faults.length > 0)
    return failed(400, 'validation_error', 'Invalid input.', detailsOf(faults));
  const ids = listAt(body, 'carrier_ids');
  if (ids.length > 0 && !ids.includes(connection.carrier_id))
    return failed(404, 'not_found', 'No active carrier connection found to process the request');
  if (!services.includes(textAt(body, 'service')))
    return failed(400, 'service_unavailable', 'The service you selected is not available for this shipment.');
  if (valueAt(body, 'customs') !== undefined && listAt(body, 'customs', 'commodities').length === 0)
    return failed(400, 'validation_error', 'Invalid input.', {
      customs: { commodities: ['This list may not be empty.'] },
    });
  if (textAt(body, 'recipient', 'postal_code') === '00000')
    return {
      status: 424,
      body: { messages: [{ code: '15', message: 'le code postal du destinataire est incorrect', ...connection }] },
    };
  const parcel = shipment(body, known.length + 1);
  known.push(parcel);
  // The parcel is made, and only its answer is lost.
  if (textAt(body, 'recipient', 'postal_code') === '99999')
    return {
      status: 424,
      body: {
        messages: [{ code: 'SHIPPING_SDK_INTERNAL_ERROR', message: 'The read operation timed out', ...connection }],
      },
    };
  return { status: 201, body: parcel.record };
}

/** A wrong value is reported at its place. */
function detailsOf(faults: readonly ShapeFault[]): JsonValue {
  const details: Record<string, JsonValue> = {};
  for (const { path, what } of faults) {
    const [outer = '', inner] = path.replace(/\[\d+\]/, '').split('.');
    const said = [what === 'missing' ? 'This field is required.' : 'Not a valid value.'];
    const there = details[outer];
    details[outer] =
      inner === undefined
        ? said
        : { ...(typeof there === 'object' && there !== null && !Array.isArray(there) ? there : {}), [inner]: said };
  }
  return details;
}

function shipment(body: JsonValue, count: number): Parcel {
  const id = `shp_${String(count).padStart(32, '0')}`;
  const number = `XY${String(100_000_000 + count)}FR`;
  const type = textAt(body, 'label_type') || 'PDF';
  const url = `/v1/shipments/${id}/label.${type.toLowerCase()}`;
  const record: JsonObject = {
    id,
    object_type: 'shipment',
    status: 'created',
    ...connection,
    tracking_number: number,
    shipment_identifier: number,
    tracking_url: `http://127.0.0.1/tracking/${number}`,
    service: textAt(body, 'service'),
    reference: valueAt(body, 'reference') ?? null,
    label_type: type,
    label_url: url,
    // Only the document request returns the bytes.
    shipping_documents: [{ category: 'label', format: type, url, base64: null }],
    created_at: new Date(Date.UTC(2026, 0, 1) + count * 1000).toISOString(),
    messages: [],
    test_mode: true,
    meta: {
      tracking_numbers: listAt(body, 'parcels').map((_, index) => (index === 0 ? number : `${number}-${index + 1}`)),
    },
  };
  return { id, number, type, name: textAt(body, 'recipient', 'person_name'), record };
}

function documentOf(parcel: Parcel | undefined): SimulatorAnswer {
  if (parcel === undefined) return failed(404, 'not_found', 'No Shipment matches the given query.');
  const lines = ['Simulator for Karrio', 'Not for shipping', parcel.number, parcel.name];
  const bytes = parcel.type === 'PDF' ? samplePdf(lines) : parcel.type === 'ZPL' ? sampleZpl(lines) : samplePng();
  return {
    status: 200,
    body: { category: 'label', format: parcel.type, print_format: null, url: null, base64: bytes.toString('base64') },
  };
}

function cancel(parcel: Parcel | undefined): SimulatorAnswer {
  if (parcel === undefined) return failed(404, 'not_found', 'No Shipment matches the given query.');
  const { status } = parcel.record;
  if (status === 'cancelled')
    return failed(409, 'state_error', "The shipment is 'cancelled' and can not be cancelled anymore...");
  if (parcel.name === 'TAKEN')
    return {
      status: 424,
      body: { messages: [{ code: '2', message: 'le colis a été pris en charge', ...connection }] },
    };
  parcel.record = { ...parcel.record, status: 'cancelled' };
  return { status: 200, body: parcel.record };
}

function tracked(body: JsonValue | undefined, known: readonly Parcel[]): SimulatorAnswer {
  if (textAt(body, 'carrier_name') !== connection.carrier_name)
    return failed(404, 'not_found', 'No active carrier connection found to process the request');
  const number = textAt(body, 'tracking_number');
  const state = Object.hasOwn(karrioSamples, number)
    ? (karrioSamples[number] ?? '')
    : known.some((parcel) => parcel.number === number)
      ? 'pending'
      : null;
  if (state === null)
    return { status: 404, body: { messages: [{ code: '1', message: 'Skybill number not found', ...connection }] } };
  const events =
    state === 'pending'
      ? [{ date: '2026-11-20', description: 'Awaiting update from carrier...', code: 'UNKNOWN', time: '08:00 AM' }]
      : [
          { date: '2026-11-20', description: `Simulator: ${state}`, code: 'X', time: '16:25 PM', location: 'LYON' },
          {
            date: '2026-11-19',
            description: "Colis remis par l'expéditeur",
            code: 'DC',
            time: '09:38 AM',
            location: 'PARIS',
          },
        ];
  return {
    status: 200,
    body: {
      messages: [],
      tracking: {
        ...connection,
        tracking_number: number,
        status: state,
        delivered: state === 'delivered',
        test_mode: true,
        events,
      },
    },
  };
}
