// Removes audit entries that are older than the retention: they name people, and nobody may keep them for ever.
import type { Store } from '../store/store.ts';

const dayMilliseconds = 86_400_000;

/**
 * One round.
 * @param days age from which an entry is removed
 * @returns number of entries removed
 */
export async function removeOldAuditEntries(store: Pick<Store, 'audit'>, days: number, now: number): Promise<number> {
  return store.audit.removeBefore(now - days * dayMilliseconds);
}
