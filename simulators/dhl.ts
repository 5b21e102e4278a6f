// A simulator for DHL: tokens, orders of DHL Paket with a status for each shipment, unified tracking in every state.
import { type JsonObject, type JsonValue, listAt, parseJson, textAt, valueAt } from '../src/carriers/json.ts';
import { contact, locker, place, retail } from './dhl-addresses.ts';
import { must, object, type ShapeFault, shapeFaults, text } from './json-shape.ts';
import { samplePdf, sampleZpl } from './sample-label.ts';
import { serveSimulator, type Simulator, type SimulatorAnswer, type SimulatorRequest } from './server.ts';

const account = {
  clientId: 'simulator',
  clientSecret: 'simulator-secret',
  username: 'simulator-user',
  password: 'simulator-password',
} as const;
const billingNumbers = ['33333333330102', '33333333335301', '33333333335401', '33333333336201', '33333333336601'];
const trackingKey = 'simulator-tracking-key';
const token = 'simulator-token-77b0';

interface Parcel {
  readonly number: string;
  readonly name: string;
  isDeleted: boolean;
}

/** Numbers that tracking knows, and the codes of their status as DHL spells them. */
export const dhlSamples: Readonly<Record<string, string>> = {
  '340434310428091011': 'pre-transit',
  '340434310428091022': 'transit',
  '340434310428091033': 'delivered',
  '340434310428091044': 'failure',
  '340434310428091055': 'unknown',
};

/**
 * Starts the simulator. Postcode 00000 of the recipient is refused; a recipient called HALF gets the first parcel of
 * several only; shipments for one called TAKEN have been manifested and cannot be cancelled. As the description of the
 * interface has it, at most 30 shipments are cancelled at once, each with a status of its own: 400 where it does not
 * exist or was deleted already. Numbers of shipments come without quotes, as they were seen.
 */
export async function startDhlSimulator(port = 0): Promise<Simulator> {
  const known: Parcel[] = [];
  const server = await serveSimulator((request) => answer(request, known), port);
  return {
    settings: {
      ...account,
      billingNumbers: billingNumbers.join(','),
      cashAccount: 'MAIN',
      trackingKey,
      baseUrl: server.url,
      trackingUrl: server.url,
    },
    url: server.url,
    close: server.close,
  };
}

function answer(request: SimulatorRequest, known: Parcel[]): SimulatorAnswer {
  const { method, path, headers, query } = request;
  if (path === '/track/shipments')
    return headers['dhl-api-key'] === trackingKey
      ? tracked(query.get('trackingNumber') ?? '', known)
      : problem(401, 'Unauthorized', 'Unauthorized for given resource.');
  if (method === 'POST' && path === '/parcel/de/account/auth/ropc/v1/token')
    return tokenAnswer(new URLSearchParams(request.body.toString()));
  if (path !== '/parcel/de/shipping/v2/orders') return problem(404, 'Not Found', 'The resource does not exist.');
  if (headers.authorization !== `Bearer ${token}`)
    return problem(401, 'Unauthorized', 'Unauthorized for given resource.');
  if (method === 'GET') return again(query, known);
  if (method === 'DELETE') return cancel(query, known);
  return method === 'POST'
    ? order(parseJson(request.body), query, known)
    : problem(405, 'Method Not Allowed', 'Use GET, POST or DELETE.');
}

function problem(status: number, title: string, detail: string): SimulatorAnswer {
  return {
    status,
    headers: { 'Content-Type': 'application/problem+json' },
    body: JSON.stringify({ title, statusCode: status, status, detail }),
  };
}

function tokenAnswer(form: URLSearchParams): SimulatorAnswer {
  const isKnown =
    form.get('grant_type') === 'password' &&
    form.get('client_id') === account.clientId &&
    form.get('client_secret') === account.clientSecret &&
    form.get('username') === account.username &&
    form.get('password') === account.password;
  return isKnown
    ? { status: 200, body: { access_token: token, token_type: 'Bearer', expires_in: 28_800 } }
    : problem(401, 'Unauthorized', 'Invalid user credentials.');
}

const rest = {
  product: must(text(undefined, { choices: ['V01PAK', 'V53WPAK', 'V54EPAK', 'V62WP', 'V62KP', 'V66WPI'] })),
  billingNumber: must(text(14, { pattern: /^\w{10}\d{2}\w{2}$/ })),
  refNo: text(35, { pattern: /^.{8,}$/s }),
  costCenter: text(50),
  shipDate: text(10),
  shipper: must(object(place)),
  details: must(
    object({
      weight: must(object({ uom: must(text(undefined, { choices: ['g', 'kg'] })), value: must({ kind: 'number' }) })),
    }),
  ),
  services: object({
    premium: { kind: 'boolean' },
    closestDropPoint: { kind: 'boolean' },
    cashOnDelivery: object({
      amount: must(object({ currency: must(text(undefined, { choices: ['EUR'] })), value: must({ kind: 'number' }) })),
      accountReference: must(text(35)),
      transferNote1: must(text(35)),
    }),
  }),
} as const;

function order(body: JsonValue | undefined, query: URLSearchParams, known: Parcel[]): SimulatorAnswer {
  const shipments = listAt(body, 'shipments');
  if (textAt(body, 'profile') === '' || shipments.length < 1 || shipments.length > 30)
    return problem(400, 'Bad Request', 'The request does not match the schema.');
  const wrong = shipments.map((shipment) => faultsOf(shipment));
  if (wrong.some((faults) => faults.length > 0))
    return answered(
      400,
      wrong.map((faults) => refusedItem(faults.length > 0 ? faults : [])),
    );
  const stopsEarly = textAt(shipments[0], 'consignee', 'name1') === 'HALF';
  const items = shipments.map((shipment, index) => {
    if (stopsEarly && index > 0)
      return refusedItem([
        { property: 'details.weight', validationMessage: 'The weight is too high', validationState: 'Error' },
      ]);
    const parcel = {
      number: String(340_434_310_428) + String(100_000 + known.length),
      name: textAt(shipment, 'consignee', 'name1') || textAt(shipment, 'consignee', 'name'),
      isDeleted: false,
    };
    known.push(parcel);
    return madeItem(parcel, query, textAt(shipment, 'refNo'));
  });
  return answered(items.length > 1 ? 207 : 200, items);
}

type Message = { readonly property: string; readonly validationMessage: string; readonly validationState: string };

function faultsOf(shipment: JsonValue): readonly Message[] {
  const consignee = valueAt(shipment, 'consignee');
  const shape =
    valueAt(consignee, 'lockerID') !== undefined
      ? locker
      : valueAt(consignee, 'retailID') !== undefined
        ? retail
        : contact;
  const error = (property: string, validationMessage: string): Message => ({
    property,
    validationMessage,
    validationState: 'Error',
  });
  const found = shapeFaults(shipment, must(object({ ...rest, consignee: shape }))).map((fault) =>
    error(fault.path, wordingOf(fault)),
  );
  if (found.length > 0) return found;
  if (
    !billingNumbers.includes(textAt(shipment, 'billingNumber')) ||
    textAt(shipment, 'billingNumber').slice(10, 12) !== textAt(shipment, 'product').slice(1, 3)
  )
    return [error('billingNumber', 'The billing number does not fit the product')];
  if (Number(textAt(shipment, 'details', 'weight', 'value')) > 31_500)
    return [error('details.weight', 'The weight is too high')];
  return textAt(consignee, 'postalCode') === '00000'
    ? [error('consignee.postalCode', 'Postal code format is invalid')]
    : [];
}

function wordingOf({ what }: ShapeFault): string {
  return what === 'missing'
    ? 'The value is required'
    : what === 'unknown'
      ? 'The property is not known'
      : 'The value is not valid';
}

function refusedItem(validationMessages: readonly Message[]): JsonObject {
  return {
    sstatus: {
      title: 'Bad Request',
      statusCode: 400,
      status: 400,
      detail: validationMessages.length > 0 ? 'Validation failed.' : 'Nothing was made.',
    },
    validationMessages,
  };
}

function madeItem({ number, name }: Parcel, query: URLSearchParams, refNo: string): JsonObject {
  const lines = ['Simulator for DHL', 'Not for shipping', number, name];
  const isZpl = query.get('docFormat') === 'ZPL2';
  const label = isZpl ? { zpl2: sampleZpl(lines).toString() } : { b64: samplePdf(lines).toString('base64') };
  return {
    shipmentNo: number,
    routingCode: '40327653113+99000943058020',
    sstatus: { title: 'OK', statusCode: 200, status: 200 },
    shipmentRefNo: refNo,
    label: { ...label, fileFormat: isZpl ? 'ZPL2' : 'PDF', printFormat: query.get('printFormat') ?? '' },
    validationMessages: [
      { property: 'consignee', validationMessage: 'The address is not encodable', validationState: 'Warning' },
    ],
  };
}

function answered(status: number, items: readonly JsonObject[]): SimulatorAnswer {
  const body = JSON.stringify({
    status: {
      title: status === 400 ? 'Bad Request' : 'OK',
      statusCode: status === 207 ? 200 : status,
      detail: 'See items.',
    },
    items,
  });
  return {
    status,
    headers: { 'Content-Type': 'application/json' },
    body: body.replace(/"shipmentNo":"(\d+)"/g, '"shipmentNo":$1'),
  };
}

function cancel(query: URLSearchParams, known: readonly Parcel[]): SimulatorAnswer {
  const numbers = query.getAll('shipment');
  if ((query.get('profile') ?? '') === '' || numbers.length < 1 || numbers.length > 30)
    return problem(400, 'Bad Request', 'The request does not match the schema.');
  const items = numbers.map((number): JsonObject => {
    const parcel = known.find((each) => each.number === number && !each.isDeleted);
    const refusal =
      parcel === undefined
        ? 'Unknown shipment number.'
        : parcel.name === 'TAKEN'
          ? 'The shipment is manifested.'
          : null;
    if (parcel === undefined || refusal !== null)
      return { shipmentNo: number, sstatus: { title: 'Bad Request', statusCode: 400, status: 400, detail: refusal } };
    parcel.isDeleted = true;
    return { shipmentNo: number, sstatus: { title: 'OK', statusCode: 200, status: 200 } };
  });
  return answered(items.length > 1 ? 207 : statusOf(items[0]), items);
}

function statusOf(item: JsonObject | undefined): number {
  return textAt(item, 'sstatus', 'status') === '200' ? 200 : 400;
}

function again(query: URLSearchParams, known: readonly Parcel[]): SimulatorAnswer {
  const parcel = known.find(({ number, isDeleted }) => number === query.get('shipment') && !isDeleted);
  return parcel === undefined
    ? problem(404, 'Not Found', 'Unknown shipment number.')
    : answered(200, [madeItem(parcel, query, '')]);
}

function tracked(number: string, known: readonly Parcel[]): SimulatorAnswer {
  const statusCode = Object.hasOwn(dhlSamples, number)
    ? (dhlSamples[number] ?? '')
    : known.some((parcel) => parcel.number === number)
      ? 'pre-transit'
      : null;
  if (statusCode === null) return problem(404, 'No result found', 'No shipment with given tracking number found.');
  const event = (code: string, description: string, timestamp: string, addressLocality: string): JsonObject => ({
    timestamp,
    location: { address: { addressLocality, countryCode: 'DE' } },
    statusCode: code,
    status: code.toUpperCase(),
    description,
  });
  const announced = event(
    'pre-transit',
    'The instruction data for this shipment have been provided by the sender to DHL electronically.',
    '2026-11-19T09:30:00',
    '',
  );
  const events =
    statusCode === 'pre-transit'
      ? [announced]
      : [
          event(statusCode, `Simulator: ${statusCode}`, '2026-11-20T15:24:57+01:00', 'Berlin'),
          event(
            'transit',
            'The shipment has been processed in the parcel center.',
            '2026-11-19T18:46:14.000+01:00',
            'Hamburg',
          ),
          announced,
        ];
  return {
    status: 200,
    body: JSON.stringify({
      shipments: [{ id: number, service: 'parcel-de', status: events[0] ?? {}, events }],
    }).replace(/"id":"(\d+)"/, '"id":$1'),
  };
}
