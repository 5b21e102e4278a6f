// Puts names and telephones in Colissimo's form: a name in two parts, a mobile number in the form of its country.

/** Removes accents from names, as Colissimo's own module does; Colissimo itself removes them from all other lines. */
export function plainName(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .normalize('NFC');
}

/** Splits a name into its first word and the rest; a single word leaves the last name empty. */
export function splitName(name: string): { readonly firstName: string; readonly lastName: string } {
  const [firstName = '', ...others] = name.trim().split(/\s+/u);
  return { firstName, lastName: others.join(' ') };
}

/**
 * A telephone number without blanks, points, dashes, slashes and brackets, and without the zero dialled within the
 * country.
 */
export function withoutSeparators(telephone: string): string {
  return telephone.replace(/\(0\)|[\s./()\u2010-\u2015-]/gu, '');
}

/** A French mobile number in full; null for any other. */
export function frenchMobile(telephone: string): string | null {
  const figures = withoutSeparators(telephone);
  return /^(?:\+33|0033|0)[67]\d{8}$/.test(figures) ? figures : null;
}

/**
 * A Belgian mobile number as `+324…`, however it is written: the only form that Colissimo accepts (30221); null for any
 * other.
 */
export function belgianMobile(telephone: string): string | null {
  const [, figures] = /^(?:(?:\+|00)?320?|0)(4\d{8})$/.exec(withoutSeparators(telephone)) ?? [];
  return figures === undefined ? null : `+32${figures}`;
}
