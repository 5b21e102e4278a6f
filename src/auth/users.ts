// The people who sign in: added, shown and disabled by the operator, authenticated by login and password.
import { textBlock } from '../model/text-block.ts';
import { v7 as uuidv7 } from 'uuid';
import { OperatorError } from '../model/operator-error.ts';
import type { EntryOf } from '../store/audit-contract.ts';
import type { Store } from '../store/store.ts';
import { noSecondFactor } from '../store/second-factors.ts';
import type { PageQuery } from '../store/key-pages.ts';
import type { StoredUser } from '../store/users.ts';
import { existingActivities } from './activity-access.ts';
import { knownRoles, type PlatformRole, roleFaults } from './platform-roles.ts';
import { hashPassword, needsRehash, passwordFault, passwordMatches } from './passwords.ts';

export interface User {
  /** UUIDv7: the subject of the user's tokens. */
  readonly id: string;
  /** Lower case, unique. */
  readonly login: string;
  /** Sorted; empty only for an operator. */
  readonly activityCodes: readonly string[];
  /** Runs the service, and may therefore have no activities. */
  readonly operator: boolean;
  /** An operator's roles at the platform interface; empty without `operator`. */
  readonly operatorRoles: readonly PlatformRole[];
  /** Milliseconds; null while the user may sign in. */
  readonly disabledAt: number | null;
  readonly createdAt: number;
  /** Milliseconds when the user was last signed out everywhere: earlier sign-ins are no longer valid. Null: never. */
  readonly signedOutAt: number | null;
  /** The operator requires a second factor of this user. */
  readonly secondFactorRequired: boolean;
  /** One has been set up. */
  readonly secondFactor: boolean;
  /** Name of the identity provider at which the user signs in; null: here, with a password. */
  readonly identityProvider: string | null;
}

export interface NewUser {
  readonly login: string;
  readonly password: string;
  readonly activityCodes: readonly string[];
  readonly operator: boolean;
  /** Names of roles, as given; default: none. */
  readonly operatorRoles?: readonly string[];
  /** Default: false. */
  readonly secondFactorRequired?: boolean;
}

/** A plain name or an e-mail address. ASCII only, so that no two logins look the same. */
const loginForm = /^[a-z0-9](?:[a-z0-9._+@-]{0,98}[a-z0-9])?$/;

/**
 * Adds a user.
 * @param now milliseconds since 1970
 * @throws OperatorError that lists all faults
 */
export async function addUser(
  store: Pick<Store, 'activities' | 'users'>,
  wanted: NewUser,
  now: number,
  entryOf?: EntryOf<User>,
): Promise<User> {
  const login = canonicalLogin(wanted.login);
  const faults = [...userFaults(wanted)];
  const fault = passwordFault(wanted.password, login);
  if (fault !== null) faults.push(fault);
  if (faults.length > 0) throw new OperatorError(faults.join(' '), 'Nothing was added.');
  const user: User = {
    id: uuidv7({ msecs: now }),
    login,
    activityCodes: await existingActivities(store, wanted.activityCodes),
    operator: wanted.operator,
    operatorRoles: knownRoles(wanted.operatorRoles ?? []),
    disabledAt: null,
    createdAt: now,
    signedOutAt: null,
    secondFactorRequired: wanted.secondFactorRequired ?? false,
    secondFactor: false,
    identityProvider: null,
  };
  const stored = { ...user, ...noSecondFactor, passwordHash: await hashPassword(wanted.password) };
  if (!(await store.users.add(stored, entryOfUser(entryOf))))
    throw new OperatorError(`There is a user "${login}" already.`, 'Choose another login, or see `user list`.');
  return user;
}

/** The faults of a new user apart from the password, as sentences, as far as they can be found without the database. */
export function userFaults(wanted: Omit<NewUser, 'password'>): readonly string[] {
  const faults: string[] = [];
  if (!loginForm.test(canonicalLogin(wanted.login)))
    faults.push(
      textBlock`
        A login has 1 to 100 letters a to z, digits, dots, hyphens, underscores, + or @, and begins and ends with a
        letter or digit.
      `,
    );
  if (wanted.activityCodes.length === 0 && !wanted.operator)
    faults.push('A user who is not an operator needs at least one activity.');
  const { operatorRoles = [] } = wanted;
  faults.push(...roleFaults(operatorRoles));
  if (operatorRoles.length > 0 && !wanted.operator)
    faults.push('Roles are for operators alone: add --operator, or leave the roles out.');
  return faults;
}

/** All users, including disabled ones, by login. */
export async function listUsers({ users }: UserStorage): Promise<readonly User[]> {
  return (await users.list()).map(userOf);
}

/**
 * A page of users, by login.
 * @param activity only users who have it; null: all
 */
export async function pageOfUsers(
  { users }: UserStorage,
  query: PageQuery,
  activity: string | null,
): Promise<readonly User[]> {
  // No activity has such a code.
  if (activity !== null && !/^[A-Z0-9]{1,3}$/.test(activity)) return [];
  return (await users.page(query, activity)).map(userOf);
}

/** The user with this login, in any case, disabled or not; or null. */
export async function findUser(store: UserStorage, login: string): Promise<User | null> {
  const stored = await storedUser(store, login);
  return stored === null ? null : userOf(stored);
}

/**
 * Disables a user: no more sign-in, and existing tokens stop working (decision D30), for good. Repeating this changes
 * nothing.
 * @returns the user as it is now
 * @throws OperatorError when there is no such user
 */
export async function disableUser(
  store: UserStorage,
  login: string,
  now: number,
  entryOf?: EntryOf<User>,
): Promise<User> {
  return existing(await store.users.disable(canonicalLogin(login), now, entryOfUser(entryOf)), login);
}

/**
 * Lets a disabled user sign in again with the same password; earlier sign-ins remain ended. Repeating this changes
 * nothing.
 * @returns the user as it is now
 * @throws OperatorError when there is no such user
 */
export async function enableUser(store: UserStorage, login: string, entryOf?: EntryOf<User>): Promise<User> {
  return existing(await store.users.enable(canonicalLogin(login), entryOfUser(entryOf)), login);
}

/**
 * Sets a user's password, and ends the sessions and tokens obtained with the old one.
 * @param now milliseconds since 1970
 * @throws OperatorError when there is no such user, or the password is not acceptable
 */
export async function changePassword(
  store: UserStorage,
  login: string,
  password: string,
  now: number,
  entryOf?: EntryOf<User>,
): Promise<User> {
  const user = await knownUser(store, login);
  if (user.identityProvider !== null) throw signsInElsewhere(user);
  const fault = passwordFault(password, user.login);
  if (fault !== null) throw new OperatorError(fault, 'Nothing was changed.');
  const passwordHash = await hashPassword(password);
  return existing(await store.users.changePassword(user.id, passwordHash, now, entryOfUser(entryOf)), login);
}

/** @throws OperatorError when there is no such user */
export async function knownUser(store: UserStorage, login: string): Promise<User> {
  const user = await findUser(store, login);
  if (user === null) throw unknownUser(canonicalLogin(login));
  return user;
}

/** @throws OperatorError when there is none */
export function existing(user: StoredUser | null, login: string): User {
  if (user === null) throw unknownUser(canonicalLogin(login));
  return userOf(user);
}

/** The same for the stored form of the user. */
export function entryOfUser(entryOf: EntryOf<User> | undefined): EntryOf<StoredUser> | undefined {
  return entryOf && ((stored) => entryOf(userOf(stored)));
}

/** The error when a password is to be set for a user who has an identity provider. */
export function signsInElsewhere({ login, identityProvider }: User): OperatorError {
  return new OperatorError(
    `The user "${login}" signs in at the identity provider ${identityProvider}, and has no password here.`,
    'Nothing was changed.',
  );
}

/** The error when there is no user with this login. */
export function unknownUser(login: string): OperatorError {
  return new OperatorError(`There is no user "${login}".`, 'See `user list`.');
}

/** The user with this id who may sign in now, or null. */
export async function findActiveUser({ users }: UserStorage, id: string): Promise<User | null> {
  const stored = await users.active(id);
  return stored === null ? null : userOf(stored);
}

/**
 * Authenticates a user by login and password. A hash with other cost parameters is replaced, because its timing would
 * reveal that the login exists.
 * @returns the user; null for a wrong password, an unknown and a disabled login alike, after the same work, so that
 *   neither text nor time reveals which logins exist
 */
export async function authenticate(store: UserStorage, login: string, password: string): Promise<User | null> {
  const stored = await storedUser(store, login);
  const matches = await passwordMatches(password, stored?.passwordHash ?? null);
  if (stored === null || !matches || stored.disabledAt !== null || stored.identityProvider !== null) return null;
  if (needsRehash(stored.passwordHash))
    await store.users.replaceHash(stored.id, stored.passwordHash, await hashPassword(password));
  return userOf(stored);
}

/** The canonical spelling of a login. */
export function canonicalLogin(login: string): string {
  return login.trim().toLowerCase();
}

type UserStorage = Pick<Store, 'users'>;

async function storedUser({ users }: UserStorage, login: string): Promise<StoredUser | null> {
  const known = canonicalLogin(login);
  // No user has any other login, and PostgreSQL does not accept text with U+0000 even in a query.
  return loginForm.test(known) ? users.byLogin(known) : null;
}

/** A user without the password; the fields are in the order in which the commands print them. */
export function userOf({
  id,
  login,
  activityCodes,
  operator,
  operatorRoles: roles,
  disabledAt,
  createdAt,
  signedOutAt,
  secondFactorRequired,
  totpSecret,
  identityProvider,
}: StoredUser): User {
  const secondFactor = totpSecret !== null;
  const operatorRoles = operator ? knownRoles(roles) : [];
  const who = { id, login, activityCodes, operator, operatorRoles };
  return { ...who, disabledAt, createdAt, signedOutAt, secondFactorRequired, secondFactor, identityProvider };
}
