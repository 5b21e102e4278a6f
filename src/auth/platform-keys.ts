// Keys of the programs on the warehouse side: created, shown and revoked by the operator, recognised by their format,
// stored as hashes.
import { hash, randomInt, randomBytes, timingSafeEqual } from 'node:crypto';
import { OperatorError } from '../model/operator-error.ts';
import type { EntryOf } from '../store/audit-contract.ts';
import type { StoredPlatformKey } from '../store/platform-keys.ts';
import type { Store } from '../store/store.ts';
import type { PageQuery } from '../store/key-pages.ts';
import { existingActivities } from './activity-access.ts';
import { knownRoles, type PlatformRole, roleFaults, wideRoles } from './platform-roles.ts';
import { canonicalName, nameFaults } from './registered-name.ts';

/** The default roles of a key: the least that a warehouse system needs. */
export const standardRoles: readonly PlatformRole[] = ['outbox'];

export interface PlatformKey {
  /** 12 lower-case letters and digits; not secret. */
  readonly id: string;
  readonly name: string;
  /** Sorted; null: every activity, including future ones. */
  readonly activityCodes: readonly string[] | null;
  /** In the order of `platformRoles`, never empty. */
  readonly roles: readonly PlatformRole[];
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Accurate to the minute; null: never. */
  readonly lastUsedAt: number | null;
  /** Null while it is valid. */
  readonly revokedAt: number | null;
}

export interface NewPlatformKey {
  readonly name: string;
  /** Null: every activity, including future ones. */
  readonly activityCodes: readonly string[] | null;
  /** Names of roles, as given. */
  readonly roles: readonly string[];
}

const prefix = 'lck_';
const whyNamed = 'A key needs a name: it says in lists and in the audit trail who used it.';
/** Crockford's alphabet: no letters that could be read as digits. */
const idAlphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const idLength = 12;
/** A format for scanners of leaked secrets: `lck_`, the id, 32 random bytes in base64url. */
const keyForm = /^lck_([0-9a-z]{12})_([A-Za-z0-9_-]{43})$/;

/**
 * Creates a key.
 * @param now milliseconds since 1970
 * @returns the key, and its text, which is stored nowhere else: show it once
 * @throws OperatorError that lists all faults
 */
export async function addPlatformKey(
  store: Pick<Store, 'activities' | 'platformKeys'>,
  wanted: NewPlatformKey,
  now: number,
  entryOf?: EntryOf<PlatformKey>,
): Promise<{ readonly key: PlatformKey; readonly text: string }> {
  const faults = platformKeyFaults(wanted);
  if (faults.length > 0) throw new OperatorError(faults.join(' '), 'Nothing was added.');
  const activityCodes = wanted.activityCodes === null ? null : await existingActivities(store, wanted.activityCodes);
  const { stored, text } = madePlatformKey({ ...wanted, activityCodes }, now);
  await store.platformKeys.add(stored, entryOf && ((added) => entryOf(platformKeyOf(added))));
  return { key: platformKeyOf(stored), text };
}

/**
 * Makes a key without storing it.
 * @param wanted without faults; its activities exist
 * @param now milliseconds since 1970
 * @returns what is to be stored, and the text, which is stored nowhere
 */
export function madePlatformKey(
  { name, activityCodes, roles }: NewPlatformKey,
  now: number,
): { readonly stored: StoredPlatformKey; readonly text: string } {
  const id = Array.from({ length: idLength }, () => idAlphabet.charAt(randomInt(idAlphabet.length))).join('');
  const secret = randomBytes(32).toString('base64url');
  const stored = {
    id,
    name: canonicalName(name),
    activityCodes: activityCodes === null ? null : [...new Set(activityCodes)].sort(),
    roles: knownRoles(roles),
    secretHash: platformSecretHash(secret),
    createdAt: now,
    lastUsedAt: null,
    revokedAt: null,
  };
  return { stored, text: `${prefix}${id}_${secret}` };
}

/** The faults of a new key, as sentences, as far as they can be found without the database. */
export function platformKeyFaults({ name, activityCodes, roles }: NewPlatformKey): readonly string[] {
  const faults = [...nameFaults(name, whyNamed)];
  if (activityCodes?.length === 0) faults.push('A key needs at least one activity.');
  if (roles.length === 0) faults.push('A key needs at least one role.');
  faults.push(...roleFaults(roles));
  const wide = wideRoles.filter((role) => roles.includes(role));
  if (activityCodes !== null && wide.length > 0)
    faults.push(`The role ${wide.join(' and the role ')} concerns the whole service: make a key for every activity.`);
  return faults;
}

/** All keys, including revoked ones, oldest first; never their secrets. */
export async function listPlatformKeys({ platformKeys }: KeyStorage): Promise<readonly PlatformKey[]> {
  return (await platformKeys.list()).map(platformKeyOf);
}

/** A page of keys, by id. */
export async function pageOfPlatformKeys(
  { platformKeys }: KeyStorage,
  query: PageQuery,
): Promise<readonly PlatformKey[]> {
  return (await platformKeys.page(query)).map(platformKeyOf);
}

/**
 * Revokes a key: from the next request on, no process accepts it. Repeating this changes nothing.
 * @returns the key as it is now
 * @throws OperatorError when there is no such key
 */
export async function revokePlatformKey(
  { platformKeys }: KeyStorage,
  id: string,
  now: number,
  entryOf?: EntryOf<PlatformKey>,
): Promise<PlatformKey> {
  const stored = await platformKeys.revoke(id, now, entryOf && ((revoked) => entryOf(platformKeyOf(revoked))));
  if (stored === null)
    throw new OperatorError(`There is no key "${id}".`, 'See `key list`; the id is the part between the underscores.');
  return platformKeyOf(stored);
}

/** A valid key, and what is stored of its secret. Null: revoked, or there is none. */
export async function findActivePlatformKey(
  { platformKeys }: KeyStorage,
  id: string,
): Promise<{ readonly key: PlatformKey; readonly secretHash: string } | null> {
  const stored = await platformKeys.active(id);
  return stored === null ? null : { key: platformKeyOf(stored), secretHash: stored.secretHash };
}

/** True for a text that claims to be a platform key, well formed or not. */
export function looksLikePlatformKey(text: string): boolean {
  return text.startsWith(prefix);
}

/** Splits a key; null when its format is wrong. */
export function parsePlatformKey(text: string): { readonly id: string; readonly secret: string } | null {
  const [, id, secret] = keyForm.exec(text) ?? [];
  return id === undefined || secret === undefined ? null : { id, secret };
}

/** Compares a secret with a stored hash, in constant time. */
export function platformSecretMatches(secret: string, secretHash: string): boolean {
  const [given, stored] = [Buffer.from(platformSecretHash(secret)), Buffer.from(secretHash)];
  return given.length === stored.length && timingSafeEqual(given, stored);
}

/**
 * What is stored of a secret. One round of SHA-256 is sufficient: 256 random bits that we generated cannot be guessed.
 */
function platformSecretHash(secret: string): string {
  return `sha256:${hash('sha256', secret, 'base64url')}`;
}

type KeyStorage = Pick<Store, 'platformKeys'>;

/** In the order in which the commands print the fields. */
function platformKeyOf({ id, name, activityCodes, createdAt, lastUsedAt, revokedAt, ...stored }: StoredPlatformKey) {
  const roles = knownRoles(stored.roles);
  return { id, name, activityCodes, roles, createdAt, lastUsedAt, revokedAt } satisfies PlatformKey;
}
