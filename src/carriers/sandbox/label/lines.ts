// Sets text in a block: decides where lines break, and how large the letters are.
import { type Weight, widthOf } from '../fonts/fonts.ts';
import type { Paragraph } from './content.ts';

/** A line of text. Lengths in dots. */
export interface Line {
  readonly text: string;
  readonly weight: Weight;
  readonly size: number;
  readonly width: number;
  /** From the top of the room. */
  readonly baseline: number;
}

/** The room for a text, in dots, and the allowed font sizes. */
interface Room {
  readonly width: number;
  readonly height: number;
  readonly largest: number;
  readonly smallest: number;
}

/**
 * Sets paragraphs as large as they fit. The letters become a little smaller before a line breaks; lines break between
 * words, and within words only if no size allows otherwise. Nothing is ever cut off.
 * @returns the lines from top to bottom, or null if they do not fit at the smallest size
 */
export function setLines(paragraphs: readonly Paragraph[], room: Room): readonly Line[] | null {
  const measured = paragraphs.map(
    (paragraph): Measured => ({ ...paragraph, width: widthOf(paragraph.text, paragraph.weight) }),
  );
  for (const breaks of ['none', 'words', 'anywhere'] as const) {
    for (const size of sizes) {
      if (size > room.largest || size < (breaks === 'none' ? unbrokenShare * room.largest : room.smallest)) continue;
      const lines = linesAt(size, measured, room, breaks);
      if (lines !== null) return lines;
    }
  }
  return null;
}

/** A paragraph with its width on one line in ems, which is needed for every size. */
interface Measured extends Paragraph {
  readonly width: number;
}

/** Where lines may break. */
type Breaks = 'none' | 'words' | 'anywhere';

/** How small letters become, relative to the largest size, before lines break. */
const unbrokenShare = 0.7;

const sizes = [44, 40, 36, 34, 32, 30, 28, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14];

/** Height of a line and position of its baseline, relative to the font size: from the fonts' ascent and descent. */
const lineHeight = 1.17;
const ascent = 0.93;

function linesAt(size: number, paragraphs: readonly Measured[], room: Room, breaks: Breaks): readonly Line[] | null {
  const lines: Line[] = [];
  let top = 0;
  for (const paragraph of paragraphs) {
    const { text, weight, width } = paragraph;
    const own = Math.max(room.smallest, Math.round(size * paragraph.scale));
    const broken =
      width <= room.width / own
        ? [text]
        : breaks === 'none'
          ? null
          : breakLines(text, weight, room.width / own, breaks);
    if (broken === null) return null;
    for (const line of broken) {
      lines.push({
        text: line,
        weight,
        size: own,
        width: (line === text ? width : widthOf(line, weight)) * own,
        baseline: top + Math.round(own * ascent),
      });
      top += Math.ceil(own * lineHeight);
    }
    if (top > room.height) return null;
  }
  return lines;
}

/** Where a line may end: at a blank, after these signs, and after characters of scripts without blanks. */
const opportunity = /(?<=[\s/,;\-\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}])(?!\p{M})/u;

function breakLines(
  text: string,
  weight: Weight,
  max: number,
  breaks: Exclude<Breaks, 'none'>,
): readonly string[] | null {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(opportunity)) {
    if (widthOf((line + word).trimEnd(), weight) <= max) {
      line += word;
      continue;
    }
    const parts =
      widthOf(word.trimEnd(), weight) <= max ? [word] : breaks === 'anywhere' ? cutWord(word, weight, max) : null;
    if (parts === null) return null;
    if (line !== '') lines.push(line.trimEnd());
    lines.push(...parts.slice(0, -1));
    line = parts.at(-1) ?? '';
  }
  return [...lines, line.trimEnd()].filter((part) => part !== '').map((part) => inDirectionOf(text, part));
}

/** Letters written from right to left. */
const rightToLeft = /[\u05d0-\u05ea\u0620-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/**
 * The first letter of a text sets its direction. A later line may begin with a letter of the other direction: an
 * invisible mark keeps the direction of the whole text.
 */
function inDirectionOf(text: string, line: string): string {
  if (!rightToLeft.test(line)) return line;
  const whole = runsRightToLeft(text);
  return runsRightToLeft(line) === whole ? line : `${whole ? '\u200f' : '\u200e'}${line}`;
}

function runsRightToLeft(text: string): boolean {
  return rightToLeft.test(/\p{L}/u.exec(text)?.[0] ?? '');
}

/** Cuts a word that is too long for a line between graphemes; null if a single one is too wide. */
function cutWord(word: string, weight: Weight, max: number): readonly string[] | null {
  const parts: string[] = [];
  let part = '';
  for (const { segment } of new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(word)) {
    if (widthOf(segment.trimEnd(), weight) > max) return null;
    if (widthOf((part + segment).trimEnd(), weight) > max) {
      parts.push(part);
      part = '';
    }
    part += segment;
  }
  return [...parts, part];
}
