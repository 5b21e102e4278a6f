// Lists for people: aligned columns on a terminal, tabs elsewhere so that other programs can split them.
import type { Output } from './environment.ts';

/**
 * Writes a table with a header line.
 * @param rows as many cells as there are headings; null: nothing to show
 */
export function writeTable(
  output: Output,
  headings: readonly string[],
  rows: readonly (readonly (string | null)[])[],
): void {
  const cells = [headings, ...rows].map((row) => row.map((cell) => safeForTerminal(cell ?? '')));
  if (output.isTTY !== true) {
    output.write(cells.map((row) => `${row.join('\t')}\n`).join(''));
    return;
  }
  const widths = headings.map((_heading, column) => Math.max(...cells.map((row) => displayWidth(row[column] ?? ''))));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - displayWidth(cell)))
      .join('  ')
      .trimEnd();
  output.write(cells.map((row) => `${line(row)}\n`).join(''));
}

/** Day and time in UTC, to the minute. */
export function minuteText(milliseconds: number | null): string | null {
  return milliseconds === null ? null : `${new Date(milliseconds).toISOString().slice(0, 16)}Z`;
}

/** Stored text must not move the cursor, change colours or reverse the text direction. */
export function safeForTerminal(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, '\u{fffd}');
}

/** Columns that a terminal uses for a text: none for marks and joiners, two for East Asian characters and emoji. */
function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (/[\p{M}\p{Cf}]/u.test(character)) continue;
    width += eastAsian.test(character) || /\p{Emoji_Presentation}/u.test(character) ? 2 : 1;
  }
  return width;
}

const eastAsian = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff01-\uff60]/u;
