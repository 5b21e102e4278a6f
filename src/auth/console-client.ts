// The client under which the web console signs in: an ordinary public one that the service registers itself.
import type { NewAuditEntry } from '../store/audit-contract.ts';
import type { Store } from '../store/store.ts';
import { changeClient, type ChangedClient } from './client-changes.ts';
import { addClient, findClient } from './clients.ts';
import { classifyRedirect } from './redirect.ts';

export const consoleClientId = 'console';

/**
 * Registers the console's client, or grants it the activities added since. It has every activity, because each user's
 * own rights apply: a sign-in covers the activities of the user, or the roles of the operator. Every change is recorded
 * in the audit trail.
 * @param origin at which the console is opened
 * @param now milliseconds since 1970
 * @returns its id; null when nobody can sign in: the operator has disabled the client, or sign-ins may not return to
 *   this origin
 */
export async function consoleClient(
  store: Pick<Store, 'activities' | 'clients'>,
  origin: string,
  now: number,
): Promise<string | null> {
  const redirect = `${origin}/`;
  if (classifyRedirect(redirect).fault !== null) return null;
  const activityCodes = (await store.activities.list()).map(({ code }) => code);
  const known = await findClient(store, consoleClientId);
  if (known === null) {
    await register(store, redirect, activityCodes, now);
    return consoleClientId;
  }
  if (known.disabledAt !== null) return null;
  const addedActivities = activityCodes.filter((code) => !known.activityCodes.includes(code));
  const addedRedirects = known.redirectUris.includes(redirect) ? [] : [redirect];
  if (addedActivities.length + addedRedirects.length === 0) return consoleClientId;
  await changeClient(store, consoleClientId, { addedActivities, addedRedirects }, changeEntry);
  return consoleClientId;
}

/** When two people open the page at once, one of them may find the change already made: then there is none. */
function changeEntry({ before, after }: ChangedClient): NewAuditEntry | null {
  const came = (field: 'activityCodes' | 'redirectUris'): readonly string[] =>
    after[field].filter((one) => !before[field].includes(one));
  const added = { activityCodes: came('activityCodes'), redirectUris: came('redirectUris') };
  const isNone = added.activityCodes.length + added.redirectUris.length === 0;
  return isNone ? null : entryOf('client.change', after.activityCodes, { added });
}

async function register(
  store: Pick<Store, 'activities' | 'clients'>,
  redirect: string,
  activityCodes: readonly string[],
  now: number,
): Promise<void> {
  const may = { readOnly: false, confidential: false, platform: true };
  try {
    const wanted = { name: 'Console', redirectUris: [redirect], activityCodes, ...may };
    const audit = entryOf('client.add', activityCodes, { redirectUris: [redirect], byItself: true });
    await addClient(store, wanted, now, consoleClientId, () => audit);
  } catch (error) {
    // Two people who open the page at once both find no client.
    if ((await findClient(store, consoleClientId)) === null) throw error;
  }
}

/** Nobody has signed in yet: the client itself is the actor. */
function entryOf(action: string, activityCodes: readonly string[], details: unknown): NewAuditEntry {
  return {
    ...{ actorKind: 'client', actor: consoleClientId, subject: null, action, activityCodes, target: consoleClientId },
    ...{ operationId: null, outcome: 'accepted', address: null, details },
  };
}
