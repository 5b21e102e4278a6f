// Plans what a list of users would change, and applies one line of it.
import type { AdministeredUser, PlatformClient } from '../../../../client/src/index.ts';
import type { ListedUser } from './user-csv.ts';
import { activityFault, isSameList, type LineFault, type Planned, planned } from './planned.ts';
import { allRoles, isRole } from './roles.ts';

type PlannedUser = Planned<ListedUser, AdministeredUser>;

/** @param codes of all activities */
export function planUsers(
  listed: readonly ListedUser[],
  known: readonly AdministeredUser[],
  codes: ReadonlySet<string>,
): readonly PlannedUser[] {
  const byLogin = new Map(known.map((user) => [user.login.toLowerCase(), user]));
  return listed.map((each) => {
    const user = byLogin.get(each.login.toLowerCase()) ?? null;
    const fault = activityFault(each.activityCodes, codes, user?.activityCodes) ?? roleFault(each.roles);
    return planned(each, user, fault, (before) => isSame(each, before));
  });
}

function roleFault(roles: readonly string[] = []): LineFault | null {
  const unknown = roles.find((role) => !isRole(role));
  return unknown === undefined ? null : { word: 'row-role', values: { at: unknown, roles: allRoles.join(', ') } };
}

function isSame(listed: ListedUser, user: AdministeredUser): boolean {
  const { activityCodes, operator, roles, disabled, secondFactorRequired } = listed;
  return (
    isSameList(activityCodes, user.activityCodes) &&
    isSameList(roles, user.roles) &&
    (operator === undefined || operator === user.operator) &&
    (disabled === undefined || disabled === (user.disabledAt !== null)) &&
    (secondFactorRequired === undefined || secondFactorRequired === user.secondFactorRequired)
  );
}

/**
 * Adds or changes the user of a line.
 * @param told receives login and link of an invitation as soon as it exists
 */
export async function applyUser(
  { administration }: PlatformClient,
  { listed, known }: PlannedUser,
  invite: boolean,
  told: (cells: readonly string[]) => void,
): Promise<void> {
  const { line: _, login, roles, disabled, ...rights } = listed;
  const wanted = { ...rights, ...(roles !== undefined && { roles: roles.filter(isRole) }) };
  const isDisabled = known !== null && known.disabledAt !== null;
  const user =
    known === null
      ? await administration.addUser({ login, ...wanted, invite: invite && disabled !== true })
      : { ...(await administration.changeUser(known.id, wanted)), invitation: null };
  if (user.invitation != null) told([user.login, user.invitation.address]);
  if (disabled !== undefined && disabled !== isDisabled)
    await administration.setUser(user.id, disabled ? 'disable' : 'enable');
}
