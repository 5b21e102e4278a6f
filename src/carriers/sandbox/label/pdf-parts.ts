// What the PDF files that we draw share: lines of text as glyphs of our fonts, and the bytes of a document.
import type { Glyph } from '../fonts/shaping.ts';
import type { TextMark } from './layout.ts';
import type { PdfFonts } from './pdf-fonts.ts';

export const pointsPerMillimetre = 72 / 25.4;

/** Position and size of a line of text, in the units of its page. */
export type PlacedText = Pick<TextMark, 'x' | 'y' | 'size' | 'white'>;

/** The bytes of a document, once it has ended. */
export function pdfBytes(document: PDFKit.PDFDocument): Promise<Buffer> {
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    document
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => resolve(Buffer.concat(chunks)))
      .on('error', reject);
  });
}

/** A line of text in a page: glyphs at their natural distances form one string. */
export function pdfText({ x, y, size, white }: PlacedText, glyphs: readonly Glyph[], fonts: PdfFonts): string {
  const parts: string[] = [];
  let [font, pen, level] = ['', Number.NaN, 0];
  let string = '';
  const finish = (): void => {
    if (string !== '') parts.push(`<${string}> Tj`);
    string = '';
  };
  for (const glyph of glyphs) {
    const used = fonts.use(glyph);
    const [at, lift] = [glyph.x + glyph.dx, glyph.dy];
    if (used.font !== font || Math.abs(at - pen) > 0.001 || lift !== level) {
      finish();
      if (used.font !== font) parts.push(`/${used.font} ${size} Tf`);
      parts.push(`1 0 0 -1 ${pdfNumber(x + at * size)} ${pdfNumber(y - lift * size)} Tm`);
    }
    string += used.code.toString(16).padStart(4, '0');
    [font, level] = [used.font, lift];
    pen = at + glyph.font.advanceOf(glyph.id) / glyph.font.unitsPerEm;
  }
  finish();
  return `${white ? 'q 1 g ' : ''}BT\n${parts.join('\n')}\nET${white ? ' Q' : ''}`;
}

/** A number in the notation of a page. */
export function pdfNumber(value: number): string {
  return String(Math.round(value * 1e5) / 1e5);
}
