// Invitations: a link, good once and for three days, at which somebody gives themselves a password.
import { randomBytes } from 'node:crypto';
import { formatInstant } from '../model/instant.ts';
import { OperatorError } from '../model/operator-error.ts';
import type { NewAuditEntry } from '../store/audit-contract.ts';
import type { Store } from '../store/store.ts';
import { idHash } from './grants.ts';
import { paths } from './oidc-configuration.ts';
import { signsInElsewhere, type User } from './users.ts';

export interface Invited {
  /** Exists nowhere else: show it once. */
  readonly address: string;
  /** Until when it is good. */
  readonly expiresAt: string;
}

const goodForMs = 3 * 86_400_000;

/**
 * Invites a user; an invitation of before counts no longer. The password that the user has stays until then.
 * @param invitation.authUrl null: people sign in elsewhere
 * @param invitation.now milliseconds since 1970
 * @throws OperatorError where the user is disabled, or people sign in elsewhere
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
