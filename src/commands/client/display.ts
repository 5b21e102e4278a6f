// How the commands `client …` show a client, never with its secret, and what they record in the audit trail.
import type { Client } from '../../auth/clients.ts';
import type { EntryOf } from '../../store/audit-contract.ts';
import { commandEntry } from '../audited.ts';
import { type Environment, instantText } from '../environment.ts';

/** The entry of the audit trail about what was done with a client. */
export function clientEntry(environment: Environment, action: string, details: unknown = null): EntryOf<Client> {
  return ({ id: target, activityCodes }) => commandEntry(environment, { action, target, activityCodes, details });
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
