// Imports an operator's list of users: the faults of the list, and what it would change.
import { v7 as uuidv7 } from 'uuid';
import { OperatorError } from '../model/operator-error.ts';
import type { NewAuditEntry } from '../store/audit-contract.ts';
import type { Store } from '../store/store.ts';
import { noSecondFactor } from '../store/second-factors.ts';
import type { StoredUser, UserEdit } from '../store/users.ts';
import { newPassword } from './new-password.ts';
import { knownRoles, roleFaults } from './platform-roles.ts';
import { hashPassword } from './passwords.ts';
import { canonicalLogin, userFaults } from './users.ts';

/** One user of a list; null: not given, so the value stays as it is. */
export interface ListedUser {
  /** Line number, for errors. */
  readonly line: number;
  readonly login: string;
  readonly activityCodes: readonly string[] | null;
  readonly operator: boolean | null;
  readonly operatorRoles: readonly string[] | null;
  readonly disabled: boolean | null;
  readonly secondFactorRequired: boolean | null;
}

export interface UserPlan {
  /** New users, in the order of the list; they have no password so far. */
  readonly added: readonly Omit<StoredUser, 'passwordHash'>[];
  readonly changed: readonly (UserEdit & { readonly kind: 'change' })[];
  readonly unchanged: number;
}

/** The most faults that are reported; the rest are counted. */
const maxFaults = 20;

/**
 * Determines what a list changes. Users who are not on it stay as they are.
 * @param now milliseconds since 1970
 * @throws OperatorError that reports the faults by line
 */
export async function planUsers(
  store: Pick<Store, 'activities' | 'users'>,
  listed: readonly ListedUser[],
  now: number,
): Promise<UserPlan> {
  const known = new Map((await store.users.list()).map((user) => [user.login, user]));
  const activities = new Set((await store.activities.list()).map(({ code }) => code));
  const lineOf = new Map<string, number>();
  const faults: string[] = [];
  const added: UserPlan['added'][number][] = [];
  const changed: UserPlan['changed'][number][] = [];
  for (const wanted of listed) {
    const login = canonicalLogin(wanted.login);
    const before = known.get(login);
    const user = {
      id: before?.id ?? uuidv7({ msecs: now }),
      login,
      activityCodes: [...new Set(wanted.activityCodes ?? before?.activityCodes)].sort(),
      operator: wanted.operator ?? before?.operator ?? false,
      operatorRoles: rolesOf(wanted, before),
      disabledAt: disabledAt(wanted.disabled, before, now),
      createdAt: before?.createdAt ?? now,
      signedOutAt: before?.signedOutAt ?? null,
      secondFactorRequired: wanted.secondFactorRequired ?? before?.secondFactorRequired ?? false,
      // For new users; a list does not affect the second factor of existing ones.
      ...noSecondFactor,
      identityProvider: before?.identityProvider ?? null,
    };
    const first = lineOf.get(login);
    const missing = user.activityCodes.filter((code) => !activities.has(code) && !before?.activityCodes.includes(code));
    const found = [
      ...(first === undefined ? [] : [`The user "${login}" is on line ${first} already.`]),
      ...userFaults(user),
      ...missing.map((code) => `There is no activity "${code}".`),
    ];
    lineOf.set(login, first ?? wanted.line);
    if (found.length > 0) faults.push(`Line ${wanted.line}: ${found.join(' ')}`);
    else if (before === undefined) added.push(user);
    else {
      const edit = changeOf(before, user, now);
      if (edit !== null) changed.push(edit);
    }
  }
  refuseFaults(faults);
  return { added, changed, unchanged: listed.length - added.length - changed.length };
}

/** @throws OperatorError when there is a fault */
export function refuseFaults(faults: readonly string[]): void {
  if (faults.length === 0) return;
  const more = faults.length - maxFaults;
  throw new OperatorError(
    [...faults.slice(0, maxFaults), ...(more > 0 ? [`There are ${more} more faults.`] : [])].join(' '),
    'Nothing was changed.',
  );
}

/** New passwords, by login. */
export function passwordsFor({ added }: UserPlan): ReadonlyMap<string, string> {
  return new Map(added.map(({ login }) => [login, newPassword()]));
}

/**
 * Carries out a plan, all or nothing.
 * @param entries of the audit trail
 * @throws OperatorError when a user was changed meanwhile
 */
export async function carryOutPlan(
  { users }: Pick<Store, 'users'>,
  { added, changed }: UserPlan,
  passwords: ReadonlyMap<string, string>,
  entries: readonly NewAuditEntry[],
): Promise<void> {
  const edits: UserEdit[] = [...changed];
  for (const user of added)
    edits.push({ kind: 'add', user: { ...user, passwordHash: await hashPassword(passwords.get(user.login) ?? '') } });
  if (edits.length > 0 && !(await users.edit(edits, entries)))
    throw new OperatorError(
      'A user of the list was changed by somebody else meanwhile.',
      'Nothing was changed. Run the command again.',
    );
}

/** A user who is no longer an operator has no roles; a user with roles must be an operator. */
function rolesOf({ operator, operatorRoles }: ListedUser, before: StoredUser | undefined): readonly string[] {
  if (operatorRoles === null) return operator === false ? [] : knownRoles(before?.operatorRoles ?? []);
  // `userFaults` reports unknown roles.
  return roleFaults(operatorRoles).length > 0 ? operatorRoles : knownRoles(operatorRoles);
}

function disabledAt(wanted: boolean | null, before: StoredUser | undefined, now: number): number | null {
  if (wanted === null) return before?.disabledAt ?? null;
  return wanted ? (before?.disabledAt ?? now) : null;
}

function changeOf(
  before: StoredUser,
  {
    activityCodes,
    operator,
    operatorRoles,
    secondFactorRequired,
    disabledAt: disabled,
  }: Omit<StoredUser, 'passwordHash'>,
  now: number,
): UserPlan['changed'][number] | null {
  const changes = {
    ...(activityCodes.join() !== before.activityCodes.join() && { activityCodes }),
    ...(operator !== before.operator && { operator }),
    ...(operatorRoles.join() !== before.operatorRoles.join() && { operatorRoles }),
    ...(secondFactorRequired !== before.secondFactorRequired && { secondFactorRequired }),
    ...(disabled !== before.disabledAt && { disabledAt: disabled, ...(disabled !== null && { signedOutAt: now }) }),
  };
  return Object.keys(changes).length === 0 ? null : { kind: 'change', before, changes };
}
