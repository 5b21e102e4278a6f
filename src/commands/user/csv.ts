// Reads and writes users as lines of CSV.
import { type ListedUser, refuseFaults } from '../../auth/user-import.ts';
import type { User } from '../../auth/users.ts';
import { csvLines, csvText, wordsIn, yesOrNo } from '../csv-file.ts';
import { instantText } from '../environment.ts';

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

/** Users as CSV. */
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
  return csvText([columns, ...lines]);
}

/** Logins and passwords as CSV. */
export function passwordCsvOf(passwords: ReadonlyMap<string, string>): string {
  return csvText([['login', 'password'], ...passwords]);
}

/**
 * Reads users from CSV.
 * @throws OperatorError that reports the faults by line
 */
export function usersIn(bytes: Uint8Array): readonly ListedUser[] {
  const faults: string[] = [];
  const users = csvLines(bytes, columns, 'login', { password: passwordAdvice }).map((each): ListedUser => {
    const { line, at } = each;
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
    found.push(...each.faults);
    if (found.length > 0) faults.push(`Line ${line}: ${found.join(' ')}`);
    return wanted;
  });
  refuseFaults(faults);
  return users;
}

const passwordAdvice =
  'Line 1: there is no column "password": new users get one that is made for them, into the file of --passwords.';

function isRequired(text: string | null, faults: string[]): boolean | null {
  // An empty cell must not remove a protection.
  if (text === null || text === '') return null;
  if (/^required$/i.test(text)) return true;
  if (/^optional$/i.test(text)) return false;
  faults.push(`"${text}" is not optional or required (second_factor).`);
  return null;
}
