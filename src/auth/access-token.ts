// Verifies a signed access token before any of its claims are trusted (RFC 9068, section 4).
import { decodeProtectedHeader, errors, jwtVerify } from 'jose';
import type { JWTPayload, ProtectedHeaderParameters } from 'jose';
import { isTextList } from './activity-access.ts';
import { idHash } from './grants.ts';
import type { TokenKey } from './keys.ts';

/** The claims of a verified token. */
export interface TokenFacts {
  readonly clientId: string;
  readonly subject: string;
  readonly hasScope: boolean;
  /** Empty when the claim is missing or is not a list of strings. */
  readonly activityCodes: readonly string[];
  /** Milliseconds since 1970 from which the token is refused. */
  readonly validUntil: number;
}

/** The claims of a verified token that this service issued. */
export interface OwnTokenFacts extends TokenFacts {
  /** Hash of its `jti`. */
  readonly tokenHash: string;
  /** The grant that it was issued under. */
  readonly grantId: string;
  /** Name of the session with which a token for the platform interface ends. */
  readonly sessionUid: string | null;
  /** How the person signed in (RFC 8176), if a token for the platform interface says so. */
  readonly amr: readonly string[];
}

/** A token that must not be trusted, with a sentence that says why without repeating anything from the token. */
export class TokenRefused extends Error {}

/** Tolerated difference between the clocks of machines, in seconds. */
export const clockToleranceSeconds = 5;

/** Runs a signature check when its turn comes, because anybody can send tokens with invalid signatures. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

interface TokenCheckOptions {
  /** The public key with this id, or null. Its exceptions pass through the check unchanged. */
  readonly findKey: (kid: string) => Promise<TokenKey | null>;
  readonly issuer: string;
  /** Any one of them is sufficient. */
  readonly audience: readonly string[];
  readonly scope: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Makes the check of tokens signed with the service's own keys. A signature is checked only if the token names one of
 * them.
 * @returns a function that throws TokenRefused
 */
export function createTokenCheck({
  findKey,
  issuer,
  audience,
  scope,
  now,
}: TokenCheckOptions): (token: string, inTurn: InTurn) => Promise<OwnTokenFacts> {
  return async (token, inTurn) => {
    const { alg, kid } = headerOf(token, algorithms);
    const known = typeof kid === 'string' ? await findKey(kid) : null;
    if (!known || known.alg !== alg) throw new TokenRefused('The token is not signed by a key of this service');
    try {
      const { payload } = await inTurn(() =>
        jwtVerify(token, known.key, {
          algorithms: [...algorithms],
          issuer,
          audience: [...audience],
          typ: 'at+jwt',
          requiredClaims: ['exp', 'iat', 'sub', 'client_id', 'jti', 'grant_id'],
          clockTolerance: clockToleranceSeconds,
          // Besides its own purpose, this refuses tokens from the future, which jose does not do by default.
          maxTokenAge: '24h',
          currentDate: new Date(now()),
        }),
      );
      return factsOf(payload, scope);
    } catch (error) {
      if (error instanceof errors.JOSEError) throw new TokenRefused(reasonOf(error), { cause: error });
      throw error;
    }
  };
}

const algorithms = ['ES256', 'RS256'] as const;

/**
 * The unverified header of a token.
 * @throws TokenRefused when it cannot be read, or names an algorithm that is not accepted
 */
export function headerOf(token: string, accepted: readonly string[]): ProtectedHeaderParameters {
  let header: ProtectedHeaderParameters;
  try {
    header = decodeProtectedHeader(token);
  } catch {
    throw new TokenRefused('The token cannot be read');
  }
  if (header.alg === undefined || !accepted.includes(header.alg))
    throw new TokenRefused('The token is signed in a way that is not accepted');
  return header;
}

function factsOf(payload: JWTPayload, wantedScope: string): OwnTokenFacts {
  const {
    sub,
    client_id: clientId,
    grant_id: grantId,
    jti,
    exp,
    scope,
    activityCodes,
    session_uid: uid,
    amr,
  } = payload;
  if (
    typeof sub !== 'string' ||
    typeof clientId !== 'string' ||
    typeof jti !== 'string' ||
    typeof grantId !== 'string' ||
    exp === undefined
  ) {
    throw new TokenRefused('The token lacks a claim that every access token has');
  }
  return {
    clientId,
    subject: sub,
    tokenHash: idHash(jti),
    grantId,
    sessionUid: typeof uid === 'string' ? uid : null,
    amr: isTextList(amr) ? amr : [],
    hasScope: typeof scope === 'string' && scope.split(' ').includes(wantedScope),
    activityCodes: isTextList(activityCodes) ? activityCodes : [],
    validUntil: (exp + clockToleranceSeconds) * 1000,
  };
}

const reasonByClaim: Readonly<Record<string, string>> = {
  iss: 'The token comes from another issuer',
  aud: 'The token is meant for another service',
  typ: 'The token is not an access token',
  nbf: 'The token is not valid yet',
  iat: 'The token has a wrong time of issue',
};

/** The sentence for a token that `jose` refuses. */
export function reasonOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return error.claim === 'exp' ? 'The token expired' : 'The token is too old';
  if (error instanceof errors.JWTClaimValidationFailed)
    return reasonByClaim[error.claim] ?? 'The token lacks a claim that every access token has';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'The signature of the token is wrong';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'The token is signed in a way that is not accepted';
  return 'The token cannot be read';
}
