// Removes what is older than a setting allows: audit entries, entries of the outbox, stock images.
import { dayMs } from '../model/instant.ts';
import type { Resource } from '../model/resource.ts';
import type { Store } from '../store/store.ts';

/**
 * Removes audit entries: they name people, and must not be kept for ever.
 * @param days age from which an entry is removed
 * @returns number of entries removed
 */
export async function removeOldAuditEntries(store: Pick<Store, 'audit'>, days: number, now: number): Promise<number> {
  return store.audit.removeBefore(now - days * dayMs);
}

/**
 * Removes entries of the outbox. An entry that a consumer has not acknowledged stays, however old it is; and all of
 * them stay while there is no consumer.
 * @param days age from which an entry is removed
 * @returns number of entries removed
 */
export async function removeAcknowledgedEntries(
  store: Pick<Store, 'outbox'>,
  days: number,
  now: number,
): Promise<number> {
  return store.outbox.removeAcknowledged(now - days * dayMs);
}

/**
 * Removes stock images of all activities; the latest of an activity always stays.
 * @param days by activity: age from which an image is removed; null: never
 * @returns number of images removed
 */
export async function removeOldStockImages(
  store: Pick<Store, 'activities' | 'images'>,
  images: readonly Resource[],
  days: (activity: string) => number | null,
  now: number,
): Promise<number> {
  let removed = 0;
  for (const { code } of await store.activities.list()) {
    const kept = days(code);
    // Also where none is ever old: what a killed process has hidden or left unfinished is to go.
    const before = kept === null ? null : now - kept * dayMs;
    for (const resource of images) removed += await store.images.removeOld(resource, code, before);
  }
  return removed;
}
