// Runs a server in several workers, and logs what happens to them.
import type { Config } from '../../config.ts';
import { createConnectionCount } from '../../http/connections.ts';
import { createLogger } from '../../http/log.ts';
import { textBlock } from '../../model/text-block.ts';
import { type Environment, type ExitCode, exitCodes } from '../environment.ts';

interface WorkerOptions {
  readonly config: Config;
  readonly port: number;
  readonly workers: number;
}

/**
 * @returns the exit code of the server
 * @throws OperatorError as `supervise`
 */
export async function runWorkers(
  environment: Environment,
  supervise: NonNullable<Environment['supervise']>,
  { config, port, workers }: WorkerOptions,
): Promise<ExitCode> {
  const logger = createLogger(config.logLevel, environment.stderr);
  const code = await supervise({
    count: workers,
    port,
    variables: environment.variables,
    settingsFile: environment.settingsFile ?? null,
    stderr: environment.stderr,
    stop: environment.interruption(),
    drainMs: 1000 * config.drainSeconds,
    connections: createConnectionCount(config, config.trustProxy),
    news: {
      serves: (worker, pid) => logger.info({ worker, pid, workers }, 'a worker serves'),
      killed: (worker) => logger.error({ worker }, 'a worker did not stop in time, and was killed'),
      notStarted: (worker, reason, nextInMs) =>
        logger.error({ worker, reason, nextInMs }, 'a worker could not be started; it is tried again'),
      ended: (worker, how, nextInMs) =>
        logger.error(
          { worker, ...how, nextInMs },
          textBlock`
            a worker ended; another one takes its place. What it was asked and had not answered has no answer, what it
            had answered is done
          `,
        ),
    },
  });
  return Object.values(exitCodes).find((known) => known === code) ?? exitCodes.failed;
}
