// Users as a CSV file, in the form of the command `user import`: what is written, and what is read of one that somebody
// made in a spreadsheet.
import type { AdministeredUser } from '../../../../client/src/index.ts';
import { csvLine } from '../../list/export.ts';

/** Columns of the file, in the order in which they are written; the last two are for reading. */
const userColumns = [
  ...(['login', 'activities', 'operator', 'roles', 'disabled', 'second_factor'] as const),
  ...(['second_factor_set_up', 'created'] as const),
] as const;

/** Users as a file; Excel takes one for UTF-8 by its byte order mark alone. */
export function usersText(users: readonly AdministeredUser[]): string {
  const lines = users.map((user) =>
    csvLine([
      ...[user.login, user.activityCodes.join(' '), user.operator ? 'yes' : 'no', user.roles.join(' ')],
      ...[user.disabledAt === null ? 'no' : 'yes', user.secondFactorRequired ? 'required' : 'optional'],
      ...[user.secondFactor ? 'yes' : 'no', user.createdAt],
    ]),
  );
  return `\uFEFF${[csvLine(userColumns), ...lines].join('')}`;
}

/** A user as a line of a file says. What it does not say stays as it is. */
export interface ListedUser {
  readonly line: number;
  readonly login: string;
  readonly activityCodes?: string[];
  readonly operator?: boolean;
  readonly roles?: string[];
  readonly disabled?: boolean;
  readonly secondFactorRequired?: boolean;
}

export type ReadUsers =
  | { readonly users: readonly ListedUser[] }
  | {
      readonly fault: 'empty' | 'long' | 'encoding' | 'quote' | 'cells' | 'no-login' | 'column' | 'flag' | 'twice';
      readonly at: string;
    };

/** Characters of a file, and users in it. */
const maxCharacters = 1_000_000;
const maxUsers = 2000;

/**
 * Reads a file: commas, semicolons or tabs, as spreadsheets write them; the first line names the columns. A column that
 * is missing changes nothing.
 */
export function readUsers(text: string): ReadUsers {
  if (text.length > maxCharacters) return { fault: 'long', at: String(maxCharacters) };
  if (text.includes('\uFFFD')) return { fault: 'encoding', at: '' };
  const rows = csvRows(text.replace(/^\uFEFF/, ''));
  if (rows === null) return { fault: 'quote', at: '' };
  const [head, ...lines] = rows;
  if (head === undefined || lines.length === 0) return { fault: 'empty', at: '' };
  if (lines.length > maxUsers) return { fault: 'long', at: String(maxUsers) };
  const names = head.cells.map((name) => name.trim().toLowerCase());
  const unknown = names.find((name) => !(userColumns as readonly string[]).includes(name));
  if (unknown !== undefined) return { fault: 'column', at: unknown };
  if (!names.includes('login')) return { fault: 'no-login', at: '1' };
  const seen = new Set<string>();
  const users: ListedUser[] = [];
  for (const { line, cells } of lines) {
    const cell = (name: (typeof userColumns)[number]): string | undefined => cells[names.indexOf(name)]?.trim();
    const login = cell('login') ?? '';
    if (login === '') return { fault: 'no-login', at: String(line) };
    if (seen.has(login.toLowerCase())) return { fault: 'twice', at: `${line}: ${login}` };
    seen.add(login.toLowerCase());
    if (cells.length !== names.length) return { fault: 'cells', at: String(line) };
    const [operator, disabled, demanded] = [
      flagIn(cell('operator')),
      flagIn(cell('disabled')),
      flagIn(cell('second_factor')?.replace('required', 'yes').replace('optional', 'no')),
    ];
    if (operator === 'neither' || disabled === 'neither' || demanded === 'neither')
      return { fault: 'flag', at: String(line) };
    const [codes, roles] = [cell('activities'), cell('roles')];
    users.push({
      ...{ line, login },
      ...(codes !== undefined && { activityCodes: wordsIn(codes) }),
      ...(operator !== undefined && { operator }),
      ...(roles !== undefined && { roles: wordsIn(roles) }),
      ...(disabled !== undefined && { disabled }),
      ...(demanded !== undefined && { secondFactorRequired: demanded }),
    });
  }
  return { users };
}

function wordsIn(cell: string): string[] {
  return cell.split(/[\s,;|]+/).filter((word) => word !== '');
}

/** As people and spreadsheets write it. */
function flagIn(cell: string | undefined): boolean | undefined | 'neither' {
  if (cell === undefined || cell === '') return undefined;
  if (/^(true|yes|1|oui|vrai)$/i.test(cell)) return true;
  return /^(false|no|0|non|faux)$/i.test(cell) ? false : 'neither';
}

interface Row {
  /** On which it begins, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** Rows of RFC 4180 without blank ones; null: a quote is not closed. */
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
