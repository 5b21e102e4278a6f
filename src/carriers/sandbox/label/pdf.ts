// Labels as PDF: a page a parcel, text as text, bars and modules as exact boxes.
import { textBlock } from '../../../model/text-block.ts';
import { labelSize } from './blocks.ts';
import type { LabelContent } from './content.ts';
import { dots, type Mark, marksOf, textsOfMarks } from './layout.ts';
import { type PageText, pdfPages } from './pdf-pages.ts';
import { pdfNumber as number, pointsPerMillimetre } from './pdf-parts.ts';
import { codeModules, containerModules, darkRuns } from './symbols.ts';

/** A size of paper in millimetres, and the position of the label on it, with cutting lines. */
interface Paper {
  readonly width: number;
  readonly height: number;
  readonly x: number;
  readonly y: number;
  readonly cut: boolean;
}

/** Paper formats by the name that a request gives. */
const papers: Readonly<Record<string, Paper>> = {
  '10x15': { ...labelSize, x: 0, y: 0, cut: false },
  A4: { width: 210, height: 297, x: 55, y: 20, cut: true },
  A5: { width: 148, height: 210, x: 24, y: 30, cut: true },
};

/**
 * Draws labels as one PDF.
 * @param format a name of `papers`
 * @param now its creation date, milliseconds since 1970
 */
export async function pdfLabels(contents: readonly LabelContent[], format: string, now: number): Promise<Buffer> {
  const paper = papers[format];
  if (paper === undefined) throw new Error(`there is no paper ${format}`);
  const labels = contents.map(marksOf);
  const pages = labels.map((marks) => ({
    size: [points(paper.width), points(paper.height)] as const,
    draw: (write: Write) => pageContent(marks, paper, write),
  }));
  const title = `Sandbox label ${contents[0]?.expeditionNumber ?? ''}`;
  return pdfPages(pages, { title, now, texts: textsOfMarks(labels.flat()) });
}

/** A line of text as operators of a page. */
type Write = (text: PageText) => string;

/** Never more than the paper: a page larger by a rounding error is a dot wider. */
function points(millimetres: number): number {
  return Math.floor(millimetres * pointsPerMillimetre * 1000) / 1000;
}

/** The content of a page, in dots of the label from its upper left corner: pdfkit has turned the page that way. */
function pageContent(marks: readonly Mark[], paper: Paper, write: Write): readonly string[] {
  const scale = pointsPerMillimetre / dots(1);
  return [
    textBlock`
      ${number(scale)} 0 0 ${number(scale)} ${number(paper.x * pointsPerMillimetre)}
      ${number(paper.y * pointsPerMillimetre)} cm
    `,
    ...(paper.cut ? [`q [16 16] 0 d 1 w -1 -1 ${dots(labelSize.width) + 2} ${dots(labelSize.height) + 2} re S Q`] : []),
    ...marks.map((mark) => drawn(mark, write)),
  ];
}

function drawn(mark: Mark, write: Write): string {
  switch (mark.kind) {
    case 'box':
      return `${mark.x} ${mark.y} ${mark.width} ${mark.height} re f`;
    case 'text':
      return write(mark);
    case 'bars':
      return `${barsOf(mark.sscc)
        .map(
          ({ start, length }) => `${mark.x + start * mark.module} ${mark.y} ${length * mark.module} ${mark.height} re`,
        )
        .join('\n')} f`;
    case 'code':
      return `${codeModules(mark.digits)
        .flatMap((row, index) =>
          darkRuns(row).map(
            ({ start, length }) =>
              textBlock`
                ${mark.x + start * mark.module} ${mark.y + index * mark.module} ${length * mark.module} ${mark.module}
                re
              `,
          ),
        )
        .join('\n')} f`;
  }
}

function barsOf(sscc: string): readonly { readonly start: number; readonly length: number }[] {
  let start = 0;
  return containerModules(sscc).flatMap((length, index) => {
    const bar = { start, length };
    start += length;
    return index % 2 === 0 ? [bar] : [];
  });
}
