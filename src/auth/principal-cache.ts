// What one process knows of grants, clients, users and activities: read from storage, cached for half a minute.
import { createGrowingCache } from '../model/growing-cache.ts';
import type { Store } from '../store/store.ts';
import { validGrant, type ValidGrant } from './grants.ts';

export interface ClientAccess {
  readonly activityCodes: readonly string[];
  readonly readOnly: boolean;
  /** It may act for itself. */
  readonly service: boolean;
}
export interface UserAccess {
  readonly activityCodes: readonly string[];
}

/** Cached values of one kind, by id. Null: disabled or removed. */
export interface RecentValues<T> {
  /** A recently read value, synchronously; undefined when it has to be read. The same object until it is read again. */
  peek(id: string): T | null | undefined;
  /** A recently read value, or one that is read now. Throws when storage is unavailable. */
  get(id: string): Promise<T | null>;
  /** Makes the next call read an id again, because it has just changed. */
  forget(id: string): void;
}

export interface PrincipalCache {
  readonly clients: RecentValues<ClientAccess>;
  readonly users: RecentValues<UserAccess>;
  /** Valid grants, by id. */
  readonly grants: RecentValues<ValidGrant>;
  /** Codes of all activities, under the id `*`. */
  readonly activities: RecentValues<readonly string[]>;
}

/** Half of the minute within which disabling must work (decision D30). */
const believedForMs = 30_000;
const maxKept = 10_000;

/** @param now milliseconds since 1970 */
export function createPrincipalCache(
  store: Pick<Store, 'activities' | 'clients' | 'oidcPayloads' | 'users'>,
  now: () => number,
): PrincipalCache {
  return {
    clients: createRecentValues(now, async (id) => {
      const client = await store.clients.active(id);
      return client && { activityCodes: client.activityCodes, readOnly: client.readOnly, service: client.service };
    }),
    users: createRecentValues(now, async (id) => {
      const user = await store.users.active(id);
      return user && { activityCodes: user.activityCodes };
    }),
    grants: createRecentValues(now, (id) => validGrant(store, id, now())),
    activities: createActivityCache(store, now),
  };
}

/** One process's cache of the activities: the codes of all of them, under the id `*`. */
function createActivityCache(
  { activities }: Pick<Store, 'activities'>,
  now: () => number,
): RecentValues<readonly string[]> {
  return createRecentValues(now, async () => (await activities.list()).map(({ code }) => code));
}

interface Kept<T> {
  readonly since: number;
  readonly reading: Promise<T | null>;
  value: T | null | undefined;
}

/**
 * Caches values from the moment at which their reading began; a failed reading is not cached, simultaneous ones are
 * shared.
 */
export function createRecentValues<T>(now: () => number, read: (id: string) => Promise<T | null>): RecentValues<T> {
  const kept = createGrowingCache<string, Kept<T>>(maxKept);
  // Kept separately, so that made-up ids cannot evict existing ones.
  const absent = createGrowingCache<string, Kept<T>>(maxKept);
  const recent = (id: string): Kept<T> | undefined => {
    const known = kept.get(id) ?? absent.get(id);
    if (!known) return undefined;
    const ageMs = now() - known.since;
    // A negative age means that the clock was set back: the age of the value is unknown.
    return ageMs >= 0 && ageMs < believedForMs ? known : undefined;
  };
  const forget = (id: string): void => {
    kept.delete(id);
    absent.delete(id);
  };
  return {
    peek: (id) => recent(id)?.value,
    get(id) {
      const known = recent(id);
      if (known) return known.reading;
      const entry: Kept<T> = { since: now(), reading: read(id), value: undefined };
      const isLatest = (): boolean => kept.peek(id) === entry;
      entry.reading.then(
        (value) => {
          entry.value = value;
          if (value !== null || !isLatest()) return;
          kept.delete(id);
          absent.set(id, entry);
        },
        () => {
          if (isLatest()) kept.delete(id);
        },
      );
      forget(id);
      kept.set(id, entry);
      return entry.reading;
    },
    forget,
  };
}
