// The people who sign in: added, shown and disabled by the operator, recognised by login and password.
import { textBlock } from '../model/text-block.ts';
import type { Kysely, Selectable } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { OperatorError } from '../model/operator-error.ts';
import type { Tables, UserAccountTable } from '../store/tables.ts';
import { existingActivities, textList } from './activity-access.ts';
import { hashPassword, needsRehash, passwordFault, passwordMatches } from './passwords.ts';
import { forgetAll } from './payload-cleanup.ts';

export interface User {
  /** UUIDv7: the subject of the user's tokens. */
  readonly id: string;
  /** Lower case, unique. */
  readonly login: string;
  /** Sorted; empty only for an operator. */
  readonly activityCodes: readonly string[];
  /** May administer the service. */
  readonly operator: boolean;
  /** Milliseconds, or null while the user may sign in. */
  readonly disabledAt: number | null;
  readonly createdAt: number;
  /**
   * Milliseconds of when all that the user was signed in to last ended: who signed in before is so no longer. Null:
   * never.
   */
  readonly signedOutAt: number | null;
}

export interface NewUser {
  readonly login: string;
  readonly password: string;
  readonly activityCodes: readonly string[];
  readonly operator: boolean;
}

/** A plain name or an e-mail address. ASCII alone, so that no two logins look the same. */
const loginForm = /^[a-z0-9](?:[a-z0-9._+@-]{0,98}[a-z0-9])?$/;

/**
 * Adds a user.
 * @param now milliseconds since 1970
 * @throws OperatorError with everything that is wrong
 */
export async function addUser(db: Kysely<Tables>, wanted: NewUser, now: number): Promise<User> {
  const login = canonicalLogin(wanted.login);
  const faults = [...userFaults(wanted)];
  const fault = passwordFault(wanted.password, login);
  if (fault !== null) faults.push(fault);
  if (faults.length > 0) throw new OperatorError(faults.join(' '), 'Nothing was added.');
  const user: User = {
    id: uuidv7({ msecs: now }),
    login,
    activityCodes: await existingActivities(db, wanted.activityCodes),
    operator: wanted.operator,
    disabledAt: null,
    createdAt: now,
    signedOutAt: null,
  };
  const inserted = await db
    .insertInto('user_account')
    .values({
      id: user.id,
      login,
      password_hash: await hashPassword(wanted.password),
      activity_codes: JSON.stringify(user.activityCodes),
      operator: user.operator ? 1 : 0,
      disabled_at: null,
      created_at: now,
      signed_out_at: null,
    })
    .onConflict((conflict) => conflict.column('login').doNothing())
    .executeTakeFirst();
  if (inserted.numInsertedOrUpdatedRows !== 1n)
    throw new OperatorError(`There is a user "${login}" already.`, 'Choose another login, or see `user list`.');
  return user;
}

/**
 * What is wrong with a new user apart from the password, as sentences, as far as it can be told without the database.
 */
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
  return faults;
}

/** All users, disabled ones too, by login. */
export async function listUsers(db: Kysely<Tables>): Promise<readonly User[]> {
  const rows = await db.selectFrom('user_account').selectAll().orderBy('login').execute();
  return rows.map(userOf);
}

/** The user with this login in any case, disabled or not, or null. */
export async function findUser(db: Kysely<Tables>, login: string): Promise<User | null> {
  const row = await rowOf(db, login);
  return row ? userOf(row) : null;
}

/**
 * Disables a user: no more sign-in, and tokens in hand stop working (decision D30), for good. Again: no change.
 * @returns the user as it is now
 * @throws OperatorError when there is no such user
 */
export async function disableUser(db: Kysely<Tables>, login: string, now: number): Promise<User> {
  await db
    .updateTable('user_account')
    .set({ disabled_at: now, signed_out_at: now })
    .where('login', '=', canonicalLogin(login))
    .where('disabled_at', 'is', null)
    .execute();
  const user = await knownUser(db, login);
  await forgetAll(db, { accountId: user.id });
  return user;
}

/**
 * Lets a disabled user sign in again, with the password of before; what was signed in before stays ended. Again: no
 * change.
 * @returns the user as it is now
 * @throws OperatorError when there is no such user
 */
export async function enableUser(db: Kysely<Tables>, login: string): Promise<User> {
  await db.updateTable('user_account').set({ disabled_at: null }).where('login', '=', canonicalLogin(login)).execute();
  return knownUser(db, login);
}

/**
 * Gives a user a new password, and ends what was signed in with the old one: sessions and tokens.
 * @param now milliseconds since 1970
 * @throws OperatorError when there is no such user, or the password will not do
 */
export async function changePassword(db: Kysely<Tables>, login: string, password: string, now: number): Promise<User> {
  const user = await knownUser(db, login);
  const fault = passwordFault(password, user.login);
  if (fault !== null) throw new OperatorError(fault, 'Nothing was changed.');
  await db
    .updateTable('user_account')
    .set({ password_hash: await hashPassword(password), signed_out_at: now })
    .where('id', '=', user.id)
    .execute();
  await forgetAll(db, { accountId: user.id });
  return { ...user, signedOutAt: now };
}

/** @throws OperatorError when there is no such user */
export async function knownUser(db: Kysely<Tables>, login: string): Promise<User> {
  const user = await findUser(db, login);
  if (user === null) throw new OperatorError(`There is no user "${canonicalLogin(login)}".`, 'See `user list`.');
  return user;
}

/** The user with this id who may sign in now, or null. */
export async function findActiveUser(db: Kysely<Tables>, id: string): Promise<User | null> {
  const row = await db
    .selectFrom('user_account')
    .selectAll()
    .where('id', '=', id)
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
  return row ? userOf(row) : null;
}

/**
 * Recognises a user by login and password.
 * A hash made at another cost is replaced, because its time would tell that the login exists.
 * @returns the user; null for a wrong password, an unknown and a disabled login alike, after the same work,
 * so that neither text nor time tells which logins exist
 */
export async function authenticate(db: Kysely<Tables>, login: string, password: string): Promise<User | null> {
  const row = await rowOf(db, login);
  const matches = await passwordMatches(password, row?.password_hash ?? null);
  if (!row || !matches || row.disabled_at !== null) return null;
  if (needsRehash(row.password_hash)) {
    // Not over a password that was changed meanwhile.
    await db
      .updateTable('user_account')
      .set({ password_hash: await hashPassword(password) })
      .where('id', '=', row.id)
      .where('password_hash', '=', row.password_hash)
      .execute();
  }
  return userOf(row);
}

/** The one spelling of a login by which it is known. */
export function canonicalLogin(login: string): string {
  return login.trim().toLowerCase();
}

async function rowOf(db: Kysely<Tables>, login: string): Promise<Selectable<UserAccountTable> | undefined> {
  const known = canonicalLogin(login);
  // Nobody has another one, and PostgreSQL cannot even be asked for a text with U+0000.
  if (!loginForm.test(known)) return undefined;
  return db.selectFrom('user_account').selectAll().where('login', '=', known).executeTakeFirst();
}

function userOf(row: Selectable<UserAccountTable>): User {
  return {
    id: row.id,
    login: row.login,
    activityCodes: textList(row.activity_codes),
    operator: row.operator === 1,
    disabledAt: row.disabled_at,
    createdAt: row.created_at,
    signedOutAt: row.signed_out_at,
  };
}
