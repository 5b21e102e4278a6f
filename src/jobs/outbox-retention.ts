// Removes entries of the outbox that every consumer has taken in, once they are older than the retention.
import type { Store } from '../store/store.ts';

const dayMilliseconds = 86_400_000;

/**
 * One round. What a consumer has not acknowledged stays however old it is; and all of it stays while there is no consumer.
 * @param days age from which an entry is removed
 * @returns number of entries removed
 */
export async function removeTakenEntries(store: Pick<Store, 'outbox'>, days: number, now: number): Promise<number> {
  return store.outbox.removeAcknowledged(now - days * dayMilliseconds);
}
