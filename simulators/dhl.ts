// A simulator for DHL: tokens, orders of DHL Paket with a status for each shipment, unified tracking in every state.
import { type JsonObject, type JsonValue, listAt, parseJson, textAt, valueAt } from '../src/carriers/json.ts';
import { judgedShipment, contact, locker, place, retail } from './dhl-addresses.ts';
import { amount, customsFault, customsPapers, customsShape, servicesFault } from './dhl-customs.ts';
import { closedItems, type DhlParcel } from './dhl-manifests.ts';
import { returnOrder } from './dhl-returns.ts';
import { trackedShipments } from './dhl-tracking.ts';
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

/**
 * Starts the simulator. It refuses postcode 00000 of the recipient; a recipient called HALF gets only the first of
 * several parcels; shipments for one called TAKEN have been manifested and cannot be cancelled. By the description of
 * the interface, at most 30 shipments are cancelled at once, each with its own status: 400 if it does not exist or was
 * deleted already. Shipment numbers come without quotes, as they were seen.
 */
export async function startDhlSimulator(port = 0): Promise<Simulator> {
  const known: DhlParcel[] = [];
  const server = await serveSimulator((request) => answer(request, known), port);
  return {
    settings: {
      ...account,
      billingNumbers: billingNumbers.join(','),
      cashAccount: 'MAIN',
      returnReceivers: 'DE=deu, AT=aut',
      trackingKey,
      baseUrl: server.url,
      trackingUrl: server.url,
    },
    url: server.url,
    close: server.close,
  };
}

function answer(request: SimulatorRequest, known: DhlParcel[]): SimulatorAnswer {
  const { method, path, headers, query } = request;
  if (path === '/track/shipments')
    return headers['dhl-api-key'] === trackingKey
      ? tracked(query.get('trackingNumber') ?? '', known)
      : problem(401, 'Unauthorized', 'Unauthorized for given resource.');
  if (method === 'POST' && path === '/parcel/de/account/auth/ropc/v1/token')
    return tokenAnswer(new URLSearchParams(request.body.toString()));
  const of = /^\/parcel\/de\/shipping\/(?:v2\/(orders|manifests)|(returns)\/v1\/orders)$/
    .exec(path)
    ?.slice(1)
    .find(Boolean);
  if (of === undefined) return problem(404, 'Not Found', 'The resource does not exist.');
  if (headers.authorization !== `Bearer ${token}`)
    return problem(401, 'Unauthorized', 'Unauthorized for given resource.');
  if (of === 'returns') return returnOrder(parseJson(request.body), known);
  if (of === 'manifests' && method === 'POST') {
    const items = closedItems(parseJson(request.body), known);
    return items === null
      ? problem(400, 'Bad Request', 'The request does not match the schema.')
      : answered(207, items);
  }
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

/** Source: DHL's description of "Parcel DE Shipping" 2.2 (`Shipment`, `VAS`): lengths and mandatory members. */
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
  customs: customsShape,
  services: object({
    premium: { kind: 'boolean' },
    closestDropPoint: { kind: 'boolean' },
    additionalInsurance: amount,
    postalDeliveryDutyPaid: { kind: 'boolean' },
    cashOnDelivery: object({
      amount: must(object({ currency: must(text(undefined, { choices: ['EUR'] })), value: must({ kind: 'number' }) })),
      accountReference: must(text(35)),
      transferNote1: must(text(35)),
    }),
  }),
} as const;

function order(body: JsonValue | undefined, query: URLSearchParams, known: DhlParcel[]): SimulatorAnswer {
  const shipments = listAt(body, 'shipments');
  if (textAt(body, 'profile') === '' || shipments.length < 1 || shipments.length > 30)
    return problem(400, 'Bad Request', 'The request does not match the schema.');
  const wrong = shipments.map((shipment) => faultsOf(shipment));
  if (wrong.some((faults) => faults.length > 0))
    return answered(
      400,
      wrong.map((faults) => refusedItem(faults.length > 0 ? faults : [])),
    );
  // Parameter validate in the description of Parcel DE Shipping v2: a status for each shipment, and no label.
  if (query.get('validate') === 'true') return answered(200, shipments.map(judgedShipment));
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
      isClosed: false,
    };
    known.push(parcel);
    return { ...madeItem(parcel, query, textAt(shipment, 'refNo')), ...customsPapers(shipment, parcel.number) };
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
  const unserved = servicesFault(shipment);
  if (unserved !== null) return [error('services', unserved)];
  const undeclared = customsFault(shipment);
  if (undeclared !== null) return [error('customs', undeclared)];
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

function madeItem({ number, name }: DhlParcel, query: URLSearchParams, refNo: string): JsonObject {
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

function cancel(query: URLSearchParams, known: readonly DhlParcel[]): SimulatorAnswer {
  const numbers = query.getAll('shipment');
  if ((query.get('profile') ?? '') === '' || numbers.length < 1 || numbers.length > 30)
    return problem(400, 'Bad Request', 'The request does not match the schema.');
  const items = numbers.map((number): JsonObject => {
    const parcel = known.find((each) => each.number === number && !each.isDeleted);
    const refusal =
      parcel === undefined
        ? 'Unknown shipment number.'
        : parcel.name === 'TAKEN' || parcel.isClosed
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

function again(query: URLSearchParams, known: readonly DhlParcel[]): SimulatorAnswer {
  const parcel = known.find(({ number, isDeleted }) => number === query.get('shipment') && !isDeleted);
  return parcel === undefined
    ? problem(404, 'Not Found', 'Unknown shipment number.')
    : answered(200, [madeItem(parcel, query, '')]);
}

function tracked(number: string, known: readonly DhlParcel[]): SimulatorAnswer {
  const body = trackedShipments(number, known);
  return body === null
    ? problem(404, 'No result found', 'No shipment with given tracking number found.')
    : { status: 200, body };
}
