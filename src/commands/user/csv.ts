// Users as lines of CSV (RFC 4180), as spreadsheets read and write it.
import { parse } from 'csv-parse/sync';
import { type ListedUser, refuseFaults } from '../../auth/user-import.ts';
import type { User } from '../../auth/users.ts';
import { OperatorError } from '../../model/operator-error.ts';
import { instantText } from '../environment.ts';

/** Bytes of a file of users: some 50,000 lines. */
export const maxCsvBytes = 4_000_000;
const columns = [
  'login',
  'activities',
  'operator',
  'disabled',
  'second_factor',
  'second_factor_set_up',
  'created',
  'roles',
] as const;
type ColumnName = (typeof columns)[number];

/**
 * Users as CSV. No value begins with a sign that a spreadsheet would take for a formula, and none needs quotes: logins
 * begin with a letter or digit, activities are letters and digits, the rest is the program's own.
 */
export function csvOf(users: readonly User[]): string {
  const lines = users.map((user) => [
    user.login,
    user.activityCodes.join(' '),
    user.operator ? 'yes' : 'no',
    user.disabledAt === null ? 'no' : 'yes',
    user.secondFactorRequired ? 'required' : 'optional',
    user.secondFactor ? 'yes' : 'no',
    instantText(user.createdAt),
    user.operatorRoles.join(' '),
  ]);
  return [columns, ...lines].map((cells) => `${cells.join(',')}\r\n`).join('');
}

/** Logins and passwords as CSV. */
export function passwordCsvOf(passwords: ReadonlyMap<string, string>): string {
  return [['login', 'password'], ...passwords].map((cells) => `${cells.join(',')}\r\n`).join('');
}

/**
 * Reads users from CSV: with a heading, commas, semicolons or tabs, a byte order mark or none.
 * @throws OperatorError that names what is wrong by its lines
 */
export function usersIn(bytes: Uint8Array): readonly ListedUser[] {
  const text = textOf(bytes);
  const [heading = ''] = text.split(/\r\n|\n|\r/, 1);
  const delimiter = [',', ';', '\t'].find((each) => heading.includes(each)) ?? ',';
  const [first, ...records] = recordsIn(text, delimiter);
  if (first === undefined) throw new OperatorError('The file is empty.', `It begins with: ${columns.join(',')}`);
  const names = first.cells.map((cell) => cell.trim().toLowerCase());
  checkHeading(names);
  const faults: string[] = [];
  const users = records.map(({ cells, line }): ListedUser => {
    const at = (name: ColumnName): string | null =>
      names.includes(name) ? (cells[names.indexOf(name)] ?? '').trim() : null;
    const found: string[] = [];
    const wanted = {
      line,
      login: at('login') ?? '',
      activityCodes: wordsIn(at('activities')),
      operator: yesOrNo('operator', at('operator'), found),
      operatorRoles: wordsIn(at('roles')),
      disabled: yesOrNo('disabled', at('disabled'), found),
      secondFactorRequired: isRequired(at('second_factor'), found),
    };
    if (cells.length !== names.length) found.push(`It has ${cells.length} values, the first line ${names.length}.`);
    if (found.length > 0) faults.push(`Line ${line}: ${found.join(' ')}`);
    return wanted;
  });
  refuseFaults(faults);
  return users;
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
  /** 1 is the first; where a value has line breaks, the last of its lines. */
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

function checkHeading(names: readonly string[]): void {
  const unknown = names.filter((name) => !columns.some((column) => column === name));
  const twice = names.filter((name, place) => names.indexOf(name) !== place);
  const faults = [
    ...unknown.map((name) => (name === 'password' ? passwordAdvice : `Line 1: there is no column "${name}".`)),
    ...twice.map((name) => `Line 1: the column "${name}" is there twice.`),
    ...(names.includes('login') ? [] : ['Line 1: the column "login" is missing.']),
  ];
  if (faults.length > 0)
    throw new OperatorError(faults.join(' '), `The columns are: ${columns.join(', ')}. Nothing was changed.`);
}

const passwordAdvice =
  'Line 1: there is no column "password": new users get one that is made for them, into the file of --passwords.';

function wordsIn(text: string | null): readonly string[] | null {
  return text?.split(/[\s,;|]+/).filter((word) => word !== '') ?? null;
}

function yesOrNo(name: string, text: string | null, faults: string[]): boolean | null {
  if (text === null) return null;
  if (/^(yes|true|1)$/i.test(text)) return true;
  if (/^(no|false|0|)$/i.test(text)) return false;
  faults.push(`"${text}" is not yes or no (${name}).`);
  return null;
}

function isRequired(text: string | null, faults: string[]): boolean | null {
  // An empty cell must not take away what protects.
  if (text === null || text === '') return null;
  if (/^required$/i.test(text)) return true;
  if (/^optional$/i.test(text)) return false;
  faults.push(`"${text}" is not optional or required (second_factor).`);
  return null;
}
