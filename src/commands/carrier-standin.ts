// The command `carrier-standin`: runs a local simulator of a carrier.
import { once } from 'node:events';
import type { Command } from 'commander';
import { carrierNames, loadCarrier } from '../carriers/index.ts';
import { OperatorError } from '../model/operator-error.ts';
import { textBlock } from '../model/text-block.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from './environment.ts';
import { UsageError } from './failure.ts';
import { describeCommand } from './help.ts';
import { type JsonOption, jsonOption, type CommandLine } from './command-line.ts';

/** Every carrier has a simulator, except the one that contacts nobody. */
const simulated = carrierNames.filter((name) => name !== 'sandbox');

export function declareCarrierStandin(program: Command, { environment, done }: CommandLine): void {
  describeCommand(
    program
      .command('carrier-standin')
      .summary('run a local simulator of a carrier')
      .description(
        textBlock`
          Run a local server that speaks a carrier's protocol, with its rules and its traps, until it is told to stop
          (Ctrl-C or SIGTERM). It prints the line that connects an account to it.
        `,
      )
      .argument('<carrier>', `${simulated.slice(0, -1).join(', ')} or ${simulated.at(-1)}`)
      .option('--port <number>', 'port on 127.0.0.1 (default: any free one)')
      .option('--context <name>', 'context in the line that it prints', 'standin')
      .option('--activity <code>', 'activity in the line that it prints', 'ACM')
      .option(...jsonOption)
      .action(async (name: string, options: GivenOptions) =>
        done(
          await runSimulator(environment, {
            name,
            port: options.port ?? null,
            context: options.context,
            activity: options.activity,
            json: options.json === true,
          }),
        ),
      ),
    {
      examples: [
        'carrier-standin mondialrelay',
        'carrier-standin chronopost --port 4080 --context paris --activity BEL',
      ],
      settings: ['logLevel'],
    },
  );
}

interface GivenOptions extends JsonOption {
  port?: string;
  context: string;
  activity: string;
}

/** Options of the command. */
interface SimulatorOptions {
  /** Name of the carrier. */
  readonly name: string;
  readonly port: string | null;
  /** The context of the account that the printed command adds. */
  readonly context: string;
  readonly activity: string;
  readonly json: boolean;
}

/**
 * Prints how to connect an account, then serves until interrupted.
 * @throws UsageError when the port is invalid
 * @throws OperatorError when the carrier has no simulator, or the port cannot be used
 */
async function runSimulator(
  environment: Environment,
  { name, port, context, activity, json }: SimulatorOptions,
): Promise<ExitCode> {
  if (port !== null && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535))
    throw new UsageError('--port must be a whole number from 0 to 65535.');
  const stopped = environment.interruption();
  const simulator = await started(name, Number(port ?? '0'));
  try {
    const carrier = await loadCarrier(name);
    const secrets = carrier?.settings.filter(({ secret }) => secret === true).map((setting) => setting.name) ?? [];
    const connect = connectingLine(simulator.settings, secrets, [
      '--context',
      context,
      '--carrier',
      name,
      '--activity',
      activity,
    ]);
    if (json)
      writeJson(environment.stdout, { carrier: name, url: simulator.url, settings: simulator.settings, connect });
    else {
      const facts = { name, context, activity, connect, makesLabels: carrier?.createLabel !== null };
      environment.stdout.write(`${introduction(carrier?.title ?? name, simulator.url, facts).join('\n')}\n`);
    }
    if (!stopped.aborted) await once(stopped, 'abort');
    return exitCodes.done;
  } finally {
    await simulator.close();
  }
}

/** Simulators are not part of the server and are loaded only here. */
async function started(name: string, port: number) {
  const { simulatorNames, startSimulator } = await import('../../simulators/index.ts');
  try {
    const simulator = await startSimulator(name, port);
    if (simulator !== null) return simulator;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code === 'EADDRINUSE')
      throw new OperatorError(`Port ${port} is in use.`, 'Choose another one with --port, or leave it out.', {
        cause: error,
      });
    if (code === 'EACCES')
      throw new OperatorError(
        `This user may not listen on port ${port}.`,
        'Choose 1024 or more with --port, or leave it out.',
        { cause: error },
      );
    throw error;
  }
  if (name === 'sandbox')
    throw new OperatorError(
      'The sandbox asks nobody, so it needs no simulator.',
      'Connect it with: ./logistics-connect carrier-account add --context NAME --carrier sandbox --activity CODE',
    );
  throw new OperatorError(`There is no simulator for ${name}.`, `Known are ${simulatorNames.join(', ')}.`);
}

interface Connection {
  readonly name: string;
  readonly context: string;
  readonly activity: string;
  readonly connect: string;
  readonly makesLabels: boolean;
}

function introduction(
  title: string,
  url: string,
  { name, context, activity, connect, makesLabels }: Connection,
): readonly string[] {
  return [
    `Simulator of ${title}: ${url}`,
    textBlock`
      It ${makesLabels ? 'makes labels that nobody can ship with' : 'knows a parcel in each state'}, and forgets
      everything when it ends (Ctrl-C).
    `,
    `To let context ${context} of ${activity} ship with it, in another terminal:`,
    connect,
    `What it refuses, and how it fails on demand: docs/carriers/${name}.md`,
  ];
}

/** Secrets are passed on standard input, as for real carriers; the rest is on the command line. */
function connectingLine(
  settings: Readonly<Record<string, string>>,
  secrets: readonly string[],
  options: readonly string[],
): string {
  const entries = Object.entries(settings).filter(([, value]) => value !== '');
  const told = entries
    .filter(([name]) => !secrets.includes(name))
    .flatMap(([name, value]) => ['--set', shellWord(`${name}=${value}`)]);
  const piped = entries.filter(([name]) => secrets.includes(name));
  const line = ['./logistics-connect', 'carrier-account', 'add', ...options.map(shellWord), ...told].join(' ');
  return piped.length === 0 ? line : `printf '%s' ${shellWord(JSON.stringify(Object.fromEntries(piped)))} | ${line}`;
}

/** Quotes a word for a shell. */
function shellWord(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
