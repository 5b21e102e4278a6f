// The client that the web console signs in as: an ordinary public one, registered by itself.
import type { Store } from '../store/store.ts';
import { changeClient } from './client-changes.ts';
import { addClient, findClient } from './clients.ts';
import { judgeRedirect } from './redirect.ts';

export const consoleClientId = 'console';

/**
 * Registers the console's client, or grants it the activities that have come since. It has every activity, because what
 * somebody sees is theirs alone: a sign-in covers the activities of the user.
 * @param origin at which the console is opened
 * @param now milliseconds since 1970
 * @returns its id; null where nobody can sign in: there is no activity, the operator has disabled the client, or no
 *   sign-in may come back to this origin
 */
export async function consoleClient(
  store: Pick<Store, 'activities' | 'clients'>,
  origin: string,
  now: number,
): Promise<string | null> {
  const redirect = `${origin}/`;
  const activityCodes = (await store.activities.list()).map(({ code }) => code);
  if (activityCodes.length === 0 || judgeRedirect(redirect).fault !== null) return null;
  const known = await findClient(store, consoleClientId);
  if (known === null) {
    const wanted = { name: 'Console', redirectUris: [redirect], activityCodes, readOnly: false, confidential: false };
    await addClient(store, wanted, now, consoleClientId).catch(async (error: unknown) => {
      // Two who open the page at once both find no client.
      if ((await findClient(store, consoleClientId)) === null) throw error;
    });
    return consoleClientId;
  }
  if (known.disabledAt !== null) return null;
  const addedActivities = activityCodes.filter((code) => !known.activityCodes.includes(code));
  const addedRedirects = known.redirectUris.includes(redirect) ? [] : [redirect];
  if (addedActivities.length + addedRedirects.length > 0)
    await changeClient(store, consoleClientId, { addedActivities, addedRedirects });
  return consoleClientId;
}
