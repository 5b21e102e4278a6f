// Relays of Mondial Relay as version 1 was recorded, and the order of its signature.
import { createHash } from 'node:crypto';
import type { Refusal } from '../contract.ts';
import { privateKey, soapResult } from './samples.ts';

const operation = 'WSI4_PointRelais_Recherche';

/** Names and values as they are signed; those without a value are not sent. */
const signed = [
  ['Enseigne', 'BDTEST13'],
  ['Pays', 'FR'],
  ['CP', '29170'],
  ['Poids', '800'],
  ['Action', '24R'],
  ['DelaiEnvoi', '0'],
  ['RayonRecherche', '50'],
  ['NombreResultats', '10'],
] as const;
const security = createHash('md5')
  .update(`${signed.map(([, value]) => value).join('')}${privateKey}`)
  .digest('hex')
  .toUpperCase();
export const relaysContent = [...signed, ['Security', security]]
  .map(([name, value]) => `<${name}>${value}</${name}>`)
  .join('');
export const relaysQuery = {
  destCountry: 'FR',
  destZip: '29170',
  destCity: 'Pleuven',
  destAddr2: '1 rue du Port',
  weight: '800',
  modeLiv: '',
} as const;

const hours = (day: string, times: readonly string[]) =>
  `<Horaires_${day}>${times.map((time) => `<string>${time}</string>`).join('')}</Horaires_${day}>`;
/** Texts filled up with blanks, decimals with a comma, meters. */
export const relaysAnswer = soapResult(
  operation,
  '<STAT>0</STAT><PointsRelais><PointRelais_Details><STAT>0</STAT><Num>015893</Num>' +
    '<LgAdr1>LOCKER 24/7 ELECLERC PLEUVEN   </LgAdr1><LgAdr2>                    </LgAdr2>' +
    '<LgAdr3>29 ZAC DE PENHOAT SALAUN POLE C</LgAdr3><LgAdr4/><CP>29170</CP><Ville>PLEUVEN                   </Ville>' +
    '<Pays>FR</Pays><Latitude>47,9010840</Latitude><Longitude>-04,0292160</Longitude>' +
    `${hours('Lundi', ['0001', '2359', '0000', '0000'])}${hours('Mardi', ['0900', '1230', '1400', '1900'])}` +
    `${hours('Dimanche', ['0000', '0000', '0000', '0000'])}<Distance>4986</Distance>` +
    '</PointRelais_Details></PointsRelais>',
);
export const relays = [
  {
    labelRequest: { modeLiv: '24R', shippingPickupPoint: '015893', shippingPickupPointCountry: 'FR' },
    name: 'LOCKER 24/7 ELECLERC PLEUVEN ',
    street: '29 ZAC DE PENHOAT SALAUN POLE C',
    supplement: '',
    zip: '29170',
    city: 'PLEUVEN',
    country: 'FR',
    latitude: 47.901084,
    longitude: -4.029216,
    distanceMeters: 4986,
    maxGrams: null,
    openingHours: [
      { day: 'monday', from: '00:01', to: '23:59' },
      { day: 'tuesday', from: '09:00', to: '12:30' },
      { day: 'tuesday', from: '14:00', to: '19:00' },
    ],
  },
] as const;

export const relayRefusals: readonly Refusal[] = [
  {
    name: 'a search with a wrong postcode',
    operation: 'findPoints',
    answers: [soapResult(operation, '<STAT>19</STAT>')],
    kind: 'invalid',
    carrierCode: '19',
    fields: ['destZip'],
  },
  {
    name: 'a search with a wrong signature',
    operation: 'findPoints',
    answers: [soapResult(operation, '<STAT>97</STAT>')],
    kind: 'configuration',
    carrierCode: '97',
    fields: [],
  },
];
