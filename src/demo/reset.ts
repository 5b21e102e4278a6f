// Resets the demonstration: its activities are emptied and filled again, and everybody with access to them keeps it.
import { changeClient } from '../auth/client-changes.ts';
import { findClient } from '../auth/clients.ts';
import { changeUser } from '../auth/user-changes.ts';
import { findUser } from '../auth/users.ts';
import type { Store } from '../store/store.ts';
import { demoActivities } from './activities.ts';
import { demoClientId, demoLogin, demoMark } from './demo-client.ts';
import { underLease } from './lease.ts';
import { seedDemo } from './seed.ts';

/** The second activity of demonstrations of earlier versions. */
const formerActivity = { code: 'BIO', name: 'Biovital' };

/**
 * Empties and fills the demonstration. Calling again completes an interrupted reset.
 * @param instant milliseconds; the end of its history
 * @param onProgress receives the current step; if it throws, the work ends
 */
export async function resetDemo(store: Store, instant: number, onProgress: (step: string) => void): Promise<void> {
  const endAdvances = (): Promise<void> =>
    store.demonstration.advances.endAll(instant, 'The demonstration was made anew.');
  // The process working on an advance then ends soon, rather than carrying out all waiting ones first.
  await endAdvances();
  await underLease(store.jobLeases(), async () => {
    // From here on it stands still until it is complete again.
    await store.demonstration.end();
    await endAdvances();
    await removeFormer(store, instant);
    for (const { code, name } of demoActivities) {
      onProgress(`${name}, removing what was there`);
      await store.activityRemoval.empty(code, (table) => onProgress(`${name}, removing what was there: ${table}`));
    }
    const before = await store.secrets.read(demoMark);
    if (before !== null) await store.secrets.replace(demoMark, before, String(instant));
    await seedDemo(store, instant, onProgress);
    await letIn(store);
  });
}

async function removeFormer({ activities, activityRemoval }: Store, now: number): Promise<void> {
  const [found] = await activities.named([formerActivity.code]);
  if (found?.name === formerActivity.name) await activityRemoval.remove(formerActivity.code, now);
}

/**
 * Gives the demonstration's own login and client access to its activities, including one that is new or was removed.
 */
async function letIn(store: Store): Promise<void> {
  const addedActivities = demoActivities.map(({ code }) => code);
  if ((await findUser(store, demoLogin)) !== null) await changeUser(store, demoLogin, { addedActivities });
  if ((await findClient(store, demoClientId)) !== null) await changeClient(store, demoClientId, { addedActivities });
}
