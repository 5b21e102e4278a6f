// The grants that access tokens are made under: a token stands as long as its grant does, whatever ends that.
import { createHash, randomBytes } from 'node:crypto';
import type { Store } from '../store/store.ts';

/** What is stored of an id that browsers, clients or tokens hold. */
export function idHash(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}

/**
 * Whether a grant stands: it ends when a code or a refresh token under it is used again (decision D31), when its refresh
 * token is revoked, when its client or its user is disabled or removed, and when the user gets another password. It never
 * comes back.
 * @param now milliseconds since 1970
 */
export function grantStands(
  { oidcPayloads }: Pick<Store, 'oidcPayloads'>,
  grantId: string,
  now: number,
): Promise<boolean> {
  return oidcPayloads.has({ model: 'Grant', idHash: idHash(grantId) }, now);
}

export interface NewGrant {
  readonly clientId: string;
  /** Id of the user; null where a client acts for itself. */
  readonly accountId: string | null;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/**
 * Makes a grant for one token that nobody signed in for; it ends as all others do.
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
