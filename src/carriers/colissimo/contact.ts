// Names and telephones as Colissimo wants them: a name in two parts, a mobile telephone in the form of its country.

/** Names go in plain letters, as Colissimo's own module sends them; it takes the accents off all other lines itself. */
export function plainName(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .normalize('NFC');
}

/** A name in two parts: the first word, and all others; a single word is the last name of nobody. */
export function splitName(name: string): { readonly firstName: string; readonly lastName: string } {
  const [firstName = '', ...others] = name.trim().split(/\s+/u);
  return { firstName, lastName: others.join(' ') };
}

/** A telephone without blanks, points, dashes, slashes and brackets, and without the zero that is dialled at home. */
export function withoutSeparators(telephone: string): string {
  return telephone.replace(/\(0\)|[\s./()\u2010-\u2015-]/gu, '');
}

/** A mobile telephone of France in full; null for any other. */
export function frenchMobile(telephone: string): string | null {
  const figures = withoutSeparators(telephone);
  return /^(?:\+33|0033|0)[67]\d{8}$/.test(figures) ? figures : null;
}

/**
 * A mobile telephone of Belgium as `+324…`, the only form that Colissimo takes (30221), however it is written; null for
 * any other.
 */
export function belgianMobile(telephone: string): string | null {
  const [, figures] = /^(?:(?:\+|00)?320?|0)(4\d{8})$/.exec(withoutSeparators(telephone)) ?? [];
  return figures === undefined ? null : `+32${figures}`;
}
