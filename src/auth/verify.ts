// The door of the client interface: an Authorization header in, the caller or a refusal out.
import { hash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Caller } from '../http/route.ts';
import { Problem } from '../model/problem.ts';
import type { Tables } from '../store/tables.ts';
import { createTokenCheck, TokenRefused } from './access-token.ts';
import type { TokenFacts } from './access-token.ts';
import { bearerToken, createChallenges, resourceMetadataUrl } from './bearer.ts';
import type { Challenges } from './bearer.ts';
import { sharedActivities } from './granted.ts';
import type { KeyRing } from './keys.ts';
import { createStanding, dropOldest } from './standing.ts';
import type { ClientStanding, UserStanding } from './standing.ts';

export interface VerifierOptions {
  readonly db: Kysely<Tables>;
  readonly keys: KeyRing;
  /** AUTH_URL without a slash at the end: the issuer of our tokens. */
  readonly authUrl: string;
  /** BASE_URL without a slash at the end: the audience of our tokens. */
  readonly baseUrl: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Is told why storage could not be asked; the client is told only that it could not. */
  readonly onStorageError: (error: unknown) => void;
}

/** @throws Problem missing-token, invalid-token, insufficient-scope, activity-forbidden, invalid-request or unavailable */
export type Verifier = (authorization: string | undefined) => Promise<Caller>;

/** A token that was verified a moment ago, and the caller that it made, as long as client and user stand as they stood. */
interface Verified {
  readonly facts: TokenFacts;
  readonly since: number;
  readonly until: number;
  made: { readonly client: ClientStanding; readonly user: UserStanding; readonly caller: Caller } | null;
}

/** Bounds how long a withdrawn signing key is still believed, milliseconds. */
const believedFor = 60_000;
const maxKept = 10_000;

/**
 * Makes the verifier of one process. A header that it knows costs one hash and three look-ups in memory;
 * a new token costs a signature check; each client and user is read from the store every half minute.
 */
export function createVerifier(options: VerifierOptions): Verifier {
  const { db, keys, authUrl, baseUrl, now, onStorageError } = options;
  const challenges = createChallenges(resourceMetadataUrl(baseUrl));
  const { clients, users } = createStanding(db, now);
  const kept = new Map<string, Verified>();

  const stored = async <T>(reading: Promise<T>): Promise<T> => {
    try {
      return await reading;
    } catch (error) {
      onStorageError(error);
      throw new Problem('unavailable', 'The access token cannot be checked at the moment. Try again in a few seconds.', {}, { 'Retry-After': '5' });
    }
  };
  const check = createTokenCheck({ findKey: (kid) => stored(keys.verificationKey(kid)), issuer: authUrl, audience: baseUrl, now });

  const verified = async (authorization: string | undefined, digest: string): Promise<Verified> => {
    const token = bearerToken(authorization, challenges);
    const since = now();
    const facts = await check(token).catch((error: unknown) => {
      throw error instanceof TokenRefused ? challenges.invalid(error.message) : error;
    });
    const entry: Verified = { facts, since, until: Math.min(facts.validUntil, since + believedFor), made: null };
    kept.delete(digest);
    kept.set(digest, entry);
    if (kept.size > maxKept) dropOldest(kept);
    return entry;
  };

  return async (authorization) => {
    // Headers are kept as hashes, so that a dump of the memory holds no list of tokens.
    const digest = hash('sha256', authorization ?? '', 'hex');
    const known = kept.get(digest);
    const at = now();
    const entry = known && at >= known.since && at < known.until ? known : await verified(authorization, digest);
    const { clientId, subject } = entry.facts;
    const client = clients.recall(clientId) ?? await stored(clients.read(clientId));
    if (!client) throw challenges.invalid('The client of this token is disabled or was removed');
    const user = users.recall(subject) ?? await stored(users.read(subject));
    if (!user) throw challenges.invalid('The user of this token is disabled or was removed');
    if (entry.made?.client !== client || entry.made.user !== user) entry.made = { client, user, caller: callerOf(entry.facts, client, user, challenges) };
    return entry.made.caller;
  };
}

function callerOf(facts: TokenFacts, client: ClientStanding, user: UserStanding, challenges: Challenges): Caller {
  if (!facts.hasScope) throw challenges.insufficientScope();
  const activityCodes = sharedActivities(facts.activityCodes, client.activityCodes, user.activityCodes);
  if (activityCodes.length === 0) {
    throw new Problem('activity-forbidden', 'The access token opens no activity: the user or the client has none, or lost them. Ask the operator, then sign in again.');
  }
  return { clientId: facts.clientId, subject: facts.subject, activityCodes, readOnly: client.readOnly };
}
