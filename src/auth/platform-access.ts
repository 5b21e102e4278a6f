// Authentication at the platform interface: turns an Authorization header into the principal of a key or an operator,
// or into a refusal.
import type { Authenticate } from '../http/request-pipeline.ts';
import type { Principal } from '../http/route.ts';
import { Problem } from '../model/problem.ts';
import type { Store } from '../store/store.ts';
import { bearerToken, type Challenges } from './bearer.ts';
import { createAddressQueue, originOf } from './address-queue.ts';
import { createOperatorAccess, type OperatorAccessOptions } from './operator-access.ts';
import {
  findActivePlatformKey,
  looksLikePlatformKey,
  parsePlatformKey,
  type PlatformKey,
  platformSecretMatches,
} from './platform-keys.ts';
import { createSharedRead } from './shared-read.ts';
import { createRecentValues } from './principal-cache.ts';

interface PlatformAccessOptions {
  readonly store: Pick<Store, 'activities' | 'platformKeys'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /**
   * Called when storage could not be reached, or the use of a key could not be recorded; clients are told only about
   * the former.
   */
  readonly onStorageError: (error: unknown) => void;
  /** Null or absent: operators' tokens are not accepted. */
  readonly operators?: Omit<OperatorAccessOptions, 'now'> | null;
}

interface PlatformAccess extends Authenticate {
  /** What the key or token of a principal opens by now; throws as for a new request, but not because it has expired. */
  readonly again: (principal: Principal) => Promise<Principal>;
}

/**
 * Keys that are looked up at a time, so that made-up ids use few connections of storage. The queue is longer than what
 * MAX_CONNECTIONS connections can send: a bad key must get 401 and not 503.
 */
const lookUps = { maxRunning: 2, maxWaiting: 100_000, maxPerNetwork: 100_000, maxPerAddress: 100_000 } as const;
/** The shortest interval at which the use of a key is recorded. */
const notedEveryMs = 60_000;

/**
 * Makes the check of one process. What an operator's token depends on is read each time, and so is a key when its
 * secret is right: a revoked one stops everywhere with the next request. A wrong secret is refused by what was read of
 * the key within half a minute, so that guessing secrets causes no work in storage.
 * @returns a function that throws Problem missing-token, invalid-token, insufficient-scope, role-missing or unavailable
 */
export function createPlatformAccess(options: PlatformAccessOptions): PlatformAccess {
  const { store, now, onStorageError } = options;
  const keys = createRecentValues(now, (id) => findActivePlatformKey(store, id));
  const currentKey = createSharedRead((id) => findActivePlatformKey(store, id));
  const currentActivities = createSharedRead(() => store.activities.list());
  const queue = createAddressQueue(lookUps);
  const note = createNotes(store, now, onStorageError);
  const stored = async <T>(reading: Promise<T>): Promise<T> => {
    try {
      return await reading;
    } catch (error) {
      onStorageError(error);
      throw new Problem(
        'unavailable',
        'The platform key or token cannot be checked at the moment. Try again in a few seconds.',
        {},
        { 'Retry-After': '5' },
      );
    }
  };
  const lookUp = async (id: string, address: string): Promise<Awaited<ReturnType<typeof keys.get>>> => {
    const found = await queue.run(originOf(address), () => stored(keys.get(id)));
    if (found === 'full')
      throw new Problem(
        'unavailable',
        'Too many platform keys are being checked at the moment. Try again in a second.',
        {},
        { 'Retry-After': '1' },
      );
    return found;
  };
  /** Read each time: a key that opens every activity opens one as soon as it is added. */
  const everyActivity = async (): Promise<readonly string[]> =>
    (await stored(currentActivities('*'))).map(({ code }) => code);
  const operators =
    options.operators == null ? null : createOperatorAccess({ ...options.operators, now }, (work) => stored(work));
  /** How the principals of this process are found again. */
  const origins = new WeakMap<Principal, () => Promise<Principal>>();
  const found = async (find: () => Promise<Principal>): Promise<Principal> => {
    const principal = await find();
    origins.set(principal, find);
    return principal;
  };
  const principalOfKey = async (id: string): Promise<Principal> => {
    const active = await stored(currentKey(id));
    if (active === null) throw noSuchKey();
    const opened = active.key.activityCodes ?? (await everyActivity());
    note(active.key);
    return principalOf(active.key, opened);
  };
  const access: Authenticate = async (authorization, { address }) => {
    const token = bearerToken(authorization, challenges);
    if (operators !== null && looksLikeJwt(token)) {
      const facts = await operators.verify(authorization, address);
      return found(async () => operators.operatorOf(facts, await everyActivity()));
    }
    const { id, secret } = keyIn(token);
    const recent = keys.peek(id);
    const known = recent === undefined ? await lookUp(id, address) : recent;
    if (!known || !platformSecretMatches(secret, known.secretHash)) throw noSuchKey();
    return found(() => principalOfKey(id));
  };
  return Object.assign(access, {
    again: (principal: Principal): Promise<Principal> => {
      const find = origins.get(principal);
      if (find === undefined) throw new Error('the principal was not found here');
      return found(find);
    },
  });
}

const challenges: Pick<Challenges, 'missing' | 'invalid'> = {
  missing: () =>
    new Problem(
      'missing-token',
      'Send a platform key: `Authorization: Bearer lck_…`. The operator makes one with `key add`.',
      {},
      challenge(),
    ),
  invalid: (description) => new Problem('invalid-token', `${description}.`, {}, challenge(description)),
};

/** One message for an unknown id, a wrong secret and a revoked key: guessing does not reveal which ids exist. */
function noSuchKey(): Problem {
  return challenges.invalid('There is no such platform key, or it was revoked');
}

/** @param description sentence in printable ASCII without quotes or backslashes */
function challenge(description?: string): Readonly<Record<string, string>> {
  const error = description === undefined ? '' : `, error="invalid_token", error_description="${description}"`;
  return { 'WWW-Authenticate': `Bearer realm="platform"${error}` };
}

function keyIn(token: string): { readonly id: string; readonly secret: string } {
  const parts = parsePlatformKey(token);
  if (parts !== null) return parts;
  if (looksLikePlatformKey(token)) throw challenges.invalid('The platform key is damaged: copy it as a whole');
  if (looksLikeJwt(token))
    throw challenges.invalid('This looks like an access token: the platform interface takes platform keys here');
  throw challenges.invalid('The platform interface takes platform keys, which begin with lck_');
}

function looksLikeJwt(token: string): boolean {
  return /^[^.]+(\.[^.]+){2}$/.test(token);
}

function principalOf({ id, name, activityCodes, roles }: PlatformKey, opened: readonly string[]): Principal {
  return {
    kind: 'platform-key',
    clientId: id,
    subject: name,
    activityCodes: opened.toSorted(),
    readOnly: false,
    roles,
    ...(activityCodes === null && { everything: true }),
  };
}

/** Records the use of keys in the background; a record that fails is written at the next use. */
function createNotes(
  { platformKeys }: Pick<Store, 'platformKeys'>,
  now: () => number,
  failed: (error: unknown) => void,
): (key: PlatformKey) => void {
  /** Keyed by ids of genuine keys, so there are never more entries than keys. */
  const noted = new Map<string, number>();
  return ({ id, lastUsedAt }) => {
    const at = now();
    const last = noted.get(id) ?? lastUsedAt ?? Number.NEGATIVE_INFINITY;
    if (at >= last && at - last < notedEveryMs) return;
    noted.set(id, at);
    platformKeys.noteUse(id, at, at - notedEveryMs).catch((error: unknown) => {
      noted.delete(id);
      failed(error);
    });
  };
}
