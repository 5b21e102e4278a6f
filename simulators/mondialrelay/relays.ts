// Relays near a postcode, as version 1 lists them (WSI4_PointRelais_Recherche).
import { xml, type XmlPart } from '../../src/carriers/xml/write.ts';
import { lonelyPostcode, nearbyShops } from '../nearby.ts';

type Sent = Readonly<Record<string, string>>;

/**
 * All parameters, in the order in which they are signed. Source: the client mondial-relay of ernadoo, whose tests hold
 * a signature that the service accepted.
 */
export const relayParameters: readonly string[] = [
  ...['Enseigne', 'Pays', 'NumPointRelais', 'Ville', 'CP', 'Latitude', 'Longitude', 'Taille', 'Poids', 'Action'],
  ...['DelaiEnvoi', 'RayonRecherche', 'TypeActivite', 'NACE', 'NombreResultats', 'Security'],
];

/** Source: the patterns of Mondial Relay's own module for PrestaShop; the codes are those of its list of STAT. */
const rules: readonly (readonly [name: string, stat: string, pattern: RegExp])[] = [
  ['Pays', '16', /^[A-Z]{2}$/],
  ['Poids', '20', /^(1[5-9]|[2-9][0-9]|[0-9]{3,7})?$/],
  ['Action', '49', /^(REL|24R|24L|24X|DRI)?$/],
  ['DelaiEnvoi', '98', /^(-?[0-9]{1,2})?$/],
  ['RayonRecherche', '98', /^[0-9]{0,4}$/],
  ['NombreResultats', '98', /^([0-3][0-9]|[0-9])?$/],
];

/** Countries that have relays, and the format of their postcodes. */
const postcodes: Readonly<Record<string, RegExp>> = {
  FR: /^\d{5}$/,
  BE: /^\d{4}$/,
  LU: /^\d{4}$/,
  NL: /^\d{4}[A-Z]{0,2}$/,
  ES: /^\d{5}$/,
  PT: /^\d{4}(-?\d{3})?$/,
  DE: /^\d{5}$/,
  AT: /^\d{4}$/,
  IT: /^\d{5}$/,
  PL: /^\d{2}-?\d{3}$/,
};

/** The answer to a signed question in the service's notation: texts padded with blanks, decimals with a comma. */
export function relaysNear(sent: Sent): readonly XmlPart[] {
  const wrong = rules.find(([name, , pattern]) => !pattern.test(sent[name] ?? ''));
  const { Pays = '', CP = '', NombreResultats = '' } = sent;
  const shape = Object.hasOwn(postcodes, Pays) ? postcodes[Pays] : undefined;
  const stat = wrong?.[1] ?? (shape === undefined ? '16' : shape.test(CP) && CP !== '00000' ? '0' : '19');
  if (stat !== '0') return [xml('STAT', stat)];
  const shops = CP === lonelyPostcode ? [] : nearbyShops.slice(0, Number(NombreResultats || '10'));
  return [
    xml('STAT', '0'),
    xml(
      'PointsRelais',
      shops.map(({ name, street, meters }, index) =>
        xml('PointRelais_Details', [
          xml('STAT', '0'),
          xml('Num', String(15_893 + index).padStart(6, '0')),
          xml('LgAdr1', name.padEnd(32)),
          xml('LgAdr2', ''.padEnd(32)),
          xml('LgAdr3', street.padEnd(32)),
          xml('LgAdr4', ''.padEnd(32)),
          xml('CP', CP),
          xml('Ville', 'PLEUVEN'.padEnd(26)),
          xml('Pays', Pays),
          xml('Latitude', '47,9010840'),
          xml('Longitude', '-04,0292160'),
          ...days.map((day) => hours(day, day === 'Dimanche' ? [] : ['0900', '1230', '1400', '1900'])),
          xml('Distance', String(meters)),
        ]),
      ),
    ),
  ];
}

const days = ['Lundi', 'Mardi', 'Mercredi', 'Jeudi', 'Vendredi', 'Samedi', 'Dimanche'];

/** Four times, 0000 for a missing one. */
function hours(day: string, times: readonly string[]): XmlPart {
  return xml(
    `Horaires_${day}`,
    Array.from({ length: 4 }, (_, index) => xml('string', times[index] ?? '0000')),
  );
}
