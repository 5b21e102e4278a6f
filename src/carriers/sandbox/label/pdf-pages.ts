// Makes a PDF of pages that we draw, with our fonts. The same pages always give the same bytes.
import { setImmediate } from 'node:timers/promises';
import PDFDocument from 'pdfkit';
import type { Weight } from '../fonts/fonts.ts';
import { shaperFor } from '../fonts/shaping.ts';
import { createPdfFonts } from './pdf-fonts.ts';
import { pdfBytes, pdfText, type PlacedText } from './pdf-parts.ts';

/** A line of text on a page. */
export interface PageText extends PlacedText {
  readonly text: string;
  readonly weight: Weight;
}

/** A page. */
interface PdfPage {
  /** A name, or width and height in points. */
  readonly size: string | readonly [width: number, height: number];
  /** Operators of the page, drawn from its upper left corner. @param write a line of text as operators */
  readonly draw: (write: (text: PageText) => string) => readonly string[];
}

/** What a document is besides its pages. */
interface PdfHead {
  readonly title: string;
  /** Its creation date, milliseconds since 1970. */
  readonly now: number;
  /** All texts on its pages. */
  readonly texts: readonly string[];
}

/** Draws a document. */
export async function pdfPages(pages: readonly PdfPage[], { title, now, texts }: PdfHead): Promise<Buffer> {
  const shape = await shaperFor(texts);
  const document = new PDFDocument({
    autoFirstPage: false,
    margin: 0,
    font: '',
    info: { Title: title, Creator: 'Logistics Connect', CreationDate: new Date(now) },
  });
  const bytes = pdfBytes(document);
  const fonts = createPdfFonts(document);
  const write = (text: PageText): string => pdfText(text, shape(text.text, text.weight), fonts);
  for (const [index, { size, draw }] of pages.entries()) {
    // Drawing a page blocks other work; a long document yields between pages.
    if (index > 0) await setImmediate();
    document.addPage({ size: typeof size === 'string' ? size : [...size] });
    document.addContent(draw(write).join('\n'));
    Object.assign(document.page.fonts, fonts.resources());
  }
  fonts.end();
  document.end();
  return bytes;
}
