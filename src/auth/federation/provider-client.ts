// Asks one identity provider who somebody is: the code flow with PKCE, state and nonce, as a client of it.
import type { Configuration, IDToken } from 'openid-client';
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
}

/** Metadata and keys are read again so often, and after every sign-in that came to nothing. */
const believedForMs = 3_600_000;
const timeoutSeconds = 5;

/**
 * @param redirectUri registered at the provider for this service; no two providers have the same (RFC 9700, 4.4.2.2)
 * @param now milliseconds since 1970
 */
export function createProviderClient(
  provider: IdentityProvider,
  redirectUri: string,
  now: () => number,
): ProviderClient {
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
        const claims = (await library.authorizationCodeGrant(configuration, address, checks)).claims();
        if (claims === undefined) throw new ProviderRefused('there is no ID token');
        return identityIn(provider, claims);
      } catch (error) {
        // It may be signed by a key that is new.
        known = null;
        throw isAway(error) ? new ProviderAway(messageOf(error), { cause: error }) : refusalOf(error);
      }
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
      // Signatures are checked too, although the token comes by a connection that says whose it is. The mark on
      // `allowInsecureRequests` is a warning; nothing but this machine is reached without encryption.
      execute: [library.enableNonRepudiationChecks, ...(isPlain ? [library.allowInsecureRequests] : [])],
    });
  } catch (error) {
    throw new ProviderAway(messageOf(error), { cause: error });
  }
}

function identityIn(provider: IdentityProvider, claims: IDToken): FederatedIdentity {
  const { amr, email_verified: isVerified } = claims;
  const value = claims[provider.groupsClaim];
  // An address that anybody may have given says nothing of who somebody is.
  const isBelieved = provider.groupsClaim !== 'email' || isVerified === true;
  const loginName = claims[provider.loginClaim];
  return {
    provider,
    subject: claims.sub,
    groups: isBelieved ? [value ?? []].flat().filter((one) => typeof one === 'string') : [],
    loginName: typeof loginName === 'string' ? loginName : '',
    isMultiFactor: Array.isArray(amr) && amr.includes('mfa'),
  };
}

/** Whether it will pass by itself: no answer, an answer that is too late, or a fault of the server. */
function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const status: unknown = 'status' in error ? error.status : undefined;
  const code: unknown = 'code' in error ? error.code : undefined;
  return (
    (typeof status === 'number' && status >= 500) ||
    error instanceof TypeError ||
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
