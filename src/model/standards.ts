// Rules that follow from standards rather than definitions: check digits, country codes, calendar days. Clients that
// break them are refused; from the warehouse such values are accepted with a warning.
import { checkDigit } from './check-digit.ts';
import { isDayText, parseInstant } from './instant.ts';
import { type Scalar, type ValueReason, valueReason } from './scalar.ts';
import { quoted } from './text.ts';

/**
 * The standard that a field follows: `gtin` of GS1, for codes that have as many digits as a GTIN; `country` of ISO
 * 3166-1, alpha-2; `calendar`: days that exist.
 */
type Standard = 'gtin' | 'country' | 'calendar';

/**
 * The lengths of a GTIN in digits (GS1 General Specifications, 1.3), with the name of the barcode that carries each.
 */
const gtins: ReadonlyMap<number, string> = new Map([
  [8, 'EAN-8'],
  [12, 'UPC-A'],
  [13, 'EAN-13'],
  [14, 'GTIN-14'],
]);
export const gtinLengths: readonly number[] = [...gtins.keys()];

/**
 * How a value violates the standard, and what was expected; null when it does not.
 * @param value in canonical form
 * @param checkedGtins lengths of digit codes that are checked as a GTIN
 */
export function standardFault(
  standard: Standard | undefined,
  value: Scalar,
  checkedGtins: readonly number[] = gtinLengths,
): ValueReason | null {
  if (typeof value !== 'string') return null;
  if (standard === 'gtin') return checkedGtins.includes(value.length) ? gtinFault(value) : null;
  return standard === 'country' ? countryFault(value) : null;
}

/** Why a text that is spelled as a date names no existing day; null for other texts. Such a date is read as null. */
export function calendarFault(standard: Standard | undefined, given: unknown): ValueReason | null {
  if (standard !== 'calendar' || typeof given !== 'string') return null;
  const [day = ''] = /^\d{4}-?\d{2}-?\d{2}/.exec(given) ?? [];
  if (!isDayText(day) || parseInstant(day) !== null) return null;
  return valueReason('bad-date', `is of a day that no calendar has, ${quoted(day)}: it is taken for none`);
}

function gtinFault(code: string): ValueReason | null {
  if (!/^\d+$/.test(code)) return null;
  const digits = code.slice(0, -1);
  const right = digits + checkDigit(digits);
  if (code === right) return null;
  const kind = `a GTIN (${gtins.get(code.length)})`;
  return valueReason(
    'bad-check-digit',
    `has ${code.length} digits, as ${kind}, but not its check digit; ${right} would be right`,
  );
}

function countryFault(given: string): ValueReason | null {
  if (given === '' || countries.has(given)) return null;
  const near = nearCountry(given.trim());
  const right = near === null ? 'such as FR' : `${near} would be right`;
  return valueReason('bad-country', `must be the two letters of a country (ISO 3166-1 alpha-2); ${right}`);
}

/** The code that a lower-case code, an everyday abbreviation or a country name stands for. */
function nearCountry(given: string): string | null {
  const code = given.toUpperCase();
  if (countries.has(code)) return code;
  const other = otherCodes[code];
  if (other !== undefined) return other;
  return namesOfCountries().get(given.toLowerCase()) ?? null;
}

/** Codes by lower-case name in several European languages; built on first use. */
const namesOfCountries = once((): ReadonlyMap<string, string> => {
  const languages = ['en', 'fr', 'de', 'es', 'it'].map(
    (language) => new Intl.DisplayNames(language, { type: 'region' }),
  );
  return new Map(
    [...countries].flatMap((code) => languages.map((names) => [(names.of(code) ?? code).toLowerCase(), code] as const)),
  );
});

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const otherCodes: Readonly<Record<string, string>> = {
  ...{ UK: 'GB', EL: 'GR', FRA: 'FR', DEU: 'DE', ESP: 'ES', ITA: 'IT', GBR: 'GB', BEL: 'BE', NLD: 'NL', PRT: 'PT' },
  ...{ CHE: 'CH', AUT: 'AT', POL: 'PL', USA: 'US', CHN: 'CN', IND: 'IN', TUR: 'TR', VNM: 'VN', BGD: 'BD', JPN: 'JP' },
};

/** Whether a text is a country code of ISO 3166-1 alpha-2, in capitals. */
export function isCountry(code: string): boolean {
  return countries.has(code);
}

/**
 * The 249 codes officially assigned by ISO 3166-1, and XK, which customs use for Kosovo. `Intl` knows names, but also
 * codes that are no longer assigned or never were.
 */
const countries: ReadonlySet<string> = new Set(
  `
  AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
  CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO
  FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE
  JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO
  MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW
  PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM
  TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW XK
`
    .trim()
    .split(/\s+/),
);
