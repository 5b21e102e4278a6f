// All settings of the authorization server as one table; features that are on by default in `oidc-provider` and not
// listed here are switched off.
import { type Account, type Adapter, type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider';
import type { JWK } from 'jose';
import type { Store } from '../store/store.ts';
import { sessionCookie } from './browser-session.ts';
import { interactionPolicyOf, requireScope, tokenActivities } from './consent.ts';
import type { CookieKeys } from './cookie-keys.ts';
import { openGrant } from './grants.ts';
import { createClientStore, isOriginOfClient, ownClientMetadata } from './oidc-client.ts';
import { askedResource, platformClaims, type ResourceAddresses, tokenResource } from './platform-resource.ts';
import { createOidcStore, createSessionStore } from './oidc-store.ts';
import { adapterWithProviderErrors, withProviderErrors, throwAsProviderError } from './transient-errors.ts';
import { answerFault } from './sign-in-faults.ts';
import type { SingleUse } from './single-use.ts';
import { accessTokenSeconds, apiScope, grantMarginMs, platformScope } from './tokens.ts';
import { findActiveUser, type User } from './users.ts';

export interface ConfigurationOptions {
  readonly store: Pick<Store, 'clients' | 'oidcPayloads' | 'users'>;
  /** Without a slash at the end: the issuer. */
  readonly authUrl: string;
  /** Both without a slash at the end: the resources, which are the audiences of the access tokens. */
  readonly baseUrl: string;
  readonly platformUrl: string;
  /** Private keys, the current signing keys first. */
  readonly keys: readonly JWK[];
  readonly cookieKeys: CookieKeys;
  /**
   * Waits for the turn of a token request; called by the look-up of the client, which comes first once the request has
   * arrived completely.
   */
  readonly awaitTurn: () => Promise<void>;
  /** Counts one refresh of a token chain; throws Problem `quota-exceeded`. */
  readonly countRefresh: (grantId: string) => Promise<unknown>;
  /** Counts one token for a client that acts for itself; throws Problem `quota-exceeded`. */
  readonly countServiceToken: (clientId: string) => Promise<unknown>;
  /**
   * Called with a grant that has ended or lost a token: because a theft was detected, or because it was revoked or
   * withdrawn.
   */
  readonly onGrantChanged: (grantId: string) => Promise<void>;
  /** Whether this user's sign-in is complete without a second factor. */
  readonly isPasswordEnough: (user: User) => boolean;
  readonly singleUse: SingleUse;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const minute = 60;
const daySeconds = 86_400;
/** Lifetimes in seconds (decisions D30, D31). */
export const lives = {
  accessToken: accessTokenSeconds,
  code: minute,
  idToken: 60 * minute,
  /** The time for a person to sign in and consent. */
  interaction: 30 * minute,
  session: 8 * 60 * minute,
  /** A refresh token and each of its successors live this long, … */
  refreshToken: 30 * daySeconds,
  /** … until its chain is this old. */
  refreshChain: 365 * daySeconds,
  /** A grant that ended before its refresh tokens would end them as well. */
  grant: 366 * daySeconds,
} as const;

/** Paths below the issuer. */
export const paths = {
  authorization: '/connect/authorize',
  token: '/connect/token',
  jwks: '/connect/jwks',
  revocation: '/connect/revocation',
  interaction: '/connect/interaction',
  federation: '/connect/federation',
  signOut: '/connect/signout',
  account: '/account',
  invitation: '/account/invitation',
} as const;

/** Where the metadata is, for clients of OAuth (RFC 8414) and of OpenID Connect. */
export const wellKnown = {
  oauth: '/.well-known/oauth-authorization-server',
  openid: '/.well-known/openid-configuration',
} as const;

/** Of the authorization endpoint. */
export const responseTypes = ['code'] as const;

/** No method that uses a JWT signed with the secret, because the secret itself is not stored. */
export const clientAuthMethods = ['none', 'client_secret_basic', 'client_secret_post'] as const;

/** The configuration for `new Provider(authUrl, …)`. */
export function providerConfiguration(options: ConfigurationOptions): Configuration {
  const { authUrl, store, now } = options;
  return {
    adapter: (model) => adapterWithProviderErrors(adapterOf(options, model)),
    jwks: {
      keys: options.keys.map((key) => ({ ...key, kty: String(key.kty) })) as NonNullable<Configuration['jwks']>['keys'],
    },
    cookies: cookiesOf(options),
    routes: { authorization: paths.authorization, token: paths.token, jwks: paths.jwks, revocation: paths.revocation },
    scopes: ['openid', 'offline_access'],
    responseTypes: [...responseTypes],
    pkce: { required: (_ctx, client) => client.pkceRequired !== false },
    clientAuthMethods: [...clientAuthMethods],
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: [...responseTypes],
      id_token_signed_response_alg: 'ES256',
      token_endpoint_auth_method: 'client_secret_basic',
    },
    extraClientMetadata: { properties: [...ownClientMetadata] },
    enabledJWA: {
      idTokenSigningAlgValues: ['ES256', 'RS256'],
      requestObjectSigningAlgValues: ['ES256', 'RS256'],
      clientAuthSigningAlgValues: ['ES256', 'RS256'],
    },
    // RFC 6749, 3.1.2.3: a client that has registered one address need not repeat it.
    allowOmittingSingleRegisteredRedirectUri: true,
    features: featuresOf(options),
    // For the bearer check, which verifies that the grant is still valid.
    extraTokenClaims: async (ctx, token) => ({
      activityCodes: tokenActivities(ctx, options),
      grant_id: 'grantId' in token ? token.grantId : await serviceGrant(options, ctx, token.clientId ?? ''),
      ...(askedResource(ctx, options).scope === platformScope && (await platformClaims(ctx, store, now()))),
    }),
    findAccount: (_ctx, id) => accountOf(options, id),
    // The default requires the scope offline_access, which the interface does not have.
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    // By default, tokens without that scope end with the browser's session.
    expiresWithSession: () => false,
    rotateRefreshToken: (ctx) => mayRotate(ctx, options),
    clientBasedCORS: (_ctx, origin, client) =>
      isOriginOfClient(origin, client.redirectUris ?? [], client.clientAuthMethod !== 'none'),
    interactions: {
      policy: interactionPolicyOf(options),
      url: (_ctx, interaction) => `${authUrl}${paths.interaction}/${interaction.uid}`,
    },
    renderError: answerFault,
    discovery: { ui_locales_supported: ['en', 'fr'] },
    ttl: livesOf(options),
  };
}

/** The storage of one kind of thing. */
function adapterOf({ store, now, awaitTurn, singleUse }: ConfigurationOptions, model: string): Adapter {
  if (model === 'Client') return inTurn(createClientStore(store, now), awaitTurn);
  if (model === 'AuthorizationCode' || model === 'RefreshToken') return singleUse.adapter(model);
  return model === 'Session' ? createSessionStore(store, now) : createOidcStore(store, model, now);
}

function cookiesOf({ authUrl, cookieKeys }: ConfigurationOptions): NonNullable<Configuration['cookies']> {
  return {
    keys: cookieKeys,
    // The prefixes keep other hosts of the domain, and pages without https, from setting these cookies.
    names: authUrl.startsWith('https:')
      ? { session: '__Host-session', interaction: '__Secure-interaction', resume: '__Secure-resume' }
      : { session: 'session', interaction: 'interaction', resume: 'resume' },
    long: sessionCookie,
    short: { httpOnly: true, sameSite: 'lax', signed: true },
  };
}

function featuresOf(addresses: ResourceAddresses): NonNullable<Configuration['features']> {
  return {
    // On by default, with any password.
    devInteractions: { enabled: false },
    // The interface would accept key-bound tokens without that key.
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    userinfo: { enabled: false },
    clientCredentials: { enabled: true },
    revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
    // People sign out at `/connect/signout`; our clients register no address to return to.
    rpInitiatedLogout: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: (_ctx, _client, oneOf) => oneOf?.[0] ?? addresses.baseUrl,
      useGrantedResource: () => true,
      getResourceServerInfo: ({ oidc: { params } }, resource, client) => {
        const asked = [resource, params?.resource ?? []].flat();
        const { address, scope } = tokenResource(addresses, asked, client, params?.grant_type);
        return {
          ...{ scope, audience: address },
          accessTokenTTL: lives.accessToken,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'ES256' } },
        };
      },
    },
  };
}

/** The account behind a sign-in or a token. */
async function accountOf(options: ConfigurationOptions, id: string): Promise<Account | undefined> {
  const user = await withProviderErrors(findActiveUser(options.store, id));
  return user === null
    ? undefined
    : {
        accountId: user.id,
        claims: () => ({ sub: user.id }),
        login: user.login,
        activityCodes: user.activityCodes,
        operatorRoles: user.operatorRoles,
        signedOutAt: user.signedOutAt,
        identityProvider: user.identityProvider,
        needsCode: !options.isPasswordEnough(user),
      };
}

/** Lifetimes of each model, in seconds. */
function livesOf({ platformUrl, now }: ConfigurationOptions): NonNullable<Configuration['ttl']> {
  return {
    AccessToken: lives.accessToken,
    ClientCredentials: lives.accessToken,
    AuthorizationCode: lives.code,
    Grant: lives.grant,
    IdToken: lives.idToken,
    Interaction: lives.interaction,
    // Counted from the sign-in: otherwise a session in constant use would never end, and neither would a stolen one.
    Session: (_ctx, session) =>
      Math.max(
        1,
        lives.session - Math.max(0, Math.floor(now() / 1000) - (session.loginTs ?? Number.POSITIVE_INFINITY)),
      ),
    // A refresh token for the platform interface ends with the session.
    RefreshToken: (_ctx, token) =>
      token.resource === platformUrl
        ? lives.session
        : Math.min(lives.refreshToken, lives.refreshChain - token.totalLifetime()),
  };
}

function inTurn(clients: Adapter, awaitTurn: () => Promise<void>): Adapter {
  return {
    ...clients,
    find: async (id) => {
      await awaitTurn();
      return clients.find(id);
    },
  };
}

/** The grant for one token of a client that acts for itself: it ends with the client, like any other. */
async function serviceGrant(
  { store, now, countServiceToken }: ConfigurationOptions,
  ctx: KoaContextWithOIDC,
  clientId: string,
): Promise<string> {
  requireScope(textOrNone(ctx.oidc.params?.scope), apiScope);
  await countServiceToken(clientId).catch((error: unknown) => throwAsProviderError(ctx, error));
  const expiresAt = now() + lives.accessToken * 1000 + grantMarginMs;
  return withProviderErrors(openGrant(store, { clientId, accountId: null, expiresAt }));
}

/**
 * Every use yields a new refresh token, for confidential clients too: otherwise a stolen one would go unnoticed. A
 * refresh that is repeated at once gets the previous new token. Called before the old token is used up, so that a
 * refusal leaves it unchanged.
 * @throws InvalidGrant when the chain is too old, or no activity is left that both client and user have
 * @throws TemporarilyUnavailable (429) when the chain is refreshed too often: each used token is kept for thirty days,
 *   to detect theft
 */
async function mayRotate(ctx: KoaContextWithOIDC, options: ConfigurationOptions): Promise<boolean> {
  const { countRefresh, singleUse, store, now } = options;
  const chain = ctx.oidc.entities.RefreshToken;
  if (chain === undefined || chain.totalLifetime() >= lives.refreshChain)
    throw new errors.InvalidGrant('the chain of refresh tokens has ended');
  requireRecentSignIn(ctx, chain.authTime, now());
  tokenActivities(ctx, options);
  const { scope } = askedResource(ctx, options);
  if (scope === platformScope) await platformClaims(ctx, store, now());
  const asked = textOrNone(ctx.oidc.params?.scope);
  if (asked !== undefined) requireScope(asked, scope);
  await countRefresh(chain.grantId ?? '').catch((error: unknown) => throwAsProviderError(ctx, error));
  return !singleUse.isRepeated(ctx);
}

/**
 * People who sign in at an identity provider have to do so again after the length of a session, even when they use
 * programs: until then we do not learn that somebody has left a group, or the company.
 * @param authTime time of the sign-in, seconds since 1970
 * @throws InvalidGrant
 */
function requireRecentSignIn({ oidc }: KoaContextWithOIDC, authTime: number | undefined, now: number): void {
  if (oidc.account?.identityProvider == null) return;
  if (now / 1000 - (authTime ?? 0) >= lives.session)
    throw new errors.InvalidGrant('the person has to sign in at the identity provider again');
}

function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
