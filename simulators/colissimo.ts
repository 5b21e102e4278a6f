// A simulator for Colissimo's label service and La Poste's tracking of what it makes: answers in parts, errors in JSON,
// labels marked DEMO.
import { type JsonObject, type JsonValue, parseJson, textAt, valueAt } from '../src/carriers/json.ts';
import { must, object, type ShapeFault, shapeFaults, text } from './json-shape.ts';
import { answerSuivi, suiviKey, suiviSamples } from './laposte.ts';
import { samplePdf, sampleZpl } from './sample-label.ts';
import { serveSimulator, type Simulator, type SimulatorAnswer, type SimulatorRequest } from './server.ts';

const apiKey = 'simulator-5f0e1d2c3b4a';
const contract = { contractNumber: '999999', password: 'simulator-password' } as const;

interface Parcel {
  readonly number: string;
  readonly name: string;
  readonly at: number;
}

/**
 * Starts the simulator. It refuses postcode 00000 of recipient (30213) and sender (30109), and a point with a home
 * product (30404); tracking knows the parcels that were made here, as announced, and the samples of La Poste's
 * simulator.
 */
export async function startColissimoSimulator(port = 0): Promise<Simulator> {
  const known: Parcel[] = [];
  const server = await serveSimulator(
    (request) =>
      request.path.startsWith('/suivi/')
        ? answerSuivi(request, (number) => sampleOf(number, known))
        : answer(request, known),
    port,
  );
  return {
    settings: { apiKey, baseUrl: server.url, suiviKey, suiviUrl: server.url },
    url: server.url,
    close: server.close,
  };
}

/** The contract that the simulator accepts in place of its key. */
export const colissimoContract: Readonly<Record<string, string>> = contract;

function sampleOf(number: string, known: readonly Parcel[]) {
  const parcel = known.find((each) => each.number === number);
  if (parcel !== undefined) return { product: 'colissimo', holder: 4, codes: ['DR1'], since: parcel.at } as const;
  return Object.hasOwn(suiviSamples, number) ? (suiviSamples[number] ?? null) : null;
}

function answer(request: SimulatorRequest, known: Parcel[]): SimulatorAnswer {
  const [, version = '', method = ''] =
    /^(?:\/sandbox)?\/sls-ws\/SlsServiceWSRest\/(2\.0|3\.0|3\.1)\/(\w+)$/.exec(request.path) ?? [];
  const body = parseJson(request.body);
  if (request.method !== 'POST' || version === '') return { status: 404, body: '' };
  if (body === undefined) return { status: 422, body: '' };
  if (method === 'getLabel') return version === '3.1' ? reprint(request, body, known) : { status: 404, body: '' };
  if (method !== 'generateLabel') return { status: 404, body: '' };
  const isKnown =
    request.headers.apikey === apiKey ||
    (request.headers.apikey === undefined &&
      textAt(body, 'contractNumber') === contract.contractNumber &&
      textAt(body, 'password') === contract.password);
  if (!isKnown) return refused('30000', 'Identifiant ou mot de passe incorrect');
  return generate(body, version, known);
}

const lines = {
  companyName: text(35),
  lastName: text(35),
  firstName: text(35),
  line0: text(35),
  line1: text(35),
  line2: must(text(35)),
  line3: text(35),
  countryCode: must(text(2)),
  city: must(text(35)),
  zipCode: must(text(9)),
  phoneNumber: text(),
  mobileNumber: text(),
  email: text(),
  language: text(2),
};
const shape = must(
  object({
    contractNumber: text(),
    password: text(),
    outputFormat: must(
      object({
        x: { kind: 'number' },
        y: { kind: 'number' },
        outputPrintingType: must(
          text(undefined, {
            pattern: /^(PDF_(10x15|A4|10x10|10x12)_300dpi|(ZPL|DPL)_(10x15|10x10|10x12)_(203|300)dpi)$/,
          }),
        ),
      }),
    ),
    letter: must(
      object({
        service: must(
          object({
            productCode: must(text()),
            depositDate: must(text(undefined, { pattern: /^\d{4}-\d\d-\d\d$/ })),
            orderNumber: text(30),
            commercialName: text(),
          }),
        ),
        parcel: must(
          object({
            weight: must({ kind: 'number' }),
            pickupLocationId: text(),
            instructions: text(),
            COD: { kind: 'boolean' },
            CODAmount: { kind: 'number' },
          }),
        ),
        sender: must(object({ senderParcelRef: text(), address: must(object(lines)) })),
        addressee: must(object({ addresseeParcelRef: text(15), address: must(object(lines)) })),
      }),
    ),
    fields: object({ field: { kind: 'list', of: object({ key: must(text()), value: must(text()) }) } }),
  }),
);

const frenchMobile = /^(?:(?:\+|00)33\s?(?:\(0\))?|0)\s?[67]/;
const productPattern =
  /^(DOM|DOS|COM|CDS|ECO|CECO|COR[EIF]|COLR|J\+1|COPLAT(_J1)?|ACCI|COL[DIL]?|HD|A2P|BPR|CMT|PCS|BDP|ACP|CDI)$/;
const pointPattern = /^(HD|A2P|BPR|CMT|PCS|BDP|ACP|CDI)$/;

function generate(body: JsonValue, version: string, known: Parcel[]): SimulatorAnswer {
  const [fault] = shapeFaults(body, shape);
  if (fault !== undefined) return ofShape(fault);
  const [code, said] = ruleBroken(body) ?? [];
  if (code !== undefined) return refused(code, said ?? '');
  const prefix =
    textAt(body, 'letter', 'service', 'productCode') === 'DOS'
      ? '6C'
      : pointPattern.test(textAt(body, 'letter', 'service', 'productCode'))
        ? '6H'
        : '6A';
  const number = `${prefix}${String(99_999_900_000 + known.length + 1)}`;
  const name = withoutAccents(textAt(body, 'letter', 'addressee', 'address', 'lastName'));
  known.push({ number, name, at: Date.now() });
  const member = version === '3.1' ? 'labelV31Response' : 'labelV2Response';
  return multipart(
    {
      messages: [success],
      labelXmlV2Reponse: null,
      [member]: {
        parcelNumber: number,
        parcelNumberPartner: `0075001116${number.slice(1)}801250L`,
        pdfUrl: null,
        fields: {},
      },
    },
    labelOf(textAt(body, 'outputFormat', 'outputPrintingType'), number, name),
  );
}

/** The codes and wordings are those that were recorded, where they were. */
function ruleBroken(body: JsonValue): readonly [string, string] | null {
  const [service, parcel, from, to] = [
    valueAt(body, 'letter', 'service'),
    valueAt(body, 'letter', 'parcel'),
    valueAt(body, 'letter', 'sender', 'address'),
    valueAt(body, 'letter', 'addressee', 'address'),
  ];
  const product = textAt(service, 'productCode');
  const weight = Number(textAt(parcel, 'weight'));
  const isPoint = pointPattern.test(product);
  if (!productPattern.test(product)) return ['30015', 'Le code produit est incorrect'];
  if (weight < 0.01 || weight > 30) return ['30301', 'Le poids du colis est incorrect'];
  if (textAt(from, 'zipCode') === '00000')
    return ['30109', 'Le pays ou code postal expéditeur ne permet pas d’effectuer un envoi'];
  if (textAt(to, 'zipCode') === '00000')
    return ['30213', 'Le code pays ou le code postal du destinataire est incorrect pour le code produit fourni'];
  if (isPoint && textAt(parcel, 'pickupLocationId') === '')
    return ['30400', "Le code du point de retrait n'a pas été transmis"];
  if (!isPoint && textAt(parcel, 'pickupLocationId') !== '')
    return ['30404', "Le code du point de retrait n'est pas attendu pour ce produit"];
  if (isPoint && textAt(service, 'commercialName') === '') return ['30018', "Le nom commercial n'a pas été transmis"];
  if (
    isPoint &&
    (textAt(to, 'mobileNumber') === '' ||
      (textAt(to, 'countryCode') === 'FR' && !frenchMobile.test(textAt(to, 'mobileNumber'))))
  )
    return ['30220', "Le numéro de portable du destinataire n'a pas été transmis"];
  if (textAt(to, 'countryCode') === 'CH')
    return ['30500', "Les informations sur le contenu du colis n'ont pas été transmises"];
  if (/[^\p{Script=Latin}\p{M}\p{N}\p{P}\p{S}\p{Zs}]/u.test(textAt(to, 'lastName')))
    return ['30600', 'Le champ lastName contient un caractère invalide'];
  return null;
}

/** JSON of another shape fails as a whole; empty or missing values have codes of their own. */
function ofShape({ path, what }: ShapeFault): SimulatorAnswer {
  if (what === 'unknown' || what === 'type') return { status: 422, body: '' };
  if (path.endsWith('outputPrintingType')) return refused('30026', "Le type d'impression est incorrect");
  if (path.endsWith('weight')) return refused('30300', "Le poids du colis n'a pas été transmis");
  return refused(path.startsWith('letter.sender') ? '30100' : '30204', `Le champ ${path} est absent ou incorrect`);
}

function reprint(request: SimulatorRequest, body: JsonValue, known: readonly Parcel[]): SimulatorAnswer {
  const isKnown =
    request.headers.apikey === apiKey ||
    (request.headers.login === contract.contractNumber && request.headers.password === contract.password);
  if (!isKnown) return refused('30000', 'Identifiant ou mot de passe incorrect');
  const parcel = known.find(({ number }) => number === textAt(body, 'parcelNumber'));
  if (parcel === undefined) return refused('30321', 'Le numéro de colis est incorrect');
  return multipart({ messages: [success] }, labelOf(textAt(body, 'outputPrintingType'), parcel.number, parcel.name));
}

const success = {
  id: '0',
  type: 'INFOS',
  messageContent: 'La requête a été traitée avec succès',
  replacementValues: [],
};
const boundary = 'uuid:7b9c1f0e-2d3a-4b5c-8d6e-0f1a2b3c4d5e';

function refused(id: string, messageContent: string): SimulatorAnswer {
  return {
    status: 400,
    body: {
      messages: [{ id, type: 'ERROR', messageContent, replacementValues: [] }],
      labelXmlV2Reponse: null,
      labelV2Response: null,
    },
  };
}

/** As it is recorded: a line break before the first boundary, Content-IDs in brackets. */
function multipart(info: JsonObject, label: Buffer): SimulatorAnswer {
  const head = (type: string, id: string): string =>
    `\r\n--${boundary}\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: binary\r\nContent-ID: <${id}>\r\n\r\n`;
  return {
    status: 200,
    headers: {
      'Content-Type': `multipart/mixed; boundary="${boundary}"; type="application/json"; start="<jsonInfos>"`,
    },
    body: Buffer.concat([
      Buffer.from(
        `${head('application/json;charset=UTF-8', 'jsonInfos')}${JSON.stringify(info)}` +
          `${head('application/octet-stream', 'label')}`,
      ),
      label,
      Buffer.from(`\r\n--${boundary}--`),
    ]),
  };
}

/**
 * Printer code begins with a byte order mark, as it was recorded; documents hold what looks like a boundary and is
 * none.
 */
function labelOf(printing: string, number: string, name: string): Buffer {
  const shown = ['DEMO - simulator for Colissimo', 'Not for shipping', number, name];
  if (printing.startsWith('PDF'))
    return Buffer.concat([samplePdf(shown), Buffer.from(`%\r\n--${boundary.slice(0, -1)}\r\n%%EOF\n`)]);
  return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), sampleZpl(shown)]);
}

function withoutAccents(name: string): string {
  return name.normalize('NFD').replace(/\p{M}/gu, '');
}
