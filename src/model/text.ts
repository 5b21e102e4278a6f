// Puts text in canonical form (Unicode NFC) at a cost that is linear in its length, whoever sends it.
import { textBlock } from './text-block.ts';

/**
 * The most combining marks in a row, as in Unicode's Stream-Safe Text Format (UAX #15, section 13). Ordering a run of
 * marks takes quadratic time, and no language uses more than a handful.
 */
export const maxMarksInRow = 30;

/**
 * The most UTF-16 units that one character of composed text can have had before composition: four code points of two
 * units (UAX #15, section 9). Text of `max` characters is thus never longer than this many times `max`.
 */
const maxUnitsPerCharacter = 8;

/** The fault of text that has no canonical form here; continues a sentence that starts with the text's name. */
export const tooManyMarks = textBlock`
  has more than ${maxMarksInRow} combining marks in a row: take those out that nobody can read
`;

/** True for text that cannot have `max` characters or fewer in any form, so that it need not be examined. */
export function isBeyond(text: string, max: number): boolean {
  return text.length > max * maxUnitsPerCharacter;
}

/** Number of code points. An unpaired surrogate counts as one. */
export function characters(text: string): number {
  let count = text.length;
  for (let index = 1; index < text.length; index++) {
    if ((text.charCodeAt(index) & 0xfc00) === 0xdc00 && (text.charCodeAt(index - 1) & 0xfc00) === 0xd800) count--;
  }
  return count;
}

/**
 * The composed form of text (NFC), so that equal text has equal bytes; null when it has too many combining marks in a
 * row.
 */
export function composed(text: string): string | null {
  return hasTooManyMarks(text) ? null : text.normalize('NFC');
}

/** True for control and direction characters, unpaired surrogates and the like: a list could display something else. */
export function hasInvisible(text: string): boolean {
  return /[\p{C}\p{Zl}\p{Zp}]/u.test(text);
}

/** True when there are more combining marks in a row than `maxMarksInRow`: such text is never normalized. */
export function hasTooManyMarks(text: string): boolean {
  return markRun.test(text);
}

/** The text with each run of combining marks cut to `maxMarksInRow`. */
export function withoutMarkRuns(text: string): string {
  return text.replaceAll(surplusMarks, '$1');
}

/**
 * Marks, and the two characters that become marks in compatibility forms. The match includes the character before a
 * run, so that no run is tried twice.
 */
const markRun = new RegExp(`(?:^|[^\\p{M}\\uff9e\\uff9f])[\\p{M}\\uff9e\\uff9f]{${maxMarksInRow + 1}}`, 'u');
const surplusMarks = new RegExp(`([\\p{M}\\uff9e\\uff9f]{${maxMarksInRow}})[\\p{M}\\uff9e\\uff9f]+`, 'gu');

/** The beginning of a text as a message can show it: at most `max` UTF-16 units and an ellipsis, well-formed. */
export function excerpt(text: string, max = 40): string {
  return text.length > max ? `${text.slice(0, max).toWellFormed()}…` : text.toWellFormed();
}

/** The same as a JSON string; shorter when it consists of characters that JSON has to escape. */
export function quoted(text: string): string {
  const whole = JSON.stringify(excerpt(text, 64));
  return whole.length <= 160 ? whole : JSON.stringify(excerpt(text, 24));
}
