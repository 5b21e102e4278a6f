// CSV files of administration: rows and cells of a spreadsheet, and faults of the file as a whole.

/** A line of a file. */
export interface CsvLine {
  /** Number of its first line, from 1. */
  readonly line: number;
  /** Trimmed; undefined: the file has no such column. */
  readonly cell: (name: string) => string | undefined;
}

/** A fault of a file, and its place: a line, a column, or a limit. */
export interface CsvFault {
  readonly fault: 'empty' | 'long' | 'encoding' | 'quote' | 'cells' | 'missing' | 'column' | 'flag' | 'twice';
  readonly at: string;
}

/** Limits for a file: characters and lines. */
const maxCharacters = 1_000_000;
const maxLines = 2000;

/**
 * Parses a file with commas, semicolons or tabs, as spreadsheets write them; the first line names the columns.
 * @param columns the known ones
 * @param needed the column without which there is nothing to read
 */
export function readCsvLines(text: string, columns: readonly string[], needed: string): readonly CsvLine[] | CsvFault {
  if (text.length > maxCharacters) return { fault: 'long', at: String(maxCharacters) };
  if (text.includes('\uFFFD')) return { fault: 'encoding', at: '' };
  const rows = csvRows(text.replace(/^\uFEFF/, ''));
  if (rows === null) return { fault: 'quote', at: '' };
  const [head, ...lines] = rows;
  if (head === undefined || lines.length === 0) return { fault: 'empty', at: '' };
  if (lines.length > maxLines) return { fault: 'long', at: String(maxLines) };
  const names = head.cells.map((name) => name.trim().toLowerCase());
  const unknown = names.find((name) => !columns.includes(name));
  if (unknown !== undefined) return { fault: 'column', at: unknown };
  if (!names.includes(needed)) return { fault: 'missing', at: `1: ${needed}` };
  const uneven = lines.find(({ cells }) => cells.length !== names.length);
  if (uneven !== undefined) return { fault: 'cells', at: String(uneven.line) };
  return lines.map(({ line, cells }) => ({
    line,
    cell: (name) => withoutSign(cells[names.indexOf(name)]?.trim()),
  }));
}

/** A file with lines of `csvLine`; Excel recognizes UTF-8 only by the byte order mark. */
export function csvFile(lines: readonly string[]): string {
  return `\uFEFF${lines.join('')}`;
}

/** The values listed in one cell. */
export function wordsIn(cell: string): string[] {
  return cell.split(/[\s,;|]+/).filter((word) => word !== '');
}

/** In the spellings of people and spreadsheets; undefined: not given. */
export function flagIn(cell: string | undefined): boolean | undefined | 'neither' {
  if (cell === undefined || cell === '') return undefined;
  if (/^(true|yes|1|oui|vrai)$/i.test(cell)) return true;
  return /^(false|no|0|non|faux)$/i.test(cell) ? false : 'neither';
}

/** Removes the apostrophe with which `csvLine` keeps a spreadsheet from taking a text for a formula. */
function withoutSign(cell: string | undefined): string | undefined {
  return cell?.replace(/^'(?=[=+\-@])/, '');
}

interface Row {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Rows according to RFC 4180, without blank ones; null: a quote is not closed. */
function csvRows(text: string): readonly Row[] | null {
  const heading = /^[^\r\n]*/.exec(text)?.[0] ?? '';
  const separator = [',', ';', '\t'].find((each) => heading.includes(each)) ?? ',';
  const rows: Row[] = [];
  let [cells, cell, isQuoted, line, begun]: [string[], string, boolean, number, number] = [[], '', false, 1, 1];
  const endRow = (): void => {
    cells.push(cell);
    if (cells.some((each) => each.trim() !== '')) rows.push({ line: begun, cells });
    [cells, cell, begun] = [[], '', line];
  };
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? '';
    if (character === '\n') line += 1;
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text[index + 1] === '"') {
        cell += '"';
        index += 1;
      } else isQuoted = false;
    } else if (character === '"' && cell === '') isQuoted = true;
    else if (character === separator) {
      cells.push(cell);
      cell = '';
    } else if (character === '\n') endRow();
    else if (character !== '\r') cell += character;
  }
  if (isQuoted) return null;
  endRow();
  return rows;
}
