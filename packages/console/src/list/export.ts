// Exports all records of a list to a file: NDJSON unchanged, or CSV with the displayed columns.
import type { ListPage } from './list-source.ts';

export type ExportFormat = 'csv' | 'ndjson';

/** The progress of an export. */
interface ExportProgress {
  readonly records: number;
}

/**
 * Reads pages to the end.
 * @param columns names of the fields of a CSV file
 * @returns the file; the browser keeps its parts, possibly on disk
 */
export async function exported(
  pages: AsyncIterable<ListPage>,
  format: ExportFormat,
  columns: readonly string[],
  onProgress: (progress: ExportProgress) => void,
): Promise<Blob> {
  // Excel recognizes UTF-8 only by the byte order mark.
  const parts: Blob[] = format === 'csv' ? [new Blob([`\uFEFF${csvLine(columns)}`])] : [];
  let records = 0;
  for await (const page of pages) {
    const lines = page.records.map((record) =>
      format === 'csv' ? csvLine(columns.map((name) => record[name])) : `${JSON.stringify(record)}\n`,
    );
    parts.push(new Blob(lines));
    records += page.records.length;
    onProgress({ records });
  }
  return new Blob(parts, { type: format === 'csv' ? 'text/csv;charset=utf-8' : 'application/x-ndjson' });
}

/** A line of RFC 4180; a text that a spreadsheet would take for a formula is prefixed with an apostrophe. */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map(csvCell).join(',')}\r\n`;
}

function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
