// Draws papers as PDF: A4 pages of texts and boxes in our fonts. The same paper always gives the same bytes.
import { printable, type Weight, widthOf } from '../sandbox/fonts/fonts.ts';
import { type PageText, pdfPages } from '../sandbox/label/pdf-pages.ts';
import { pdfNumber, pointsPerMillimetre } from '../sandbox/label/pdf-parts.ts';

/** Something on a page; positions and lengths are from its upper left corner, in tenths of a millimetre by default. */
export type PaperMark =
  | {
      readonly kind: 'text';
      readonly text: string;
      readonly weight: Weight;
      readonly size: number;
      readonly x: number;
      readonly y: number;
    }
  | {
      readonly kind: 'box';
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
    };

/** A line of text with its baseline at `y`. */
export function line(text: string, x: number, y: number, size = 32, weight: Weight = 'regular'): PaperMark {
  return { kind: 'text', text: printable(text), x, y, size, weight };
}

/** A line of text that ends at `right`. */
export function lineTo(text: string, right: number, y: number, size = 32, weight: Weight = 'regular'): PaperMark {
  const shown = printable(text);
  return line(shown, right - widthOf(shown, weight) * size, y, size, weight);
}

/** A line across the paper. */
export function rule(x: number, y: number, width: number): PaperMark {
  return { kind: 'box', x, y, width, height: 2 };
}

/**
 * Splits a text into lines at spaces, at worst within words; of more than `most` lines it keeps the first.
 * @param width maximum width of each
 */
export function wrapped(text: string, width: number, size: number, most: number): readonly string[] {
  const fits = (part: string): boolean => widthOf(part, 'bold') * size <= width;
  const lines: string[] = [];
  let current = '';
  for (const word of printable(text).split(' ')) {
    const joined = current === '' ? word : `${current} ${word}`;
    if (fits(joined)) {
      current = joined;
      continue;
    }
    if (current !== '') lines.push(current);
    current = '';
    for (const character of word) {
      if (!fits(current + character)) {
        lines.push(current);
        current = '';
      }
      current += character;
    }
    if (lines.length >= most) break;
  }
  const all = current === '' ? lines : [...lines, current];
  return all.length <= most ? all : [...all.slice(0, most - 1), `${(all[most - 1] ?? '').slice(0, -1)}…`];
}

/**
 * Draws A4 pages.
 * @param now its creation date, milliseconds since 1970
 * @param perMillimetre units of its positions per millimetre
 */
export function paperPdf(
  pages: readonly (readonly PaperMark[])[],
  title: string,
  now: number,
  perMillimetre = 10,
): Promise<Buffer> {
  const scale = pdfNumber(pointsPerMillimetre / perMillimetre);
  const texts = pages.flat().flatMap((mark) => (mark.kind === 'text' ? [mark.text] : []));
  const drawn = pages.map((marks) => ({
    size: 'A4',
    draw: (write: (text: PageText) => string) => [
      `${scale} 0 0 ${scale} 0 0 cm`,
      ...marks.map((mark) =>
        mark.kind === 'text'
          ? write({ ...mark, white: false })
          : `${mark.x} ${mark.y} ${mark.width} ${mark.height} re f`,
      ),
    ],
  }));
  return pdfPages(drawn, { title, now, texts });
}
