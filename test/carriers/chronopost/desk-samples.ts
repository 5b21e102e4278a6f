// Points of Chronopost as its directory was recorded.
import type { Refusal } from '../contract.ts';
import { answer } from '../drive.ts';

const operation = 'recherchePointChronopostInter';
const returned = (content: string) =>
  answer(
    '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>' +
      `<ns1:${operation}Response xmlns:ns1="http://cxf.rechercheBt.soap.chronopost.fr/"><return>${content}</return>` +
      `</ns1:${operation}Response></soap:Body></soap:Envelope>`,
    200,
    { 'content-type': 'text/xml;charset=UTF-8' },
  );

export const pointsRequest = {
  method: 'POST',
  url: 'https://ws.chronopost.fr/recherchebt-ws-cxf/PointRelaisServiceWS',
  repeat: 'safe',
  body:
    '<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/">' +
    `<soap:Body><cxf:${operation} xmlns:cxf="http://cxf.rechercheBt.soap.chronopost.fr/">` +
    '<accountNumber>1234</accountNumber><password>chr0n0-pw</password><address>58 rue de l&apos;Arbre Sec</address>' +
    '<zipCode>75001</zipCode><city>Paris</city><countryCode>FR</countryCode><type>P</type>' +
    '<productCode>86</productCode><service>L</service><weight>1200</weight><shippingDate>22/11/2026</shippingDate>' +
    '<maxPointChronopost>10</maxPointChronopost><maxDistanceSearch>20</maxDistanceSearch>' +
    `<holidayTolerant>1</holidayTolerant><language>FR</language><version>2.0</version></cxf:${operation}>` +
    '</soap:Body></soap:Envelope>',
} as const;
export const pointsQuery = {
  destCountry: 'FR',
  destZip: '75001',
  destCity: 'Paris',
  destAddr2: "58 rue de l'Arbre Sec",
  weight: '1200',
  modeLiv: '',
} as const;

const recorded =
  '<accesPersonneMobiliteReduite>true</accesPersonneMobiliteReduite><adresse1>58 rue de l Arbre Sec</adresse1>' +
  '<adresse2/><codePays>250</codePays><codePostal>75001</codePostal>' +
  '<coordGeolocalisationLatitude>48.86113710000</coordGeolocalisationLatitude>' +
  '<coordGeolocalisationLongitude>2.34258780000</coordGeolocalisationLongitude>' +
  '<distanceEnMetre>284</distanceEnMetre><identifiant>9835U</identifiant>' +
  '<listeHoraireOuverture><horairesAsString>08:00-12:00 00:00-00:00</horairesAsString><jour>6</jour>' +
  '</listeHoraireOuverture><listeHoraireOuverture><horairesAsString>11:30-15:00 15:30-22:30</horairesAsString>' +
  '<jour>1</jour><listeHoraireOuverture><debut>11:30</debut><fin>15:00</fin></listeHoraireOuverture>' +
  '</listeHoraireOuverture><localite>PARIS</localite><nom>MARIA</nom><poidsMaxi>20</poidsMaxi>' +
  '<typeDePoint>P</typeDePoint>';
export const pointsAnswer = returned(
  `<errorCode>0</errorCode><listePointRelais><actif>true</actif>${recorded}</listePointRelais>` +
    `<listePointRelais><actif>false</actif>${recorded}</listePointRelais><qualiteReponse>2</qualiteReponse>`,
);
export const points = [
  {
    labelRequest: { modeLiv: '86', shippingPickupPoint: '9835U', shippingPickupPointCountry: 'FR' },
    name: 'MARIA',
    street: '58 rue de l Arbre Sec',
    supplement: '',
    zip: '75001',
    city: 'PARIS',
    country: 'FR',
    latitude: 48.8611371,
    longitude: 2.3425878,
    distanceMeters: 284,
    maxGrams: 20_000,
    openingHours: [
      { day: 'monday', from: '11:30', to: '15:00' },
      { day: 'monday', from: '15:30', to: '22:30' },
      { day: 'saturday', from: '08:00', to: '12:00' },
    ],
  },
] as const;

const failed = (code: number, message: string) =>
  returned(`<errorCode>${code}</errorCode><errorMessage>${message}</errorMessage>`);

export const deskRefusals: readonly Refusal[] = [
  {
    name: 'a search in a country that it does not serve',
    operation: 'findPoints',
    answers: [failed(700, 'Country not supported')],
    kind: 'invalid',
    carrierCode: '700',
    fields: ['destCountry'],
  },
  {
    name: 'a search of an account that the directory does not know',
    operation: 'findPoints',
    answers: [failed(1500, 'erreur')],
    kind: 'configuration',
    carrierCode: '1500',
    fields: [],
  },
  {
    name: 'a search over which the directory fails',
    operation: 'findPoints',
    answers: [failed(300, 'service [] incorrect')],
    kind: 'unavailable',
    carrierCode: '300',
    fields: [],
  },
];
