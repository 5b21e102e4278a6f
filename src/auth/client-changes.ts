// Changes of registered programs by an operator: name, redirect addresses, activities, permissions.
import { OperatorError } from '../model/operator-error.ts';
import type { EntryOf } from '../store/audit-contract.ts';
import type { ClientChanges, StoredClient } from '../store/clients.ts';
import type { Store } from '../store/store.ts';
import { type ActivityChange, changedActivities, checkActivityChange } from './activity-access.ts';
import { clientFaults } from './client-faults.ts';
import { canonicalName } from './registered-name.ts';
import { type Client, clientOf, knownClient, unknownClient } from './clients.ts';

/** The requested changes; absent members stay as they are. */
export interface ClientChangeRequest extends ActivityChange {
  readonly name?: string;
  readonly addedRedirects?: readonly string[];
  readonly removedRedirects?: readonly string[];
  readonly readOnly?: boolean;
  readonly service?: boolean;
  readonly pkceRequired?: boolean;
  readonly platform?: boolean;
}

export interface ChangedClient {
  readonly before: Client;
  readonly after: Client;
}

/**
 * Changes a client. What is withdrawn also ends for existing tokens, within a minute (decision D30); people have to
 * consent to added activities at their next sign-in.
 * @throws OperatorError when there is no such client, the result would be an invalid client, an activity does not
 *   exist, or a redirect address to be removed is not one of the client's; nothing is changed then
 */
export async function changeClient(
  store: Pick<Store, 'activities' | 'clients'>,
  id: string,
  wanted: ClientChangeRequest,
  entryOf?: EntryOf<ChangedClient>,
): Promise<ChangedClient> {
  let before = await knownClient(store, id);
  await checkActivityChange(store, before.activityCodes, wanted);
  const after = await store.clients.change(
    id,
    (client) => {
      before = clientOf(client);
      return changesOf(client, wanted);
    },
    entryOf && ((changed) => entryOf({ before: clientOf(changed.before), after: clientOf(changed.after) })),
  );
  if (after === null) throw unknownClient(id);
  return { before, after: clientOf(after) };
}

function changesOf(client: StoredClient, wanted: ClientChangeRequest): ClientChanges {
  const changed = {
    name: wanted.name ?? client.name,
    redirectUris: changedRedirects(client, wanted),
    activityCodes: changedActivities(client.activityCodes, wanted),
    readOnly: wanted.readOnly ?? client.readOnly,
    service: wanted.service ?? client.service,
    pkceRequired: wanted.pkceRequired ?? client.pkceRequired,
    platform: wanted.platform ?? client.platform,
  };
  const faults = clientFaults({ ...changed, confidential: client.confidential });
  if (faults.length > 0) throw new OperatorError(faults.join(' '), 'Nothing was changed.');
  const name = canonicalName(changed.name);
  return {
    ...(name !== client.name && { name }),
    ...(changed.redirectUris.join(' ') !== client.redirectUris.join(' ') && { redirectUris: changed.redirectUris }),
    ...(changed.activityCodes.join() !== client.activityCodes.join() && { activityCodes: changed.activityCodes }),
    ...(changed.readOnly !== client.readOnly && { readOnly: changed.readOnly }),
    ...(changed.service !== client.service && { service: changed.service }),
    ...(changed.pkceRequired !== client.pkceRequired && { pkceRequired: changed.pkceRequired }),
    ...(changed.platform !== client.platform && { platform: changed.platform }),
  };
}

function changedRedirects(
  { id, redirectUris }: StoredClient,
  { addedRedirects: added = [], removedRedirects: removed = [] }: ClientChangeRequest,
): readonly string[] {
  const both = removed.find((address) => added.includes(address));
  if (both !== undefined)
    throw new OperatorError(`"${both}" cannot be added and taken away at once.`, 'Nothing was changed.');
  // A mistyped address would leave open what was meant to be closed.
  const missing = removed.filter((address) => !redirectUris.includes(address));
  if (missing.length > 0)
    throw new OperatorError(
      `The client does not have the redirect address ${missing.map((address) => `"${address}"`).join(', ')}.`,
      `See: ./logistics-connect client show ${id}. Nothing was changed.`,
    );
  return [...new Set([...redirectUris, ...added])].filter((address) => !removed.includes(address));
}
