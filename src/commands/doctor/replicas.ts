// Checks the replicas that lists are read from.
import type { Config } from '../../config.ts';
import type { Engine } from '../../store/engine.ts';
import { replicaSources } from '../../store/open.ts';
import { lookAt, shapeOf } from '../../store/replicas.ts';
import { createSecrets } from '../../store/secrets.ts';
import type { Finding } from './finding.ts';

/** With a lag above this, most lists of changing data are read from the primary. */
const lateSeconds = 10;

/** Asks each replica for its state. @param primary the database itself */
export async function checkReplicas(primary: Engine, config: Config): Promise<readonly Finding[]> {
  if (config.databaseReplicaUrls === null) return [];
  if (config.databaseUrl === null)
    return [
      finding(
        'warning',
        'DATABASE_REPLICA_URLS is set without DATABASE_URL, and means nothing.',
        'Remove it, or set both.',
      ),
    ];
  const database = { epoch: (await createSecrets(primary).read('epoch')) ?? '', shape: await shapeOf(primary) };
  return Promise.all(
    replicaSources(config).map(async ({ server, open }) => {
      try {
        const engine = await open();
        try {
          const { lagSeconds } = await lookAt(engine, database);
          return lagSeconds !== null && lagSeconds > lateSeconds
            ? finding(
                'warning',
                `The replica ${server} is ${Math.round(lagSeconds)} seconds behind.`,
                'See pg_stat_replication on the primary; until it has caught up the primary is read instead.',
              )
            : finding('ok', `The replica ${server} follows the database.`);
        } finally {
          await engine.close();
        }
      } catch (error) {
        return finding(
          'warning',
          `The replica ${server} is not used: ${error instanceof Error ? error.message : String(error)}`,
          'Mend it, or take it out of DATABASE_REPLICA_URLS; until then the primary is read instead.',
        );
      }
    }),
  );
}

function finding(verdict: Finding['verdict'], message: string, remedy = ''): Finding {
  return { subject: 'replicas', verdict, message, remedy };
}
