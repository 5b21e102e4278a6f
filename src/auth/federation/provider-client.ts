// Asks one identity provider who somebody is: the code flow with PKCE, state and nonce, as a client of it.
import type { Configuration, IDToken } from 'openid-client';
import { AnswerTooLong, boundedFetch } from '../bounded-fetch.ts';
import { claimOf } from '../claim-path.ts';
import { paths } from '../oidc-configuration.ts';
import type { IdentityProvider } from './identity-providers.ts';

/** Who somebody is, as a provider says. */
export interface FederatedIdentity {
  readonly provider: IdentityProvider;
  readonly subject: string;
  /** What its claim of groups says. */
  readonly groups: readonly string[];
  /** What may become part of a login; '' where nothing is said. */
  readonly loginName: string;
  /** It says that there was a second factor (RFC 8176: `mfa`). */
  readonly isMultiFactor: boolean;
  /** The ID token itself, by which the provider knows whom to sign out. */
  readonly idToken: string;
}

/** What has to come back unchanged, or must not be known to others. */
export interface FederationSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The provider does not answer, or not as one: nobody can sign in there now. */
export class ProviderAway extends Error {}
/** What came back is no sign-in: the person gave up there, or it is not to be believed. */
export class ProviderRefused extends Error {}

export interface ProviderClient {
  readonly provider: IdentityProvider;
  /**
   * Where the browser is sent.
   * @throws ProviderAway
   */
  readonly begin: (secrets: FederationSecrets) => Promise<string>;
  /**
   * Whom the browser brings back.
   * @param query with which it came back
   * @throws ProviderAway, ProviderRefused
   */
  readonly finish: (query: URLSearchParams, secrets: FederationSecrets) => Promise<FederatedIdentity>;
  /**
   * Where the browser is sent to sign out there too (OpenID Connect RP-Initiated Logout 1.0).
   * @param idToken of the sign-in that ends; null: it is not known
   * @param returnTo where the provider sends the browser afterwards
   * @returns null: the provider has no such address
   * @throws ProviderAway
   */
  readonly signOutAddress: (idToken: string | null, returnTo: string) => Promise<string | null>;
}

/** Metadata and keys are read again so often, and after every sign-in that came to nothing. */
const believedForMs = 3_600_000;
const timeoutSeconds = 5;
/** Characters of an ID token in an address: many servers refuse request lines of more than 8 kB. */
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
 * @param redirectUri registered at the provider for this service; no two providers have the same (RFC 9700, 4.4.2.2)
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
        // It may be signed by a key that is new.
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
      // Signatures are checked too, although the token comes by a connection that says whose it is. The mark on
      // `allowInsecureRequests` is a warning; nothing but this machine is reached without encryption.
      execute: [library.enableNonRepudiationChecks, ...(isPlain ? [library.allowInsecureRequests] : [])],
    });
  } catch (error) {
    throw new ProviderAway(messageOf(error), { cause: error });
  }
}

/** Metadata are what another server says: only an address that is as safe as the issuer's is gone to. */
function isSafeEndpoint(endpoint: string, { issuer }: IdentityProvider): boolean {
  const protocol = URL.parse(endpoint)?.protocol;
  return protocol === 'https:' || (protocol === 'http:' && issuer.startsWith('http:'));
}

function identityIn(provider: IdentityProvider, claims: IDToken, idToken: string): FederatedIdentity {
  const { amr, email_verified: isVerified } = claims;
  const value = claimOf(claims, provider.groupsClaim);
  // Without them the person would lose what they may do, and nobody would know why.
  if (value === undefined && isOverfull(claims))
    throw new ProviderRefused('the groups are too many for the ID token: docs/identity-providers.md says what to do');
  // An address that anybody may have given says nothing of who somebody is.
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
 * Whether the provider keeps groups back because they are too many: Entra leaves out more than 200 and names another
 * place instead (`_claim_names`, OpenID Connect Core, 5.6.2), or says `hasgroups`.
 */
function isOverfull(claims: IDToken): boolean {
  const { hasgroups: hasGroups } = claims;
  return hasGroups === true || hasGroups === 'true' || claimOf(claims, ['_claim_names', 'groups']) !== undefined;
}

/** Whether it is the provider's fault: no answer, one that is too late or too long, or an error of the server. */
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
