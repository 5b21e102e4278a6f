// Papers for customs as PDF: A4 pages of texts and lines in our fonts. The same paper is the same bytes.
import { setImmediate } from 'node:timers/promises';
import PDFDocument from 'pdfkit';
import { printable, type Weight, widthOf } from '../../sandbox/fonts/fonts.ts';
import { shaperFor } from '../../sandbox/fonts/shaping.ts';
import { createPdfFonts } from '../../sandbox/label/pdf-fonts.ts';
import { pdfBytes, pdfNumber, pdfText, pointsPerMillimetre } from '../../sandbox/label/pdf-parts.ts';

/** Something on a page; places and lengths are in tenths of a millimetre from the upper left corner of the paper. */
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

/** A line of text whose letters stand on `y`. */
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
 * A text in lines, parted at spaces, at worst within words; of more than `most` lines the beginning.
 * @param width that each may have
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

/** @param now its date of creation, milliseconds since 1970 */
export async function paperPdf(pages: readonly (readonly PaperMark[])[], title: string, now: number): Promise<Buffer> {
  const shape = await shaperFor(pages.flat().flatMap((mark) => (mark.kind === 'text' ? [mark.text] : [])));
  const document = new PDFDocument({
    autoFirstPage: false,
    margin: 0,
    font: '',
    info: { Title: title, Creator: 'Logistics Connect', CreationDate: new Date(now) },
  });
  const bytes = pdfBytes(document);
  const fonts = createPdfFonts(document);
  const scale = pdfNumber(pointsPerMillimetre / 10);
  for (const [index, marks] of pages.entries()) {
    // Others wait while a page is drawn.
    if (index > 0) await setImmediate();
    document.addPage({ size: 'A4' });
    const drawn = marks.map((mark) =>
      mark.kind === 'text'
        ? pdfText({ ...mark, white: false }, shape(mark.text, mark.weight), fonts)
        : `${mark.x} ${mark.y} ${mark.width} ${mark.height} re f`,
    );
    document.addContent([`${scale} 0 0 ${scale} 0 0 cm`, ...drawn].join('\n'));
    Object.assign(document.page.fonts, fonts.resources());
  }
  fonts.end();
  document.end();
  return bytes;
}
