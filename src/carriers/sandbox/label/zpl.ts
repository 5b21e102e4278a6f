// Labels in ZPL, the language of label printers (203 dpi): text in the printer's font, symbols drawn by the printer.
import { widthOf } from '../fonts/fonts.ts';
import { shaperFor } from '../fonts/shaping.ts';
import { blankBitmap } from './bitmap.ts';
import { labelSize } from './blocks.ts';
import type { LabelContent } from './content.ts';
import { createTextDrawer, type TextDrawer } from './glyph-image.ts';
import { dots, type Mark, marksOf, type TextMark, textsOfMarks } from './layout.ts';
import { graphicField } from './zpl-graphic.ts';

/** Draws labels as ZPL, `^XA` to `^XZ` for each. */
export async function zplLabels(contents: readonly LabelContent[]): Promise<string> {
  const labels = contents.map(marksOf);
  const drawText = createTextDrawer(await shaperFor(textsOfMarks(labels.flat()).filter((text) => !isNative(text))));
  return labels
    .map((marks) =>
      [
        // UTF-8, and the size of the label; all other settings of the printer stay.
        `^XA^CI28^LH0,0^PW${dots(labelSize.width)}^LL${dots(labelSize.height)}`,
        ...marks.map((mark) => field(mark, drawText)),
        '^PQ1^XZ\n',
      ].join('\n'),
    )
    .join('');
}

function field(mark: Mark, drawText: TextDrawer): string {
  switch (mark.kind) {
    case 'box':
      return `^FO${mark.x},${mark.y}^GB${mark.width},${mark.height},${Math.min(mark.width, mark.height)}^FS`;
    case 'text':
      return isNative(mark.text) ? nativeText(mark) : drawnText(mark, drawText);
    // Start in set C, the function character for GS1-128, the application identifier and the number.
    case 'bars':
      return `^FO${mark.x},${mark.y}^BY${mark.module}^BCN,${mark.height},N,N,N,N^FD>;>800${mark.sscc}^FS`;
    // Printers draw this symbol ten dots below its field. Error level M, mode set manually: numeric.
    case 'code':
      return `^FO${mark.x},${mark.y - 10}^BQN,2,${mark.module}^FDMM,N${mark.digits}^FS`;
  }
}

/** The repertoire of font 0 on every printer: Windows-1252. */
const native = /^[ -~\u00a1-\u00ac\u00ae-\u00ff€‚ƒ„…†‡ˆ‰Š‹Œ‘’“”•–—˜™š›œžŸŽ]*$/;

function isNative(text: string): boolean {
  return native.test(text);
}

function nativeText({ text, size, x, y, left, right, align, white }: TextMark): string {
  const room = right - left;
  const width = Math.floor(size * Math.min(1, room / (size * nativeWidth(text))));
  const place =
    align === 'center' ? `^FT${left},${y}^A0N,${size},${width}^FB${room},1,0,C` : `^FT${x},${y}^A0N,${size},${width}`;
  const escaped = text.replace(/[\^~_]/g, (sign) => `_${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  return `${place}${white ? '^FR' : ''}${escaped === text ? '' : '^FH_'}^FD${escaped}^FS`;
}

/**
 * Maximum width of a text in font 0, in ems. The font is narrower than the one used for the layout, except for a few
 * signs; a printer's own may be a little wider than the one that was measured.
 */
function nativeWidth(text: string): number {
  let width = 0;
  for (const character of text) width += Math.max(1.15 * widthOf(character, 'regular'), wideSigns[character] ?? 0);
  return width;
}

const wideSigns: Readonly<Record<string, number>> = { '-': 0.85, J: 0.5, ƒ: 0.55 };

/** Free dots around a line that is sent as a picture: letters may extend beyond their width. */
const margin = 8;

/** A line in letters that the printer lacks, as a picture. */
function drawnText(mark: TextMark, drawText: TextDrawer): string {
  const ascent = Math.ceil(mark.size * 0.95);
  const picture = blankBitmap(Math.ceil(mark.width) + 2 * margin, Math.ceil(mark.size * 1.2));
  drawText(picture, { ...mark, x: margin, y: ascent });
  return `^FO${mark.x - margin},${mark.y - ascent}${graphicField(picture)}^FS`;
}
