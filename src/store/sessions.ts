// The sessions of a user that an operator or a sign-in through an identity provider ends: one, or everything the user
// is signed in to.
import { appendAudit } from './audit.ts';
import type { NewAuditEntry } from './audit-contract.ts';
import type { Engine } from './engine.ts';
import type { StoredPayload } from './oidc-payloads.ts';
import { sql } from './statement.ts';
import { condition, remove, selectRows, update } from './table-statements.ts';
import { oidcPayloadTable, userAccountTable } from './tables/access.ts';

/** All instants in milliseconds since 1970. */
export interface Sessions {
  /** The sessions of a user's browsers, those that end last first, a thousand at most. */
  of(userId: string, now: number): Promise<readonly StoredPayload[]>;
  /** Ends one session, together with the audit entry; false if there is none. What clients were given stays. */
  end(userId: string, uid: string, audit: NewAuditEntry): Promise<boolean>;
  /** Ends all sessions, grants and sign-ins in progress, together with the audit entry. */
  endAll(userId: string, now: number, audit: NewAuditEntry): Promise<void>;
}

const model = 'Session';
/** A list shown to a person. */
const maxShown = 1000;

export function createSessions(engine: Engine): Sessions {
  return {
    of: (accountId, now) => {
      const lasting = sql.all([
        condition(oidcPayloadTable, { model, accountId }),
        sql`${oidcPayloadTable.column.expiresAt} > ${now}`,
      ]);
      const latest = { by: ['expiresAt'], descending: true, limit: maxShown } as const;
      return engine.read(selectRows(oidcPayloadTable, lasting, latest));
    },
    end: (accountId, uid, audit) =>
      engine.write(async (transaction) => {
        const ended = await transaction.query(remove(oidcPayloadTable, { model, accountId, uid }));
        if (ended.length > 0) await appendAudit(transaction, audit);
        return ended.length > 0;
      }),
    endAll: (id, now, audit) =>
      engine.write(async (transaction) => {
        await transaction.query(update(userAccountTable, { signedOutAt: now }, { id }));
        await transaction.query(remove(oidcPayloadTable, { accountId: id }));
        await appendAudit(transaction, audit);
      }),
  };
}
