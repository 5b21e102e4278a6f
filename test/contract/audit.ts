// In charge of entries of the audit trail for tests of what is written together with one.
import type { AuditQuery, NewAuditEntry } from '../../src/store/audit-contract.ts';

/** The oldest entries, whatever they are about. */
export const wholeTrail: AuditQuery = {
  ...{ activityCodes: null, operationId: null, action: null, actor: null, since: null, until: null },
  ...{ after: null, newestFirst: false, limit: 1000 },
};

/** The entry of a command. */
export function auditEntry(action: string): NewAuditEntry {
  return {
    ...{ actorKind: 'command', actor: 'test', subject: null, action, activityCodes: [], target: null },
    ...{ operationId: null, outcome: 'accepted', address: null, details: null },
  };
}

/** Details that cannot be written: whatever is written together with an entry that has them fails with `killed`. */
export const killedDetails = {
  toJSON: (): never => {
    throw new Error('killed');
  },
};
