// Leaves the mark of a command in the audit trail: what it changed, by the login that ran it. All commands do so here.
import type { NewAuditEntry } from '../store/audit-contract.ts';
import type { Store } from '../store/store.ts';
import type { Environment } from './environment.ts';

/** What a command did. */
export interface CommandAction extends Pick<NewAuditEntry, 'action' | 'target'> {
  readonly activityCodes?: readonly string[];
  /** `accepted` when absent. */
  readonly outcome?: NewAuditEntry['outcome'];
  /** JSON value; no personal data. */
  readonly details?: unknown;
}

/** Records what a command did; after it was done. */
export async function recordCommand(
  { user }: Pick<Environment, 'user'>,
  store: Pick<Store, 'audit'>,
  { action, target, activityCodes = [], outcome = 'accepted', details = null }: CommandAction,
): Promise<void> {
  await store.audit.append({
    actorKind: 'command',
    actor: user,
    subject: null,
    action,
    activityCodes,
    target,
    operationId: null,
    outcome,
    address: null,
    details,
  });
}
