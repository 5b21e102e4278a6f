// In charge of the second factors of users as they are stored: set up, used once, taken away.
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
  /** As it is to be stored. */
  readonly totpSecret: string;
  /** Step of the code that proved it. */
  readonly totpStep: number;
  /** Hashes. */
  readonly recoveryCodes: readonly string[];
}

export interface SecondFactors {
  /** Stores a second factor, and the entry of the audit trail with it; false where there is one already. */
  add(userId: string, factor: NewSecondFactor, audit: NewAuditEntry): Promise<boolean>;
  /** Takes the code of a step; false where that one or a later one was taken already. One statement. */
  useStep(userId: string, step: number): Promise<boolean>;
  /** Takes a recovery code, and the entry of the audit trail with it; false where it is not there (any more). */
  useRecoveryCode(userId: string, hash: string, audit: NewAuditEntry): Promise<boolean>;
  /** Other recovery codes in the place of all; false where there is no second factor. */
  replaceRecoveryCodes(userId: string, hashes: readonly string[], audit: NewAuditEntry): Promise<boolean>;
  /** Takes a second factor away; false where there was none. */
  remove(userId: string, audit: NewAuditEntry): Promise<boolean>;
  /** Users whose secret is stored, with what is stored of it. */
  list(): Promise<readonly { readonly id: string; readonly totpSecret: string }[]>;
  /** Stores the same secret in another form, unless that was done meanwhile. Returns whether it did. */
  replaceSecret(userId: string, before: string, totpSecret: string): Promise<boolean>;
}

/** What a user has who has none. */
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
      // Where another one is taken at the same moment, the list is another one, and is read again.
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

/** As many as a user is given. */
const maxRecoveryCodes = 10;
