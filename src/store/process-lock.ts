// In charge of work that one process does at a time: a lock that all processes of a database share, and that ends with
// its holder, however that ends.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { StorageSettings } from './open.ts';
import { createConnections, withLease } from './postgres-pool.ts';
import { makePrivateFile } from './private-files.ts';
import { isBusy } from './sqlite-connection.ts';

export interface ProcessLock {
  /** False: it was lost with the connection to the database, and others may have it now. */
  held(): Promise<boolean>;
  release(): Promise<void>;
}

/**
 * Takes a lock at once or not at all. On the embedded database it is the lock of an empty file beside it, on PostgreSQL
 * an advisory lock of a connection of its own: both end when the process is killed, so nothing stale is ever in the
 * way.
 * @param name letters, digits, dots, dashes and underscores
 * @returns null while another process, or another part of this one, holds it
 */
export async function takeProcessLock(settings: StorageSettings, name: string): Promise<ProcessLock | null> {
  return settings.databaseUrl === null
    ? fileLock(join(settings.dataDir, `${name}.lock`))
    : advisoryLock(settings.databaseUrl, name);
}

function fileLock(path: string): ProcessLock | null {
  makePrivateFile(path);
  const file = new DatabaseSync(path, { timeout: 0 });
  try {
    file.exec('begin exclusive');
  } catch (error) {
    file.close();
    if (isBusy(error)) return null;
    throw error;
  }
  return { held: async () => true, release: async () => file.close() };
}

async function advisoryLock(url: string, name: string): Promise<ProcessLock | null> {
  // One connection that is exchanged for another only when it is lost: the lock is that of the session.
  const connections = createConnections({
    connectionString: url,
    max: 1,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: 10_000,
    query_timeout: 45_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 60_000,
    application_name: 'logistics-connect',
  });
  const key = createHash('sha256').update(`logistics-connect ${name}`).digest().readBigInt64BE().toString();
  /** Again in the same session it is had at once; in a new one, after a loss, only if nobody took it meanwhile. */
  const take = (): Promise<boolean> =>
    withLease(connections, async ({ ask }) => {
      const { rows } = await ask((client) =>
        client.query<{ taken: boolean }>('select pg_try_advisory_lock($1::bigint) as taken', [key]),
      );
      return rows[0]?.taken === true;
    });
  try {
    if (await take()) return { held: take, release: connections.close };
  } catch (error) {
    await connections.close();
    throw error;
  }
  await connections.close();
  return null;
}
