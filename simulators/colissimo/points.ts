// The directory of Colissimo's points in France, where recipients collect parcels, by the number of the point.
import { type JsonObject, type JsonValue, textAt } from '../../src/carriers/json.ts';
import { lonelyPostcode, nearbyShops } from '../nearby.ts';
import type { SimulatorAnswer } from '../server.ts';

/**
 * Answers findPointRetraitAcheminementByID. Sources: answers recorded by the tests of the client roulier; the table of
 * codes of "Choix de livraison" as the CDI plugin prints it. Without a network only French points are searched (124 for
 * all others, as the Sylius plugin for pick-up points found out).
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

/**
 * Answers findRDVPointRetraitAcheminement: points near a postcode and a town.
 * Sources: the table of codes of "Choix de livraison" as the client colissimo-php of dansmaculotte prints it, and the
 * formats that the client of ekyna checks (shippingDate JJ/MM/AAAA, filterRelay 0 or 1, optionInter 0 to 2, lang two
 * letters); an answer that a program for a shop recorded (hours in two spans, 00:00-00:00 for closed, grams, meters).
 */
export function answerPoints(body: JsonValue | undefined, isKnown: boolean): SimulatorAnswer {
  const [zip, city, country, weight] = ['zipCode', 'city', 'countryCode', 'weight'].map((name) => textAt(body, name));
  if (!isKnown) return listed(201, 'Identifiant / mot de passe invalide');
  if (zip === '') return listed(104, 'Code postal absent');
  if (city === '') return listed(105, 'Ville absente');
  if (textAt(body, 'shippingDate') === '') return listed(106, "Date estimée de l'envoi absente");
  if (country === '') return listed(117, 'Code pays absent');
  if (!/^\d+$/.test(weight ?? '')) return listed(120, "Le poids n'est pas un entier");
  if (Number(weight) < 1 || Number(weight) > 99_999) return listed(121, "Le poids n'est pas entre 1 et 99999");
  if (!/^\d\d\/\d\d\/\d{4}$/.test(textAt(body, 'shippingDate')))
    return listed(122, "Date n'est pas au format JJ/MM/AAAA");
  if (!/^[01]$/.test(textAt(body, 'filterRelay'))) return listed(123, 'Le filtre relais doit être 0 ou 1');
  if (country === 'FR' && !/^(0[1-9]|[1-8]\d|9[0-5]|98)\d{3}$/.test(zip ?? ''))
    return listed(125, 'Code postal incorrect (non compris entre 01XXX et 95XXX ou 980XX)');
  if (country === 'BE' && !/^\d{4}$/.test(zip ?? '')) return listed(143, "Le code postal n'est pas au format XXXX");
  if (!served.includes(country ?? '')) return listed(146, "Le pays n'est pas valide pour Colissimo Europe");
  if (country !== 'FR' && textAt(body, 'optionInter') === '0')
    return listed(203, "L'option internationale n'est pas disponible pour ce pays");
  if (zip === lonelyPostcode) return listed(300, 'Pas de point de retrait suite à application des règles métier');
  return listed(
    0,
    'Code retour OK',
    nearbyShops.map(({ name, street, meters }, index) => ({
      accesPersonneMobiliteReduite: false,
      adresse1: street,
      adresse2: '',
      adresse3: '',
      codePays: country ?? '',
      codePostal: zip ?? '',
      coordGeolocalisationLatitude: '48.807622',
      coordGeolocalisationLongitude: '2.242110',
      distanceEnMetre: meters,
      horairesOuvertureLundi: '00:00-00:00 00:00-00:00',
      ...Object.fromEntries(
        ['Mardi', 'Mercredi', 'Jeudi', 'Vendredi', 'Samedi'].map((day) => [
          `horairesOuverture${day}`,
          '10:00-12:00 14:00-19:15',
        ]),
      ),
      horairesOuvertureDimanche: '00:00-00:00 00:00-00:00',
      identifiant: String(486_066 + index),
      localite: city ?? '',
      nom: name,
      poidsMaxi: index === 2 ? 10_000 : 20_000,
      reseau: 'R03',
      typeDePoint: index === 2 ? 'PCS' : 'A2P',
    })),
  );
}

/** France, and countries of Colissimo Europe with points. */
const served: readonly string[] = ['FR', 'MC', 'BE', 'NL', 'DE', 'GB', 'LU', 'ES', 'PT', 'AT', 'LT', 'LV', 'EE', 'SE'];

function listed(errorCode: number, errorMessage: string, points: readonly JsonObject[] = []): SimulatorAnswer {
  return {
    status: 200,
    body: { errorCode, errorMessage, listePointRetraitAcheminement: points, qualiteReponse: 2, wsRequestId: null },
  };
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
