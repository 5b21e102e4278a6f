// The command `serve`: runs the server until it is told to stop, in this process or in several workers.
import type { Command } from 'commander';
import { type Config, readConfig } from '../config.ts';
import { freePort } from '../http/port-check.ts';
import { textBlock } from '../model/text-block.ts';
import { maxSpeed, parseSpeed } from '../demo/clock.ts';
import type { Environment, ExitCode } from './environment.ts';
import { UsageError } from './failure.ts';
import { describeCommand } from './help.ts';
import { type JsonOption, jsonOption, type CommandLine } from './command-line.ts';
import { explainListenFailure } from './serve/listen-failure.ts';
import type { ServeOptions } from './serve/server.ts';

export function declareServe(program: Command, { environment, done }: CommandLine): void {
  describeCommand(
    program
      .command('serve')
      .summary('run the server')
      .description(
        textBlock`
          Run the server until it is told to stop (Ctrl-C or SIGTERM): it goes on for DRAIN_SECONDS, in which proxies
          turn to others, then running requests end. A second signal ends it at once.
        `,
      )
      .option(
        '--demo',
        'fill an empty database with a demonstration warehouse that lives, and print a login and a token to try',
      )
      .option(
        '--clock <speed>',
        `with --demo: how many times faster than time the demonstration lives, 1x to ${maxSpeed}x (default: 1x)`,
      )
      .option(...jsonOption)
      .action(async (options: JsonOption & { demo?: true; clock?: string }) =>
        done(
          await serve(environment, {
            demo: options.demo === true,
            speed: speedOf(options),
            json: options.json === true,
          }),
        ),
      ),
    {
      examples: ['serve --demo', 'serve --demo --clock 60x', 'PORT=9000 DATA_DIR=/var/lib/logistics-connect serve'],
      settings: 'all',
    },
  );
}

/**
 * Serves until interrupted: here, if a single process is wanted or this is one of several workers; otherwise in workers
 * that this process supervises.
 * @throws OperatorError when storage cannot be used or the address is taken
 * @throws Interrupted when it is stopped before it serves
 */
async function serve(environment: Environment, options: ServeOptions): Promise<ExitCode> {
  const config = readConfig(environment.variables, environment.folder);
  const { worker, supervise } = environment;
  // A port that is in use is reported before a demonstration warehouse is filled. Workers share the port that was
  // found.
  const port = worker?.link.port ?? (await explainListenFailure(config, () => freePort(config.host, config.port)));
  const workers = workersOf(config, environment);
  if (worker === undefined && supervise !== undefined && workers > 1) {
    const { runWorkers } = await import('./serve/workers.ts');
    return runWorkers(environment, supervise, { config, port, workers });
  }
  // Neither the help, which loads this file too, nor a process that only supervises workers needs the whole server.
  const { serveProcess } = await import('./serve/server.ts');
  return serveProcess(environment, { ...config, port }, options);
}

/** As many as configured, else one per processor, but at most four: the machine has other work to do. */
export function workersOf(
  { workers }: Pick<Config, 'workers'>,
  { processors = 1 }: Pick<Environment, 'processors'>,
): number {
  return workers ?? Math.min(maxWorkersUnasked, processors);
}

const maxWorkersUnasked = 4;

/** @throws UsageError for an invalid clock speed, or one without a demonstration */
function speedOf({ demo, clock }: { readonly demo?: true; readonly clock?: string }): number {
  if (clock === undefined) return 1;
  if (demo !== true) throw new UsageError('--clock is for the demonstration: give --demo too.');
  const speed = parseSpeed(clock);
  if (speed === null) throw new UsageError(`--clock takes a speed from 1x to ${maxSpeed}x, such as 60x.`);
  return speed;
}
