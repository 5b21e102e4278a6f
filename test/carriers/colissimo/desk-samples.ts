// Points of Colissimo as its directory was recorded, and its codes as a client prints them.
import type { Refusal } from '../contract.ts';
import { answer } from '../drive.ts';

const listed = (errorCode: number, errorMessage: string, points: readonly unknown[] = []) =>
  answer(JSON.stringify({ errorCode, errorMessage, listePointRetraitAcheminement: points }), 200, {
    'content-type': 'application/json',
  });

export const pointsRequest = {
  method: 'POST',
  url: 'https://ws.colissimo.fr/pointretrait-ws-cxf/rest/v2/pointretrait/findRDVPointRetraitAcheminement',
  repeat: 'safe',
  headers: { 'content-type': 'application/json' },
  body:
    '{"apiKey":"col-key-4f1d","address":"26 rue Banès","zipCode":"92190","city":"Meudon","countryCode":"FR",' +
    '"weight":"1000","shippingDate":"22/11/2026","filterRelay":"1","optionInter":"0","lang":"FR"}',
} as const;
export const pointsQuery = {
  destCountry: 'FR',
  destZip: '92190',
  destCity: 'Meudon',
  destAddr2: '26 rue Banès',
  weight: '',
  modeLiv: '',
} as const;

const closed = '00:00-00:00 00:00-00:00';
export const pointsAnswer = listed(0, 'Code retour OK', [
  {
    accesPersonneMobiliteReduite: false,
    adresse1: '26 RUE BANES',
    adresse2: '',
    adresse3: '',
    codePays: 'FR',
    codePostal: '92190',
    congesPartiel: false,
    congesTotal: false,
    coordGeolocalisationLatitude: '48.807622',
    coordGeolocalisationLongitude: '2.242110',
    distanceEnMetre: 627,
    horairesOuvertureDimanche: closed,
    horairesOuvertureJeudi: closed,
    horairesOuvertureLundi: '10:00-12:00 12:00-20:15',
    horairesOuvertureMardi: closed,
    horairesOuvertureMercredi: closed,
    horairesOuvertureSamedi: '10:00-18:00 00:00-00:00',
    horairesOuvertureVendredi: closed,
    identifiant: '107782',
    localite: 'MEUDON',
    nom: 'BOULANGERIE BANES',
    poidsMaxi: 20000,
    reseau: 'R03',
    typeDePoint: 'A2P',
  },
]);
export const points = [
  {
    labelRequest: { modeLiv: 'HD', shippingPickupPoint: '107782', shippingPickupPointCountry: 'FR' },
    name: 'BOULANGERIE BANES',
    street: '26 RUE BANES',
    supplement: '',
    zip: '92190',
    city: 'MEUDON',
    country: 'FR',
    latitude: 48.807622,
    longitude: 2.24211,
    distanceMeters: 627,
    maxGrams: 20_000,
    openingHours: [
      { day: 'monday', from: '10:00', to: '12:00' },
      { day: 'monday', from: '12:00', to: '20:15' },
      { day: 'saturday', from: '10:00', to: '18:00' },
    ],
  },
] as const;

const refused = (id: string, messageContent: string) =>
  answer(JSON.stringify({ messages: [{ id, type: 'ERROR', messageContent }] }), 400, {
    'content-type': 'application/json',
  });

export const deskRefusals: readonly Refusal[] = [
  ...(
    [
      [117, 'destCountry'],
      [125, 'destZip'],
      [121, 'weight'],
      [203, 'destCountry'],
    ] as const
  ).map(
    ([code, field]): Refusal => ({
      name: `a search that the directory answers with ${code}`,
      operation: 'findPoints',
      answers: [listed(code, 'Paramètre incorrect')],
      kind: 'invalid',
      carrierCode: String(code),
      fields: [field],
    }),
  ),
  {
    name: 'a search of an account that the directory does not know',
    operation: 'findPoints',
    answers: [listed(201, 'Identifiant / mot de passe invalide')],
    kind: 'configuration',
    carrierCode: '201',
    fields: [],
  },
  {
    name: 'a search over which the directory fails',
    operation: 'findPoints',
    answers: [listed(1000, 'Erreur interne')],
    kind: 'unavailable',
    carrierCode: '1000',
    fields: [],
  },
  {
    name: 'a trial with a wrong postcode',
    operation: 'dryRun',
    answers: [refused('30213', "Le code postal du destinataire n'est pas correct")],
    kind: 'invalid',
    carrierCode: '30213',
    fields: ['destZip'],
  },
  {
    name: 'a trial of an account that it does not know',
    operation: 'dryRun',
    answers: [refused('30000', 'Identifiant ou mot de passe incorrect')],
    kind: 'configuration',
    carrierCode: '30000',
    fields: [],
  },
];
