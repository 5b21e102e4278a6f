// Our registered clients as `oidc-provider` sees them: read from the database at every request, so that changes take
// effect at once.
import { timingSafeEqual } from 'node:crypto';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { Store } from '../store/store.ts';
import { type Client, clientSecretHash, findActiveClient } from './clients.ts';
import { classifyRedirect } from './redirect.ts';

/** The members of a client's metadata that are ours. */
export const ownClientMetadata = ['activityCodes', 'readOnly', 'pkceRequired', 'platform'] as const;

/**
 * The client storage that `oidc-provider` expects; only the command line creates clients, so it only finds them.
 * @param now milliseconds since 1970
 */
export function createClientStore(store: Pick<Store, 'clients'>, now: () => number): Adapter {
  const refuse = async (): Promise<never> => {
    throw new Error('Clients are not registered over the network.');
  };
  return {
    async find(id) {
      // PostgreSQL does not accept text with U+0000 even in a query.
      const active = possibleId.test(id) ? await findActiveClient(store, id, now()) : null;
      return active ? clientMetadata(active.client, active.secretHashes) : undefined;
    },
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    upsert: refuse,
    consume: refuse,
    destroy: refuse,
    revokeByGrantId: refuse,
  };
}

const possibleId = /^[\x21-\x7e]{1,100}$/;

/**
 * A client in terms of OpenID Connect Dynamic Client Registration 1.0, section 2.
 * @param secretHashes take the place of the secret, separated by blanks: `clientSecretMatches` compares with them, and
 *   no algorithm that would use them as a key is offered
 */
function clientMetadata(client: Client, secretHashes: readonly string[]): AdapterPayload {
  // A native client may be sent to any port of this machine, or to a scheme of its own; it has to ask for consent each
  // time.
  const native = client.redirectUris.some((address) => classifyRedirect(address).kind === 'native');
  const signsPeopleIn = client.redirectUris.length > 0;
  return {
    client_id: client.id,
    client_name: client.name,
    application_type: native ? 'native' : 'web',
    redirect_uris: [...client.redirectUris],
    grant_types: [
      ...(signsPeopleIn ? ['authorization_code', 'refresh_token'] : []),
      ...(client.service ? ['client_credentials'] : []),
    ],
    response_types: signsPeopleIn ? ['code'] : [],
    response_modes: ['query', 'form_post'],
    id_token_signed_response_alg: 'ES256',
    token_endpoint_auth_method: client.confidential ? 'client_secret_basic' : 'none',
    ...(secretHashes.length === 0 ? {} : { client_secret: secretHashes.join(' ') }),
    activityCodes: client.activityCodes,
    readOnly: client.readOnly,
    pkceRequired: client.pkceRequired,
    platform: client.platform,
  };
}

/** Compares a submitted secret with what is stored of a client's secrets, in constant time for each. */
export function clientSecretMatches(sent: string, stored: string | undefined): boolean {
  const given = Buffer.from(clientSecretHash(sent));
  return (stored ?? '')
    .split(' ')
    .map((hash) => Buffer.from(hash))
    .map((expected) => given.length === expected.length && timingSafeEqual(given, expected))
    .includes(true);
}

/**
 * Whether a page of this origin may use the token endpoint as this client: a public client, at an origin that it
 * redirects to.
 */
export function isOriginOfClient(origin: string, redirectUris: readonly string[], confidential: boolean): boolean {
  const page = URL.parse(origin);
  if (confidential || page === null || page.origin !== origin) return false;
  return redirectUris.some((address) => {
    const own = new URL(address);
    if (own.protocol !== 'https:' && own.protocol !== 'http:') return false;
    // Only loopback addresses can be registered with http, and for these any port is allowed (RFC 8252, 7.3).
    return own.protocol === 'http:'
      ? own.protocol === page.protocol && own.hostname === page.hostname
      : own.origin === origin;
  });
}
