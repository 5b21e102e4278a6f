// Articles in a CSV file: the content of each line before the service has checked it.
import { parse } from 'csv-parse/browser/esm/sync';
import { articleFieldFacts } from '../generated/article-fields.ts';
import { readValue } from './values.ts';

/** Limit for the file. */
export const maxCsvBytes = 10 * 1_048_576;
export const maxCsvLines = 10_000;

export interface CsvArticle {
  /** Line number in the file, from 1; the header is the first. */
  readonly line: number;
  /** By column; null: an empty cell. */
  readonly article: Readonly<Record<string, unknown>>;
}

export type CsvResult =
  | { readonly kind: 'articles'; readonly articles: readonly CsvArticle[] }
  | { readonly kind: 'unknown' | 'missing'; readonly columns: readonly string[] }
  | { readonly kind: 'broken'; readonly why: string }
  | { readonly kind: 'empty' | 'too-many' | 'not-utf8' };

const fields = new Map(articleFieldFacts.map((field) => [field.name, field]));
const needed = articleFieldFacts.filter(({ required }) => required).map(({ name }) => name);

/** The header of an empty file. */
export const templateLine: readonly string[] = [
  ...needed,
  ...['articleType', 'netWeightPerUVC', 'articlePrice1', 'articleFamily', 'barcodes'],
];

/** @param bytes of a file in UTF-8, with or without a byte order mark */
export function readCsv(bytes: ArrayBuffer): CsvResult {
  const text = decoded(bytes);
  if (text === null) return { kind: 'not-utf8' };
  let rows: readonly { readonly record: readonly string[]; readonly info: { readonly lines: number } }[];
  try {
    rows = parse(text, {
      bom: true,
      delimiter: delimiterOf(text),
      info: true,
      skip_empty_lines: true,
      relax_column_count_less: true,
      to: maxCsvLines + 2,
    }) as unknown as typeof rows;
  } catch (error) {
    return { kind: 'broken', why: error instanceof Error ? error.message : String(error) };
  }
  const [header, ...lines] = rows;
  if (header === undefined || lines.length === 0) return { kind: 'empty' };
  if (lines.length > maxCsvLines) return { kind: 'too-many' };
  const columns = header.record.map((name) => name.trim());
  const unknown = columns.filter((name) => name !== 'barcodes' && !fields.has(name));
  if (unknown.length > 0) return { kind: 'unknown', columns: unknown };
  const missing = needed.filter((name) => !columns.includes(name));
  if (missing.length > 0) return { kind: 'missing', columns: missing };
  return {
    kind: 'articles',
    articles: lines.map(({ record, info }) => ({ line: info.lines, article: articleOf(columns, record) })),
  };
}

function articleOf(columns: readonly string[], cells: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    columns.map((name, index): readonly [string, unknown] => {
      const cell = unguarded(cells[index] ?? '');
      return [name, name === 'barcodes' ? barcodesOf(cell) : readValue(cell, fields.get(name)?.kind ?? 'text')];
    }),
  );
}

function barcodesOf(cell: string): readonly object[] {
  return cell
    .split('|')
    .map((code) => code.trim())
    .filter((code) => code !== '')
    .map((code, index) => ({ code, isPrimary: index === 0, barcodeUnit: 'UVC', barcodeQuantity: 1 }));
}

/** The export adds an apostrophe before anything that a spreadsheet would take for a formula. */
function unguarded(cell: string): string {
  return /^'[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell;
}

/** The separator that occurs most often in the first line. */
function delimiterOf(text: string): string {
  const [first = ''] = text.split(/\r?\n/, 1);
  const counts = [',', ';', '\t'].map((sign) => [sign, first.split(sign).length] as const);
  return counts.toSorted(([, left], [, right]) => right - left)[0]?.[0] ?? ',';
}

function decoded(bytes: ArrayBuffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
