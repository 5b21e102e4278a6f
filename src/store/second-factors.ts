// Stores the second factors of users: set up, used once, removed.
import { appendAudit } from './audit.ts';
import type { NewAuditEntry } from './audit-contract.ts';
import type { Engine } from './engine.ts';
import { readFirst, writeOnce } from './single-statements.ts';
import { sql } from './statement.ts';
import type { RowOf } from './table.ts';
import { condition, selectRows, update } from './table-statements.ts';
import { userAccountTable } from './tables/access.ts';

type StoredUser = RowOf<typeof userAccountTable>;

interface NewSecondFactor {
  /** In its stored form. */
  readonly totpSecret: string;
  /** Time step of the code that proved it. */
  readonly totpStep: number;
  /** Hashes. */
  readonly recoveryCodes: readonly string[];
}

export interface SecondFactors {
  /** Stores a second factor together with the audit entry; false if there is one already. */
  add(userId: string, factor: NewSecondFactor, audit: NewAuditEntry): Promise<boolean>;
  /** Uses the code of a time step; false if that step or a later one was used already. One statement. */
  useStep(userId: string, step: number): Promise<boolean>;
  /** Uses a recovery code, together with the audit entry; false if it does not exist (any more). */
  useRecoveryCode(userId: string, hash: string, audit: NewAuditEntry): Promise<boolean>;
  /** Replaces all recovery codes; false if there is no second factor. */
  replaceRecoveryCodes(userId: string, hashes: readonly string[], audit: NewAuditEntry): Promise<boolean>;
  /** Removes a second factor; false if there was none. */
  remove(userId: string, audit: NewAuditEntry): Promise<boolean>;
  /** Users with a stored secret, and its stored form. */
  list(): Promise<readonly { readonly id: string; readonly totpSecret: string }[]>;
  /** Stores the same secret in another form, unless it has changed meanwhile. Returns whether it did. */
  replaceSecret(userId: string, before: string, totpSecret: string): Promise<boolean>;
}

/** The columns of a user without a second factor. */
export const noSecondFactor = { totpSecret: null, totpStep: null, recoveryCodes: [] } as const;

export function createSecondFactors(engine: Engine): SecondFactors {
  const { column } = userAccountTable;
  const hasOne = (id: string) => sql`${condition(userAccountTable, { id })} and ${column.totpSecret} is not null`;
  const audited = (statement: ReturnType<typeof update>, audit: NewAuditEntry): Promise<boolean> =>
    engine.write(async (transaction) => {
      if ((await transaction.query(statement)).length !== 1) return false;
      await appendAudit(transaction, audit);
      return true;
    });
  return {
    add: (id, factor, audit) => audited(update(userAccountTable, factor, { id, totpSecret: null }), audit),
    useStep: async (id, step) => {
      const unused = sql`${hasOne(id)} and (${column.totpStep} is null or ${column.totpStep} < ${step})`;
      return (await writeOnce(engine, update(userAccountTable, { totpStep: step }, unused))) === 1;
    },
    useRecoveryCode: async (id, hash, audit) => {
      // If another code is used at the same moment, the list has changed and is read again.
      for (let turn = 0; turn < maxRecoveryCodes; turn += 1) {
        const user: StoredUser | null = await readFirst(engine, selectRows(userAccountTable, { id }));
        if (user === null || !user.recoveryCodes.includes(hash)) return false;
        const left = user.recoveryCodes.filter((one) => one !== hash);
        const taken = update(userAccountTable, { recoveryCodes: left }, { id, recoveryCodes: user.recoveryCodes });
        if (await audited(taken, audit)) return true;
      }
      return false;
    },
    replaceRecoveryCodes: (id, hashes, audit) =>
      audited(update(userAccountTable, { recoveryCodes: hashes }, hasOne(id)), audit),
    remove: (id, audit) => audited(update(userAccountTable, noSecondFactor, hasOne(id)), audit),
    list: async () =>
      (await engine.read(selectRows(userAccountTable, sql`${column.totpSecret} is not null`))).flatMap(
        ({ id, totpSecret }) => (totpSecret === null ? [] : [{ id, totpSecret }]),
      ),
    replaceSecret: async (id, before, totpSecret) =>
      (await writeOnce(engine, update(userAccountTable, { totpSecret }, { id, totpSecret: before }))) === 1,
  };
}

/** The number of codes that a user is given. */
const maxRecoveryCodes = 10;
