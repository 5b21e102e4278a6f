// Detects poolers between the program and a PostgreSQL server, such as PgBouncer: session pooling is accepted,
// transaction pooling is refused.
import type { PoolClient } from 'pg';
import { OperatorError } from '../model/operator-error.ts';
import { backendIdOf, type Connections, withLease } from './postgres-pool.ts';

/**
 * Under transaction pooling, settings of a session, prepared statements and advisory locks would silently reach the
 * next user of the connection: isolation and time limits would be lost, and two processes could believe that they hold
 * the same lock.
 * @throws OperatorError if a session gets another server process for each transaction
 */
export async function refuseTransactionPooler(connections: Connections): Promise<void> {
  const isPooled = await withLease(connections, ({ ask: askFirst }) =>
    askFirst(async (first) => {
      const own = await currentBackendId(first);
      if (isDirect(first, own)) return false;
      // A pooler lends the process that was given back last: the second session gets the one that worked for the first.
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

/** A server tells a client which process works for it; a pooler sends a number of its own. */
function isDirect(client: PoolClient, backendId: number): boolean {
  return 'processID' in client && client.processID === backendId && backendIdOf(client) === backendId;
}

async function currentBackendId(client: PoolClient): Promise<number> {
  const { rows } = await client.query<{ id: number }>('select pg_backend_pid() as id');
  return rows[0]?.id ?? 0;
}
