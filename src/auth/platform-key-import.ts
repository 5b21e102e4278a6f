// Imports an operator's list of platform keys: the faults of the list, and which keys it adds and revokes. Nothing else
// about a key can be changed.
import type { NewAuditEntry } from '../store/audit-contract.ts';
import type { StoredPlatformKey } from '../store/platform-keys.ts';
import type { Store } from '../store/store.ts';
import { madePlatformKey, platformKeyFaults, standardRoles } from './platform-keys.ts';
import { canonicalName } from './registered-name.ts';
import { refuseFaults } from './user-import.ts';

/** One key of a list. Null: not given, so a key stays as it is, and a new one gets its default. */
export interface ListedKey {
  /** Line number, for errors. */
  readonly line: number;
  /** Null: the valid key with that name, or a new one. */
  readonly id: string | null;
  readonly name: string;
  readonly activityCodes: readonly string[] | 'every' | null;
  readonly roles: readonly string[] | null;
  readonly revoked: boolean | null;
}

export interface KeyPlan {
  readonly added: readonly ReturnType<typeof madePlatformKey>[];
  readonly revoked: readonly StoredPlatformKey[];
  readonly unchanged: number;
}

/**
 * Determines what a list changes. Keys that are not on it stay as they are.
 * @param now milliseconds since 1970
 * @throws OperatorError that reports the faults by line
 */
export async function planKeys(
  store: Pick<Store, 'activities' | 'platformKeys'>,
  listed: readonly ListedKey[],
  now: number,
): Promise<KeyPlan> {
  const known = await store.platformKeys.list();
  const activities = new Set((await store.activities.list()).map(({ code }) => code));
  const lineOf = new Map<string, number>();
  const faults: string[] = [];
  const added: KeyPlan['added'][number][] = [];
  const revoked: StoredPlatformKey[] = [];
  for (const wanted of listed) {
    const { before, fault } = meant(wanted, known);
    const key = before === null ? `name ${canonicalName(wanted.name)}` : `id ${before.id}`;
    const first = lineOf.get(key);
    const found = [
      ...(fault === null ? [] : [fault]),
      ...(first === undefined ? [] : [`The key "${wanted.name}" is on line ${first} already.`]),
      ...(fault !== null ? [] : before === null ? newFaults(wanted, activities) : changeFaults(wanted, before)),
    ];
    lineOf.set(key, first ?? wanted.line);
    if (found.length > 0) faults.push(`Line ${wanted.line}: ${found.join(' ')}`);
    else if (before === null) added.push(madePlatformKey(newKeyOf(wanted), now));
    else if (wanted.revoked === true && before.revokedAt === null) revoked.push(before);
  }
  refuseFaults(faults);
  return { added, revoked, unchanged: listed.length - added.length - revoked.length };
}

/**
 * Carries out a plan, all or nothing.
 * @param now milliseconds since 1970
 * @param entries of the audit trail
 */
export async function carryOutKeyPlan(
  { platformKeys }: Pick<Store, 'platformKeys'>,
  { added, revoked }: KeyPlan,
  now: number,
  entries: readonly NewAuditEntry[],
): Promise<void> {
  if (added.length + revoked.length === 0) return;
  await platformKeys.edit(
    { added: added.map(({ stored }) => stored), revoked: revoked.map(({ id }) => id) },
    now,
    entries,
  );
}

/** The key that a line refers to; null: a new one, unless there is a fault. */
function meant(
  { id, name }: ListedKey,
  known: readonly StoredPlatformKey[],
): { readonly before: StoredPlatformKey | null; readonly fault: string | null } {
  if (id !== null) {
    const before = known.find((key) => key.id === id) ?? null;
    return { before, fault: before === null ? `There is no key "${id}".` : null };
  }
  // A revoked key opens nothing, so its name is free for a new one.
  const valid = known.filter((key) => key.revokedAt === null && key.name === canonicalName(name));
  const [before = null, ...others] = valid;
  if (others.length === 0) return { before, fault: null };
  return { before: null, fault: `There are ${valid.length} keys "${name}": say the id.` };
}

function newKeyOf({ name, activityCodes, roles }: ListedKey) {
  return {
    name,
    activityCodes: activityCodes === 'every' ? null : (activityCodes ?? []),
    roles: roles ?? standardRoles,
  };
}

function newFaults(wanted: ListedKey, activities: ReadonlySet<string>): readonly string[] {
  const codes = wanted.activityCodes === 'every' ? [] : (wanted.activityCodes ?? []);
  return [
    ...platformKeyFaults(newKeyOf(wanted)),
    ...codes.filter((code) => !activities.has(code)).map((code) => `There is no activity "${code}".`),
    ...(wanted.revoked === true ? ['There is no such key to revoke.'] : []),
  ];
}

function changeFaults({ name, activityCodes, roles, revoked }: ListedKey, before: StoredPlatformKey) {
  const isSameName = canonicalName(name) === before.name;
  const isSameOpening =
    activityCodes === null ||
    (activityCodes === 'every' || before.activityCodes === null
      ? activityCodes === 'every' && before.activityCodes === null
      : isSameSet(activityCodes, before.activityCodes));
  const isSame = isSameName && isSameOpening && (roles === null || isSameSet(roles, before.roles));
  return [
    ...(isSame
      ? []
      : [`What the key "${before.name}" opens cannot be changed: make another one, and revoke this one.`]),
    ...(revoked === false && before.revokedAt !== null ? ['A revoked key stays revoked: make another one.'] : []),
  ];
}

function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  return new Set(some).symmetricDifference(new Set(others)).size === 0;
}
