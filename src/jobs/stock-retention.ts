// Removes stock images that are older than the retention, so that the database does not grow for ever.
import type { Resource } from '../model/resource.ts';
import type { Store } from '../store/store.ts';

const dayMilliseconds = 86_400_000;

/**
 * One round over all activities; the latest image of an activity always stays.
 * @param days age from which an image is removed
 * @returns number of images removed
 */
export async function removeOldStockImages(
  store: Store,
  images: readonly Resource[],
  days: number,
  now: number,
): Promise<number> {
  let removed = 0;
  for (const { code } of await store.activities()) {
    for (const resource of images) removed += await store.removeOldImages(resource, code, now - days * dayMilliseconds);
  }
  return removed;
}
