// Distinguishes genuine bearer tokens from others: a signature is checked once, and the result is cached for a while.
import { hash } from 'node:crypto';
import { createGrowingCache } from '../model/growing-cache.ts';
import { Problem } from '../model/problem.ts';
import type { InTurn } from './access-token.ts';
import { TokenRefused } from './access-token.ts';
import { createAddressQueue, originOf } from './address-queue.ts';
import { bearerToken, type Challenges } from './bearer.ts';
import { IssuerAway } from './issuer-keys.ts';

interface HeaderCheckOptions<F> {
  /** Checks a token. Throws TokenRefused or IssuerAway; other exceptions pass unchanged. */
  readonly check: (token: string, inTurn: InTurn) => Promise<F>;
  readonly challenges: Pick<Challenges, 'missing' | 'invalid'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called with the reason when the keys of another issuer could not be read. */
  readonly onIssuerAway?: ((error: unknown) => void) | undefined;
}

/** A recently verified token, with what was made of it. */
interface Verified<F, M> {
  readonly facts: F;
  readonly since: number;
  readonly until: number;
  made: M | null;
}

interface HeaderCheck<F, M> {
  /** The cached result for a header, if it is still fresh. */
  readonly believed: (authorization: string) => Verified<F, M> | null;
  /** @throws Problem missing-token, invalid-token or unavailable */
  readonly verify: (authorization: string | undefined, address: string) => Promise<Verified<F, M>>;
}

/** A recently refused token. */
interface Refused {
  readonly since: number;
  readonly problem: Problem;
}

/** Bounds how long a withdrawn signing key is still accepted. */
const believedForMs = 60_000;
const maxKept = 10_000;
/** How long a refused token is refused again without a check. Its key may become known, or its time come. */
const refusedForMs = 10_000;
/**
 * Signatures that are checked at a time: they share the thread pool with files and passwords. The queue is longer than
 * what MAX_CONNECTIONS connections can send, because a bad token must get 401 and not 503, however many arrive with it
 * (clause 5.4).
 */
const signatures = { maxRunning: 2, maxWaiting: 100_000, maxPerNetwork: 100_000, maxPerAddress: 100_000 } as const;

/** Makes one process's check for one resource. Addresses take turns in the checks of new signatures. */
export function createHeaderCheck<F extends { readonly validUntil: number }, M>({
  check,
  challenges,
  now,
  onIssuerAway,
}: HeaderCheckOptions<F>): HeaderCheck<F, M> {
  const kept = createGrowingCache<string, Verified<F, M>>(maxKept);
  const refused = createGrowingCache<string, Refused>(maxKept);
  const queue = createAddressQueue(signatures);
  const verified = async (
    authorization: string | undefined,
    digest: string,
    address: string,
  ): Promise<Verified<F, M>> => {
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
    const entry: Verified<F, M> = {
      facts,
      since,
      until: Math.min(facts.validUntil, since + believedForMs),
      made: null,
    };
    kept.set(digest, entry);
    return entry;
  };
  /** A header that arrives many times at once is checked once. */
  const running = new Map<string, Promise<Verified<F, M>>>();
  const verifiedOnce = (
    authorization: string | undefined,
    digest: string,
    address: string,
  ): Promise<Verified<F, M>> => {
    const before = running.get(digest);
    if (before !== undefined) return before;
    const work = verified(authorization, digest, address).finally(() => running.delete(digest));
    running.set(digest, work);
    return work;
  };
  const believed = (digest: string): Verified<F, M> | null => {
    const known = kept.get(digest);
    const at = now();
    return known !== undefined && at >= known.since && at < known.until ? known : null;
  };
  return {
    believed: (authorization) => believed(digestOf(authorization)),
    verify: async (authorization, address) => {
      const digest = digestOf(authorization);
      const before = refused.get(digest);
      const at = now();
      if (before !== undefined && at >= before.since && at - before.since < refusedForMs) throw before.problem;
      return believed(digest) ?? (await verifiedOnce(authorization, digest, address));
    },
  };
}

/** Headers are kept as hashes, so that a memory dump contains no list of tokens. */
function digestOf(authorization: string | undefined): string {
  return hash('sha256', authorization ?? '', 'hex');
}

/** Runs work for a caller at this address when its turn comes. */
function inTurnOf(queue: ReturnType<typeof createAddressQueue>, address: string): InTurn {
  return async (work) => {
    const done = await queue.run(originOf(address), work);
    if (done === 'full')
      throw unavailable(1, 'Too many access tokens are being checked at the moment. Try again in a second.');
    return done;
  };
}

/** Tells the client to retry after this many seconds. */
export function unavailable(afterSeconds: number, detail: string): Problem {
  return new Problem('unavailable', detail, {}, { 'Retry-After': String(afterSeconds) });
}
