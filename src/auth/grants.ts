// The grants that access tokens are issued under: a token is valid only while its grant is.
import { createHash, randomBytes } from 'node:crypto';
import type { Store } from '../store/store.ts';
import type { OwnTokenFacts } from './access-token.ts';

/** The stored form of an id that browsers, clients or tokens hold. */
export function idHash(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}

/** A valid grant. */
export interface ValidGrant {
  /** Hashes of the ids of revoked access tokens under it. */
  readonly revokedTokens: ReadonlySet<string>;
}

/**
 * The grant, as long as it is valid. It ends when a code or a refresh token under it is used again (decision D31), when
 * its refresh token is revoked, when its user withdraws it, when its client or its user is disabled or removed, and
 * when the operator gives the user another password. It never becomes valid again.
 * @param now milliseconds since 1970
 */
export async function validGrant(
  { oidcPayloads }: Pick<Store, 'oidcPayloads'>,
  grantId: string,
  now: number,
): Promise<ValidGrant | null> {
  const grant = { model: 'Grant', idHash: idHash(grantId) };
  const revoked = await oidcPayloads.withNamed(grant, { model: revokedTokenModel, uid: grantId }, now);
  return revoked === null ? null : { revokedTokens: new Set(revoked) };
}

/**
 * Revokes one access token; its grant, and everything else issued under it, remain valid (RFC 7009, 2.1). Repeating
 * this changes nothing.
 */
export async function revokeToken(
  { oidcPayloads }: Pick<Store, 'oidcPayloads'>,
  { tokenHash, grantId, clientId, subject, validUntil }: OwnTokenFacts,
): Promise<void> {
  await oidcPayloads.put({
    model: revokedTokenModel,
    idHash: tokenHash,
    payload: '{}',
    grantId,
    uid: grantId,
    accountId: subject === clientId ? null : subject,
    clientId,
    // Machines whose clocks are behind accept the token for longer.
    expiresAt: validUntil + revocationMarginMs,
  });
}

/** Model name of the rows that record revoked access tokens. */
const revokedTokenModel = 'RevokedAccessToken';
const revocationMarginMs = 3_600_000;

interface NewGrant {
  readonly clientId: string;
  /** Id of the user; null when a client acts for itself. */
  readonly accountId: string | null;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/**
 * Creates a grant for one token issued without a sign-in; it ends like any other.
 * @returns its id, for the claim `grant_id`
 */
export async function openGrant(
  { oidcPayloads }: Pick<Store, 'oidcPayloads'>,
  { clientId, accountId, expiresAt }: NewGrant,
): Promise<string> {
  const id = randomBytes(24).toString('base64url');
  await oidcPayloads.put({
    model: 'Grant',
    idHash: idHash(id),
    payload: JSON.stringify({ ...(accountId !== null && { accountId }), clientId }),
    grantId: null,
    uid: null,
    accountId,
    clientId,
    expiresAt,
  });
  return id;
}
