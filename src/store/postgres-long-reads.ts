// Ends statements of a PostgreSQL server: after a time limit by the server itself, and on a signal by asking it to.
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseError, type PoolClient, type PoolConfig } from 'pg';
import { EndedByLimit } from './long-reads.ts';
import {
  type Ask,
  backendIdOf,
  type Connections,
  createConnections,
  type SessionSettings,
  type Surroundings,
  withLease,
} from './postgres-pool.ts';

/**
 * Connections whose statements are limited in time, counted by the server from their start, and to one processor: with
 * parallel workers, one client's filter could take as many processors as all other requests together.
 * @param slackMs how long to wait for an answer beyond the limit
 */
export function createLongConnections(
  options: PoolConfig,
  { max, maxReadMs, slackMs }: { readonly max: number; readonly maxReadMs: number; readonly slackMs: number },
  surroundings: Surroundings,
): Connections {
  return createConnections(
    { ...options, max, query_timeout: Math.max(1000, maxReadMs + slackMs) },
    { ...plannedForLongReads, statement_timeout: String(maxReadMs) },
    surroundings,
  );
}

/**
 * Reading a page through an index costs little on disks without a moving arm: so a million movements are added up along
 * an index instead of being read and sorted. Sorts and joins get some memory, because there are only two connections.
 */
const plannedForLongReads: SessionSettings = {
  max_parallel_workers_per_gather: '0',
  random_page_cost: '1.1',
  work_mem: '32MB',
};

/**
 * Borrows a connection for statements that end with the signal.
 * @param others connections on which the server is asked to end a statement
 * @throws EndedByLimit when the server ended a statement because it took too long
 */
export function withEndable<T>(
  connections: Connections,
  others: Connections,
  stop: AbortSignal,
  work: (ask: Ask) => Promise<T>,
): Promise<T> {
  return withLease(connections, async ({ ask }) => {
    stop.throwIfAborted();
    try {
      return await work((question) =>
        ask((client) =>
          endedWith(
            stop,
            () => cancel(others, client),
            () => question(client),
          ),
        ),
      );
    } catch (error) {
      // Only the limit and a cancellation have this code, and after a cancellation nobody waits for the error.
      throw error instanceof DatabaseError && error.code === '57014'
        ? new EndedByLimit('the statement took too long', { cause: error })
        : error;
    }
  });
}

/** Interval between two attempts to end a statement. */
const attemptsApartMs = 500;

/**
 * After the signal, tries to end the work until it has ended: the server ignores a cancellation sent before the
 * statement has begun. The last attempt is over before the connection passes to another user, whose statement it would
 * end.
 */
async function endedWith<T>(stop: AbortSignal, end: () => Promise<void>, work: () => Promise<T>): Promise<T> {
  let ending: Promise<void> | undefined;
  const ended = new AbortController();
  const begin = (): void => {
    ending = repeated(end, ended.signal);
  };
  stop.addEventListener('abort', begin);
  try {
    return await work();
  } finally {
    stop.removeEventListener('abort', begin);
    ended.abort();
    await ending;
  }
}

async function repeated(attempt: () => Promise<void>, until: AbortSignal): Promise<void> {
  while (!until.aborted) {
    await attempt();
    await pause(attemptsApartMs, undefined, { signal: until }).catch(() => undefined);
  }
}

/** Never fails: the limit ends a statement that cannot be cancelled. */
async function cancel(others: Connections, client: PoolClient): Promise<void> {
  const processId = backendIdOf(client);
  if (processId === null) return;
  await withLease(others, ({ ask }) => ask((other) => other.query('select pg_cancel_backend($1)', [processId]))).catch(
    () => undefined,
  );
}
