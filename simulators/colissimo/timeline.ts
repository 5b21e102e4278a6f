// Colissimo's own tracking: stages and events of a parcel by its number, newest event first.
import { type JsonObject, type JsonValue, textAt } from '../../src/carriers/json.ts';
import { parisTime } from '../../src/carriers/paris-time.ts';
import type { SimulatorAnswer } from '../server.ts';

interface TracedParcel {
  readonly number: string;
  /** When it was announced, milliseconds since 1970. */
  readonly at: number;
}

/** Parcels in every state, by their event codes; the last event was yesterday. */
const samples: Readonly<Record<string, readonly string[]>> = {
  '6A00000000010': ['PCHMQT'],
  '6A00000000027': ['PCHMQT', 'PCHCFM', 'AARCFM'],
  '6A00000000034': ['PCHMQT', 'PCHCFM', 'MLVARS', 'MLVARV'],
  '6A00000000041': ['PCHMQT', 'PCHCFM', 'MLVARS', 'LIVCFM'],
  '6A00000000058': ['PCHMQT', 'PCHCFM', 'MLVARS', 'RSTREF'],
  '6A00000000065': ['PCHMQT', 'PCHCFM', 'MLVARS', 'RENCAD'],
};

const wordings: Readonly<Record<string, string>> = {
  PCHMQT: 'Votre Colissimo va bientôt nous être confié.',
  PCHCFM: 'Votre Colissimo a été déposé.',
  AARCFM: 'Votre Colissimo est en cours d’acheminement.',
  MLVARS: 'Votre Colissimo est en cours de livraison.',
  MLVARV: 'Votre Colissimo est disponible dans votre point de retrait.',
  LIVCFM: 'Votre Colissimo est livré.',
  RSTREF: 'Votre Colissimo a été refusé.',
  RENCAD: "Votre Colissimo est retourné à l'expéditeur.",
};

/** The last of six stages that a parcel with so many events has reached. */
const stageOf: readonly number[] = [0, 0, 1, 3, 5];
const stages = ['Annoncé', 'Déposé', 'En transit', 'Sur le site de livraison', 'En livraison', 'Livré'] as const;

/**
 * Answers timelineCompany. Sources: answers recorded by the tests of the client scraper-colissimo, including errors
 * (105 for an unknown parcel); the event codes of Colissimo's own module for WooCommerce.
 * @param isKnown whether the credentials in the body are right
 */
export function answerTimeline(
  body: JsonValue | undefined,
  isKnown: boolean,
  known: readonly TracedParcel[],
): SimulatorAnswer {
  const number = textAt(body, 'parcelNumber');
  if (!isKnown) return answered(201, 'Identifiant ou mot de passe incorrect');
  if (number === '') return answered(101, 'Le numéro de colis est absent');
  if (!/^[0-9A-Z]{13}$/.test(number)) return answered(103, 'Le numéro de colis est incorrect');
  const made = known.find((parcel) => parcel.number === number);
  const codes = made ? ['PCHMQT'] : Object.hasOwn(samples, number) ? samples[number] : undefined;
  if (codes === undefined) return answered(105, 'Aucun colis ne correspond à ce numéro');
  const first = made?.at ?? Date.now() - codes.length * day;
  return answered(0, 'OK', parcelOf(number, codes, first));
}

const day = 24 * 60 * 60 * 1000;

function parcelOf(parcelNumber: string, codes: readonly string[], first: number): JsonObject {
  const reached = stageOf[codes.length] ?? 0;
  const events = codes.map((code, index) => eventOf(code, first + index * day)).toReversed();
  return {
    parcelNumber,
    service: 'Livraison à domicile',
    removalPoint: codes.includes('MLVARV')
      ? { siteName: 'BUREAU DE POSTE LYON BELLECOUR BP', siteCode: '694470' }
      : null,
    step: stages.map((labelShort, stepId) => ({
      stepId,
      labelShort,
      status: stepId <= reached ? 'STEP_STATUS_ACTIVE' : 'STEP_STATUS_INACTIVE',
    })),
    // A single event comes without a list, as recorded.
    event: events.length === 1 ? (events[0] ?? {}) : events,
  };
}

function eventOf(code: string, at: number): JsonObject {
  const { date, time } = parisTime(at);
  return {
    date: `${date}T${time}.000`,
    code,
    labelShort: code,
    labelLong: wordings[code] ?? code,
    siteName: code === 'PCHMQT' ? '' : 'PFC PARIS',
  };
}

function answered(code: number, message: string, parcel: JsonObject | null = null): SimulatorAnswer {
  return { status: 200, body: { lang: 'fr_FR', status: [{ code: String(code), message }], parcel } };
}
