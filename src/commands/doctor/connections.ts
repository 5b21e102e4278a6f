// Checks whether a PostgreSQL server allows as many connections as this server opens.
import type { Config } from '../../config.ts';
import { textBlock } from '../../model/text-block.ts';
import type { Engine } from '../../store/engine.ts';
import { allowedConnections } from '../../store/inspection.ts';
import type { Finding } from './finding.ts';

/** @param workers of the server */
export async function checkConnections(
  engine: Engine,
  { maxLongReads }: Pick<Config, 'maxLongReads'>,
  workers: number,
): Promise<readonly Finding[]> {
  if (engine.dialect !== 'postgres') return [];
  // Loaded on demand: the embedded engine does not need the driver.
  const { connectionsWanted } = await import('../../store/postgres.ts');
  const [allowed, wanted] = [await allowedConnections(engine), connectionsWanted(workers, maxLongReads)];
  if (allowed >= wanted) return [];
  return [
    {
      subject: 'storage',
      verdict: 'warning',
      message: textBlock`
        The database allows this login ${allowed} connections, and a server of ${workers}
        ${workers === 1 ? 'worker' : 'workers'} opens up to ${wanted} of them: with fewer, requests wait for each other.
      `,
      remedy: 'Raise max_connections, or the limit of the login or of the database; or set WORKERS lower.',
    },
  ];
}
