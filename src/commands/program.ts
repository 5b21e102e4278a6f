// The command line: all commands, and how one is run. Only the requested command is loaded, and none for the version;
// the help of the whole program, and mistakes, need all of them.
import { Command } from 'commander';
import { resolve } from 'node:path';
import { existsSync } from 'node:fs';
import { versionText } from '../config/program-version.ts';
import { mergedSettings, readSettingsFile, standardSettingsFile } from '../config/settings-file.ts';
import { type Environment, type ExitCode, exitCodes } from './environment.ts';
import { reportFailure, UsageError } from './failure.ts';
import { describeCommand } from './help.ts';
import type { CommandLine } from './command-line.ts';

type Declare = (program: Command, line: CommandLine) => void;

/** The first word of each command → what declares it and its subcommands. In the order in which the help lists them. */
const commands: Readonly<Record<string, () => Promise<Declare>>> = {
  serve: async () => (await import('./serve.ts')).declareServe,
  activity: async () => (await import('./activity.ts')).declareActivity,
  client: async () => (await import('./client.ts')).declareClient,
  user: async () => (await import('./user.ts')).declareUser,
  key: async () => (await import('./key.ts')).declareKey,
  'signing-key': async () => (await import('./signing-key.ts')).declareSigningKey,
  keys: async () => (await import('./signing-key.ts')).declareKeys,
  'secret-key': async () => (await import('./secret-key.ts')).declareSecretKey,
  token: async () => (await import('./token.ts')).declareToken,
  login: async () => (await import('./login.ts')).declareLogin,
  export: async () => (await import('./export.ts')).declareExport,
  import: async () => (await import('./import.ts')).declareImport,
  feed: async () => (await import('./feed.ts')).declareFeed,
  retention: async () => (await import('./retention.ts')).declareRetention,
  reconcile: async () => (await import('./reconcile.ts')).declareReconcile,
  outbox: async () => (await import('./outbox.ts')).declareOutbox,
  carrier: async () => (await import('./carrier.ts')).declareCarrier,
  'carrier-account': async () => (await import('./carrier-account.ts')).declareCarrierAccount,
  'carrier-standin': async () => (await import('./carrier-standin.ts')).declareCarrierStandin,
  label: async () => (await import('./label.ts')).declareLabel,
  shipping: async () => (await import('./shipping.ts')).declareShipping,
  dictionary: async () => (await import('./dictionary.ts')).declareDictionary,
  demo: async () => (await import('./demo.ts')).declareDemo,
  audit: async () => (await import('./audit.ts')).declareAudit,
  backup: async () => (await import('./backup.ts')).declareBackup,
  restore: async () => (await import('./restore.ts')).declareRestore,
  migrate: async () => (await import('./migrate.ts')).declareMigrate,
  restored: async () => (await import('./restored.ts')).declareRestored,
  doctor: async () => (await import('./doctor.ts')).declareDoctor,
  health: async () => (await import('./health.ts')).declareHealth,
};

/**
 * Runs one command line. Never throws: failures are written to standard error.
 * @param args what is typed after the program's name
 * @returns the exit code
 */
export async function runCommandLine(args: readonly string[], given: Environment): Promise<ExitCode> {
  let found: Pick<Environment, 'variables' | 'settingsFile'> = given;
  const environment: Environment = {
    ...given,
    get variables() {
      return found.variables;
    },
    get settingsFile() {
      return found.settingsFile ?? null;
    },
  };
  const ran: { command: string; exitCode: ExitCode } = { command: '', exitCode: exitCodes.done };
  try {
    const program = await commandLine(firstWord(args), {
      environment,
      done: (exitCode) => {
        ran.exitCode = exitCode;
      },
    });
    // Help and the version are shown whatever the file contains.
    program.hook('preAction', () => {
      // A worker was given the contents of the file when the server started.
      if (given.worker === undefined)
        found = withSettingsFile(given, program.opts<{ config?: string }>().config ?? null);
    });
    for (const parent of [program, ...program.commands])
      parent.hook('preSubcommand', (_parent, command) => {
        ran.command = `${ran.command} ${command.name()}`.trim();
      });
    await program.parseAsync([...withoutHelpCommand(program, args)], { from: 'user' });
    return ran.exitCode;
  } catch (error) {
    return reportFailure(error, environment, ran.command, args.includes('--json'));
  }
}

/** The word that names the command, also behind `help`. */
function firstWord(args: readonly string[]): string {
  const [word = '', next = ''] = args.slice(configLength(args));
  return word === 'help' ? next : word;
}

/** How many words name the settings file, before the command. */
function configLength(args: readonly string[]): number {
  if (args[0] === '--config') return 2;
  return args[0]?.startsWith('--config=') === true ? 1 : 0;
}

/**
 * The words as the library is to read them: `help user add` and `user help add` as `user add --help`, since its help
 * command knows one word only. Where a word names no command, help is not asked for: the library would show that of
 * the group in place of the mistake.
 */
function withoutHelpCommand(program: Command, args: readonly string[]): readonly string[] {
  const config = args.slice(0, configLength(args));
  const words = args.slice(config.length);
  const kept: string[] = [];
  let group = program;
  let asksHelp = false;
  for (const [at, word] of words.entries()) {
    const rest = words.slice(at + 1);
    if (group.commands.length === 0 || word.startsWith('-')) {
      kept.push(word, ...rest);
      break;
    }
    if (word === 'help' && !asksHelp && rest[0]?.startsWith('-') === false) {
      asksHelp = true;
      continue;
    }
    kept.push(word);
    const named = group.commands.find((command) => command.name() === word);
    if (named === undefined) return [...config, ...kept, ...rest.filter((one) => one !== '--help' && one !== '-h')];
    group = named;
  }
  return [...config, ...kept, ...(asksHelp ? ['--help'] : [])];
}

/** What has to be declared for a first word. */
function loadersFor(word: string): readonly (() => Promise<Declare>)[] {
  if (word === '--version' || word === '-V') return [];
  const load = Object.hasOwn(commands, word) ? commands[word] : undefined;
  return load === undefined ? Object.values(commands) : [load];
}

/**
 * The variables of the environment, completed by those of the settings file.
 * @param named path of the file; null: the one of the current folder, if there is one
 * @throws OperatorError when it cannot be read, or a line of it is invalid
 */
function withSettingsFile(
  { variables, folder }: Environment,
  named: string | null,
): Pick<Environment, 'variables' | 'settingsFile'> {
  const path = resolve(folder, named ?? standardSettingsFile);
  if (named === null && !existsSync(path)) return { variables, settingsFile: null };
  return { variables: mergedSettings(variables, readSettingsFile(path)), settingsFile: path };
}

async function commandLine(word: string, line: CommandLine): Promise<Command> {
  const { stdout, stderr } = line.environment;
  const program = new Command('logistics-connect')
    .description('Self-hosted integration server for logistics platforms.')
    .version(versionText())
    .option('--config <file>', `settings in dotenv form; ./${standardSettingsFile} is read where there is one`)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      // `reportFailure` writes usage errors, like all others.
      outputError: () => undefined,
      getOutHelpWidth: () => stdout.columns ?? 100,
      getErrHelpWidth: () => stderr.columns ?? 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  describeCommand(program, {
    examples: ['serve --demo', '--config /etc/logistics-connect.env doctor', 'user add --help'],
  });
  for (const declare of await Promise.all(loadersFor(word).map((load) => load()))) declare(program, line);
  refuseDoubled(program);
  return program;
}

/**
 * Has a command refuse an option that is there twice with different values, unless it may be given several times, and
 * one of name=value that names something twice: the first would be dropped without a word.
 */
function refuseDoubled(command: Command): void {
  for (const option of command.options.filter(({ required, optional }) => required || optional)) {
    const given = new Map<string, string>();
    const refuseOther = (name: string, value: string, message: (before: string) => string): void => {
      const before = given.get(name);
      if (before !== undefined && before !== value) throw new UsageError(message(before));
      given.set(name, value);
    };
    if (!option.variadic)
      command.on(`option:${option.name()}`, (value: string | null) =>
        refuseOther(
          '',
          String(value),
          (before) => `Option '${option.flags}' is there twice, as "${before}" and as "${value}".`,
        ),
      );
    else if (option.flags.endsWith('=value...>'))
      command.on(`option:${option.name()}`, (pair: string) => {
        const [name = '', ...value] = pair.split('=');
        // Without the values: a secret may be among them.
        refuseOther(name, value.join('='), () => `Option '${option.flags}' has ${name} twice, with different values.`);
      });
  }
  command.commands.forEach(refuseDoubled);
}
