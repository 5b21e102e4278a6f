// Maps people of an identity provider to users: one per subject, created and updated from their groups at each sign-in,
// and never the same as a user of this service.
import { createHash } from 'node:crypto';
import type { NewAuditEntry } from '../../store/audit-contract.ts';
import { noSecondFactor } from '../../store/second-factors.ts';
import type { Store } from '../../store/store.ts';
import type { StoredUser } from '../../store/users.ts';
import { newPassword } from '../new-password.ts';
import { hashPassword } from '../passwords.ts';
import { knownRoles } from '../platform-roles.ts';
import { type User, userOf } from '../users.ts';
import type { IdentityProvider } from './identity-providers.ts';
import type { FederatedIdentity } from './provider-client.ts';

type UserStorage = Pick<Store, 'activities' | 'sessions' | 'users'>;

/**
 * The local user of a person, with what their current groups grant. A person whose groups no longer grant anything is
 * signed out everywhere.
 * @param now milliseconds since 1970
 * @returns null: the user is disabled, or the groups grant nothing
 */
export async function federatedUser(
  store: UserStorage,
  identity: FederatedIdentity,
  { now, address }: { readonly now: number; readonly address: string },
): Promise<User | null> {
  const id = federatedId(identity.provider.issuer, identity.subject);
  const access = await accessOf(store, identity);
  const opensNothing = access.activityCodes.length === 0 && access.operatorRoles.length === 0;
  const before = await store.users.byId(id);
  if (before === null) return opensNothing ? null : added(store, identity, { id, access, now, address });
  if (before.disabledAt !== null) return null;
  const changes = differences(before, access);
  const after =
    Object.keys(changes).length === 0
      ? before
      : await store.users.change(
          before.login,
          () => changes,
          (made) => entryOf(made.after, 'user.change', address, { provider: identity.provider.name, ...changes }),
        );
  if (after === null || after === 'login-taken') return null;
  if (!opensNothing) return userOf(after);
  const details = { provider: identity.provider.name };
  await store.sessions.endAll(id, now, entryOf(after, 'user.sign-out', address, details));
  return null;
}

interface Access {
  readonly activityCodes: readonly string[];
  readonly operator: boolean;
  readonly operatorRoles: readonly string[];
}

/** What groups grant: the union of what each of them grants, as far as it exists. */
async function accessOf({ activities }: UserStorage, { provider, groups }: FederatedIdentity): Promise<Access> {
  const own = groups.flatMap((name) => (Object.hasOwn(provider.groups, name) ? (provider.groups[name] ?? []) : []));
  const codes = [...new Set(own.flatMap((group) => group.activities))].sort();
  const known = codes.length === 0 ? [] : (await activities.named(codes)).map(({ code }) => code);
  const operatorRoles = knownRoles(own.flatMap(({ roles }) => roles));
  return { activityCodes: known, operator: operatorRoles.length > 0, operatorRoles };
}

/**
 * A UUIDv8 (RFC 9562, 5.8) of issuer and subject. The same person is always the same user, in all processes, and cannot
 * become one of this service's own users, whose ids are of version 7. So there are no accounts to link, by a name or an
 * address that somebody else could have claimed.
 */
export function federatedId(issuer: string, subject: string): string {
  const hex = createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex');
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join('-');
}

async function added(
  store: UserStorage,
  identity: FederatedIdentity,
  {
    id,
    access,
    now,
    address,
  }: { readonly id: string; readonly access: Access; readonly now: number; readonly address: string },
): Promise<User | null> {
  const user = {
    ...{ id, ...access, ...noSecondFactor, createdAt: now, disabledAt: null, signedOutAt: null },
    ...{ secondFactorRequired: false, identityProvider: identity.provider.name },
    passwordHash: await hashPassword(newPassword()),
  };
  const plain = loginOf(identity.provider, identity.loginName);
  for (const login of [plain, `${plain.slice(0, 90)}.${id.slice(0, 8)}`]) {
    const details = { operator: access.operator, provider: identity.provider.name, roles: access.operatorRoles };
    if (!(await store.users.add({ ...user, login }, (made) => entryOf(made, 'user.add', address, details)))) continue;
    const made = await store.users.byId(id);
    return made === null ? null : userOf(made);
  }
  // The person has signed in at the same moment in another window.
  const meanwhile = await store.users.byId(id);
  return meanwhile === null || meanwhile.disabledAt !== null ? null : userOf(meanwhile);
}

/** For display in lists: nobody signs in with it. */
function loginOf({ name }: IdentityProvider, loginName: string): string {
  const readable = loginName
    .toLowerCase()
    .replace(/[^a-z0-9._+@-]+/g, '-')
    .slice(0, 70)
    .replace(/[^a-z0-9]+$/, '');
  return `${name}.${readable || 'user'}`;
}

function differences(before: StoredUser, access: Access): Partial<Access> {
  return {
    ...(before.activityCodes.join() !== access.activityCodes.join() && { activityCodes: access.activityCodes }),
    ...(before.operator !== access.operator && { operator: access.operator }),
    ...(before.operatorRoles.join() !== access.operatorRoles.join() && { operatorRoles: access.operatorRoles }),
  };
}

function entryOf(
  { id, activityCodes }: Pick<StoredUser, 'id' | 'activityCodes'>,
  action: string,
  address: string,
  details: Readonly<Record<string, unknown>>,
): NewAuditEntry {
  return {
    ...{ actorKind: 'user', actor: id, subject: null, action, activityCodes, target: id, operationId: null },
    ...{ outcome: 'accepted', address, details },
  };
}
