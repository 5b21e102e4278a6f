// Reads lists from replicas of a PostgreSQL server: from one that has everything the primary has of a list, otherwise
// from the primary (decision 59).
import { compositeKey } from '../model/composite-key.ts';
import type { Resource } from '../model/resource.ts';
import type { Engine } from './engine.ts';
import { isOfServer } from './postgres-faults.ts';
import { createRevisions, type Revisions } from './revisions.ts';
import { rowsAs, sql } from './statement.ts';
import type { Revision } from './store.ts';
import { bodyFormTable } from './tables/activities.ts';

/** The state of a replica. */
export interface ReplicaState {
  /** Host and port, without the login. */
  readonly server: string;
  /** Lists are read from it. */
  readonly isUsed: boolean;
  /** Why it is not used; null: it is used. */
  readonly reason: string | null;
  /**
   * Age of the last write that it has applied, in seconds; 0 if it is connected to the primary and has applied
   * everything received; null: unknown.
   */
  readonly lagSeconds: number | null;
  /** Pages read from it. */
  readonly pages: number;
}

export interface Replicas {
  /**
   * Reads a page from a server that has everything up to the revision.
   * @param read is called with a replica and, if that fails or there is none, with null: the primary
   */
  readonly read: <T>(
    resource: Resource,
    revision: Revision,
    read: (replica: Engine | null) => Promise<T>,
  ) => Promise<T>;
  readonly states: () => readonly ReplicaState[];
  /** Pages read from the primary, because no replica was available or had come far enough. */
  readonly pagesOfPrimary: () => number;
  readonly close: () => Promise<void>;
}

/** A configured replica. */
export interface ReplicaSource {
  readonly server: string;
  /**
   * Connects; rejects if the server does not answer.
   * @param lost is called when a connection has ended: the server may have been started anew
   */
  readonly open: (lost?: (error: unknown) => void) => Promise<Engine>;
}

/** The database that replicas have to follow. */
interface FollowedDatabase {
  /** Its name. */
  readonly epoch: string;
  /** See `shapeOf`. */
  readonly shape: string;
}

/** Interval between two checks of a replica. */
const lookEveryMs = 2000;

/**
 * Uses replicas; each is checked on its own, repeatedly, so that one that is away delays neither the start nor a
 * request.
 * @param database a replica of another one, or one that has not come as far as this version's fields, is not used
 */
export function createReplicas(
  sources: readonly ReplicaSource[],
  database: FollowedDatabase,
  everyMs: number = lookEveryMs,
): Replicas {
  const replicas = sources.map((source) => createReplica(source, database));
  const looking = setInterval(() => {
    for (const replica of replicas) void replica.look();
  }, everyMs);
  looking.unref();
  for (const replica of replicas) void replica.look();
  let turn = 0;
  let ofPrimary = 0;
  return {
    read: async (resource, revision, read) => {
      for (let tried = 0; tried < replicas.length; tried += 1) {
        turn = (turn + 1) % replicas.length;
        const replica = replicas[turn];
        const engine = await replica?.having(resource, revision);
        if (replica === undefined || engine === undefined || engine === null) continue;
        try {
          const result = await read(engine);
          replica.noteRead();
          return result;
        } catch (error) {
          if (!isOfServer(error)) throw error;
          replica.leaveOut(error);
        }
      }
      ofPrimary += 1;
      return read(null);
    },
    states: () => replicas.map((replica) => replica.state()),
    pagesOfPrimary: () => ofPrimary,
    close: async () => {
      clearInterval(looking);
      await Promise.all(replicas.map((replica) => replica.close()));
    },
  };
}

interface Replica {
  /** Connects if necessary, and checks the replica; one check at a time. Never rejects. */
  readonly look: () => Promise<void>;
  /** The engine, if the replica is used and has reached the revision. */
  readonly having: (resource: Resource, revision: Revision) => Promise<Engine | null>;
  readonly noteRead: () => void;
  readonly leaveOut: (error: unknown) => void;
  readonly state: () => ReplicaState;
  readonly close: () => Promise<void>;
}

function createReplica({ server, open }: ReplicaSource, database: FollowedDatabase): Replica {
  let engine: Engine | null = null;
  let revisions: Revisions | null = null;
  /** The changes that it has reached, by resource and activity. They only increase while it runs. */
  let reached = new Map<string, number>();
  let reason: string | null = 'it was not asked yet';
  let lagSeconds: number | null = null;
  let pages = 0;
  let looking: Promise<void> | null = null;
  let isClosed = false;

  const leaveOut = (error: unknown): void => {
    reason = error instanceof Error ? error.message : String(error);
    lagSeconds = null;
    reached = new Map();
  };
  const ask = async (): Promise<void> => {
    try {
      engine ??= await open(lost);
      revisions ??= createRevisions({ ...engine, read: engine.readShort });
      const found = await lookAt(engine, database);
      if (isClosed) return;
      lagSeconds = found.lagSeconds;
      reason = null;
    } catch (error) {
      leaveOut(error);
    }
  };
  const look = (): Promise<void> => {
    looking ??= ask().finally(() => {
      looking = null;
    });
    return looking;
  };
  /**
   * A standby that crashed is back within a second, but with what its files consistently have, which may be less than
   * it showed before.
   */
  const lost = (error: unknown): void => {
    if (isClosed) return;
    leaveOut(error);
    void look();
  };
  return {
    look,
    having: async (resource, revision) => {
      if (reason !== null || engine === null || revisions === null) return null;
      const activities = Object.keys(revision);
      const isBehind = (activity: string): boolean =>
        (reached.get(compositeKey(resource.name, activity)) ?? 0) < (revision[activity] ?? 0);
      const behind = activities.filter(isBehind);
      if (behind.length === 0) return engine;
      try {
        for (const [activity, change] of Object.entries(await revisions.read(resource, behind)))
          reached.set(compositeKey(resource.name, activity), change);
      } catch (error) {
        if (!isOfServer(error)) throw error;
        leaveOut(error);
        return null;
      }
      return reason === null && !activities.some(isBehind) ? engine : null;
    },
    noteRead: () => {
      pages += 1;
    },
    leaveOut,
    state: () => ({ server, isUsed: reason === null, reason, lagSeconds, pages }),
    close: async () => {
      isClosed = true;
      reason = 'it is closed';
      await looking;
      await engine?.close();
    },
  };
}

/**
 * Checks a replica.
 * @throws Error if it is not a standby of that database, or has not come as far as its tables and fields: its data
 *   would differ from the primary's
 */
export async function lookAt(
  engine: Pick<Engine, 'read'>,
  { epoch, shape }: FollowedDatabase,
): Promise<Pick<ReplicaState, 'lagSeconds'>> {
  const [found] = await engine.read(condition);
  if (found === undefined) throw new Error('it says nothing of itself');
  // A standby that was promoted to primary diverges.
  if (!found.isStandby) throw new Error('it is no standby');
  if (found.epoch !== epoch) throw new Error('it holds another database');
  if ((await shapeOf(engine)) !== shape)
    throw new Error('it does not have the tables and fields that the database had when this process started');
  return { lagSeconds: found.lagSeconds };
}

/**
 * The steps that made a database what it is, and the forms of its stored bodies. Bodies are rewritten for a new field
 * without a new change number, so a replica that has every change may still have the bodies of before.
 */
export async function shapeOf({ read }: Pick<Engine, 'read'>): Promise<string> {
  const steps = await read(sql`select name from migration order by name`);
  const { quoted, column } = bodyFormTable;
  const forms = await read(
    sql`select ${column.resource}, ${column.form}, ${column.done} from ${quoted} order by ${column.resource}`,
  );
  return JSON.stringify([steps, forms]);
}

/** What a server reports about itself. One that is cut off from the primary has also applied everything received. */
const condition = rowsAs(
  sql`
    select pg_is_in_recovery()::int,
    case when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn()
      and exists (select 1 from pg_stat_wal_receiver) then 0
      else extract(epoch from now() - pg_last_xact_replay_timestamp())::float8 end,
    (select value from secret where name = ${'epoch'})
  `,
  ([isStandby, lag, epoch]) => ({
    isStandby: isStandby === 1,
    lagSeconds: lag === null || lag === undefined ? null : Number(lag),
    epoch: String(epoch),
  }),
);
