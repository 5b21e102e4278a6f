// Users as a CSV file, in the format of the commands `user export` and `user import`.
import type { AdministeredUser } from '../../../../client/src/index.ts';
import { csvLine } from '../../list/export.ts';
import { type CsvFault, csvFile, flagIn, readCsvLines, wordsIn } from './csv-table.ts';

/** In the order in which they are written; the last two are ignored when reading. */
const userColumns = [
  ...(['login', 'activities', 'operator', 'roles', 'disabled', 'second_factor'] as const),
  ...(['second_factor_set_up', 'created'] as const),
] as const;

export const readUserColumns = userColumns.slice(0, 6);

export function usersText(users: readonly AdministeredUser[]): string {
  const lines = users.map((user) =>
    csvLine([
      ...[user.login, user.activityCodes.join(' '), user.operator ? 'yes' : 'no', user.roles.join(' ')],
      ...[user.disabledAt === null ? 'no' : 'yes', user.secondFactorRequired ? 'required' : 'optional'],
      ...[user.secondFactor ? 'yes' : 'no', user.createdAt],
    ]),
  );
  return csvFile([csvLine(userColumns), ...lines]);
}

/** A user according to a line of a file. Missing values stay unchanged. */
export interface ListedUser {
  readonly line: number;
  readonly login: string;
  readonly activityCodes?: string[];
  readonly operator?: boolean;
  readonly roles?: string[];
  readonly disabled?: boolean;
  readonly secondFactorRequired?: boolean;
}

/** Parses a file. A missing column changes nothing. */
export function readUsers(text: string): readonly ListedUser[] | CsvFault {
  const lines = readCsvLines(text, userColumns, 'login');
  if ('fault' in lines) return lines;
  const seen = new Set<string>();
  const users: ListedUser[] = [];
  for (const { line, cell } of lines) {
    const login = cell('login') ?? '';
    if (login === '') return { fault: 'missing', at: `${line}: login` };
    if (seen.has(login.toLowerCase())) return { fault: 'twice', at: `${line}: ${login}` };
    seen.add(login.toLowerCase());
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
  return users;
}
