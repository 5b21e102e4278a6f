// Changes of users by an operator: their logins, their activities, and their removal.
import { OperatorError } from '../model/operator-error.ts';
import type { EntryOf } from '../store/audit-contract.ts';
import type { Store } from '../store/store.ts';
import { noSecondFactor } from '../store/second-factors.ts';
import type { StoredUser, UserChanges } from '../store/users.ts';
import { type ActivityChange, changedActivities, checkActivityChange } from './activity-access.ts';
import { knownRoles, roleFaults } from './platform-roles.ts';
import {
  canonicalLogin,
  entryOfUser,
  existing,
  knownUser,
  unknownUser,
  type User,
  userFaults,
  userOf,
} from './users.ts';

/** The requested changes; absent members stay as they are. */
export interface UserChangeRequest extends ActivityChange {
  readonly login?: string;
  /** False removes the roles too. */
  readonly operator?: boolean;
  /** Names of roles. */
  readonly addedRoles?: readonly string[];
  readonly removedRoles?: readonly string[];
  readonly secondFactorRequired?: boolean;
  /** Removes the second factor with its recovery codes: the phone is lost. */
  readonly resetSecondFactor?: boolean;
}

export interface ChangedUser {
  readonly before: User;
  readonly after: User;
}

/**
 * Changes a user. Withdrawn activities also end for existing tokens, within a minute (decision D30); the person has to
 * consent to added ones, at the next sign-in of each program.
 * @throws OperatorError when there is no such user, the result would be an invalid user, the login is taken, or an
 *   activity does not exist; nothing is changed then
 */
export async function changeUser(
  store: Pick<Store, 'activities' | 'users'>,
  login: string,
  wanted: UserChangeRequest,
  entryOf?: EntryOf<ChangedUser>,
): Promise<ChangedUser> {
  const known = await knownUser(store, login);
  await checkActivityChange(store, known.activityCodes, wanted);
  let before = known;
  const after = await store.users.change(
    known.login,
    (user) => {
      before = userOf(user);
      return changesOf(user, wanted);
    },
    entryOf && ((changed) => entryOf({ before: userOf(changed.before), after: userOf(changed.after) })),
  );
  if (after === null) throw unknownUser(known.login);
  if (after === 'login-taken')
    throw new OperatorError(
      `There is a user "${canonicalLogin(wanted.login ?? '')}" already.`,
      'Choose another login, or see `user list`. Nothing was changed.',
    );
  return { before, after: userOf(after) };
}

/**
 * Removes a user for good: no more sign-in, and existing tokens stop within a minute; the audit trail keeps what was
 * done under the id.
 * @returns the user as it was
 * @throws OperatorError when there is no such user
 */
export async function removeUser(store: Pick<Store, 'users'>, login: string, entryOf?: EntryOf<User>): Promise<User> {
  const { id } = await knownUser(store, login);
  return existing(await store.users.remove(id, entryOfUser(entryOf)), login);
}

function changesOf(user: StoredUser, wanted: UserChangeRequest): UserChanges {
  const activityCodes = changedActivities(user.activityCodes, wanted);
  const changed = {
    login: wanted.login === undefined ? user.login : canonicalLogin(wanted.login),
    activityCodes,
    operator: wanted.operator ?? user.operator,
    operatorRoles: changedRoles(user, wanted),
  };
  const required = wanted.secondFactorRequired ?? user.secondFactorRequired;
  const faults = userFaults(changed);
  if (faults.length > 0) throw new OperatorError(faults.join(' '), 'Nothing was changed.');
  return {
    ...(changed.login !== user.login && { login: changed.login }),
    ...(activityCodes.join() !== user.activityCodes.join() && { activityCodes }),
    ...(changed.operator !== user.operator && { operator: changed.operator }),
    ...(changed.operatorRoles.join() !== user.operatorRoles.join() && { operatorRoles: changed.operatorRoles }),
    ...(required !== user.secondFactorRequired && { secondFactorRequired: required }),
    ...(wanted.resetSecondFactor === true && user.totpSecret !== null && noSecondFactor),
  };
}

/** @throws OperatorError when a role does not exist, or is both granted and withdrawn */
function changedRoles(
  user: StoredUser,
  { operator, addedRoles: added = [], removedRoles: removed = [] }: UserChangeRequest,
): readonly string[] {
  const faults = [...roleFaults([...added, ...removed])];
  const both = removed.find((role) => added.includes(role));
  if (both !== undefined) faults.push(`The role ${both} cannot be given and taken at once.`);
  if (faults.length > 0) throw new OperatorError(faults.join(' '), 'Nothing was changed.');
  const before = operator === false ? [] : user.operatorRoles;
  return knownRoles([...before, ...added]).filter((role) => !removed.includes(role));
}
