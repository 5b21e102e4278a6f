// Authentication at the client interface: turns an Authorization header into a principal or a refusal.
import type { RequestFacts } from '../http/request-pipeline.ts';
import type { Principal } from '../http/route.ts';
import { OperatorError } from '../model/operator-error.ts';
import { createTokenCheck, TokenRefused } from './access-token.ts';
import type { InTurn, OwnTokenFacts } from './access-token.ts';
import { createChallenges, resourceMetadataUrl } from './bearer.ts';
import { createExternalCheck } from './external-issuers.ts';
import type { ExternalFacts } from './external-issuers.ts';
import { createHeaderCheck, unavailable } from './header-check.ts';
import type { KeyRing } from './keys.ts';
import { looksLikePlatformKey } from './platform-keys.ts';
import { createPrincipalCache } from './principal-cache.ts';
import type { PrincipalCache } from './principal-cache.ts';
import { createTokenPrincipals, type VerifiedToken } from './token-principal.ts';
import { apiScope } from './tokens.ts';
import type { TrustedIssuer } from './trusted-issuers.ts';

interface VerifierOptions {
  readonly store: Parameters<typeof createPrincipalCache>[0];
  readonly keys: KeyRing;
  /** AUTH_URL without a slash at the end: the issuer of our tokens. */
  readonly authUrl: string;
  /** BASE_URL without a slash at the end: the audience of our tokens. */
  readonly baseUrl: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called when storage could not be reached; the client is told only that. */
  readonly onStorageError: (error: unknown) => void;
  /** The cache of clients, users and grants; default: one of its own. */
  readonly principals?: PrincipalCache;
  /** Other issuers whose tokens are accepted; default: none. */
  readonly trustedIssuers?: readonly TrustedIssuer[];
  /** False: tokens of our own are not accepted. Default: true. */
  readonly ownTokens?: boolean;
  /** Called with the reason when the keys of another issuer could not be read. */
  readonly onIssuerAway?: (error: unknown) => void;
}

export interface Verifier {
  /** @throws Problem missing-token, invalid-token, insufficient-scope, activity-forbidden or unavailable */
  (authorization: string | undefined, from?: Pick<RequestFacts, 'address'>): Promise<Principal>;
  /** The principal of a recently seen header, synchronously; null when anything has to be read. */
  readonly known: (authorization: string | undefined) => Principal | null;
  /** What the token of a principal opens by now; throws as for a new request, but not because it has expired. */
  readonly again: (principal: Principal) => Promise<Principal>;
}

/**
 * Makes the verifier of one process. A known header costs one hash and four look-ups in memory. A new token costs a
 * signature check, for which addresses take turns; a refused one is remembered by its hash for a while. Each grant,
 * client and user is read from the store every half minute. Clients and users of other issuers are not in the store:
 * their tokens' claims hold until they expire.
 * @throws OperatorError when the service itself is listed among other issuers
 */
export function createVerifier(options: VerifierOptions): Verifier {
  const { store, authUrl, baseUrl, now, onStorageError, trustedIssuers = [] } = options;
  if (trustedIssuers.some(({ issuer }) => issuer === authUrl)) {
    throw new OperatorError(
      "TRUSTED_ISSUERS names this service's own AUTH_URL.",
      'Take it out: its own tokens are accepted without.',
    );
  }
  const challenges = createChallenges(resourceMetadataUrl(baseUrl));
  const stored = orUnavailable(onStorageError);
  const cache = options.principals ?? createPrincipalCache(store, now);
  const principals = createTokenPrincipals(cache, stored, challenges);
  const headers = createHeaderCheck<VerifiedToken['facts'], NonNullable<VerifiedToken['made']>>({
    ...{ check: tokenCheckOf(options, stored), challenges, now },
    onIssuerAway: options.onIssuerAway,
  });
  const verify = async (
    authorization: string | undefined,
    { address }: Pick<RequestFacts, 'address'> = { address: '' },
  ): Promise<Principal> => principals.of(await headers.verify(authorization, address));
  const known = (authorization: string | undefined): Principal | null => {
    const entry = authorization === undefined ? null : headers.believed(authorization);
    return entry === null ? null : principals.peek(entry);
  };
  return Object.assign(verify, { known, again: principals.again });
}

/** Chooses the check for any token that may arrive. */
function tokenCheckOf(
  { keys, authUrl, baseUrl, now, ownTokens = true, trustedIssuers = [] }: VerifierOptions,
  stored: ReturnType<typeof orUnavailable>,
): (token: string, inTurn: InTurn) => Promise<OwnTokenFacts | ExternalFacts> {
  const checkOwn = createTokenCheck({
    findKey: (kid) => stored(keys.verificationKey(kid)),
    ...{ issuer: authUrl, audience: [baseUrl], scope: apiScope, now },
  });
  const checkExternal = createExternalCheck(trustedIssuers, now);
  return async (token, inTurn) => {
    if (looksLikePlatformKey(token))
      throw new TokenRefused('This is a platform key: it opens the platform interface alone');
    const external = checkExternal(token, inTurn);
    if (external !== null) return external;
    if (!ownTokens) throw new TokenRefused('The token comes from another issuer');
    return checkOwn(token, inTurn);
  };
}

/** Reads from storage; when that is unavailable, tells the client to retry. */
function orUnavailable(onStorageError: (error: unknown) => void): <T>(reading: Promise<T>) => Promise<T> {
  return async (reading) => {
    try {
      return await reading;
    } catch (error) {
      onStorageError(error);
      throw unavailable(5, 'The access token cannot be checked at the moment. Try again in a few seconds.');
    }
  };
}
