// The form of a file's lines before records are made of them: rows, whose values are in the order in which the mapping
// uses columns.
import type { ReasonCode } from '../../model/reason-codes.ts';
import type { Reason } from '../../model/record.ts';
import type { PlaceInFile } from '../record-splitter.ts';

/** A line of the file, or several joined by quoted line breaks; or an element of an array. */
export interface FileRow extends PlaceInFile {
  /** Number of lines in the file. */
  readonly lines: number;
  /** As in the file; null when it was too long to hold. */
  readonly text: string | null;
  /** One for each column that the mapping uses; null when they cannot be separated. */
  readonly values: readonly unknown[] | null;
  /** The fault of the row itself. */
  readonly fault: Reason | null;
}

/** What the reader of a format returns for a piece of the file. */
export interface Rows {
  readonly rows: readonly FileRow[];
  /** Lines that cannot contain a record, by the name under which they are counted. */
  readonly left: readonly LeftLine[];
}

export interface LeftLine {
  readonly rule: 'blank' | 'comment' | typeof structure;
  readonly lines: number;
}

/** Header, trailer, and the line with the column names. */
export const structure = 'structure';

export interface RowReader {
  readonly push: (chunk: Buffer) => Rows;
  readonly end: () => Rows;
}

/** A row that cannot be read. */
export function unreadableRow(
  line: number,
  lines: number,
  text: string | null,
  code: ReasonCode,
  detail: string,
): FileRow {
  return { line, lines, text, values: null, fault: { code, pointer: '', detail } };
}

/** The columns that a mapping uses, in the order of their first mention. */
export interface UsedColumns {
  readonly names: readonly string[];
  /** The index of a column among the values of a row. */
  readonly place: (name: string) => number;
}

export function newColumns(): UsedColumns {
  const names: string[] = [];
  return {
    names,
    place(name) {
      const known = names.indexOf(name);
      return known >= 0 ? known : names.push(name) - 1;
    },
  };
}

/**
 * Columns for the file as a whole: `file:…` from its name, `header:…` from its header line, `around:…` from what is
 * around its array.
 */
export function isFileColumn(name: string): boolean {
  return name.startsWith('file:') || name.startsWith('header:') || name.startsWith(aroundArray);
}

/** Prefix of a column for a value around the array of a JSON file; a JSON Pointer follows. */
export const aroundArray = 'around:';
