// A simulator for Colissimo's label service and La Poste's tracking of its parcels: answers in parts, errors in JSON,
// labels marked DEMO.
import { type JsonObject, type JsonValue, parseJson, textAt, valueAt } from '../../src/carriers/json.ts';
import { type ShapeFault, shapeFaults } from '../json-shape.ts';
import { answerSuivi, suiviKey, suiviSamples } from '../laposte.ts';
import { samplePdf, sampleZpl } from '../sample-label.ts';
import { serveSimulator, type Simulator, type SimulatorAnswer, type SimulatorRequest } from '../server.ts';
import { customsFault } from './customs.ts';
import { answerPoint, answerPoints } from './points.ts';
import { slipRefusal, slipTexts } from './slips.ts';
import { answerTimeline } from './timeline.ts';
import { isPointProduct, ruleBroken } from './rules.ts';
import { orderShape } from './schema.ts';

const apiKey = 'simulator-5f0e1d2c3b4a';
const contract = { contractNumber: '999999', password: 'simulator-password' } as const;

interface Parcel {
  readonly number: string;
  readonly name: string;
  readonly at: number;
}

/**
 * Starts the simulator. It refuses postcode 00000 of recipient (30213) and sender (30109), and what breaks a rule of
 * `rules.ts`; it knows every point except 000000; tracking knows the parcels made here, as announced, and the samples
 * of La Poste's simulator.
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

const slipMethod = 'generateBordereauByParcelsNumbers';
const timelinePath = '/tracking-timeline-ws/rest/tracking/timelineCompany';
const pointPath = '/pointretrait-ws-cxf/rest/v2/pointretrait/findPointRetraitAcheminementByID';
const pointsPath = '/pointretrait-ws-cxf/rest/v2/pointretrait/findRDVPointRetraitAcheminement';

function answer(request: SimulatorRequest, known: Parcel[]): SimulatorAnswer {
  if (request.method === 'POST' && request.path === pointPath) {
    const asked = parseJson(request.body);
    return answerPoint(asked, mayAsk(asked, 'accountNumber'));
  }
  if (request.method === 'POST' && request.path === pointsPath) {
    const asked = parseJson(request.body);
    return answerPoints(asked, mayAsk(asked, 'accountNumber'));
  }
  if (request.method === 'POST' && request.path === timelinePath) {
    const asked = parseJson(request.body);
    return answerTimeline(asked, mayAsk(asked, 'login'), known);
  }
  const [, version = '', method = ''] =
    /^(?:\/sandbox)?\/sls-ws\/SlsServiceWSRest\/(2\.0|3\.0|3\.1)\/(\w+)$/.exec(request.path) ?? [];
  const body = parseJson(request.body);
  if (request.method !== 'POST' || version === '') return { status: 404, body: '' };
  if (body === undefined) return { status: 422, body: '' };
  if (method === 'getLabel') return version === '3.1' ? reprint(request, body, known) : { status: 404, body: '' };
  if (!['generateLabel', 'checkGenerateLabel', slipMethod].includes(method)) return { status: 404, body: '' };
  const isKnown =
    request.headers.apikey === apiKey ||
    (request.headers.apikey === undefined &&
      textAt(body, 'contractNumber') === contract.contractNumber &&
      textAt(body, 'password') === contract.password);
  if (!isKnown) return refused('30000', 'Identifiant ou mot de passe incorrect');
  if (method === slipMethod) return slipOf(body, known);
  const refusal = refusalOf(body);
  if (refusal !== null) return refusal;
  // A check answers as the creation does, but without a parcel: programs that call it read it so.
  return method === 'checkGenerateLabel'
    ? { status: 200, body: { messages: [success] } }
    : generate(body, version, known);
}

/**
 * The directory of points and tracking take either credentials in the body.
 * @param member that holds the contract number
 */
function mayAsk(body: JsonValue | undefined, member: 'accountNumber' | 'login'): boolean {
  return (
    textAt(body, 'apiKey') === apiKey ||
    (textAt(body, member) === contract.contractNumber && textAt(body, 'password') === contract.password)
  );
}

/** What is wrong with an order; null if it is accepted. */
function refusalOf(body: JsonValue): SimulatorAnswer | null {
  const [fault] = shapeFaults(body, orderShape);
  if (fault !== undefined) return ofShape(fault);
  const broken = ruleBroken(body) ?? customsFault(body);
  return broken === null ? null : refused(broken.code, broken.wording);
}

function generate(body: JsonValue, version: string, known: Parcel[]): SimulatorAnswer {
  const prefix =
    textAt(body, 'letter', 'service', 'productCode') === 'DOS'
      ? '6C'
      : isPointProduct(textAt(body, 'letter', 'service', 'productCode'))
        ? '6H'
        : '6A';
  const number = `${prefix}${String(99_999_900_000 + known.length + 1)}`;
  const to = valueAt(body, 'letter', 'addressee', 'address');
  const name = withoutAccents(
    ['firstName', 'lastName', 'companyName']
      .map((part) => textAt(to, part))
      .filter((part) => part !== '')
      .join(' '),
  );
  known.push({ number, name, at: Date.now() });
  const isDeclared = valueAt(body, 'letter', 'customsDeclarations') !== undefined;
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
    {
      label: labelOf(textAt(body, 'outputFormat', 'outputPrintingType'), number, name),
      ...(isDeclared ? { cn23: samplePdf(['DEMO - CN23 of the simulator for Colissimo', number]) } : {}),
    },
  );
}

/** As recorded: refusals come in parts too, with only the message in them. */
function slipOf(body: JsonValue, known: readonly Parcel[]): SimulatorAnswer {
  const refusal = slipRefusal(body, (number) => known.some((parcel) => parcel.number === number));
  if (refusal !== null)
    return {
      ...multipart(
        {
          messages: [{ id: refusal.code, type: 'ERROR', messageContent: refusal.wording }],
          bordereauHeader: null,
        },
        {},
      ),
      status: 400,
    };
  slips += 1;
  const { header, lines } = slipTexts(body, slips, Date.now());
  return multipart({ messages: [success], bordereauHeader: header }, { deliveryPaper: samplePdf(lines) });
}

/** Slip numbers continue across all simulators of the process. */
let slips = 0;

/**
 * JSON of another shape fails as a whole; empty or missing values have codes of their own. Of texts that are too long,
 * the table of codes lists only the recipient's reference; the service's answer to the others is unknown.
 */
function ofShape({ path, what }: ShapeFault): SimulatorAnswer {
  if (what === 'unknown' || what === 'type') return { status: 422, body: '' };
  if (path.endsWith('addresseeParcelRef'))
    return refused('30090', 'La taille du paramètre AddresseeParcelRef est nulle ou supérieure à 15');
  if (what === 'length') return refused('TOO_LONG', `Le champ ${path} est trop long`);
  if (path.includes('customsDeclarations')) return refused('CN23', `Le champ ${path} est absent ou incorrect`);
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
  return multipart(
    { messages: [success] },
    { label: labelOf(textAt(body, 'outputPrintingType'), parcel.number, parcel.name) },
  );
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

/** As recorded: a line break before the first boundary, Content-IDs in brackets. */
function multipart(info: JsonObject, documents: Readonly<Record<string, Buffer>>): SimulatorAnswer {
  const head = (type: string, id: string): Buffer =>
    Buffer.from(
      `\r\n--${boundary}\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: binary\r\nContent-ID: <${id}>\r\n\r\n`,
    );
  return {
    status: 200,
    headers: {
      'Content-Type': `multipart/mixed; boundary="${boundary}"; type="application/json"; start="<jsonInfos>"`,
    },
    body: Buffer.concat([
      head('application/json;charset=UTF-8', 'jsonInfos'),
      Buffer.from(JSON.stringify(info)),
      ...Object.entries(documents).flatMap(([id, bytes]) => [head('application/octet-stream', id), bytes]),
      Buffer.from(`\r\n--${boundary}--`),
    ]),
  };
}

/**
 * Printer code begins with a byte order mark, as recorded; documents hold text that looks like a boundary but is not
 * one.
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
