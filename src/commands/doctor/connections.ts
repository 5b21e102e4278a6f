// Checks whether a PostgreSQL server allows as many connections as this server opens, and tells both numbers: only
// operators know how many servers they have.
import type { Config } from '../../config.ts';
import { textBlock } from '../../model/text-block.ts';
import type { Engine } from '../../store/engine.ts';
import { allowedConnections } from '../../store/inspection.ts';
import { roomRemedy } from '../../store/database-rights.ts';
import { connectionsWanted } from '../../store/postgres-pool-sizes.ts';
import type { Finding } from './finding.ts';

/** @param workers of the server */
export async function checkConnections(
  engine: Engine,
  { maxLongReads }: Pick<Config, 'maxLongReads'>,
  workers: number,
): Promise<readonly Finding[]> {
  if (engine.dialect !== 'postgres') return [];
  const [allowed, wanted] = [await allowedConnections(engine), connectionsWanted(workers, maxLongReads)];
  const server = `a server of ${workers} ${workers === 1 ? 'worker' : 'workers'} opens up to ${wanted}`;
  return [
    allowed < wanted
      ? {
          subject: 'storage',
          verdict: 'warning',
          message: textBlock`
            The database allows this login ${allowed} connections, and ${server} of them: with fewer, requests wait for
            each other.
          `,
          remedy: roomRemedy,
        }
      : {
          subject: 'storage',
          verdict: 'ok',
          // Those that others have now say little: servers at rest have hardly any.
          message: `Of the ${allowed} connections for all servers and other programs together, ${server}.`,
          remedy: '',
        },
  ];
}
