// In charge of poolers between the program and a PostgreSQL server, such as PgBouncer: one that lends a connection for
// a session is fine, one that lends it for a transaction alone is refused.
import type { PoolClient } from 'pg';
import { OperatorError } from '../model/operator-error.ts';
import { backendIdOf, type Connections, withLease } from './postgres-pool.ts';

/**
 * Settings of a session, prepared statements and advisory locks would reach whoever has the connection next, without an
 * error: isolation and time limits would be lost, and two processes could believe that they hold one lock.
 * @throws OperatorError where a session is lent another process of the server for each transaction
 */
export async function refuseTransactionPooler(connections: Connections): Promise<void> {
  const isPooled = await withLease(connections, ({ ask: askFirst }) =>
    askFirst(async (first) => {
      const own = await currentBackendId(first);
      if (isDirect(first, own)) return false;
      // A pooler lends what was given back last: to the second session the process that worked for the first.
      return withLease(connections, ({ ask }) =>
        ask(async (second) => {
          await second.query('begin');
          await currentBackendId(second);
          const later = await currentBackendId(first);
          await second.query('rollback');
          return later !== own;
        }),
      );
    }),
  );
  if (!isPooled) return;
  throw new OperatorError(
    'The database is reached through a pooler that lends a connection for one transaction alone.',
    'Let the pooler lend connections for a session (PgBouncer: pool_mode = session), or name the server itself.',
  );
}

/** The server tells a client which process works for it; a pooler tells a number of its own making. */
function isDirect(client: PoolClient, backendId: number): boolean {
  return 'processID' in client && client.processID === backendId && backendIdOf(client) === backendId;
}

async function currentBackendId(client: PoolClient): Promise<number> {
  const { rows } = await client.query<{ id: number }>('select pg_backend_pid() as id');
  return rows[0]?.id ?? 0;
}
