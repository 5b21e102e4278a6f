// Authentication of people at the platform interface: turns an operator's access token into a principal or a refusal.
import { RefusedPrincipal } from '../http/refused-principal.ts';
import type { Principal } from '../http/route.ts';
import { Problem } from '../model/problem.ts';
import { textBlock } from '../model/text-block.ts';
import type { Store } from '../store/store.ts';
import { createTokenCheck, type OwnTokenFacts } from './access-token.ts';
import { createChallenges, resourceMetadataUrl } from './bearer.ts';
import { validGrant } from './grants.ts';
import { createHeaderCheck } from './header-check.ts';
import type { KeyRing } from './keys.ts';
import { platformScope } from './tokens.ts';
import { findActiveUser, type User } from './users.ts';

export interface OperatorAccessOptions {
  readonly store: Pick<Store, 'clients' | 'oidcPayloads' | 'users'>;
  readonly keys: KeyRing;
  /** Without a slash at the end, both: issuer and audience of the tokens. */
  readonly authUrl: string;
  readonly platformUrl: string;
  /** Whether a sign-in of this user is complete without a second factor. */
  readonly isPasswordEnough: (user: User) => boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Finds the operator of a token. Everything that it depends on is read from storage each time: the grant, the client,
 * the session and the user. Operators are few, and a right taken from one ends with the next request in every process.
 * @throws Problem invalid-token, insufficient-scope or role-missing
 */
type OperatorOf = (facts: OwnTokenFacts, activities: readonly string[]) => Promise<Principal>;

interface OperatorAccess {
  /**
   * Checks the signature of a token, and its audience.
   * @throws Problem invalid-token or unavailable
   */
  readonly verify: (authorization: string | undefined, address: string) => Promise<OwnTokenFacts>;
  readonly operatorOf: OperatorOf;
}

/** @param stored awaits a read from storage; throws Problem `unavailable` */
export function createOperatorAccess(
  { store, keys, authUrl, platformUrl, isPasswordEnough, now }: OperatorAccessOptions,
  stored: <T>(reading: Promise<T>) => Promise<T>,
): OperatorAccess {
  const challenges = createChallenges(resourceMetadataUrl(platformUrl), 'platform', platformScope);
  const check = createTokenCheck({
    findKey: (kid) => stored(keys.verificationKey(kid)),
    ...{ issuer: authUrl, audience: [platformUrl], scope: platformScope, now },
  });
  const headers = createHeaderCheck<OwnTokenFacts, never>({ check, challenges, now });
  return {
    verify: async (authorization, address) => (await headers.verify(authorization, address)).facts,
    operatorOf: async (facts, activities) => {
      const { clientId, subject, grantId, sessionUid } = facts;
      const [grant, client, session, user] = await stored(
        Promise.all([
          validGrant(store, grantId, now()),
          store.clients.active(clientId),
          store.oidcPayloads.findByUid('Session', sessionUid ?? '', now()),
          findActiveUser(store, subject),
        ]),
      );
      if (grant === null) throw challenges.invalid('What this token was made under has ended: sign in again');
      if (grant.revokedTokens.has(facts.tokenHash)) throw challenges.invalid('The token was revoked: get another one');
      if (client?.platform !== true)
        throw challenges.invalid('The client of this token may not act at the platform interface');
      if (user === null) throw challenges.invalid('The user of this token is disabled or was removed');
      if (session?.accountId !== user.id) throw challenges.invalid('The session has ended: sign in again');
      if (!isPasswordEnough(user) && !facts.amr.includes('otp'))
        throw challenges.invalid('A second factor is needed: sign in again');
      if (!facts.hasScope) throw new RefusedPrincipal(recognized(user), challenges.insufficientScope());
      return principalOf(user, activities);
    },
  };
}

function recognized({ id, login }: User): Pick<Principal, 'kind' | 'clientId' | 'subject'> {
  return { kind: 'operator', clientId: id, subject: login };
}

function principalOf(user: User, activityCodes: readonly string[]): Principal {
  const { operatorRoles: roles } = user;
  if (roles.length === 0)
    throw new RefusedPrincipal(
      recognized(user),
      new Problem(
        'role-missing',
        textBlock`
          This user has no role at the platform interface any more. Another operator gives one with
          \`user change LOGIN --operator --add-role ROLE\`.
        `,
      ),
    );
  return {
    ...recognized(user),
    ...{ activityCodes: activityCodes.toSorted(), readOnly: false, roles, everything: true },
  };
}
