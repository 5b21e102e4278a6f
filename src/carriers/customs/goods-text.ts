// Describes goods in the letters and the length that a carrier prints.

/** Shortens a description to so many characters: the words that fit, and at worst a part of the first one. */
export function shortDescription(text: string, max: number): string {
  const all = Array.from(text);
  if (all.length <= max) return text;
  const cut = all.slice(0, max + 1).join('');
  const end = cut.lastIndexOf(' ');
  return (end > 0 ? cut.slice(0, end) : all.slice(0, max).join('')).trimEnd();
}

/** Reduces a text to ASCII: accents removed, ligatures split, other signs left out. */
export function plainAscii(text: string): string {
  const joined: Readonly<Record<string, string>> = {
    ...{ œ: 'oe', Œ: 'OE', æ: 'ae', Æ: 'AE', ß: 'ss', ø: 'o', Ø: 'O', ł: 'l', Ł: 'L', đ: 'd', Đ: 'D' },
    ...{ ð: 'd', Ð: 'D', þ: 'th', Þ: 'TH', ı: 'i', '’': "'", '‘': "'", '“': '"', '”': '"', '–': '-', '—': '-' },
  };
  return Array.from(text.normalize('NFD'), (character) => joined[character] ?? character)
    .join('')
    .replaceAll(/[^\x20-\x7e]/gu, '')
    .replaceAll(/ +/g, ' ')
    .trim();
}
