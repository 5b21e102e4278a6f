// CSV files (RFC 4180) for the command line, as spreadsheets read and write them.
import { statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parse } from 'csv-parse/sync';
import { OperatorError } from '../model/operator-error.ts';
import type { Environment, Input } from './environment.ts';

/** Maximum size of a file: some 50,000 lines. */
const maxCsvBytes = 4_000_000;

/** The lines of a file. A value that a spreadsheet would take for a formula is prefixed with an apostrophe. */
export function csvText(rows: readonly (readonly (string | null)[])[]): string {
  return rows.map((cells) => `${cells.map((cell) => csvCell(cell ?? '')).join(',')}\r\n`).join('');
}

function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** One line of a file below the header. */
export interface ListLine<Column extends string> {
  /** 1 is the first; for a value with line breaks, its last line. */
  readonly line: number;
  /** The trimmed value; null: the file has no such column. */
  readonly at: (column: Column) => string | null;
  /** Faults of the line on its own. */
  readonly faults: readonly string[];
}

/**
 * Parses a file with a header line, separated by commas, semicolons or tabs, with or without a byte order mark.
 * @param columns the allowed columns
 * @param needed the column without which there is nothing to read
 * @param advice messages for columns that are never allowed
 * @throws OperatorError that lists the faults
 */
export function csvLines<Column extends string>(
  bytes: Uint8Array,
  columns: readonly Column[],
  needed: Column,
  advice: Readonly<Record<string, string>> = {},
): readonly ListLine<Column>[] {
  const text = textOf(bytes);
  const [heading = ''] = text.split(/\r\n|\n|\r/, 1);
  const delimiter = [',', ';', '\t'].find((each) => heading.includes(each)) ?? ',';
  const [first, ...records] = recordsIn(text, delimiter);
  if (first === undefined) throw new OperatorError('The file is empty.', `It begins with: ${columns.join(',')}`);
  const names = first.cells.map((cell) => cell.trim().toLowerCase());
  checkHeading(names, columns, needed, advice);
  return records.map(({ cells, line }) => ({
    line,
    at: (column) =>
      names.includes(column) ? (cells[names.indexOf(column)] ?? '').trim().replace(/^'(?=[=+\-@])/, '') : null,
    faults: cells.length === names.length ? [] : [`It has ${cells.length} values, the first line ${names.length}.`],
  }));
}

/** The values listed in one cell. */
export function wordsIn(text: string | null): readonly string[] | null {
  return text?.split(/[\s,;|]+/).filter((word) => word !== '') ?? null;
}

/** @returns null when it is not given, or is neither, which is added to the faults */
export function yesOrNo(name: string, text: string | null, faults: string[]): boolean | null {
  if (text === null) return null;
  if (/^(yes|true|1|oui|vrai)$/i.test(text)) return true;
  if (/^(no|false|0|non|faux|)$/i.test(text)) return false;
  faults.push(`"${text}" is not yes or no (${name}).`);
  return null;
}

/** @param file its path, `-` for standard input @throws OperatorError when it cannot be read */
export function csvBytes(environment: Environment, file: string): Promise<Uint8Array> {
  return file === '-' ? bytesOf(environment.stdin) : fileBytes(environment, file);
}

/**
 * Writes a secret that is shown once to a file that only its owner can read.
 * @param what it is, for errors
 * @param file that does not exist yet
 * @returns its path
 */
export function writePrivateFile({ folder }: Environment, what: string, file: string, text: string): string {
  const path = resolve(folder, file);
  try {
    writeFileSync(path, text, { mode: 0o600, flag: 'wx', flush: true });
    return path;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`The ${what} cannot be written: ${reason}.`, 'Nothing was changed.');
  }
}

function textOf(bytes: Uint8Array): string {
  if (bytes.length > maxCsvBytes)
    throw new OperatorError(`The file is larger than ${maxCsvBytes} bytes.`, 'Divide it. Nothing was changed.');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new OperatorError('The file is not UTF-8 text.', 'Save it as "CSV UTF-8". Nothing was changed.');
  }
}

interface CsvRecord {
  readonly cells: readonly string[];
  readonly line: number;
}

function recordsIn(text: string, delimiter: string): readonly CsvRecord[] {
  try {
    const found: CsvRecord[] = [];
    parse(text, {
      delimiter,
      relaxColumnCount: true,
      skipEmptyLines: true,
      onRecord: (cells: readonly string[], { lines }) => {
        if (cells.some((cell) => cell.trim() !== '')) found.push({ cells, line: lines });
        return null;
      },
    });
    return found;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`The file is not CSV: ${reason}`, 'Nothing was changed.');
  }
}

function checkHeading(
  names: readonly string[],
  columns: readonly string[],
  needed: string,
  advice: Readonly<Record<string, string>>,
): void {
  const unknown = names.filter((name) => !columns.includes(name));
  const twice = names.filter((name, place) => names.indexOf(name) !== place);
  const faults = [
    ...unknown.map((name) => advice[name] ?? `Line 1: there is no column "${name}".`),
    ...twice.map((name) => `Line 1: the column "${name}" is there twice.`),
    ...(names.includes(needed) ? [] : [`Line 1: the column "${needed}" is missing.`]),
  ];
  if (faults.length > 0)
    throw new OperatorError(faults.join(' '), `The columns are: ${columns.join(', ')}. Nothing was changed.`);
}

async function fileBytes({ folder }: Environment, file: string): Promise<Uint8Array> {
  const path = resolve(folder, file);
  try {
    // Reads no more than that: the parser refuses any larger file.
    if (statSync(path).size > maxCsvBytes) return new Uint8Array(maxCsvBytes + 1);
    return await readFile(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`The file cannot be read: ${reason}.`, 'Nothing was changed.');
  }
}

async function bytesOf(input: Input): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of input) {
    parts.push(Buffer.from(part));
    length += parts.at(-1)?.length ?? 0;
    if (length > maxCsvBytes) break;
  }
  return Buffer.concat(parts);
}
