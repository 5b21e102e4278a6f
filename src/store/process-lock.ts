// Work that one process does at a time: a lock shared by all processes of a database that ends with its holder, however
// the holder ends.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { StorageSettings } from './open.ts';
import { createConnections, withLease } from './postgres-pool.ts';
import { makePrivateFile } from './private-files.ts';
import { isBusy } from './sqlite-connection.ts';

export interface ProcessLock {
  /** False: the lock was lost with the connection to the database, and another process may hold it now. */
  held(): Promise<boolean>;
  release(): Promise<void>;
}

/**
 * Takes a lock immediately or not at all. On the embedded database it is the lock of an empty file beside it, on
 * PostgreSQL an advisory lock of a separate connection: both end when the process is killed, so no stale lock ever
 * remains.
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
  // A single connection, replaced only when it is lost: the lock belongs to the session.
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
  /** Succeeds at once in the same session; in a new one, after a loss, only if nobody took the lock meanwhile. */
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
