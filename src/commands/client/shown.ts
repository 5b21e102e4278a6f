// How the commands `client …` show a client, never with its secret, and what they leave in the audit trail.
import type { Client } from '../../auth/clients.ts';
import type { Store } from '../../store/store.ts';
import { recordCommand } from '../audited.ts';
import { type Environment, instantText } from '../environment.ts';

/** Leaves in the audit trail what was done to a client. */
export async function recordClient(
  environment: Environment,
  store: Store,
  action: string,
  { id, activityCodes }: Pick<Client, 'id' | 'activityCodes'>,
  details: unknown = null,
): Promise<void> {
  await recordCommand(environment, store, { action, target: id, activityCodes, details });
}

/** Of the option `--platform`. */
export const platformMeaning = 'operators may let it act for them at the platform interface, with their roles';

/** What a client is, in words: how it proves who it is, and what is particular about it. */
export function kindText({ confidential, service, pkceRequired, platform }: Client): string {
  return [
    confidential ? 'confidential' : 'public',
    ...(service ? ['service'] : []),
    ...(pkceRequired ? [] : ['no PKCE']),
    ...(platform ? ['platform'] : []),
  ].join(', ');
}

/** A client as the command line writes it in JSON. */
export function describedClient(client: Client): Readonly<Record<string, unknown>> {
  return { ...client, disabledAt: instantText(client.disabledAt), createdAt: instantText(client.createdAt) };
}
