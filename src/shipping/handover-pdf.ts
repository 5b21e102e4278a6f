// Draws the handover list as PDF: A4, a row with a bar code for each parcel, and a field for the driver's signature.
// The same list always yields the same bytes.
import bwip from 'bwip-js/node';
import { type PaperMark, paperPdf } from '../carriers/papers/paper.ts';
import { printable, type Weight, widthOf } from '../carriers/sandbox/fonts/fonts.ts';
import { type HandoverRow, handoverRows, listHead, type ListHead, type ListOf } from './handover-rows.ts';

/** Draws a list. */
export async function handoverPdf(list: ListOf): Promise<Buffer> {
  const rows = handoverRows(list.labels);
  const pages = Math.max(1, Math.ceil(rows.length / rowsPerPage));
  const head = listHead(list, rows);
  const drawn = Array.from({ length: pages }, (_, page) => [
    ...headOf(head, page, pages),
    ...rows
      .slice(page * rowsPerPage, (page + 1) * rowsPerPage)
      .flatMap((row, place) => rowOf(row, top + place * rowHeight)),
    ...(page === pages - 1 ? signatures(head) : []),
  ]);
  return paperPdf(drawn, head.title, list.list.createdAt, dotsPerMillimetre);
}

/** Positions and lengths are in dots of 1/8 mm from the upper left corner of the page. */
const dotsPerMillimetre = 8;
const page = { left: 80, right: 1600, bottom: 2290 } as const;
const top = 500;
const rowHeight = 108;
/** Leaves room for signatures below the rows of the last page. */
const rowsPerPage = 14;

/** Left edges of the columns, and the widths of those whose text length depends on a client. */
const columns = { place: 80, bars: 170, reference: 870, destination: 1250, weight: 1420 } as const;
const referenceWidth = 360;
const barsWidth = 660;

function line(text: string, x: number, y: number, size = 26, weight: Weight = 'regular'): PaperMark {
  return { kind: 'text', text, x, y, size, weight };
}

function rule(y: number): PaperMark {
  return { kind: 'box', x: page.left, y, width: page.right - page.left, height: 2 };
}

function headOf(head: ListHead, at: number, pages: number): readonly PaperMark[] {
  return [
    line(fitting(head.title, page.right - page.left - 220, 44), page.left, 140, 44, 'bold'),
    ...head.lines.map((text, index) =>
      line(fitting(text, page.right - page.left, 28), page.left, 200 + index * 40, 28),
    ),
    line(`page ${at + 1} / ${pages}`, page.right - 160, 140, 28),
    rule(top - 60),
    line('COLIS / PARCEL', columns.bars, top - 24, 22, 'bold'),
    line('RÉFÉRENCE / REFERENCE', columns.reference, top - 24, 22, 'bold'),
    line('VERS / TO', columns.destination, top - 24, 22, 'bold'),
    line('POIDS / WEIGHT', columns.weight, top - 24, 22, 'bold'),
    rule(top - 10),
  ];
}

function rowOf({ place, number, reference, destination, weight }: HandoverRow, y: number): readonly PaperMark[] {
  return [
    line(place, columns.place, y + 58, 26),
    ...barsOf(number, columns.bars, y + 8),
    line(fitting(number, barsWidth, 26), columns.bars, y + 92, 26, 'bold'),
    line(fitting(reference, referenceWidth, 26), columns.reference, y + 58, 26),
    line(destination, columns.destination, y + 58, 26),
    line(weight, columns.weight, y + 58, 26),
    rule(y + rowHeight - 4),
  ];
}

function signatures({ totals }: ListHead): readonly PaperMark[] {
  const y = page.bottom - 210;
  return [
    line(totals, page.left, y, 32, 'bold'),
    ...signers.flatMap((text, index): readonly PaperMark[] => [
      line(text, page.left + index * 520, y + 60, 24),
      { kind: 'box', x: page.left + index * 520, y: y + 170, width: 470, height: 2 },
    ]),
  ];
}

const signers = ['Remis par / Handed over by', 'Chauffeur / Driver', 'Date et heure / Day and hour'] as const;

const barsHeight = 52;

/**
 * Code 128 with modules of 0.375 mm, or 0.25 mm if it would be too wide; nothing if it still is, or a character has no
 * code.
 */
function barsOf(number: string, x: number, y: number): readonly PaperMark[] {
  if (!/^[\x20-\x7e]+$/.test(number)) return [];
  const [symbol] = bwip.raw({ bcid: 'code128', text: number });
  if (symbol === undefined || !('sbs' in symbol)) throw new Error('bwip-js gave no bars');
  const widths = Array.from(symbol.sbs);
  const modules = widths.reduce((sum, width) => sum + width, 0);
  const module = [3, 2].find((size) => size * modules <= barsWidth);
  if (module === undefined) return [];
  let at = 0;
  return widths.flatMap((width, index): readonly PaperMark[] => {
    const start = at;
    at += width;
    return index % 2 === 0
      ? [{ kind: 'box', x: x + start * module, y, width: width * module, height: barsHeight }]
      : [];
  });
}

/** The text if it fits, otherwise its beginning. */
function fitting(text: string, width: number, size: number): string {
  const shown = printable(text);
  if (widthOf(shown, 'bold') * size <= width) return shown;
  const characters = Array.from(shown);
  let length = characters.length;
  while (length > 0 && widthOf(`${characters.slice(0, length).join('')}…`, 'bold') * size > width) length -= 1;
  return `${characters.slice(0, length).join('')}…`;
}
