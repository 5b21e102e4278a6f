// Forgetting what the authorization server remembers: when somebody is disabled, and what belongs to nobody.
import type { Kysely } from 'kysely';
import type { Tables } from '../store/tables.ts';

/** Ends all sessions, grants, codes and refresh tokens of a user or of a client. */
export async function forgetAll(
  db: Kysely<Tables>,
  whose: { readonly accountId: string } | { readonly clientId: string },
): Promise<void> {
  const [column, id] =
    'accountId' in whose ? (['account_id', whose.accountId] as const) : (['client_id', whose.clientId] as const);
  await db.deleteFrom('oidc_payload').where(column, '=', id).execute();
}

/** Ends one session by its second name; what programs got in it stays. */
export async function forgetSession(db: Kysely<Tables>, uid: string): Promise<void> {
  await db.deleteFrom('oidc_payload').where('model', '=', 'Session').where('uid', '=', uid).execute();
}

/** Forgets what belongs to nobody of one kind, but for the newest. */
export async function forgetOldest(db: Kysely<Tables>, model: string, keep: number): Promise<void> {
  await db
    .deleteFrom('oidc_payload')
    .where('model', '=', model)
    .where('account_id', 'is', null)
    .where('expires_at', '<=', (rows) =>
      rows
        .selectFrom('oidc_payload')
        .select('expires_at')
        .where('model', '=', model)
        .where('account_id', 'is', null)
        .orderBy('expires_at', 'desc')
        .offset(keep)
        .limit(1),
    )
    .execute();
}
