// Access tokens issued by this service (RFC 9068): their content, and who may have one.
import { textBlock } from '../model/text-block.ts';
import { SignJWT } from 'jose';
import { v7 as uuidv7 } from 'uuid';
import { OperatorError } from '../model/operator-error.ts';
import type { Store } from '../store/store.ts';
import type { Client } from './clients.ts';
import { sharedActivities } from './activity-access.ts';
import { openGrant } from './grants.ts';
import type { KeyRing } from './keys.ts';
import type { User } from './users.ts';

/** The one scope of the interface (5.3). */
export const apiScope = 'svc_connect';
/** The scope of the platform interface, for operators. */
export const platformScope = 'svc_platform';
/** Life of an access token, seconds (decision D30). */
export const accessTokenSeconds = 3600;

interface AccessTokenRequest {
  readonly client: Client;
  /** Null: a client that acts for itself. */
  readonly user: User | null;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Seconds; default: an hour. */
  readonly lifetime?: number;
}

interface IssuedToken {
  readonly accessToken: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  readonly activityCodes: readonly string[];
}

interface TokenIssuerOptions {
  readonly store: Pick<Store, 'oidcPayloads'>;
  readonly keys: KeyRing;
  /** The authorization URL (`iss`). */
  readonly issuer: string;
  /** The base URL of the interface (`aud`). */
  readonly audience: string;
}

/** A grant outlives its token by more than clocks differ. */
export const grantMarginMs = 60_000;

/** Makes the function that issues access tokens without a sign-in, each under a grant of its own. */
export function createTokenIssuer({
  store,
  keys,
  issuer,
  audience,
}: TokenIssuerOptions): (request: AccessTokenRequest) => Promise<IssuedToken> {
  return async ({ client, user, now, lifetime = accessTokenSeconds }) => {
    const activityCodes = grantableActivities(client, user);
    const key = await keys.signingKey('ES256');
    const issuedAt = Math.floor(now / 1000);
    const expiresAt = (issuedAt + lifetime) * 1000;
    const grantId = await openGrant(store, {
      clientId: client.id,
      accountId: user?.id ?? null,
      expiresAt: expiresAt + grantMarginMs,
    });
    const accessToken = await new SignJWT({ client_id: client.id, scope: apiScope, activityCodes, grant_id: grantId })
      .setProtectedHeader({ alg: key.alg, typ: 'at+jwt', kid: key.kid })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(user?.id ?? client.id)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + lifetime)
      .setJti(uuidv7({ msecs: now }))
      .sign(key.key);
    return { accessToken, expiresAt, activityCodes };
  };
}

/**
 * The activities of a token for this client and this user (decision D33): sorted, never empty.
 * @throws OperatorError when one of them is disabled, when they have no activity in common, or when a client without a
 *   user is not a service
 */
function grantableActivities(client: Client, user: User | null): readonly string[] {
  if (client.disabledAt !== null)
    throw new OperatorError(`The client "${client.id}" is disabled.`, 'Use another client, see `client list`.');
  if (user === null) {
    if (client.service) return client.activityCodes;
    throw new OperatorError(`The client "${client.id}" is no service: it acts for a user.`, 'Say which with --user.');
  }
  if (user.disabledAt !== null)
    throw new OperatorError(`The user "${user.login}" is disabled.`, 'Use another user, see `user list`.');
  const shared = sharedActivities(client.activityCodes, user.activityCodes);
  if (shared.length > 0) return shared;
  throw new OperatorError(
    textBlock`
      The client "${client.id}" and the user "${user.login}" have no activity in common: the client may act in
      ${listed(client.activityCodes)}, the user in ${listed(user.activityCodes)}.
    `,
    'Add a client or a user for the activity that is meant.',
  );
}

function listed(codes: readonly string[]): string {
  return codes.length === 0 ? 'none' : codes.join(', ');
}
