// Writes the audit entry of a command: what it changed, and the login that ran it. Every command uses this module.
import type { NewAuditEntry } from '../store/audit-contract.ts';
import type { Store } from '../store/store.ts';
import type { Environment } from './environment.ts';

/** What a command did. */
interface CommandAction extends Pick<NewAuditEntry, 'action' | 'target'> {
  readonly activityCodes?: readonly string[];
  /** Default: `accepted`. */
  readonly outcome?: NewAuditEntry['outcome'];
  /** JSON value; no personal data. */
  readonly details?: unknown;
}

/** Records what a command did, after it was done. */
export async function recordCommand(
  environment: Pick<Environment, 'user'>,
  store: Pick<Store, 'audit'>,
  action: CommandAction,
): Promise<void> {
  await store.audit.append(commandEntry(environment, action));
}

/** The entry of a command, for commands that write it in the transaction of their change. */
export function commandEntry(
  { user }: Pick<Environment, 'user'>,
  { action, target, activityCodes = [], outcome = 'accepted', details = null }: CommandAction,
): NewAuditEntry {
  return {
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
  };
}
