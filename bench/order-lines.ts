// Files of order lines that a mapping makes into articles and orders, as CSV, of fixed width, or as one JSON array.
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';

/** In which form they are dropped. */
export type LinesForm = 'CSV' | 'fixed width' | 'JSON';

const example = join(import.meta.dirname, '..', 'docs', 'examples', 'mappings', 'online-retail.json');

/** Writes the mapping for them: the one for a real export, for another format of file. */
export async function writeOrderLinesMapping(path: string, form: LinesForm): Promise<void> {
  const mapping: object = JSON.parse(await readFile(example, 'utf8'));
  await writeFile(path, JSON.stringify({ ...mapping, format: forms[form].format }));
}

const linesOfOrder = 20;
const articlesOfLines = 4000;
const countries = ['United Kingdom', 'France', 'Germany', 'EIRE', 'Norway'];

/** Names and widths. */
const columns = [
  ...[['InvoiceNo', 8] as const, ['StockCode', 8] as const, ['Description', 32] as const, ['Quantity', 4] as const],
  ...[['InvoiceDate', 16] as const, ['UnitPrice', 8] as const, ['CustomerID', 8] as const, ['Country', 16] as const],
];
const names = columns.map(([name]) => name);

interface Form {
  readonly format: object;
  readonly begin: string;
  readonly line: (cells: readonly string[], index: number) => string;
  readonly end: string;
}

const forms: Readonly<Record<LinesForm, Form>> = {
  CSV: {
    format: { kind: 'csv' },
    begin: `${names.join(',')}\r\n`,
    line: (cells) => `${cells.map((cell) => (cell.includes(',') ? `"${cell}"` : cell)).join(',')}\r\n`,
    end: '',
  },
  'fixed width': {
    format: {
      kind: 'fixed',
      columns: columns.map(([name, length], index) => ({ name, start: 1 + widthBefore(index), length })),
    },
    begin: '',
    line: (cells) => `${cells.map((cell, index) => cell.padEnd(columns[index]?.[1] ?? 0)).join('')}\n`,
    end: '',
  },
  JSON: {
    format: { kind: 'json' },
    begin: '[',
    line: (cells, index) =>
      `${index === 0 ? '\n' : ',\n'}${JSON.stringify(Object.fromEntries(cells.map((cell, at) => [names[at], cell])))}`,
    end: '\n]\n',
  },
};

function widthBefore(index: number): number {
  return columns.slice(0, index).reduce((sum, [, width]) => sum + width, 0);
}

/**
 * Writes a file of order lines: orders of 20 lines each, of 4,000 recurring articles.
 * @returns its name
 */
export async function writeOrderLines(folder: string, form: LinesForm, count: number): Promise<string> {
  const path = join(folder, 'order-lines');
  const { begin, line, end } = forms[form];
  const output = createWriteStream(path, { highWaterMark: 1 << 20 });
  output.write(begin);
  for (let index = 0; index < count; index += 1) {
    const order = Math.floor(index / linesOfOrder);
    // Stepping by a prime visits all articles, so that no order has one twice.
    const article = 10_000 + ((index * 7) % articlesOfLines);
    const at = `${1 + (order % 12)}/${1 + (order % 28)}/25 ${order % 24}:${String(order % 60).padStart(2, '0')}`;
    const cells = [
      ...[500_000 + order, article, `LANTERN, NUMBER ${article}`, 1 + (index % 12)],
      ...[at, (1 + (article % 900) / 100).toFixed(2), 12_000 + (order % 6000), countries[order % countries.length]],
    ];
    if (!output.write(line(cells.map(String), index))) await once(output, 'drain');
  }
  output.end(end);
  await finished(output);
  return path;
}
