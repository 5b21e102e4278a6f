// How the commands `client …` show a client, never with its secret, and what they record in the audit trail.
import type { Client } from '../../auth/clients.ts';
import type { Store } from '../../store/store.ts';
import { recordCommand } from '../audited.ts';
import { type Environment, instantText } from '../environment.ts';

/** Records a change of a client in the audit trail. */
export async function recordClient(
  environment: Environment,
  store: Store,
  action: string,
  { id, activityCodes }: Pick<Client, 'id' | 'activityCodes'>,
  details: unknown = null,
): Promise<void> {
  await recordCommand(environment, store, { action, target: id, activityCodes, details });
}

/** Help text of the option `--platform`. */
export const platformMeaning = 'operators may let it act for them at the platform interface, with their roles';

/** The properties of a client in words: how it authenticates, and anything special about it. */
export function kindText({ confidential, service, pkceRequired, platform }: Client): string {
  return [
    confidential ? 'confidential' : 'public',
    ...(service ? ['service'] : []),
    ...(pkceRequired ? [] : ['no PKCE']),
    ...(platform ? ['platform'] : []),
  ].join(', ');
}

/** A client in the JSON form of the command line. */
export function describedClient(client: Client): Readonly<Record<string, unknown>> {
  return { ...client, disabledAt: instantText(client.disabledAt), createdAt: instantText(client.createdAt) };
}
