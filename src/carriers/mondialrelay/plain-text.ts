// Rewrites texts to match Mondial Relay's patterns: Latin letters without accents, plain punctuation, single spaces.

/** Letters whose accents decomposition does not remove, and typographic punctuation. */
const replacements: Readonly<Record<string, string>> = {
  œ: 'oe',
  Œ: 'OE',
  æ: 'ae',
  Æ: 'AE',
  ß: 'ss',
  ẞ: 'SS',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'TH',
  ı: 'i',
  '’': "'",
  '‘': "'",
  ʼ: "'",
  '´': "'",
  '`': "'",
  '‐': '-',
  '‑': '-',
  '–': '-',
  '—': '-',
  '−': '-',
};

/**
 * Rewrites a text without losing words: `Œuvre de l’Été` → `Oeuvre de l'Ete`. Characters without a plain form stay, and
 * then break a rule.
 */
export function plainText(text: string): string {
  return text
    .replaceAll(/[œŒæÆßẞøØłŁđĐðÐþÞı’‘ʼ´`‐‑–—−]/g, (character) => replacements[character] ?? character)
    .normalize('NFD')
    .replaceAll(/(?<=[A-Za-z])[\u0300-\u036f]+/g, '')
    .normalize('NFC')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The same in capital letters. */
export function capitals(text: string): string {
  return plainText(text).toUpperCase();
}

/** Mondial Relay's two letters of a country: Monaco counts as France. */
export function countryCode(text: string): string {
  const code = text.trim().toUpperCase();
  return code === 'MC' ? 'FR' : code;
}

/** The characters of a text that a pattern for one character does not match, each once, at most five. */
export function strangers(text: string, allowed: RegExp): readonly string[] {
  return [...new Set([...text].filter((character) => !allowed.test(character)))].slice(0, 5);
}

/**
 * A text on lines of a length, broken at spaces; its own line breaks stay.
 * @returns null if a word is longer than a line
 */
export function wrapped(text: string, length: number): readonly string[] | null {
  const lines = text.split(/\r\n?|\n/).flatMap((line) => brokenLine(line.replaceAll(/\s+/g, ' ').trim(), length));
  return lines.some((line) => line.length > length) ? null : lines;
}

function brokenLine(line: string, length: number): readonly string[] {
  const lines: string[] = [];
  for (const word of line.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > length) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
