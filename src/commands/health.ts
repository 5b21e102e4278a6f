// The command `health`: asks the server on this machine for its health, for container health checks and scripts.
import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { OperatorError } from '../model/operator-error.ts';
import { isRunning } from '../model/running-process.ts';
import { textBlock } from '../model/text-block.ts';
import { type CommandLine, type JsonOption, jsonOption } from './command-line.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from './environment.ts';
import { UsageError } from './failure.ts';
import { describeCommand } from './help.ts';
import { askServer, serverAddress } from './own-server.ts';

export function declareHealth(program: Command, { environment, done }: CommandLine): void {
  describeCommand(
    program
      .command('health')
      .summary('ask the running server whether it can serve')
      .description(
        textBlock`
          Ask the server that runs on this machine with these settings whether it can serve (/readyz), for the health
          check of a container or a script that starts one server after another.
        `,
      )
      .option('--live', 'ask whether the process runs (/healthz), also while storage is away or it is about to stop')
      .option('--wait <seconds>', `ask again until it can, for as long as this, 1 to ${maxWaitSeconds}`)
      .option('--while <pid>', 'with --wait: only while this process runs; it fails as soon as that has ended')
      .option(...jsonOption)
      .action(async (options: JsonOption & { live?: true; wait?: string; while?: string }) =>
        done(
          await askHealth(environment, {
            path: options.live === true ? '/healthz' : '/readyz',
            waitSeconds: secondsOf(options.wait),
            processId: processIdOf(options.while, options.wait),
            json: options.json === true,
          }),
        ),
      ),
    {
      examples: ['health', 'health --live', 'PORT=8081 health --wait 60', 'health --wait 600 --while $MAINPID'],
      settings: ['port', 'host'],
    },
  );
}

const maxWaitSeconds = 600;
const askEveryMs = 200;
/** For one response; a check that hangs would be useless. */
const answerTimeoutMs = 4000;

interface Question {
  readonly path: string;
  readonly waitSeconds: number;
  /** The process without which there is nothing to wait for; null: none. */
  readonly processId: number | null;
  readonly json: boolean;
}

/** @throws OperatorError when the server does not respond, or reports that it cannot serve */
async function askHealth(
  environment: Environment,
  { path, waitSeconds, processId, json }: Question,
): Promise<ExitCode> {
  const config = readConfig(environment.variables, environment.folder);
  if (config.port === 0)
    throw new OperatorError(
      'PORT is 0, so the port of the server is not known here.',
      'Set PORT to that of the server.',
    );
  const url = serverAddress(config, path);
  const until = performance.now() + waitSeconds * 1000;
  for (;;) {
    const fault = await faultOf(url);
    // Also where something answers: that is another program, on whose account the server could not have the port.
    if (processId !== null && !isRunning(processId))
      throw new OperatorError(
        `The process ${processId} has ended${fault === null ? '' : `; ${url} ${fault}`}.`,
        'The log of the server says why.',
      );
    if (fault === null) {
      if (json) writeJson(environment.stdout, { url, status: 'ok' });
      else environment.stdout.write('ok\n');
      return exitCodes.done;
    }
    if (performance.now() >= until) throw new OperatorError(`${url} ${fault}.`, 'The log of the server says more.');
    await new Promise((resolve) => setTimeout(resolve, askEveryMs));
  }
}

/** The fault that the response reports; null: none. */
async function faultOf(url: string): Promise<string | null> {
  try {
    const { status } = await askServer(url, answerTimeoutMs);
    return status >= 200 && status < 300 ? null : `answers ${status}`;
  } catch (error) {
    return `does not answer: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** @throws UsageError */
function secondsOf(wait: string | undefined): number {
  if (wait === undefined) return 0;
  if (!/^\d{1,3}$/.test(wait) || Number(wait) < 1 || Number(wait) > maxWaitSeconds)
    throw new UsageError(`--wait takes seconds, 1 to ${maxWaitSeconds}.`);
  return Number(wait);
}

/** @throws UsageError */
function processIdOf(processId: string | undefined, wait: string | undefined): number | null {
  if (processId === undefined) return null;
  if (wait === undefined) throw new UsageError('--while goes with --wait.');
  if (!/^[1-9]\d{0,8}$/.test(processId)) throw new UsageError('--while takes the number of a process.');
  return Number(processId);
}
