// The two resources that access tokens are issued for (RFC 8707): the client interface, and for operators the platform
// interface.
import { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider';
import type { Store } from '../store/store.ts';
import { withProviderErrors } from './transient-errors.ts';
import { apiScope, platformScope } from './tokens.ts';

/** The addresses of both, without a slash at the end. */
export interface ResourceAddresses {
  readonly baseUrl: string;
  readonly platformUrl: string;
}

/** A resource that tokens are issued for: its address, which is their audience, and its one scope. */
export interface TokenResource {
  readonly address: string;
  readonly scope: string;
}

/**
 * The requested resource. A request can ask for only one: a grant, a code and its tokens never cover both.
 * @param asked value from the request, or from the code or refresh token
 * @param client that asks
 * @throws InvalidTarget when it is none, or not available to this client
 */
export function tokenResource(
  { baseUrl, platformUrl }: ResourceAddresses,
  asked: unknown,
  client: Client | undefined,
  grantType: unknown,
): TokenResource {
  const addresses = new Set([asked ?? baseUrl].flat());
  if (addresses.size > 1) throw new errors.InvalidTarget('ask for one resource in one request');
  const [address] = addresses;
  if (address === baseUrl) return { address: baseUrl, scope: apiScope };
  if (address !== platformUrl)
    throw new errors.InvalidTarget(`the resources of this server are ${baseUrl} and, for operators, ${platformUrl}`);
  if (client?.platform !== true || grantType === 'client_credentials')
    throw new errors.InvalidTarget('this client may not act at the platform interface');
  return { address: platformUrl, scope: platformScope };
}

/** The resource of a request at the authorization server, which has been validated before. */
export function askedResource(ctx: KoaContextWithOIDC, addresses: ResourceAddresses): TokenResource {
  const { entities, params, client } = ctx.oidc;
  const source = entities.AuthorizationCode ?? entities.RefreshToken;
  return tokenResource(addresses, source?.resource ?? params?.resource, client, params?.grant_type);
}

/**
 * The additional claims of a token for the platform interface: it ends with the session that it came from, and says how
 * the person signed in there.
 * @throws InvalidGrant when that session has ended, or the person now has to sign in with a second factor
 */
export async function platformClaims(
  ctx: KoaContextWithOIDC,
  { oidcPayloads }: Pick<Store, 'oidcPayloads'>,
  now: number,
): Promise<Readonly<Record<string, unknown>>> {
  const { entities, account } = ctx.oidc;
  const source = entities.AuthorizationCode ?? entities.RefreshToken;
  const { sessionUid = '', amr = [], accountId } = source ?? {};
  const session = await withProviderErrors(oidcPayloads.findByUid('Session', sessionUid, now));
  if (session === null || session.accountId !== accountId)
    throw new errors.InvalidGrant('the session that the sign-in was made in has ended');
  if (account?.needsCode !== false && !amr.includes('otp'))
    throw new errors.InvalidGrant('the operator has to sign in with a second factor');
  return { session_uid: sessionUid, amr };
}
