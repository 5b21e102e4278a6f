// The fonts of the labels: which one shows a character, how wide a text is, and what is written for characters that no
// font has.
import { fileURLToPath } from 'node:url';
import { type FontFile, openFont } from './font-file.ts';

export type Weight = 'regular' | 'bold';

/** A drawn character: its glyph in a font, and its advance in ems. */
interface Letter {
  readonly font: FontFile;
  readonly glyph: number;
  readonly advance: number;
}

/**
 * The letter of a code point: from DejaVu Sans Condensed, which has the scripts of Europe and the Near East, else from
 * GNU Unifont, a coarse font that has nearly everything else in the Basic Multilingual Plane.
 * @returns null if neither has it
 */
export function letterOf(codePoint: number, weight: Weight): Letter | null {
  const known = often[weight][codePoint];
  if (known !== undefined) return known;
  const letter = letterIn(fontOf(weight), codePoint) ?? letterIn(fontOf('wide'), codePoint);
  if (codePoint < frequent && letter !== null) often[weight][codePoint] = letter;
  return letter;
}

/** The width of a text in ems, measured character by character: never less than its shaped width. */
export function widthOf(text: string, weight: Weight): number {
  let width = 0;
  for (let at = 0; at < text.length; at += 1) {
    const codePoint = text.codePointAt(at) ?? 0;
    if (codePoint > 0xffff) at += 1;
    width += letterOf(codePoint, weight)?.advance ?? 0;
  }
  return width;
}

/**
 * What is printed for a text: one line in composed form (NFC), blanks and control characters as single spaces, without
 * invisible characters, a mark without a letter on a dotted circle, and a character that no font has as its code point:
 * `[1F338]`.
 */
export function printable(text: string): string {
  if (plain.test(text)) return text;
  const composed = text
    .toWellFormed()
    .replace(invisible, '')
    .normalize('NFC')
    .replace(blanks, ' ')
    .trim()
    .replace(lonelyMark, '$1\u25cc$2');
  return Array.from(composed, (character) => {
    const codePoint = character.codePointAt(0) ?? 0;
    return letterOf(codePoint, 'regular') === null
      ? `[${codePoint.toString(16).toUpperCase().padStart(4, '0')}]`
      : character;
  }).join('');
}

/** One line of printable Latin text without blanks to join: nearly every text. */
const plain = /^(?:[!-~\u00a1-\u00ac\u00ae-\u017f](?: (?! |$))?)*$/;
const blanks = /[\p{Z}\p{Cc}]+/gu;
/** All except the joiners, which change the shape of letters. */
const invisible = /(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}/gu;

const lonelyMark = /(^| )(\p{M})/gu;

const frequent = 0x600;
type Frequent = Record<Weight, (Letter | undefined)[]>;
const often: Frequent = { regular: [], bold: [] };

const files = {
  regular: { name: 'DejaVuSansCondensed', file: 'dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf' },
  bold: { name: 'DejaVuSansCondensed-Bold', file: 'dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf' },
  wide: { name: 'Unifont', file: '@fontsource/unifont/files/unifont-latin-400-normal.woff' },
} as const;

/** Fonts are constant; each is opened when a text first needs it, because many servers never print a label. */
const open: Partial<Record<keyof typeof files, FontFile>> = {};

function fontOf(which: keyof typeof files): FontFile {
  const known = open[which];
  if (known !== undefined) return known;
  const { name, file } = files[which];
  const font = openFont(fileURLToPath(import.meta.resolve(file)), name);
  open[which] = font;
  return font;
}

function letterIn(font: FontFile, codePoint: number): Letter | null {
  const glyph = font.glyphOf(codePoint);
  return glyph === 0 ? null : { font, glyph, advance: font.advanceOf(glyph) / font.unitsPerEm };
}
