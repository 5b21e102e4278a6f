// A simulator of La Poste's "Suivi v2", by its published description: sample parcels in every state, its answers for
// unknown parcels, its limits.
import { textBlock } from '../src/model/text-block.ts';
import type { JsonValue } from '../src/carriers/json.ts';
import { parisTime } from '../src/carriers/paris-time.ts';
import { serveSimulator, type Simulator, type SimulatorAnswer, type SimulatorRequest } from './server.ts';

export const suiviKey = 'okapi-simulator-2f1c9b7e';
const languages: readonly string[] = ['fr_FR', 'en_GB'];

/** A parcel's progress as event codes, oldest first, a day apart. */
interface SuiviSample {
  readonly product: string;
  readonly holder: 1 | 3 | 4;
  readonly codes: readonly string[];
  readonly removalPoint?: string;
  /** Time of the first event, milliseconds since 1970; without it the last one was yesterday. */
  readonly since?: number;
}

/**
 * The meaning of the codes is La Poste's list, as independent clients have it: suivi-poste on npm, an enumeration of
 * the Okapi states in PHP, which has the newer ones too, and a tracker in TypeScript, which knows DI0 as a delivery and
 * DI3 as none. DI0 delivered in a lot, DI3 late, ID0 news from customs.
 */
const delivered: readonly string[] = ['DI0', 'DI1', 'DI2'];
const underway = ['DR1', 'PC1', 'ET1'] as const;

/** The parcels that the simulator knows. */
export const suiviSamples: Readonly<Record<string, SuiviSample>> = {
  '6A00000000010': { product: 'colissimo', holder: 4, codes: ['DR1'] },
  '6A00000000027': { product: 'colissimo', holder: 4, codes: underway },
  '6A00000000034': {
    product: 'colissimo',
    holder: 4,
    codes: [...underway, 'MD2', 'AG1'],
    removalPoint: 'BUREAU DE POSTE LYON BELLECOUR BP',
  },
  '6A00000000041': { product: 'colissimo', holder: 4, codes: [...underway, 'MD2', 'DI1'] },
  '6A00000000058': { product: 'colissimo', holder: 4, codes: [...underway, 'MD2', 'ND1'] },
  '6A00000000065': { product: 'colissimo', holder: 4, codes: [...underway, 'RE1', 'DI2'] },
  '6A00000000072': { product: 'colissimo', holder: 4, codes: [...underway, 'DI3'] },
  '6A00000000089': { product: 'colissimo', holder: 4, codes: [...underway, 'ID0'] },
  XY000000072FR: { product: 'chronopost', holder: 3, codes: [...underway, 'MD2', 'DI1'] },
};

/**
 * Starts the simulator. A number that begins with 401 gets the answer to a wrong key, one that begins with 504 a
 * time-out.
 */
export async function startLaposteSimulator(port = 0): Promise<Simulator> {
  const server = await serveSimulator(
    (request) =>
      answerSuivi(request, (number) => (Object.hasOwn(suiviSamples, number) ? (suiviSamples[number] ?? null) : null)),
    port,
  );
  return { settings: { apiKey: suiviKey, baseUrl: server.url }, url: server.url, close: server.close };
}

/**
 * Answers as "Suivi v2" does.
 * @param find parcel by its number, null if there is none
 * @param now milliseconds since 1970
 */
export function answerSuivi(
  request: SimulatorRequest,
  find: (number: string) => SuiviSample | null,
  now = Date.now(),
): SimulatorAnswer {
  const number = /^\/suivi\/v2\/idships\/([^/]*)$/.exec(request.path)?.[1] ?? '';
  // The answer to a wrong key is not JSON.
  if (request.headers['x-okapi-key'] !== suiviKey || number.startsWith('401'))
    return { status: 401, body: 'HMAC failed' };
  const lang = request.query.get('lang') ?? 'fr_FR';
  const refusal = (code: number, returnMessage: string): SimulatorAnswer => ({
    status: code < 200 ? 404 : code,
    body: { lang, scope: 'open', returnCode: code, returnMessage, idShip: number },
  });
  if (request.method !== 'GET' || number === '')
    return { status: 404, headers: { 'Content-Type': 'text/html' }, body: '<html><body>404 Not Found</body></html>' };
  if (request.headers.accept !== 'application/json' || !languages.includes(lang))
    return refusal(400, 'Requête incorrecte');
  if (number.startsWith('504')) return refusal(504, 'Gateway Timeout');
  if (!/^[A-Z0-9]{11,15}$/.test(number))
    return refusal(
      400,
      textBlock`
        Le numéro que vous avez saisi n’est pas valide. Nous vous invitons à vérifier votre saisie, en particulier le
        nombre de caractères.
      `,
    );
  const sample = find(number);
  if (sample === null) return refusal(104, "Votre suivi n'est pas encore disponible. Il devrait l'être sous 24h.");
  return { status: 200, body: { lang, scope: 'open', returnCode: 200, shipment: shipmentOf(number, sample, now) } };
}

const labels: Readonly<Record<string, string>> = {
  DR1: 'Votre Colissimo va bientôt nous être confié ! Il est en cours de préparation chez votre expéditeur.',
  PC1: 'Votre colis a été déposé dans un point postal.',
  ET1: "Votre colis est en cours d'acheminement.",
  MD2: textBlock`
    Votre colis est dans le site de livraison qui dessert votre adresse. Nous le préparons pour le mettre en livraison.
  `,
  AG1: 'Votre colis est à votre disposition dans votre point de retrait.',
  DI1: 'Votre colis est livré.',
  DI2: "Votre colis est distribué à l'expéditeur.",
  ND1: "Votre colis n'a pas pu être livré.",
  DI3: 'La livraison de votre colis est retardée.',
  ID0: 'Des informations de douane sont disponibles pour votre colis.',
  RE1: "Votre colis est retourné à l'expéditeur.",
};

function shipmentOf(
  idShip: string,
  { product, holder, codes, removalPoint, since }: SuiviSample,
  now: number,
): JsonValue {
  const first = since ?? now - codes.length * day;
  const last = codes.at(-1) ?? '';
  const wording = (code: string): string =>
    (labels[code] ?? code).replace('Colissimo', product === 'chronopost' ? 'Chronopost' : 'Colissimo');
  const reached = last === 'DR1' ? 0 : delivered.includes(last) ? 5 : codes.length - 1;
  const stages = [
    'Votre colis est entre nos mains.',
    'Il est en chemin.',
    'Votre colis est arrivé sur son site de livraison.',
    'Nous préparons votre colis pour sa livraison.',
    'Votre colis a été livré',
  ];
  return {
    idShip,
    holder,
    product,
    isFinal: delivered.includes(last),
    entryDate: parisInstant(first),
    timeline: stages.map((shortLabel, index) => ({
      shortLabel,
      longLabel: '',
      id: index + 1,
      country: 'FR',
      status: index < reached,
      type: last === 'ND1' && index === reached - 1 ? -1 : 1,
    })),
    event: codes
      .map((code, index) => ({ code, label: wording(code), date: parisInstant(first + index * day) }))
      .toReversed(),
    contextData: {
      deliveryChoice: { deliveryChoice: 0 },
      ...(removalPoint === undefined ? {} : { removalPoint: { name: removalPoint, type: 'BDP' } }),
      originCountry: 'FR',
      arrivalCountry: 'FR',
    },
    url: `https://www.laposte.fr/outils/suivre-vos-envois?code=${idShip}`,
  };
}

const day = 86_400_000;

/** In La Poste's notation: Paris time with its offset. */
function parisInstant(at: number): string {
  const { date, time } = parisTime(at);
  const ahead = (Date.parse(`${date}T${time}Z`) - Math.floor(at / 1000) * 1000) / 3_600_000;
  return `${date}T${time}+0${ahead}:00`;
}
