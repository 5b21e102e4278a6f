// The directory of Colissimo's points in France: where the recipient collects, by the number of the point.
import { type JsonObject, type JsonValue, textAt } from '../../src/carriers/json.ts';
import type { SimulatorAnswer } from '../server.ts';

/**
 * Answers findPointRetraitAcheminementByID.
 * Sources: answers that the tests of the client roulier recorded; the table of codes of "Choix de livraison" as the CDI
 * plugin prints it. Without a network only the French ones are searched (124 for all others, as the Sylius plugin for
 * pick-up points found out).
 * @param isKnown whether the credentials in the body are right
 */
export function answerPoint(body: JsonValue | undefined, isKnown: boolean): SimulatorAnswer {
  const id = textAt(body, 'id');
  if (!isKnown) return answered(201, 'Identifiant / mot de passe invalide');
  if (id === '') return answered(107, 'Identifiant point de retrait absent');
  if (textAt(body, 'date') === '') return answered(106, "Date estimée de l'envoi absente");
  if (!/^\d\d\/\d\d\/\d{4}$/.test(textAt(body, 'date'))) return answered(122, "Date n'est pas au format JJ/MM/AAAA");
  if (id === unknownPoint) return answered(124, 'Identifiant point de retrait incorrect');
  return answered(0, 'Code retour OK', pointOf(id));
}

/** Every other number is that of a point. */
const unknownPoint = '000000';

function pointOf(identifiant: string): JsonObject {
  return {
    identifiant,
    nom: 'BUREAU DE POSTE LYON BELLECOUR ANTONIN PONCET',
    adresse1: '10 PLACE ANTONIN PONCET',
    adresse2: 'ACCES PAR LA COUR',
    adresse3: '',
    codePostal: '69002',
    localite: 'LYON',
    typeDePoint: 'BPR',
    poidsMaxi: 30000,
    reseau: 'R01',
    codePays: 'FR',
    libellePays: 'FRANCE',
    langue: 'FR',
  };
}

function answered(errorCode: number, errorMessage: string, point: JsonObject | null = null): SimulatorAnswer {
  return { status: 200, body: { errorCode, errorMessage, pointRetraitAcheminement: point } };
}
