// The door of the client interface: an Authorization header in, the principal or a refusal out.
import { hash } from 'node:crypto';
import { createGrowingCache } from '../http/growing-cache.ts';
import type { RequestFacts } from '../http/request-pipeline.ts';
import type { Principal } from '../http/route.ts';
import { OperatorError } from '../model/operator-error.ts';
import { Problem } from '../model/problem.ts';
import { createTokenCheck, TokenRefused } from './access-token.ts';
import type { InTurn, OwnTokenFacts } from './access-token.ts';
import { bearerToken, type Challenges, createChallenges, resourceMetadataUrl } from './bearer.ts';
import { createExternalCheck } from './external-issuers.ts';
import type { ExternalFacts } from './external-issuers.ts';
import { createAddressQueue, originOf } from './address-queue.ts';
import { IssuerAway } from './issuer-keys.ts';
import type { KeyRing } from './keys.ts';
import { looksLikePlatformKey } from './platform-keys.ts';
import { createPrincipalCache } from './principal-cache.ts';
import type { PrincipalCache } from './principal-cache.ts';
import { createTokenPrincipals, type VerifiedToken } from './token-principal.ts';
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
  /** Is told why storage could not be asked; the client is told only that it could not. */
  readonly onStorageError: (error: unknown) => void;
  /** What is known of clients, users and grants; one of its own when absent. */
  readonly principals?: PrincipalCache;
  /** Other issuers whose tokens are accepted; none when absent. */
  readonly trustedIssuers?: readonly TrustedIssuer[];
  /** False: tokens of our own are not accepted. True when absent. */
  readonly ownTokens?: boolean;
  /** Is told why the keys of another issuer could not be read. */
  readonly onIssuerAway?: (error: unknown) => void;
}

export interface Verifier {
  /** @throws Problem missing-token, invalid-token, insufficient-scope, activity-forbidden or unavailable */
  (authorization: string | undefined, from?: Pick<RequestFacts, 'address'>): Promise<Principal>;
  /** The principal of a header that was seen a moment ago, at once; null where anybody has to be asked. */
  readonly known: (authorization: string | undefined) => Principal | null;
}

/** A token that was verified a moment ago. */
interface Verified extends VerifiedToken {
  readonly since: number;
  readonly until: number;
}

/** A token that was refused a moment ago. */
interface Refused {
  readonly since: number;
  readonly problem: Problem;
}

/** Bounds how long a withdrawn signing key is still believed. */
const believedForMs = 60_000;
const maxKept = 10_000;
/**
 * How long a token that was refused is refused again without being looked at. Its key may become known, or its time
 * come.
 */
const refusedForMs = 10_000;
/**
 * Signatures that are checked at a time: they share the threads of the pool with files and passwords. More wait than
 * MAX_CONNECTIONS connections can send: a bad token shall hear 401 and not 503, however many come with it (clause 5.4).
 */
const signatures = { maxRunning: 2, maxWaiting: 100_000, maxPerNetwork: 100_000, maxPerAddress: 100_000 } as const;

/**
 * Makes the verifier of one process. A header that it knows costs one hash and four look-ups in memory; a new token
 * costs a signature check, for which addresses take turns; one that was refused is known by its hash for a while. Each
 * grant, client and user is read from the store every half minute. Clients and users of other issuers are not in the
 * store: what their tokens say stands until they expire.
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
  const headers = createHeaderCheck(options, challenges, stored);
  const verify = async (
    authorization: string | undefined,
    { address }: Pick<RequestFacts, 'address'> = { address: '' },
  ): Promise<Principal> => principals.of(await headers.verify(authorization, address));
  const known = (authorization: string | undefined): Principal | null => {
    const entry = authorization === undefined ? null : headers.believed(digestOf(authorization));
    return entry === null ? null : principals.peek(entry);
  };
  return Object.assign(verify, { known });
}

/** Headers are kept as hashes, so that a dump of the memory holds no list of tokens. */
function digestOf(authorization: string | undefined): string {
  return hash('sha256', authorization ?? '', 'hex');
}

/** Tells genuine tokens from others. */
interface HeaderCheck {
  /** What is known of a header by its digest, if it is still believed. */
  readonly believed: (digest: string) => Verified | null;
  /** @throws Problem missing-token, invalid-token or unavailable */
  readonly verify: (authorization: string | undefined, address: string) => Promise<Verified>;
}

function createHeaderCheck(
  { keys, authUrl, baseUrl, now, ownTokens = true, onIssuerAway, trustedIssuers = [] }: VerifierOptions,
  challenges: Challenges,
  stored: ReturnType<typeof orUnavailable>,
): HeaderCheck {
  const kept = createGrowingCache<string, Verified>(maxKept);
  const refused = createGrowingCache<string, Refused>(maxKept);
  const queue = createAddressQueue(signatures);
  const checkOwn = createTokenCheck({
    findKey: (kid) => stored(keys.verificationKey(kid)),
    issuer: authUrl,
    audience: baseUrl,
    now,
  });
  const checkExternal = createExternalCheck(trustedIssuers, now);
  const check = async (token: string, inTurn: InTurn): Promise<OwnTokenFacts | ExternalFacts> => {
    if (looksLikePlatformKey(token))
      throw new TokenRefused('This is a platform key: it opens the platform interface alone');
    const external = checkExternal(token, inTurn);
    if (external !== null) return external;
    if (!ownTokens) throw new TokenRefused('The token comes from another issuer');
    return checkOwn(token, inTurn);
  };
  const verified = async (authorization: string | undefined, digest: string, address: string): Promise<Verified> => {
    const token = bearerToken(authorization, challenges);
    const since = now();
    const facts = await check(token, inTurnOf(queue, address)).catch((error: unknown) => {
      if (error instanceof TokenRefused) {
        const problem = challenges.invalid(error.message);
        refused.set(digest, { since, problem });
        throw problem;
      }
      if (!(error instanceof IssuerAway)) throw error;
      onIssuerAway?.(error);
      throw unavailable(
        5,
        'The issuer of the access token cannot be asked for its keys at the moment. Try again in a few seconds.',
      );
    });
    const entry: Verified = { facts, since, until: Math.min(facts.validUntil, since + believedForMs), made: null };
    kept.set(digest, entry);
    return entry;
  };
  /** A header that comes many times at once is looked at once. */
  const running = new Map<string, Promise<Verified>>();
  const verifiedOnce = (authorization: string | undefined, digest: string, address: string): Promise<Verified> => {
    const before = running.get(digest);
    if (before !== undefined) return before;
    const work = verified(authorization, digest, address).finally(() => running.delete(digest));
    running.set(digest, work);
    return work;
  };
  const believed = (digest: string): Verified | null => {
    const known = kept.get(digest);
    const at = now();
    return known !== undefined && at >= known.since && at < known.until ? known : null;
  };
  return {
    believed,
    verify: async (authorization, address) => {
      const digest = digestOf(authorization);
      const before = refused.get(digest);
      const at = now();
      if (before !== undefined && at >= before.since && at - before.since < refusedForMs) throw before.problem;
      return believed(digest) ?? (await verifiedOnce(authorization, digest, address));
    },
  };
}

/** What reads from storage; where that is away, the client is told to come again. */
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

/** Work for a caller from this address, when it is its turn. */
function inTurnOf(queue: ReturnType<typeof createAddressQueue>, address: string): InTurn {
  return async (work) => {
    const done = await queue.run(originOf(address), work);
    if (done === 'full')
      throw unavailable(1, 'Too many access tokens are being checked at the moment. Try again in a second.');
    return done;
  };
}

function unavailable(afterSeconds: number, detail: string): Problem {
  return new Problem('unavailable', detail, {}, { 'Retry-After': String(afterSeconds) });
}
