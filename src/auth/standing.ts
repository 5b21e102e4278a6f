// Whether a grant stands, whether a client and a user may still act, and which activities there are: believed for half
// a minute.
import type { Kysely } from 'kysely';
import type { Tables } from '../store/tables.ts';
import { textList } from './granted.ts';
import { grantStands } from './grants.ts';

export interface ClientStanding {
  readonly activityCodes: readonly string[];
  readonly readOnly: boolean;
}
export interface UserStanding {
  readonly activityCodes: readonly string[];
}

/** What is known of one kind of party, by id. Null: disabled or gone. */
export interface Register<T> {
  /** What was read a moment ago, at once; undefined when it has to be read. The same object until it is read anew. */
  recall(id: string): T | null | undefined;
  /** Throws when storage is away. */
  read(id: string): Promise<T | null>;
  /** What was known of an id is read anew, because it has just changed. */
  forget(id: string): void;
}

export interface Standing {
  readonly clients: Register<ClientStanding>;
  readonly users: Register<UserStanding>;
  /** Grants that stand, by their ids. */
  readonly grants: Register<true>;
  /** Codes of all activities, under the id `*`. */
  readonly activities: Register<readonly string[]>;
}

/** Half of the minute within which disabling must work (decision D30), milliseconds. */
const believedFor = 30_000;
const maxKept = 10_000;

/** @param now milliseconds since 1970 */
export function createStanding(db: Kysely<Tables>, now: () => number): Standing {
  return {
    clients: createRegister(now, async (id) => {
      const row = await db
        .selectFrom('oauth_client')
        .select(['activity_codes', 'read_only'])
        .where('id', '=', id)
        .where('disabled_at', 'is', null)
        .executeTakeFirst();
      return row ? { activityCodes: textList(row.activity_codes), readOnly: row.read_only === 1 } : null;
    }),
    users: createRegister(now, async (id) => {
      const row = await db
        .selectFrom('user_account')
        .select('activity_codes')
        .where('id', '=', id)
        .where('disabled_at', 'is', null)
        .executeTakeFirst();
      return row ? { activityCodes: textList(row.activity_codes) } : null;
    }),
    grants: createRegister(now, async (id) => ((await grantStands(db, id, now())) ? true : null)),
    activities: createRegister(now, async () =>
      (await db.selectFrom('activity').select('code').execute()).map((row) => row.code),
    ),
  };
}

/** Each kind has its own place, so that nobody who makes ids up drives out those that there are. */
interface Kept<T> {
  readonly since: number;
  readonly reading: Promise<T | null>;
  answer: T | null | undefined;
}

/**
 * Keeps answers from the moment at which their reading began; a failed reading is not kept, simultaneous ones are one.
 */
export function createRegister<T>(now: () => number, read: (id: string) => Promise<T | null>): Register<T> {
  const kept = new Map<string, Kept<T>>();
  const absent = new Map<string, Kept<T>>();
  const recent = (id: string): Kept<T> | undefined => {
    const known = kept.get(id) ?? absent.get(id);
    if (!known) return undefined;
    const age = now() - known.since;
    // A negative age means that the clock was set back: nobody can tell how old the answer is.
    return age >= 0 && age < believedFor ? known : undefined;
  };
  return {
    recall: (id) => recent(id)?.answer,
    read(id) {
      const known = recent(id);
      if (known) return known.reading;
      const entry: Kept<T> = { since: now(), reading: read(id), answer: undefined };
      const isLatest = (): boolean => kept.get(id) === entry;
      entry.reading.then(
        (answer) => {
          entry.answer = answer;
          if (answer !== null || !isLatest()) return;
          kept.delete(id);
          absent.set(id, entry);
          if (absent.size > maxKept) dropOldest(absent);
        },
        () => {
          if (isLatest()) kept.delete(id);
        },
      );
      absent.delete(id);
      kept.delete(id);
      kept.set(id, entry);
      if (kept.size > maxKept) dropOldest(kept);
      return entry.reading;
    },
    forget: (id) => {
      kept.delete(id);
      absent.delete(id);
    },
  };
}

/** Removes the entry that was put in first. */
export function dropOldest<K>(kept: Map<K, unknown>): void {
  for (const key of kept.keys()) {
    kept.delete(key);
    return;
  }
}
