// Tokens of other authorization servers: who issued them, whether they can be trusted, and what they grant.
import { decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import {
  clockToleranceSeconds,
  headerOf,
  type InTurn,
  reasonOf,
  type TokenFacts,
  TokenRefused,
} from './access-token.ts';
import { isTextList } from './activity-access.ts';
import { createIssuerKeys, type IssuerKeys } from './issuer-keys.ts';
import { claimOf } from './claim-path.ts';
import type { ActivityMapping, TrustedIssuer } from './trusted-issuers.ts';

/** The claims of another issuer's token, with client and subject named so that they cannot be mistaken for ours. */
export interface ExternalFacts extends TokenFacts {
  /** The operator's table says `*`: all existing activities. */
  readonly everyActivity: boolean;
  readonly readOnly: boolean;
}

/**
 * Makes the check of tokens that the listed issuers signed.
 * @param now milliseconds since 1970
 * @returns a function that gives null for a token of any other issuer, and otherwise throws TokenRefused or IssuerAway
 */
export function createExternalCheck(
  issuers: readonly TrustedIssuer[],
  now: () => number,
): (token: string, inTurn: InTurn) => Promise<ExternalFacts> | null {
  const known = new Map(issuers.map((issuer) => [issuer.issuer, { issuer, keys: createIssuerKeys(issuer, now) }]));
  return (token, inTurn) => {
    const found = known.get(unverifiedIssuer(token));
    return found === undefined ? null : check(token, { ...found, now: now(), inTurn });
  };
}

/** Used only to choose the check, by exact comparison; '' when there is none. */
function unverifiedIssuer(token: string): string {
  try {
    const { iss } = decodeJwt(token);
    return typeof iss === 'string' ? iss : '';
  } catch {
    return '';
  }
}

interface Check {
  readonly issuer: TrustedIssuer;
  readonly keys: IssuerKeys;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly inTurn: InTurn;
}

async function check(token: string, { issuer, keys, now, inTurn }: Check): Promise<ExternalFacts> {
  const header = headerOf(token, issuer.algorithms);
  try {
    // Looked up before its turn comes: fetching an issuer's keys may take seconds.
    const key = await keys({ ...header, alg: String(header.alg) }, { payload: '', signature: '' });
    const { payload, protectedHeader } = await inTurn(() =>
      jwtVerify(token, key, {
        algorithms: [...issuer.algorithms],
        issuer: issuer.issuer,
        audience: [...issuer.audiences],
        ...(issuer.typ === 'at+jwt' ? { typ: 'at+jwt' } : {}),
        requiredClaims: ['exp', 'iat', issuer.subjectClaim],
        clockTolerance: clockToleranceSeconds,
        maxTokenAge: issuer.maxTokenAge,
        currentDate: new Date(now),
      }),
    );
    return factsOf(payload, protectedHeader.typ, issuer);
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
      throw new TokenRefused('The token is not signed by a key of its issuer', { cause: error });
    if (error instanceof errors.JOSEError) throw new TokenRefused(reasonOf(error), { cause: error });
    throw error;
  }
}

function factsOf(payload: JWTPayload, typ: string | undefined, issuer: TrustedIssuer): ExternalFacts {
  const clientId = issuer.clientClaims.map((name) => claimOf(payload, name)).find((value) => value !== undefined);
  const subject = claimOf(payload, issuer.subjectClaim);
  if (
    typeof clientId !== 'string' ||
    clientId === '' ||
    typeof subject !== 'string' ||
    subject === '' ||
    payload.exp === undefined
  ) {
    throw new TokenRefused('The token lacks a claim that every access token has');
  }
  refuseOthers(payload, typ, clientId, issuer);
  const { codes, every } = mapped(payload, issuer.activities, { client: clientId, subject });
  return {
    clientId: `${issuer.name}:${clientId}`,
    subject: `${issuer.name}:${subject}`,
    hasScope: issuer.scopeClaims.some((path) => wordsOf(claimOf(payload, path)).includes(issuer.requiredScope)),
    activityCodes: codes,
    everyActivity: every,
    readOnly: typeof issuer.readOnly === 'boolean' ? issuer.readOnly : issuer.readOnly.includes(clientId),
    validUntil: (payload.exp + clockToleranceSeconds) * 1000,
  };
}

/**
 * Refuses what the same issuer signs for other purposes, by the marks of ID tokens (OpenID Connect Core, 2 and
 * 3.3.2.11), Keycloak's own `typ` claim, and an audience that is the client itself. Also refuses tokens that are bound
 * to a key, because a bearer check cannot verify the binding (RFC 9449, RFC 8705).
 */
function refuseOthers(
  payload: JWTPayload,
  typ: string | undefined,
  clientId: string,
  { audiences }: TrustedIssuer,
): void {
  if (payload.cnf !== undefined)
    throw new TokenRefused('The token is bound to a key and cannot be used as a bearer token');
  const header = typ?.toLowerCase().replace(/^application\//, '');
  const named = payload.typ;
  const meant = [payload.aud ?? []].flat().filter((audience) => audiences.includes(audience));
  const marks = ['nonce', 'at_hash', 'c_hash', 's_hash'].some((name) => payload[name] !== undefined);
  if (
    (header !== 'jwt' && header !== 'at+jwt') ||
    marks ||
    (named !== undefined && named !== 'Bearer') ||
    meant.every((audience) => audience === clientId)
  ) {
    throw new TokenRefused('The token is not an access token');
  }
}

function mapped(
  payload: JWTPayload,
  mapping: ActivityMapping,
  names: { readonly client: string; readonly subject: string },
): { readonly codes: readonly string[]; readonly every: boolean } {
  if ('table' in mapping) {
    const name = names[mapping.by];
    const codes = Object.hasOwn(mapping.table, name) ? (mapping.table[name] ?? []) : [];
    return { codes: codes.filter((code) => code !== '*'), every: codes.includes('*') };
  }
  const { claim, prefix = '' } = mapping;
  const value = claimOf(payload, claim);
  const given = typeof value === 'string' ? [value] : isTextList(value) ? value : [];
  const codes = given.filter((text) => text.startsWith(prefix)).map((text) => text.slice(prefix.length));
  return { codes: codes.filter((code) => /^[A-Z0-9]{1,3}$/.test(code)), every: false };
}

/**
 * The words of a scope: one string separated by blanks (RFC 8693, 4.2), or a list, as Duende and Entra's roles have it.
 */
function wordsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.split(' ');
  return isTextList(value) ? value : [];
}
