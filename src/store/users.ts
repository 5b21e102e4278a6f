// In charge of the people who sign in, as they are stored.
import type { Engine } from './engine.ts';
import { readFirst, writeOnce } from './single-statements.ts';
import { sql } from './statement.ts';
import type { RowOf } from './table.ts';
import { insertMissing, remove, selectRows, update } from './table-statements.ts';
import { oidcPayloadTable, userAccountTable } from './tables/access.ts';

/** `login` is in the one spelling by which it is known. */
export type StoredUser = RowOf<typeof userAccountTable>;

export interface Users {
  /** Adds a user; false where there is one with this login. */
  add(user: StoredUser): Promise<boolean>;
  /** All users, disabled ones too, by login. */
  list(): Promise<readonly StoredUser[]>;
  /** The user with this login, disabled or not. */
  byLogin(login: string): Promise<StoredUser | null>;
  /** The user with this id who is not disabled. */
  active(id: string): Promise<StoredUser | null>;
  /**
   * Disables a user and ends all that they were signed in to. Again: ends what has begun since.
   * @param now milliseconds since 1970
   */
  disable(login: string, now: number): Promise<void>;
  /** Lets a user sign in again; what was signed in before stays ended. */
  enable(login: string): Promise<void>;
  /**
   * Gives a user another password and ends all that they were signed in to.
   * @param now milliseconds since 1970
   */
  changePassword(id: string, passwordHash: string, now: number): Promise<void>;
  /** Stores another hash of the same password, unless the password was changed meanwhile. */
  replaceHash(id: string, before: string, passwordHash: string): Promise<void>;
}

export function createUsers(engine: Engine): Users {
  return {
    add: async (user) => (await writeOnce(engine, insertMissing(userAccountTable, user))) === 1,
    list: () => engine.read(selectRows(userAccountTable, {}, { by: ['login'] })),
    byLogin: (login) => readFirst(engine, selectRows(userAccountTable, { login })),
    active: (id) => readFirst(engine, selectRows(userAccountTable, { id, disabledAt: null })),
    disable: (login, now) =>
      engine.write(async (transaction) => {
        const changes = { disabledAt: now, signedOutAt: now };
        await transaction.query(update(userAccountTable, changes, { login, disabledAt: null }));
        const { column, quoted } = userAccountTable;
        const ids = sql`select ${column.id} from ${quoted} where ${column.login} = ${login}`;
        await transaction.query(remove(oidcPayloadTable, sql`${oidcPayloadTable.column.accountId} in (${ids})`));
      }),
    enable: async (login) => void (await writeOnce(engine, update(userAccountTable, { disabledAt: null }, { login }))),
    changePassword: (id, passwordHash, now) =>
      engine.write(async (transaction) => {
        await transaction.query(update(userAccountTable, { passwordHash, signedOutAt: now }, { id }));
        await transaction.query(remove(oidcPayloadTable, { accountId: id }));
      }),
    replaceHash: async (id, before, passwordHash) =>
      void (await writeOnce(engine, update(userAccountTable, { passwordHash }, { id, passwordHash: before }))),
  };
}
