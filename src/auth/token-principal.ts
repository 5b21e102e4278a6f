// The principal of a verified token, according to the current state of its grant, client and user.
import { RefusedPrincipal } from '../http/refused-principal.ts';
import type { Principal } from '../http/route.ts';
import { Problem } from '../model/problem.ts';
import { textBlock } from '../model/text-block.ts';
import type { OwnTokenFacts, TokenFacts } from './access-token.ts';
import { sharedActivities } from './activity-access.ts';
import type { Challenges } from './bearer.ts';
import type { ExternalFacts } from './external-issuers.ts';
import type { ClientAccess, PrincipalCache, RecentValues, UserAccess } from './principal-cache.ts';

/** The content of a token, and the principal made of it, for as long as nothing that it was made from has changed. */
export interface VerifiedToken {
  readonly facts: OwnTokenFacts | ExternalFacts;
  made: { readonly from: readonly [object, object]; readonly principal: Principal } | null;
}

/** Finds the principals of tokens. */
interface TokenPrincipals {
  /**
   * Finds the principal of a token, and remembers it there.
   * @throws Problem invalid-token, insufficient-scope, activity-forbidden or unavailable
   */
  readonly of: (token: VerifiedToken) => Promise<Principal>;
  /** The remembered principal, if nothing that it was made from has changed; null when anything has to be read. */
  readonly peek: (token: VerifiedToken) => Principal | null;
  /** The same as `of`, for the token that a principal was found by. */
  readonly again: (principal: Principal) => Promise<Principal>;
}

/** @param stored awaits a read from storage; throws Problem `unavailable` */
export function createTokenPrincipals(
  { clients, users, grants, activities }: PrincipalCache,
  stored: <T>(reading: Promise<T>) => Promise<T>,
  challenges: Challenges,
): TokenPrincipals {
  const tokens = new WeakMap<Principal, VerifiedToken>();
  const made = (token: VerifiedToken, from: readonly [object, object], make: () => Principal): Principal => {
    if (token.made?.from[0] !== from[0] || token.made.from[1] !== from[1]) {
      token.made = { from, principal: make() };
      tokens.set(token.made.principal, token);
    }
    return token.made.principal;
  };

  /** For each token, what has been read anew because it denied something. */
  const renewed = new WeakMap<VerifiedToken, Set<RecentValues<unknown>>>();

  /**
   * What is known of an id. What was cached before this process met a token may be older than the token: if it denies
   * what the token was issued for, it is read again, so that what was granted opens with the next token: once, for all
   * requests that come with it.
   */
  const known = async <T>(
    values: RecentValues<T>,
    id: string,
    token: VerifiedToken,
    allows: (value: T) => boolean,
  ): Promise<T | null> => {
    const value = values.peek(id) ?? (await stored(values.get(id)));
    if (value !== null && allows(value)) return value;
    const own = renewed.get(token) ?? new Set();
    if (!own.has(values)) values.forget(id);
    renewed.set(token, own.add(values));
    return stored(values.get(id));
  };

  const external = async (token: VerifiedToken, facts: ExternalFacts): Promise<Principal> => {
    const existing =
      (await known(activities, '*', token, (codes) => facts.everyActivity || hasAll(codes, facts.activityCodes))) ?? [];
    return made(token, [existing, existing], () => externalPrincipalOf(facts, existing, challenges));
  };

  const own = async (token: VerifiedToken, facts: OwnTokenFacts): Promise<Principal> => {
    const { clientId, subject, grantId, activityCodes } = facts;
    const stands = grants.peek(grantId) ?? (await stored(grants.get(grantId)));
    if (stands === null) throw challenges.invalid('What this token was made under has ended: sign in again');
    if (stands.revokedTokens.has(facts.tokenHash)) throw challenges.invalid('The token was revoked: get another one');
    // RFC 9068, 5: a user's id is a UUID, so it never equals a client's.
    const forItself = subject === clientId;
    const mayAct = (value: ClientAccess | UserAccess): boolean => hasAll(value.activityCodes, activityCodes);
    const client = await known(clients, clientId, token, (value) => mayAct(value) && (value.service || !forItself));
    const user = forItself ? null : await known(users, subject, token, mayAct);
    if (!client) throw challenges.invalid('The client of this token is disabled or was removed');
    if (forItself) {
      if (!client.service) throw challenges.invalid('The client of this token may no longer act for itself');
      return made(token, [client, client], () => servicePrincipalOf(facts, client, challenges));
    }
    if (!user) throw challenges.invalid('The user of this token is disabled or was removed');
    return made(token, [client, user], () => principalOf(facts, client, user, challenges));
  };

  const standsAsMade = ({ facts }: VerifiedToken, [first, second]: readonly [object, object]): boolean => {
    if ('everyActivity' in facts) return activities.peek('*') === first;
    if (grants.peek(facts.grantId)?.revokedTokens.has(facts.tokenHash) !== false) return false;
    const client = clients.peek(facts.clientId);
    if (client !== first) return false;
    return facts.subject === facts.clientId ? client.service : users.peek(facts.subject) === second;
  };

  const of = (token: VerifiedToken): Promise<Principal> =>
    'everyActivity' in token.facts ? external(token, token.facts) : own(token, token.facts);
  return {
    of,
    peek: (token) => (token.made !== null && standsAsMade(token, token.made.from) ? token.made.principal : null),
    again: async (principal) => {
      const token = tokens.get(principal);
      if (token === undefined) throw new Error('the principal was found by no token');
      return of(token);
    },
  };
}

function hasAll(codes: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((code) => codes.includes(code));
}

function principalOf(facts: TokenFacts, client: ClientAccess, user: UserAccess, challenges: Challenges): Principal {
  const shared = sharedActivities(facts.activityCodes, client.activityCodes, user.activityCodes);
  return admitted(facts, shared, client.readOnly, challenges);
}

function servicePrincipalOf(facts: TokenFacts, client: ClientAccess, challenges: Challenges): Principal {
  const shared = sharedActivities(facts.activityCodes, client.activityCodes);
  return admitted({ ...facts, subject: null }, shared, client.readOnly, challenges);
}

/**
 * Activities that do not exist grant nothing, so that a mistake in the mapping shows as a refusal and not as an empty
 * list.
 */
function externalPrincipalOf(facts: ExternalFacts, existing: readonly string[], challenges: Challenges): Principal {
  return admitted(
    facts,
    sharedActivities(existing, facts.everyActivity ? existing : facts.activityCodes),
    facts.readOnly,
    challenges,
  );
}

function admitted(
  { clientId, subject, hasScope }: Omit<TokenFacts, 'subject'> & { readonly subject: string | null },
  activityCodes: readonly string[],
  readOnly: boolean,
  challenges: Challenges,
): Principal {
  const principal = { kind: 'client', clientId, subject, activityCodes, readOnly } as const;
  if (!hasScope) throw new RefusedPrincipal(principal, challenges.insufficientScope());
  if (activityCodes.length === 0) {
    throw new RefusedPrincipal(
      principal,
      new Problem(
        'activity-forbidden',
        textBlock`
          The access token opens no activity: the user or the client has none, or lost them. Ask the operator, then sign
          in again.
        `,
      ),
    );
  }
  return principal;
}
