// Invitations: a link at which somebody sets a password, valid once and for three days.
import { randomBytes } from 'node:crypto';
import { formatInstant } from '../model/instant.ts';
import { OperatorError } from '../model/operator-error.ts';
import type { NewAuditEntry } from '../store/audit-contract.ts';
import type { Store } from '../store/store.ts';
import { idHash } from './grants.ts';
import { paths } from './oidc-configuration.ts';
import { signsInElsewhere, type User } from './users.ts';

export interface Invited {
  /** Stored nowhere else: show it once. */
  readonly address: string;
  /** Until when it is valid. */
  readonly expiresAt: string;
}

const goodForMs = 3 * 86_400_000;

/**
 * Invites a user; an earlier invitation becomes invalid. The user's password, if any, stays valid until the new one is
 * set.
 * @param invitation.authUrl null: people sign in elsewhere
 * @param invitation.now milliseconds since 1970
 * @throws OperatorError when the user is disabled, or people sign in elsewhere
 */
export async function invite(
  { invitations }: Pick<Store, 'invitations'>,
  invitation: {
    readonly user: User;
    readonly authUrl: string | null;
    readonly now: number;
    readonly audit: NewAuditEntry;
  },
): Promise<Invited> {
  const { user, authUrl, now, audit } = invitation;
  if (user.disabledAt !== null)
    throw new OperatorError(`The user "${user.login}" is disabled.`, 'Enable the user first.');
  if (user.identityProvider !== null) throw signsInElsewhere(user);
  if (authUrl === null)
    throw new OperatorError('People sign in at another issuer here.', 'See the setting BUILT_IN_ISSUER.');
  const token = randomBytes(32).toString('base64url');
  const expiresAt = now + goodForMs;
  await invitations.add({ idHash: idHash(token), userId: user.id, expiresAt }, audit);
  return { address: `${authUrl}${paths.invitation}?token=${token}`, expiresAt: formatInstant(expiresAt) };
}
