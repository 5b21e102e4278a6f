// The command line: every group of commands, and how a command is run. What a command needs is loaded when it runs.
import { Command } from 'commander';
import packageFacts from '../../package.json' with { type: 'json' };
import { type Environment, type ExitCode, exitCodes } from './environment.ts';
import { reportFailure } from './failure.ts';
import { describe } from './help.ts';
import { addActivityCommands } from './program/activity.ts';
import { addAudit } from './program/audit.ts';
import { addCarrierCommands } from './program/carrier.ts';
import { addClientCommands } from './program/client.ts';
import { addImport } from './program/import.ts';
import { addKeyCommands } from './program/key.ts';
import { addLabelCommands } from './program/label.ts';
import type { Line } from './program/line.ts';
import { addMaintenance } from './program/maintenance.ts';
import { addOutboxCommands } from './program/outbox.ts';
import { addServe } from './program/serve.ts';
import { addTokenCommands } from './program/tokens.ts';
import { addUserCommands } from './program/user.ts';

/** In the order in which the help lists them. */
const groups: readonly ((program: Command, line: Line) => void)[] = [
  addServe,
  addActivityCommands,
  addClientCommands,
  addUserCommands,
  addKeyCommands,
  addTokenCommands,
  addImport,
  addOutboxCommands,
  addCarrierCommands,
  addLabelCommands,
  addAudit,
  addMaintenance,
];

/**
 * Runs one command line. Never throws: what goes wrong is written to standard error.
 * @param args words after the program's name
 * @returns the exit code
 */
export async function runCommandLine(args: readonly string[], environment: Environment): Promise<ExitCode> {
  const ran: { command: string; exitCode: ExitCode } = { command: '', exitCode: exitCodes.done };
  try {
    const program = commandLine({
      environment,
      done: (exitCode) => {
        ran.exitCode = exitCode;
      },
    });
    for (const parent of [program, ...program.commands])
      parent.hook('preSubcommand', (_parent, command) => {
        ran.command = `${ran.command} ${command.name()}`.trim();
      });
    await program.parseAsync([...args], { from: 'user' });
    return ran.exitCode;
  } catch (error) {
    return reportFailure(error, environment, ran.command, args.includes('--json'));
  }
}

function commandLine(line: Line): Command {
  const { stdout, stderr } = line.environment;
  const program = new Command('logistics-connect')
    .description('Self-hosted integration server for logistics platforms.')
    .version(packageFacts.version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      // Usage errors are written by `reportFailure`, like all others.
      outputError: () => undefined,
      getOutHelpWidth: () => stdout.columns ?? 100,
      getErrHelpWidth: () => stderr.columns ?? 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  describe(program, { examples: ['serve --demo', 'user add --help'] });
  for (const add of groups) add(program, line);
  return program;
}
