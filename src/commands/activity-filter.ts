// Narrows a list of users, clients or keys to those that may act in one activity.
import { existingActivities } from '../auth/activity-access.ts';
import type { Store } from '../store/store.ts';

/**
 * @param all with their activities; null: every activity
 * @param activity null: all of them
 * @throws OperatorError when there is no such activity: a typing mistake must not read as "nobody"
 */
export async function inActivity<T extends { readonly activityCodes: readonly string[] | null }>(
  store: Pick<Store, 'activities'>,
  all: readonly T[],
  activity: string | null,
): Promise<readonly T[]> {
  if (activity === null) return all;
  await existingActivities(store, [activity]);
  return all.filter(({ activityCodes }) => activityCodes === null || activityCodes.includes(activity));
}
