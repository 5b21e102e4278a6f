// What the lines of a file become before records are made of them: rows, whose values stand in the order in which the
// mapping uses columns.
import type { Reason } from '../../model/record.ts';
import type { PlaceInFile } from '../record-splitter.ts';

/** A line of the file, or several that are one because a quoted value has line breaks; or an element of an array. */
export interface FileRow extends PlaceInFile {
  /** Lines of the file that it takes. */
  readonly lines: number;
  /** As it stands in the file; null where it was too long to be held. */
  readonly text: string | null;
  /** One for each column that the mapping uses; null where they cannot be told apart. */
  readonly values: readonly unknown[] | null;
  /** What is wrong with the row itself. */
  readonly fault: Reason | null;
}

/** What a reader of a format gives for a piece of the file. */
export interface Rows {
  readonly rows: readonly FileRow[];
  /** Lines that can hold no record, by the name under which they count. */
  readonly left: readonly LeftLine[];
}

export interface LeftLine {
  readonly rule: 'blank' | 'comment' | typeof structure;
  readonly lines: number;
}

/** Header, trailer, and the line that names the columns. */
export const structure = 'structure';

export interface RowReader {
  readonly push: (chunk: Buffer) => Rows;
  readonly end: () => Rows;
}

/** A row that cannot be read. */
export function unreadableRow(line: number, lines: number, text: string | null, code: string, detail: string): FileRow {
  return { line, lines, text, values: null, fault: { code, pointer: '', detail } };
}

/** The columns that a mapping uses, in the order in which it names them first. */
export interface UsedColumns {
  readonly names: readonly string[];
  /** The place of a column among the values of a row. */
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
 * Columns that the file as a whole has: `file:…` of its name, `header:…` of its header line, `around:…` of what stands
 * around its array.
 */
export function isFileColumn(name: string): boolean {
  return name.startsWith('file:') || name.startsWith('header:') || name.startsWith(aroundArray);
}

/** What a column begins with that is a value around the array of a JSON file; a JSON Pointer follows. */
export const aroundArray = 'around:';
