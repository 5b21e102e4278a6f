// What a pool of connections does where a PostgreSQL server allows fewer than it wants: it makes do with those that it
// has, and one that has none gets the place of one of another pool of the process.
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { isWithoutRoom } from './postgres-faults.ts';

/** Borrows connections of a pool. */
interface Room {
  /** Like `Pool.connect`; waits for a connection that there is where the server refuses a further one. */
  readonly connect: () => Promise<PoolClient>;
  /**
   * Closes one connection, unless it is the last, as soon as nobody uses it: another pool has none. Never fails.
   * @returns whether it did
   */
  readonly spare: () => Promise<boolean>;
}

interface RoomOptions {
  readonly pool: Pool;
  /** Connections that the pool wants at most. */
  readonly max: number;
  /** Longest wait for a first connection. */
  readonly maxWaitMs: number;
  /** False: whoever asks while there is no connection at all fails at once. */
  readonly waitsForFirst: boolean;
  /** Is called each time that the server refuses a connection. */
  readonly refused: () => void;
  /** The number of connections that are open now. */
  readonly opened: () => number;
  readonly family: PoolFamily;
}

/** The pools of a process that share what one server allows; each joins it. */
export type PoolFamily = Set<Pick<Room, 'spare'>>;

/** After a refusal, the pool does not grow for this time: each attempt costs the server a process. */
const growsAfterMs = 30_000;
/** Between two attempts to get a first connection: a server takes some time to end one. */
const attemptsApartMs = 100;

export function createRoom({ pool, max, maxWaitMs, waitsForFirst, refused, opened, family }: RoomOptions): Room {
  let growing: NodeJS.Timeout | undefined;
  let beginning: Promise<void> | null = null;
  let sparing: Promise<boolean> | null = null;
  /** From now on, whoever asks waits for one of so many connections. */
  const limitTo = (connections: number): void => {
    pool.options.max = Math.max(1, connections);
    clearTimeout(growing);
    growing = setTimeout(() => {
      pool.options.max = max;
    }, growsAfterMs).unref();
  };
  /** The connections that serve somebody, or may: neither those that are being opened nor those that are ending. */
  const usable = (): number => Math.min(opened(), pool.totalCount);
  const tried = async (): Promise<PoolClient> => {
    try {
      return await pool.connect();
    } catch (error) {
      if (isWithoutRoom(error)) refused();
      throw error;
    }
  };
  const askOthers = async (): Promise<void> => {
    for (const other of family) if (other !== room && (await other.spare())) return;
  };
  /** Opens a first connection as soon as there is room for it, for all who ask meanwhile. */
  const begin = async (): Promise<void> => {
    for (const until = performance.now() + maxWaitMs; ; ) {
      await pause(attemptsApartMs);
      try {
        const client = await tried();
        return client.release();
      } catch (error) {
        if (!isWithoutRoom(error) || performance.now() > until) throw error;
      }
      // Only now: while the first was refused, others of this pool may have been opened.
      await askOthers();
    }
  };
  const spareOne = async (): Promise<boolean> => {
    if (usable() <= 1) return false;
    limitTo(usable());
    const client = await pool.connect().catch(() => null);
    if (client === null) return false;
    limitTo(usable() - 1);
    client.release(true);
    return true;
  };
  const room: Room = {
    connect: async () => {
      for (const until = performance.now() + maxWaitMs; ; ) {
        if (beginning !== null) await beginning;
        try {
          return await tried();
        } catch (error) {
          if (!isWithoutRoom(error) || performance.now() > until) throw error;
          limitTo(usable());
          if (usable() > 0) continue;
          if (!waitsForFirst) throw error;
          beginning ??= begin().finally(() => {
            beginning = null;
          });
          // Awaited above, by all who ask.
          beginning.catch(() => undefined);
        }
      }
    },
    spare: () =>
      (sparing ??= spareOne().finally(() => {
        sparing = null;
      })),
  };
  family.add(room);
  return room;
}
