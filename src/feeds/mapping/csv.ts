// Splits lines of delimited columns (RFC 4180 and its relatives) into cells.
import { parse } from 'csv-parse/sync';
import { textBlock } from '../../model/text-block.ts';
import type { TextLine } from './text-lines.ts';

/** A line, or several joined by a quoted line break, as cells; or a line that cannot be split. */
export interface CellRow {
  readonly line: number;
  readonly lines: number;
  readonly text: string;
  /** Null: its quotes are unbalanced. */
  readonly cells: readonly string[] | null;
  readonly fault: TextLine['fault'];
}

/** A line with its text; one that was too long never gets here. */
type CsvLine = TextLine & { readonly text: string };

/** The cells of several lines. */
type Cells = readonly (readonly string[])[];

/** Cells of lines, some of which wait for further lines. */
export interface CellReader {
  /** Takes lines; those with quotes may be held back to be parsed together. */
  readonly push: (lines: readonly CsvLine[]) => CellRow[];
  /** Returns everything that is complete. */
  readonly flush: () => CellRow[];
  /** The file has ended, or a line that is too long to hold follows. */
  readonly end: () => CellRow[];
  /** A quote is open: the next line may belong to it, even if it is blank. */
  readonly isOpen: () => boolean;
}

/** The most lines of one row, and characters of several: beyond that, an unclosed quote is considered stray. */
const maxRowLines = 100;
const maxRowCharacters = 1024 * 1024;

/**
 * Splits lines into cells. A line without quotes is split directly, others are parsed by csv-parse: several at once,
 * and individually if one of them is wrong. A quote within an unquoted value is literal; one that is not closed on its
 * line continues on the following ones if they form a row together, otherwise only that line is wrong.
 */
export function cellReader(delimiter: string, quote: string | null): CellReader {
  const options = {
    delimiter,
    quote: quote ?? false,
    escape: quote ?? '"',
    relaxColumnCount: true,
    recordDelimiter: '\n',
  } as const;
  const isWhole = (text: string): boolean => quote === null || (text.split(quote).length & 1) === 1;
  const quotedValues = new RegExp(`${quote}[^${quote}]*(?:${quote}${quote}[^${quote}]*)*${quote}`, 'g');
  /** Whether blanks stand beside the quotes of a value, so that it cannot be parsed without trimming. */
  const isSpaced = (text: string): boolean => {
    const isIn = (line: string): boolean => line.includes(` ${quote}`) || line.includes(`${quote} `);
    return isIn(text) && isIn(text.replaceAll(quotedValues, `${quote}`));
  };

  const tried = (text: string, more: { readonly relaxQuotes?: true; readonly trim?: true }): Cells | null => {
    try {
      return parse(text, { ...options, ...more });
    } catch {
      return null;
    }
  };
  /** Blanks around quotes are no part of a value, and other blanks are: they may be wanted. */
  const parsed = (text: string, relaxed: boolean): Cells | null =>
    tried(text, {}) ?? tried(text, { trim: true, ...(relaxed && { relaxQuotes: true }) });
  const alone = (text: string, relaxed: boolean): readonly string[] | null => {
    const [cells, ...others] = parsed(text, relaxed) ?? [];
    return others.length === 0 ? (cells ?? null) : null;
  };

  /** Lines with balanced quotes. */
  let quoted: CsvLine[] = [];
  /** Lines after a quote that is not closed yet. */
  let open: CsvLine[] = [];
  let openCharacters = 0;
  let openIsWhole = false;

  /** Those with blanks beside quotes apart from the others, which must not lose blanks of theirs because of them. */
  const takeQuoted = (found: CellRow[]): void => {
    if (quoted.length === 0) return;
    const cellsOf = new Map(
      [false, true].flatMap((trim) => {
        const lines = quoted.filter(({ text }) => isSpaced(text) === trim);
        const joined = lines.map(({ text }) => text).join('\n');
        const together = lines.length < 2 ? null : tried(joined, trim ? { trim } : {});
        return lines.map((line, index) => [
          line,
          together?.length === lines.length ? (together[index] ?? null) : alone(line.text, true),
        ]);
      }),
    );
    for (const line of quoted) found.push(rowOf([line], cellsOf.get(line) ?? null));
    quoted = [];
  };

  /** The first open line is wrong; the others are examined again. */
  const refuseOpen = (found: CellRow[]): void => {
    const [first, ...others] = open;
    if (first === undefined) return;
    open = [];
    found.push(rowOf([first], null));
    for (const each of others) take(each, found);
  };

  const begin = (line: CsvLine): void => {
    open = [line];
    openCharacters = line.text.length;
    openIsWhole = false;
  };

  const takeOpen = (line: CsvLine, found: CellRow[]): void => {
    open.push(line);
    openCharacters += line.text.length;
    if (!isWhole(line.text)) openIsWhole = !openIsWhole;
    if (openIsWhole) {
      const cells = alone(open.map(({ text }) => text).join('\n'), false);
      if (cells === null) refuseOpen(found);
      else {
        found.push(rowOf(open, cells));
        open = [];
      }
    } else if (open.length >= maxRowLines || openCharacters > maxRowCharacters) refuseOpen(found);
  };

  const take = (line: CsvLine, found: CellRow[]): void => {
    if (open.length > 0) takeOpen(line, found);
    else if (quote === null || !line.text.includes(quote)) {
      takeQuoted(found);
      found.push(rowOf([line], line.text.split(delimiter)));
    } else if (isWhole(line.text)) quoted.push(line);
    else {
      takeQuoted(found);
      const cells = alone(line.text, true);
      if (cells === null) begin(line);
      else found.push(rowOf([line], cells));
    }
  };

  return {
    push(lines) {
      const found: CellRow[] = [];
      for (const line of lines) take(line, found);
      return found;
    },
    flush() {
      const found: CellRow[] = [];
      takeQuoted(found);
      return found;
    },
    end() {
      const found: CellRow[] = [];
      while (open.length > 0) refuseOpen(found);
      takeQuoted(found);
      return found;
    },
    isOpen: () => open.length > 0,
  };
}

/** Why a row without cells is refused. */
export const badQuotes = textBlock`
  The quotes of the line do not fit: a value that begins with one must end with one, and one within it is written twice.
`;

function rowOf(lines: readonly CsvLine[], cells: readonly string[] | null): CellRow {
  const [first] = lines;
  return {
    line: first?.line ?? 0,
    lines: lines.length,
    text: lines.map(({ text }) => text).join('\n'),
    cells,
    fault: lines.find(({ fault }) => fault !== null)?.fault ?? null,
  };
}
