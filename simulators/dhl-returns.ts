// Returns in the simulator for DHL, by the description of "Parcel DE Returns" 1.0.9 (POST /orders): mandatory members
// and lengths are from its schemas. The customer defines the receivers: here `deu` and `aut`.
import { type JsonValue, textAt } from '../src/carriers/json.ts';
import type { DhlParcel } from './dhl-manifests.ts';
import { must, object, shapeFaults, text } from './json-shape.ts';
import { samplePdf } from './sample-label.ts';
import type { SimulatorAnswer } from './server.ts';

const postcode = /^(?=.{3,10}$)[0-9A-Za-z]+([ -]?[0-9A-Za-z]+)*$/;
const order = must(
  object({
    receiverId: must(text(50)),
    customerReference: text(50),
    shipmentReference: text(50),
    creationSoftware: text(35),
    shipper: must(
      object({
        name1: must(text(50)),
        name2: text(50),
        name3: text(50),
        addressStreet: must(text(50)),
        addressHouse: must(text(10)),
        city: must(text(40)),
        email: text(70, { pattern: /^[^@\s]+@[^@\s]+$/ }),
        phone: text(20),
        postalCode: must(text(undefined, { pattern: postcode })),
        state: text(20),
      }),
    ),
    itemWeight: object({ uom: must(text(undefined, { choices: ['g', 'kg'] })), value: must({ kind: 'number' }) }),
  }),
);

/** Answers `POST /parcel/de/shipping/returns/v1/orders`: errors are problems (RFC 7807) without fields. */
export function returnOrder(body: JsonValue | undefined, known: DhlParcel[]): SimulatorAnswer {
  const [fault] = shapeFaults(body, order);
  if (fault !== undefined)
    return problem(400, 'Bad Request', `${fault.path} is not as the schema has it (${fault.what}).`);
  if (Number(textAt(body, 'itemWeight', 'value')) > 31_500)
    return problem(400, 'Bad Request', 'The weight is too high.');
  if (!['deu', 'aut'].includes(textAt(body, 'receiverId')))
    return problem(422, 'Unprocessable', 'The receiver id is not known.');
  if (textAt(body, 'shipper', 'postalCode') === '00000')
    return problem(422, 'Unprocessable', 'The postal code is not known.');
  const number = String(999_990_000_000 + known.length);
  known.push({ number, name: textAt(body, 'shipper', 'name1'), isDeleted: true, isClosed: false });
  const label = samplePdf(['DEMO - simulator for DHL', 'Return, not for shipping', number]);
  return {
    status: 201,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      sstatus: { title: 'Created', status: 201, detail: 'Created' },
      shipmentNo: number,
      label: { b64: label.toString('base64') },
      routingCode: '40327653113+99000933090010',
    }),
  };
}

function problem(status: number, title: string, detail: string): SimulatorAnswer {
  return {
    status,
    headers: { 'Content-Type': 'application/problem+json' },
    body: JSON.stringify({ title, status, detail: detail.slice(0, 80) }),
  };
}
