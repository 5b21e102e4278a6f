// The codes that a sandbox label request may carry: collection and delivery modes, and each country's postcodes.

/** A mode in the words of the label and the documentation. */
export interface Mode {
  readonly name: string;
  /** The parcel passes through a pick-up point, whose number and country must be given. */
  readonly point: boolean;
}

/** modeCol. The codes are those of Mondial Relay, so that an integration can switch. */
export const collectionModes: Readonly<Record<string, Mode>> = {
  CCC: { name: 'Collected at the sender', point: false },
  REL: { name: 'Handed in at a pick-up point', point: true },
};

/** modeLiv, likewise. */
export const deliveryModes: Readonly<Record<string, Mode>> = {
  HOM: { name: 'Home delivery', point: false },
  '24R': { name: 'Pick-up point', point: true },
  '24L': { name: 'Pick-up point XL', point: true },
  LCC: { name: 'Return to the sender', point: false },
};

/** The format of a postcode, by country; other countries are not checked. */
export const postcodes: Readonly<Record<string, RegExp>> = {
  FR: /^\d{5}$/,
  MC: /^980\d\d$/,
  BE: /^\d{4}$/,
  LU: /^(L-)?\d{4}$/,
  NL: /^\d{4} ?[A-Z]{2}$/,
  DE: /^\d{5}$/,
  AT: /^\d{4}$/,
  CH: /^\d{4}$/,
  IT: /^\d{5}$/,
  ES: /^\d{5}$/,
  PT: /^\d{4}-?\d{3}$/,
};

/** The English name of a country; null for an unknown code. */
export function countryName(code: string): string | null {
  if (!/^(?!ZZ)[A-Z]{2}$/.test(code)) return null;
  const known = countryNames.get(code);
  if (known !== undefined) return known;
  countries ??= new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const name = countries.of(code) ?? null;
  countryNames.set(code, name);
  return name;
}

/**
 * The names of all countries take 10 MB: they are loaded when the first is requested, and each is cached, because
 * looking them up is slow.
 */
let countries: Intl.DisplayNames | undefined;
const countryNames = new Map<string, string | null>();
