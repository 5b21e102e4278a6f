// Decides between which places goods have to be declared: within an area neither customs nor import tax applies.

/** A place recognised by its country and, if it has no code of its own, by its postcode. */
interface Exception {
  readonly name: string;
  readonly country: string;
  /** Matches the whole postcode, without blanks, in capitals. */
  readonly zip: RegExp;
  readonly areas: readonly string[];
}

const unionTax = 'EU';

/** Member states, Treaty on European Union, article 52; Monaco: Regulation (EU) No 952/2013, article 4 (2) (a). */
const unionCountries: ReadonlySet<string> = new Set(
  `AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MC MT NL PL PT RO SE SI SK`.split(' '),
);

/**
 * Places with a different code that belong to an area. Liechtenstein: Customs Union Treaty with Switzerland of 29 March
 * 1923. Isle of Man: Customs and Excise Agreement of 1979 with the United Kingdom, customs and value-added tax; Jersey
 * and Guernsey are outside that tax. The Union's own offices write EL for Greece and XI for Northern Ireland.
 */
const alike: Readonly<Record<string, readonly string[]>> = {
  LI: ['CH'],
  IM: ['GB'],
  EL: [unionTax],
  XI: [unionTax, 'GB'],
  // Canary Islands, Ceuta and Melilla: reserved in ISO 3166-1.
  IC: ['ES-IC'],
  EA: ['ES-EA'],
};

/**
 * Parts of countries outside their area: outside the customs territory (Regulation (EU) No 952/2013, article 4), or
 * outside the territory of value-added tax (Directive 2006/112/EC, article 6), where goods are declared too. Postcodes
 * are those of the countries' posts. Northern Ireland belongs to both sides for goods (Windsor Framework, article 5,
 * and Regulation (EU) 2023/1231). French overseas departments written as FR have 97 and 98.
 */
const exceptions: readonly Exception[] = [
  { name: 'Heligoland', country: 'DE', zip: /^27498$/, areas: ['DE-HL'] },
  { name: 'Büsingen', country: 'DE', zip: /^78266$/, areas: ['CH'] },
  { name: 'Canary Islands', country: 'ES', zip: /^(35|38)\d{3}$/, areas: ['ES-IC'] },
  { name: 'Ceuta', country: 'ES', zip: /^51\d{3}$/, areas: ['ES-EA'] },
  { name: 'Melilla', country: 'ES', zip: /^52\d{3}$/, areas: ['ES-EA'] },
  { name: 'Livigno', country: 'IT', zip: /^23041$/, areas: ['IT-LV'] },
  { name: 'Campione d’Italia', country: 'IT', zip: /^22061$/, areas: ['IT-CI'] },
  { name: 'Åland', country: 'FI', zip: /^22\d{3}$/, areas: ['AX'] },
  { name: 'Mount Athos', country: 'GR', zip: /^63086$/, areas: ['GR-69'] },
  { name: 'Mount Athos', country: 'EL', zip: /^63086$/, areas: ['GR-69'] },
  { name: 'Saint Barthélemy', country: 'FR', zip: /^97(133|7\d\d)$/, areas: ['BL'] },
  { name: 'Saint Martin', country: 'FR', zip: /^97(150|8\d\d)$/, areas: ['MF'] },
  { name: 'Guadeloupe', country: 'FR', zip: /^971\d\d$/, areas: ['GP'] },
  { name: 'Martinique', country: 'FR', zip: /^972\d\d$/, areas: ['MQ'] },
  { name: 'French Guiana', country: 'FR', zip: /^973\d\d$/, areas: ['GF'] },
  { name: 'Réunion', country: 'FR', zip: /^974\d\d$/, areas: ['RE'] },
  { name: 'Saint Pierre and Miquelon', country: 'FR', zip: /^975\d\d$/, areas: ['PM'] },
  { name: 'Mayotte', country: 'FR', zip: /^976\d\d$/, areas: ['YT'] },
  { name: 'Southern Territories', country: 'FR', zip: /^984\d\d$/, areas: ['TF'] },
  { name: 'Wallis and Futuna', country: 'FR', zip: /^986\d\d$/, areas: ['WF'] },
  { name: 'French Polynesia', country: 'FR', zip: /^987\d\d$/, areas: ['PF'] },
  { name: 'New Caledonia', country: 'FR', zip: /^988\d\d$/, areas: ['NC'] },
  { name: 'Northern Ireland', country: 'GB', zip: /^BT\d/, areas: [unionTax, 'GB'] },
];

/** Areas outside the Union for tax alone: goods sent there do not leave its customs territory. */
const insideCustomsUnion: ReadonlySet<string> = new Set(`EU ES-IC AX GR-69 IT-CI GP MQ GF RE YT MF`.split(' '));

/** Where a shipment comes from or goes to. */
export interface Place {
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly zip: string;
}

/** Whether goods have to be declared between the two places. */
export function needsDeclaration(from: Place, to: Place): boolean {
  const origin = areasOf(from);
  return !areasOf(to).some((area) => origin.includes(area));
}

/**
 * Whether goods leave the customs territory of the Union: an export, which shipments to overseas departments are not.
 */
export function leavesUnion(from: Place, to: Place): boolean {
  const isInside = (place: Place): boolean => areasOf(place).some((area) => insideCustomsUnion.has(area));
  return isInside(from) && !isInside(to);
}

/** The code by which tables list a part of a country, such as GP for 97100 in FR; else the country. */
export function areaCode(place: Place): string {
  return exceptionOf(place)?.areas[0] ?? place.country;
}

function areasOf(place: Place): readonly string[] {
  const { country } = place;
  const own = Object.hasOwn(alike, country) ? alike[country] : undefined;
  return exceptionOf(place)?.areas ?? own ?? (unionCountries.has(country) ? [unionTax] : [country]);
}

function exceptionOf({ country, zip }: Place): Exception | undefined {
  const plain = zip.replaceAll(/\s/g, '').toUpperCase();
  return exceptions.find((exception) => exception.country === country && exception.zip.test(plain));
}
