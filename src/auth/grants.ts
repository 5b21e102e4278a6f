// The grants that access tokens are made under: a token stands as long as its grant does, whatever ends that.
import { createHash, randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Tables } from '../store/tables.ts';

/** What is stored of an id that browsers, clients or tokens hold. */
export function idHash(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}

/**
 * Whether a grant stands: it ends when a code or a refresh token under it is used twice, when its refresh token is
 * revoked, when its client or its user is disabled or removed, and when the user gets another password. It never
 * comes back.
 * @param now milliseconds since 1970
 */
export async function grantStands(db: Kysely<Tables>, grantId: string, now: number): Promise<boolean> {
  const row = await db
    .selectFrom('oidc_payload')
    .select('model')
    .where('model', '=', 'Grant')
    .where('id_hash', '=', idHash(grantId))
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row !== undefined;
}

export interface NewGrant {
  readonly clientId: string;
  /** Id of the user. */
  readonly accountId: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/**
 * Makes a grant for one token that nobody signed in for; it ends as all others do.
 * @returns its id, for the claim `grant_id`
 */
export async function openGrant(db: Kysely<Tables>, { clientId, accountId, expiresAt }: NewGrant): Promise<string> {
  const id = randomBytes(24).toString('base64url');
  await db
    .insertInto('oidc_payload')
    .values({
      model: 'Grant',
      id_hash: idHash(id),
      payload: JSON.stringify({ accountId, clientId }),
      grant_id: null,
      uid: null,
      account_id: accountId,
      client_id: clientId,
      consumed_at: null,
      expires_at: expiresAt,
    })
    .execute();
  return id;
}
