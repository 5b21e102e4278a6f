// A client of one identity provider, which establishes who somebody is: the code flow with PKCE, state and nonce.
import type { Configuration, IDToken } from 'openid-client';
import { AnswerTooLong, boundedFetch } from '../bounded-fetch.ts';
import { claimOf } from '../claim-path.ts';
import { paths } from '../oidc-configuration.ts';
import type { IdentityProvider } from './identity-providers.ts';

/** A person's identity according to a provider. */
export interface FederatedIdentity {
  readonly provider: IdentityProvider;
  readonly subject: string;
  /** The values of its groups claim. */
  readonly groups: readonly string[];
  /** The name to form the login from; '' when the provider gives none. */
  readonly loginName: string;
  /** The provider confirms a second factor (RFC 8176: `mfa`). */
  readonly isMultiFactor: boolean;
  /** The raw ID token, which tells the provider whom to sign out. */
  readonly idToken: string;
}

/** Values that have to come back unchanged, or must stay secret. */
export interface FederationSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The provider does not respond, or not correctly: nobody can sign in there now. */
export class ProviderAway extends Error {}
/** The response is no sign-in: the person cancelled it, or it cannot be trusted. */
export class ProviderRefused extends Error {}

export interface ProviderClient {
  readonly provider: IdentityProvider;
  /**
   * Returns the address to send the browser to.
   * @throws ProviderAway
   */
  readonly begin: (secrets: FederationSecrets) => Promise<string>;
  /**
   * Returns the identity of the person who comes back.
   * @param query with which the browser came back
   * @throws ProviderAway, ProviderRefused
   */
  readonly finish: (query: URLSearchParams, secrets: FederationSecrets) => Promise<FederatedIdentity>;
  /**
   * Returns the address at which the browser signs out there too (OpenID Connect RP-Initiated Logout 1.0).
   * @param idToken of the sign-in that ends; null: unknown
   * @param returnTo where the provider sends the browser afterwards
   * @returns null: the provider has no such address
   * @throws ProviderAway
   */
  readonly signOutAddress: (idToken: string | null, returnTo: string) => Promise<string | null>;
}

/** Metadata and keys are read again after this time, and after every sign-in that failed. */
const believedForMs = 3_600_000;
const timeoutSeconds = 5;
/** Maximum length of an ID token in an address: many servers refuse request lines of more than 8 kB. */
const maxHintLength = 6000;

/** A client of each provider, by its name. */
export function createProviderClients(
  providers: readonly IdentityProvider[],
  authUrl: string,
  now: () => number,
): ReadonlyMap<string, ProviderClient> {
  return new Map(
    providers.map((provider) => [
      provider.name,
      createProviderClient(provider, `${authUrl}${paths.federation}/${provider.name}`, now),
    ]),
  );
}

/**
 * @param redirectUri registered for this service at the provider; different for each provider (RFC 9700, 4.4.2.2)
 * @param now milliseconds since 1970
 */
function createProviderClient(provider: IdentityProvider, redirectUri: string, now: () => number): ProviderClient {
  let known: { readonly since: number; readonly configuration: Promise<Configuration> } | null = null;
  const configured = (): Promise<Configuration> => {
    if (known !== null && now() - known.since < believedForMs && now() >= known.since) return known.configuration;
    const reading = { since: now(), configuration: discovered(provider) };
    known = reading;
    reading.configuration.catch(() => {
      if (known === reading) known = null;
    });
    return reading.configuration;
  };
  return {
    provider,
    begin: async ({ state, nonce, verifier }) => {
      const library = await import('openid-client');
      const parameters = {
        ...{ redirect_uri: redirectUri, scope: provider.scopes.join(' '), state, nonce },
        code_challenge: await library.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      };
      return library.buildAuthorizationUrl(await configured(), parameters).href;
    },
    finish: async (query, { state, nonce, verifier }) => {
      const configuration = await configured();
      const library = await import('openid-client');
      const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
      try {
        const address = new URL(`${redirectUri}?${query}`);
        const tokens = await library.authorizationCodeGrant(configuration, address, checks);
        const claims = tokens.claims();
        if (claims === undefined || tokens.id_token === undefined) throw new ProviderRefused('there is no ID token');
        return identityIn(provider, claims, tokens.id_token);
      } catch (error) {
        // The token may be signed with a new key.
        known = null;
        throw isAway(error) ? new ProviderAway(messageOf(error), { cause: error }) : refusalOf(error);
      }
    },
    signOutAddress: async (idToken, returnTo) => {
      const configuration = await configured();
      const { end_session_endpoint: endpoint } = configuration.serverMetadata();
      if (endpoint === undefined || !isSafeEndpoint(endpoint, provider)) return null;
      const library = await import('openid-client');
      const parameters = {
        post_logout_redirect_uri: returnTo,
        ...(idToken !== null && idToken.length <= maxHintLength && { id_token_hint: idToken }),
      };
      return library.buildEndSessionUrl(configuration, parameters).href;
    },
  };
}

async function discovered({ issuer, clientId, clientSecret, algorithm }: IdentityProvider): Promise<Configuration> {
  const library = await import('openid-client');
  const isPlain = new URL(issuer).protocol === 'http:';
  try {
    const metadata = { client_secret: clientSecret, id_token_signed_response_alg: algorithm };
    return await library.discovery(new URL(issuer), clientId, metadata, library.ClientSecretPost(clientSecret), {
      timeout: timeoutSeconds,
      [library.customFetch]: boundedFetch,
      // Signatures are checked too, although the token comes over an authenticated connection. `allowInsecureRequests`
      // is marked deprecated only as a warning; without encryption nothing but this machine is contacted.
      execute: [library.enableNonRepudiationChecks, ...(isPlain ? [library.allowInsecureRequests] : [])],
    });
  } catch (error) {
    throw new ProviderAway(messageOf(error), { cause: error });
  }
}

/** Metadata comes from another server: only endpoints as secure as the issuer's own address are used. */
function isSafeEndpoint(endpoint: string, { issuer }: IdentityProvider): boolean {
  const protocol = URL.parse(endpoint)?.protocol;
  return protocol === 'https:' || (protocol === 'http:' && issuer.startsWith('http:'));
}

function identityIn(provider: IdentityProvider, claims: IDToken, idToken: string): FederatedIdentity {
  const { amr, email_verified: isVerified } = claims;
  const value = claimOf(claims, provider.groupsClaim);
  // Without the groups, the person would lose their rights for no apparent reason.
  if (value === undefined && isOverfull(claims))
    throw new ProviderRefused('the groups are too many for the ID token: docs/identity-providers.md says what to do');
  // An unverified address does not identify anybody.
  const isBelieved = provider.groupsClaim !== 'email' || isVerified === true;
  const loginName = claims[provider.loginClaim];
  return {
    provider,
    subject: claims.sub,
    groups: isBelieved ? [value ?? []].flat().filter((one) => typeof one === 'string') : [],
    loginName: typeof loginName === 'string' ? loginName : '',
    isMultiFactor: Array.isArray(amr) && amr.includes('mfa'),
    idToken,
  };
}

/**
 * Whether the provider omits groups because there are too many: Entra leaves out more than 200 and refers to another
 * place instead (`_claim_names`, OpenID Connect Core, 5.6.2), or says `hasgroups`.
 */
function isOverfull(claims: IDToken): boolean {
  const { hasgroups: hasGroups } = claims;
  return hasGroups === true || hasGroups === 'true' || claimOf(claims, ['_claim_names', 'groups']) !== undefined;
}

/** Whether the provider is at fault: no response, one that is too late or too long, or a server error. */
function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const status: unknown = 'status' in error ? error.status : undefined;
  const code: unknown = 'code' in error ? error.code : undefined;
  return (
    (typeof status === 'number' && status >= 500) ||
    error instanceof TypeError ||
    error instanceof AnswerTooLong ||
    code === 'OAUTH_TIMEOUT' ||
    (error.cause instanceof Response && error.cause.status >= 500) ||
    (error.cause instanceof Error && isAway(error.cause))
  );
}

function refusalOf(error: unknown): ProviderRefused {
  return error instanceof ProviderRefused ? error : new ProviderRefused(messageOf(error), { cause: error });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
