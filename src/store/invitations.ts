// Invitations: links by which users set a password, each valid for one use.
import { appendAudit } from './audit.ts';
import type { NewAuditEntry } from './audit-contract.ts';
import type { Engine } from './engine.ts';
import { readFirst } from './single-statements.ts';
import { sql } from './statement.ts';
import { condition, insert, remove, selectRows, update } from './table-statements.ts';
import { oidcPayloadTable, userAccountTable } from './tables/access.ts';

/** All instants in milliseconds since 1970. */
export interface Invitations {
  /** Invites a user; earlier invitations become invalid. */
  add(
    invitation: { readonly idHash: string; readonly userId: string; readonly expiresAt: number },
    audit: NewAuditEntry,
  ): Promise<void>;
  /** The invited user; null: there is no such invitation, or it is no longer valid. */
  userOf(idHash: string, now: number): Promise<string | null>;
  /**
   * Uses the invitation: the user has this password from now on, and everything they were signed in to ends.
   * @returns false, with nothing changed, if it is no longer valid
   */
  take(
    idHash: string,
    use: { readonly userId: string; readonly passwordHash: string; readonly now: number },
    audit: NewAuditEntry,
  ): Promise<boolean>;
}

/** Stored with the other data that the authorization server keeps for a user, so that it is removed with them. */
const model = 'Invitation';

export function createInvitations(engine: Engine): Invitations {
  const { expiresAt: ends } = oidcPayloadTable.column;
  const lasting = (idHash: string, now: number) =>
    sql.all([condition(oidcPayloadTable, { model, idHash }), sql`${ends} > ${now}`]);
  return {
    add: ({ idHash, userId: accountId, expiresAt }, audit) =>
      engine.write(async (transaction) => {
        await transaction.query(remove(oidcPayloadTable, { model, accountId }));
        const none = { grantId: null, uid: null, clientId: null, consumedAt: null };
        const row = { model, idHash, payload: '{}', accountId, expiresAt, ...none };
        await transaction.query(insert(oidcPayloadTable, row));
        await appendAudit(transaction, audit);
      }),
    userOf: async (idHash, now) =>
      (await readFirst(engine, selectRows(oidcPayloadTable, lasting(idHash, now))))?.accountId ?? null,
    take: (idHash, { userId: id, passwordHash, now }, audit) =>
      engine.write(async (transaction) => {
        if ((await transaction.query(remove(oidcPayloadTable, lasting(idHash, now)))).length === 0) return false;
        await transaction.query(update(userAccountTable, { passwordHash, signedOutAt: now }, { id }));
        await transaction.query(remove(oidcPayloadTable, { accountId: id }));
        await appendAudit(transaction, audit);
        return true;
      }),
  };
}
