// Stores the people who sign in.
import { appendAudit, appendEntryOf } from './audit.ts';
import type { EntryOf, NewAuditEntry } from './audit-contract.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import type { PageQuery } from './key-pages.ts';
import { readFirst, writeOnce } from './single-statements.ts';
import { onPostgres, type Sql, sql } from './statement.ts';
import type { RowOf } from './table.ts';
import { insertMissing, remove, selectPage, selectRows, update } from './table-statements.ts';
import { oidcPayloadTable, userAccountTable } from './tables/access.ts';

/** `login` is in its canonical spelling. */
export type StoredUser = RowOf<typeof userAccountTable>;

/** The properties of a user that the operator may change, apart from the password. */
export type UserChanges = Partial<
  Pick<
    StoredUser,
    | 'login'
    | 'activityCodes'
    | 'operator'
    | 'operatorRoles'
    | 'secondFactorRequired'
    | 'totpSecret'
    | 'totpStep'
    | 'recoveryCodes'
  >
>;

/** A user's change of their own password. */
interface OwnPasswordChange {
  /** The hash of the current password that they gave. */
  readonly before: string;
  readonly passwordHash: string;
  /** Also ends the access of the clients that they let in. */
  readonly endPrograms: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly audit: NewAuditEntry;
}

/** A user before and after a change. */
interface ChangedRow {
  readonly before: StoredUser;
  readonly after: StoredUser;
}

/** A user as the operator wants it: a new one, or the changes to an existing one. */
export type UserEdit =
  | { readonly kind: 'add'; readonly user: StoredUser }
  | {
      readonly kind: 'change';
      /** The user as it was when the edit was decided. */
      readonly before: StoredUser;
      readonly changes: UserChanges & Partial<Pick<StoredUser, 'disabledAt' | 'signedOutAt'>>;
    };

export interface Users {
  /** Adds a user; false if there is already one with this login. */
  add(user: StoredUser, entryOf?: EntryOf<StoredUser>): Promise<boolean>;
  /** All users, disabled ones too, by login. */
  list(): Promise<readonly StoredUser[]>;
  /**
   * One page of users, by login.
   * @param activity code of an activity to filter by; null: all users
   */
  page(query: PageQuery, activity: string | null): Promise<readonly StoredUser[]>;
  /** The user with this login, disabled or not. */
  byLogin(login: string): Promise<StoredUser | null>;
  /** The user with this id, disabled or not. */
  byId(id: string): Promise<StoredUser | null>;
  /** The user with this id, unless disabled. */
  active(id: string): Promise<StoredUser | null>;
  /**
   * Disables a user and ends everything they were signed in to. Called again, ends what has begun since.
   * @param now milliseconds since 1970
   * @returns the user as it is now; null if there is none with this login
   */
  disable(login: string, now: number, entryOf?: EntryOf<StoredUser>): Promise<StoredUser | null>;
  /** Lets a user sign in again; earlier sign-ins stay ended. Returns the user as it is now; null if there is none. */
  enable(login: string, entryOf?: EntryOf<StoredUser>): Promise<StoredUser | null>;
  /**
   * Gives a user another password and ends everything they were signed in to.
   * @param now milliseconds since 1970
   * @returns the user as it is now; null if there is none with this id
   */
  changePassword(
    id: string,
    passwordHash: string,
    now: number,
    entryOf?: EntryOf<StoredUser>,
  ): Promise<StoredUser | null>;
  /**
   * Gives a user another password that they chose themselves, unless it was changed meanwhile, and ends their sessions.
   * @param change says whether the clients that they let in keep their access
   * @returns whether it did
   */
  changeOwnPassword(id: string, change: OwnPasswordChange): Promise<boolean>;
  /**
   * Changes a user, based on its current state.
   * @param decide returns the changes; if it throws, nothing is changed and the error is passed on
   * @returns the changed user; null if there is none with this login
   */
  change(
    login: string,
    decide: (user: StoredUser) => UserChanges,
    entryOf?: EntryOf<ChangedRow>,
  ): Promise<StoredUser | 'login-taken' | null>;
  /**
   * Adds and changes users, all or none. A user who becomes disabled loses everything they were signed in to.
   * @param entries of the audit trail, in the same transaction
   * @returns false, with nothing changed, if one of them has changed since the edit was decided
   */
  edit(edits: readonly UserEdit[], entries: readonly NewAuditEntry[]): Promise<boolean>;
  /** Removes a user and ends everything they were signed in to. Returns the user as it was; null if there was none. */
  remove(id: string, entryOf?: EntryOf<StoredUser>): Promise<StoredUser | null>;
  /** Stores another hash of the same password, unless the password was changed meanwhile. */
  replaceHash(id: string, before: string, passwordHash: string): Promise<void>;
}

export function createUsers(engine: Engine): Users {
  return {
    add: (user, entryOf) =>
      engine.write(async (transaction) => {
        if ((await transaction.query(insertMissing(userAccountTable, user))).length === 0) return false;
        await appendEntryOf(transaction, user, entryOf);
        return true;
      }),
    list: () => engine.read(selectRows(userAccountTable, {}, { by: ['login'] })),
    page: (query, activity) =>
      activity === null
        ? engine.read(selectPage(userAccountTable, 'login', query))
        : engine.readLong(selectPage(userAccountTable, 'login', query, isOfActivity(activity)), { client: 'operator' }),
    byLogin: (login) => readFirst(engine, selectRows(userAccountTable, { login })),
    byId: (id) => readFirst(engine, selectRows(userAccountTable, { id })),
    active: (id) => readFirst(engine, selectRows(userAccountTable, { id, disabledAt: null })),
    disable: (login, now, entryOf) =>
      engine.write(async (transaction) => {
        const changes = { disabledAt: now, signedOutAt: now };
        await transaction.query(update(userAccountTable, changes, { login, disabledAt: null }));
        return endedAccess(transaction, { login }, entryOf);
      }),
    enable: (login, entryOf) =>
      engine.write(async (transaction) => {
        await transaction.query(update(userAccountTable, { disabledAt: null }, { login }));
        return recorded(transaction, { login }, entryOf);
      }),
    changePassword: (id, passwordHash, now, entryOf) =>
      engine.write(async (transaction) => {
        await transaction.query(update(userAccountTable, { passwordHash, signedOutAt: now }, { id }));
        return endedAccess(transaction, { id }, entryOf);
      }),
    changeOwnPassword: (id, { before, passwordHash, endPrograms, now, audit }) =>
      engine.write(async (transaction) => {
        const changed = update(userAccountTable, { passwordHash, signedOutAt: now }, { id, passwordHash: before });
        if ((await transaction.query(changed)).length === 0) return false;
        const ended = endPrograms ? { accountId: id } : { accountId: id, model: ['Session', 'Interaction'] };
        await transaction.query(remove(oidcPayloadTable, ended));
        await appendAudit(transaction, audit);
        return true;
      }),
    change: (login, decide, entryOf) => engine.write((transaction) => changeUser(transaction, login, decide, entryOf)),
    edit: (edits, entries) => editUsers(engine, edits, entries),
    remove: (id, entryOf) =>
      engine.write(async (transaction) => {
        const user = await recorded(transaction, { id }, entryOf);
        await transaction.query(remove(userAccountTable, { id }));
        await transaction.query(remove(oidcPayloadTable, { accountId: id }));
        return user;
      }),
    replaceHash: async (id, before, passwordHash) =>
      void (await writeOnce(engine, update(userAccountTable, { passwordHash }, { id, passwordHash: before }))),
  };
}

/** Ends what a user was signed in to, together with the entry of what was done. */
async function endedAccess(
  transaction: WriteTransaction,
  which: { readonly login: string } | { readonly id: string },
  entryOf: EntryOf<StoredUser> | undefined,
): Promise<StoredUser | null> {
  const user = await recorded(transaction, which, entryOf);
  if (user !== null) await transaction.query(remove(oidcPayloadTable, { accountId: user.id }));
  return user;
}

async function recorded(
  transaction: WriteTransaction,
  which: { readonly login: string } | { readonly id: string },
  entryOf: EntryOf<StoredUser> | undefined,
): Promise<StoredUser | null> {
  const [user] = await transaction.query(selectRows(userAccountTable, which));
  if (user === undefined) return null;
  await appendEntryOf(transaction, user, entryOf);
  return user;
}

/** The codes are stored as a JSON list. @param activity only letters and digits */
function isOfActivity(activity: string): Sql {
  return sql`${userAccountTable.column.activityCodes} like ${`%"${activity}"%`}`;
}

async function changeUser(
  transaction: WriteTransaction,
  login: string,
  decide: (user: StoredUser) => UserChanges,
  entryOf: EntryOf<ChangedRow> | undefined,
): Promise<StoredUser | 'login-taken' | null> {
  // Neither another change of the user nor a new user with the login may intervene. SQLite has one writer anyway.
  await transaction.query(onPostgres(() => sql`lock table ${userAccountTable.quoted} in share row exclusive mode`));
  const [user] = await transaction.query(selectRows(userAccountTable, { login }));
  if (user === undefined) return null;
  const changes = decide(user);
  if (Object.keys(changes).length === 0) return user;
  const taken = changes.login !== undefined && changes.login !== login;
  if (taken && (await transaction.query(selectRows(userAccountTable, { login: changes.login }))).length > 0)
    return 'login-taken';
  await transaction.query(update(userAccountTable, changes, { id: user.id }));
  const after = { ...user, ...changes };
  await appendEntryOf(transaction, { before: user, after }, entryOf);
  return after;
}

class Outdated extends Error {}

async function editUsers(
  engine: Engine,
  edits: readonly UserEdit[],
  entries: readonly NewAuditEntry[],
): Promise<boolean> {
  try {
    await engine.write(async (transaction) => {
      await transaction.query(onPostgres(() => sql`lock table ${userAccountTable.quoted} in share row exclusive mode`));
      for (const edit of edits) await editUser(transaction, edit);
      for (const entry of entries) await appendAudit(transaction, entry);
    });
    return true;
  } catch (error) {
    if (error instanceof Outdated) return false;
    throw error;
  }
}

async function editUser({ query }: WriteTransaction, edit: UserEdit): Promise<void> {
  if (edit.kind === 'add') {
    if ((await query(insertMissing(userAccountTable, edit.user))).length === 0) throw new Outdated();
    return;
  }
  const { id, login, activityCodes, operator, operatorRoles, disabledAt, secondFactorRequired } = edit.before;
  const asItWas = { id, login, activityCodes, operator, operatorRoles, disabledAt, secondFactorRequired };
  if ((await query(update(userAccountTable, edit.changes, asItWas))).length === 0) throw new Outdated();
  if (typeof edit.changes.disabledAt === 'number') await query(remove(oidcPayloadTable, { accountId: id }));
}
