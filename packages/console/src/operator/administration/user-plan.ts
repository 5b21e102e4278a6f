// What a list of users would change, before anything is done.
import type { AdministeredUser } from '../../../../client/src/index.ts';
import type { ListedUser } from './csv.ts';

export interface PlannedUser {
  readonly listed: ListedUser;
  /** Null: there is no such user yet. */
  readonly known: AdministeredUser | null;
  readonly action: 'add' | 'change' | 'none';
}

export function planUsers(listed: readonly ListedUser[], known: readonly AdministeredUser[]): readonly PlannedUser[] {
  const byLogin = new Map(known.map((user) => [user.login.toLowerCase(), user]));
  return listed.map((each) => {
    const user = byLogin.get(each.login.toLowerCase()) ?? null;
    const action = user === null ? 'add' : isSame(each, user) ? 'none' : 'change';
    return { listed: each, known: user, action };
  });
}

function isSame(listed: ListedUser, user: AdministeredUser): boolean {
  const { activityCodes, operator, roles, disabled, secondFactorRequired } = listed;
  const same = (a: readonly string[] | undefined, b: readonly string[]): boolean =>
    a === undefined || [...new Set(a)].toSorted().join() === b.toSorted().join();
  return (
    same(activityCodes, user.activityCodes) &&
    same(roles, user.roles) &&
    (operator === undefined || operator === user.operator) &&
    (disabled === undefined || disabled === (user.disabledAt !== null)) &&
    (secondFactorRequired === undefined || secondFactorRequired === user.secondFactorRequired)
  );
}
