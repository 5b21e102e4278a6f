// Rows of a text file: its header and trailer, the line with the column names, and the cells of all others.
import { textBlock } from '../../model/text-block.ts';
import { quoted } from '../../model/text.ts';
import { MessageFault } from '../message-fault.ts';
import { badQuotes, type CellReader, type CellRow, cellReader } from './csv.ts';
import { fixedCells, type FixedRule } from './fixed-width.ts';
import type { FormatRule, MappingFile } from './mapping-file.ts';
import { type LeftLine, type FileRow, type RowReader, structure, unreadableRow } from './rows.ts';
import { splitTextLines, type TextLine } from './text-lines.ts';

type CsvRule = Extract<FormatRule, { readonly kind: 'csv' }>;
type TextRule = CsvRule | FixedRule;

/**
 * What is known of a file besides its lines: `file:…`, after its first line `header:…`, and after it was read to its
 * end `around:…`.
 */
export type FileValues = Map<string, string | number | boolean>;

interface Layout {
  readonly format: TextRule;
  readonly header: RegExp | null;
  readonly trailer: RegExp | null;
  readonly counts: 'records' | 'lines';
  /** The columns that the mapping uses, in the order of their places, including those of `FileValues`. */
  readonly columns: readonly string[];
}

export function layoutOf(file: MappingFile, format: TextRule, columns: readonly string[]): Layout {
  return {
    format,
    columns,
    header: file.header === undefined ? null : new RegExp(file.header.pattern, 'u'),
    trailer: file.trailer === undefined ? null : new RegExp(file.trailer.pattern, 'u'),
    counts: file.trailer?.counts ?? 'records',
  };
}

/** The most characters of a line that are searched for header and trailer. */
const maxEnvelopeCharacters = 2000;

/**
 * Makes the reader of a file's rows. Faults of the file as a whole are reported by rows from which nothing can be made:
 * `truncated` without its trailer, `control-count` when that has other counts than what was read, `after-trailer`.
 * @param values receives the content of the header
 * @throws MessageFault from push or end when the file does not have this layout at all
 */
export function textRows(layout: Layout, values: FileValues): RowReader {
  const { format, header, trailer, counts } = layout;
  const lines = splitTextLines(format.encoding ?? 'utf-8', format.kind === 'csv' ? quoteOf(format) : null);
  const cells = format.kind === 'csv' ? csvCells(format) : fixedCells(format);
  let bind: Bind | null = format.kind === 'csv' && format.header !== false ? null : bindNames(layout, values);
  let isHeaderDue = header !== null;
  let trailerLine: TextLine | null = null;
  let control: string | undefined;
  let rowsRead = 0;
  let lastLine = 0;

  const isLeft = ({ text }: TextLine): LeftLine['rule'] | null => {
    if (text === null) return null;
    if (text.trim() === '') return 'blank';
    return format.comment !== undefined && text.startsWith(format.comment) ? 'comment' : null;
  };

  const takeCells = (found: readonly CellRow[], rows: FileRow[], left: LeftLine[]): void => {
    for (const each of found) {
      if (bind === null) {
        bind = bindHeading(each, layout, values);
        left.push({ rule: structure, lines: each.lines });
        continue;
      }
      rowsRead += 1;
      rows.push(bind(each));
    }
  };

  const takeLine = (line: TextLine, rows: FileRow[], left: LeftLine[]): void => {
    lastLine = line.line;
    const rule = cells.isOpen() ? null : isLeft(line);
    if (rule !== null) {
      left.push({ rule, lines: 1 });
      return;
    }
    const start = line.text?.slice(0, maxEnvelopeCharacters) ?? '';
    if (isHeaderDue) {
      isHeaderDue = false;
      values.set('header:', start);
      for (const [name, value] of groupsOf(header, start)) values.set(`header:${name}`, value);
      // Rows bound before did not have them.
      if (bind !== null) bind = bindNames(layout, values);
      left.push({ rule: structure, lines: 1 });
      return;
    }
    if (trailerLine !== null) {
      rows.push(
        unreadableRow(line.line, 1, line.text, 'after-trailer', 'The line stands behind the trailer of the file.'),
      );
      return;
    }
    const end = trailer?.exec(start) ?? null;
    if (end !== null) {
      takeCells(cells.end(), rows, left);
      trailerLine = line;
      control = end.groups?.count;
      left.push({ rule: structure, lines: 1 });
      return;
    }
    if (line.text === null) {
      takeCells(cells.end(), rows, left);
      rowsRead += 1;
      rows.push({ line: line.line, lines: 1, text: null, values: null, fault: line.fault });
      return;
    }
    takeCells(cells.push([{ ...line, text: line.text }]), rows, left);
  };

  const takeAll = (given: readonly TextLine[]): { rows: FileRow[]; left: LeftLine[] } => {
    const [rows, left]: [FileRow[], LeftLine[]] = [[], []];
    for (const line of given) takeLine(line, rows, left);
    takeCells(cells.flush(), rows, left);
    return { rows, left };
  };

  return {
    push: (chunk) => takeAll(lines.push(chunk)),
    end() {
      const { rows, left } = takeAll(lines.end());
      takeCells(cells.end(), rows, left);
      if (isHeaderDue)
        throw new MessageFault('no-header', 'The file has no header line.', 'Check that it is complete.');
      if (trailer !== null && trailerLine === null)
        rows.push(unreadableRow(lastLine + 1, 0, '', 'truncated', noTrailer));
      const counted = counts === 'lines' ? lastLine : rowsRead;
      if (trailerLine !== null && control !== undefined && Number(control) !== counted)
        rows.push(
          unreadableRow(trailerLine.line, 0, trailerLine.text, 'control-count', wrongCount(control, counts, counted)),
        );
      return { rows, left };
    },
  };
}

const noTrailer = 'The file ends without its trailer: it was cut off.';

function wrongCount(control: string, counts: Layout['counts'], counted: number): string {
  const what = counts === 'lines' ? 'lines' : 'lines of records';
  return `The trailer says ${quoted(control)} ${what}, and the file has ${counted}: some are missing, or too many.`;
}

/** @throws MessageFault when the first line is not a header */
function groupsOf(header: RegExp | null, start: string): readonly (readonly [string, string])[] {
  const found = header?.exec(start);
  if (found === null || found === undefined)
    throw new MessageFault(
      'no-header',
      `The first line of the file is no header: ${quoted(start)}.`,
      `It must match ${header?.source ?? ''}.`,
    );
  return Object.entries(found.groups ?? {}).filter(([, value]) => value !== undefined);
}

function csvCells(format: CsvRule): CellReader {
  return cellReader(format.delimiter ?? ',', quoteOf(format));
}

function quoteOf({ quote }: CsvRule): string | null {
  return quote === 'none' ? null : (quote ?? '"');
}

type Bind = (row: CellRow) => FileRow;

/** @throws MessageFault when the line does not name the columns that the mapping uses */
function bindHeading({ cells }: CellRow, layout: Layout, values: FileValues): Bind {
  if (cells === null)
    throw new MessageFault('bad-columns', `The line that names the columns cannot be read. ${badQuotes}`, '');
  return bindCells(
    cells.map((cell) => cell.trim()),
    layout,
    values,
    true,
  );
}

function bindNames(layout: Layout, values: FileValues): Bind {
  const { format, columns } = layout;
  if (format.kind === 'fixed')
    return bindCells(
      format.columns.map(({ name }) => name),
      layout,
      values,
      true,
    );
  if (format.columns !== undefined) return bindCells(format.columns, layout, values, true);
  // Columns without names are numbered.
  const most = Math.max(0, ...columns.filter((name) => /^\d+$/.test(name)).map(Number));
  return bindCells(
    Array.from({ length: most }, (_, index) => String(index + 1)),
    layout,
    values,
    false,
  );
}

/** @param isComplete whether a line may have no further columns */
function bindCells(
  names: readonly string[],
  { format, columns }: Layout,
  values: FileValues,
  isComplete: boolean,
): Bind {
  const wanted = columns.map((name) => ({ name, at: names.indexOf(name), own: values.get(name) ?? null }));
  const lacking = wanted.filter(({ name, at }) => at < 0 && !/^(?:file|header):/.test(name)).map(({ name }) => name);
  const twice = wanted.filter(({ name, at }) => at >= 0 && names.includes(name, at + 1)).map(({ name }) => name);
  if (lacking.length > 0)
    throw new MessageFault(
      'bad-columns',
      `The file lacks ${lacking.length === 1 ? 'the column' : 'the columns'} ${listed(lacking)}.`,
      `It has ${listed(names)}.${format.kind === 'csv' && names.length === 1 ? otherDelimiter(format) : ''}`,
    );
  if (twice.length > 0)
    throw new MessageFault(
      'bad-columns',
      `The file has the column ${quoted(twice[0] ?? '')} twice.`,
      'Rename one of the two.',
    );
  const mayLack = format.kind === 'csv' && format.missingColumns === 'empty';
  return ({ line, lines, text, cells, fault }) => {
    if (cells === null) return refusedRow({ line, lines, text, fault }, format);
    if ((cells.length < names.length && !mayLack) || (isComplete && hasMore(cells, names.length)))
      return fault === null
        ? unreadableRow(line, lines, text, 'column-count', columnCount(cells.length, names.length, isComplete))
        : { line, lines, text, values: null, fault };
    return { line, lines, text, values: wanted.map(({ at, own }) => (at < 0 ? own : (cells[at] ?? ''))), fault };
  };
}

/** The line with the column names does not contain the delimiter at all. */
function otherDelimiter({ delimiter = ',' }: CsvRule): string {
  return ` The mapping says that ${quoted(delimiter)} stands between columns: correct "delimiter".`;
}

function listed(names: readonly string[]): string {
  return names
    .slice(0, 50)
    .map((each) => quoted(each))
    .join(', ');
}

function refusedRow({ line, lines, text, fault }: Omit<CellRow, 'cells'>, { kind }: TextRule): FileRow {
  if (fault !== null) return { line, lines, text, values: null, fault };
  return kind === 'csv'
    ? unreadableRow(line, lines, text, 'bad-quotes', badQuotes)
    : unreadableRow(line, lines, text, 'line-too-short', tooShort);
}

const tooShort = textBlock`
  The line ends before its last column. Where blanks at the end of lines are left out, say "shortLines": "pad".
`;

function hasMore(cells: readonly string[], most: number): boolean {
  return cells.length > most && cells.slice(most).some((cell) => cell.trim() !== '');
}

function columnCount(found: number, wanted: number, isComplete: boolean): string {
  const more = found > wanted ? 'Is the delimiter within a value that is not quoted?' : 'Was the line cut off?';
  return `The line has ${found} columns, ${isComplete ? '' : 'at least '}${wanted} are expected. ${more}`;
}
