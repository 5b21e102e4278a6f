// The commands `carrier-account …` and `carrier-standin` on the command line.
import { textBlock } from '../../model/text-block.ts';
import type { Command } from 'commander';
import { describe, storageSettings } from '../help.ts';
import { type Json, jsonOption, type Line } from './line.ts';

interface AddOptions extends Json {
  context: string;
  carrier: string;
  activity: string;
  set?: string[];
  sender?: string[];
  dailyLimit?: string;
}
interface NamedOptions extends Json {
  context: string;
  carrier: string;
}
interface SimulatorOptions extends Json {
  port?: string;
  context: string;
  activity: string;
}

export function addCarrierCommands(program: Command, line: Line): void {
  const { environment, done } = line;
  const account = describe(
    program
      .command('carrier-account')
      .description(
        'Accounts at carriers: with whom an activity ships, and under which name its clients ask for labels.',
      ),
    { examples: ['carrier-account add --help', 'carrier-account list'] },
  );
  addAccountAdd(account, line);
  describe(
    account
      .command('list')
      .description('List the accounts with their settings; never their secrets.')
      .option(...jsonOption)
      .action(async (options: Json) =>
        done(await (await import('../carrier-account.ts')).listAccounts(environment, { json: options.json === true })),
      ),
    { examples: ['carrier-account list', 'carrier-account list --json'], settings: storageSettings },
  );

  const one = async (run: 'testAccount' | 'removeAccount', { context, carrier, json }: NamedOptions): Promise<void> =>
    done(await (await import('../carrier-account.ts'))[run](environment, { context, carrier, json: json === true }));
  describe(
    named(account.command('test').description('Ask the carrier whether an account works. Nothing is made.')).action(
      (options: NamedOptions) => one('testAccount', options),
    ),
    {
      examples: ['carrier-account test --context paris --carrier mondialrelay'],
      settings: [...storageSettings, 'secretKey', 'carrierAnswerSeconds', 'carrierTotalSeconds'],
    },
  );
  describe(
    named(
      account
        .command('remove')
        .description('Remove an account with its secrets. Labels that were made with it are kept.'),
    ).action((options: NamedOptions) => one('removeAccount', options)),
    { examples: ['carrier-account remove --context paris --carrier mondialrelay'], settings: storageSettings },
  );
  addSimulator(program, line);
}

function named(command: Command): Command {
  return command
    .requiredOption('--context <name>', 'name of the account in the paths of the interface')
    .requiredOption('--carrier <name>', 'see carrier-account list')
    .option(...jsonOption);
}

function addAccountAdd(account: Command, { environment, done }: Line): void {
  describe(
    account
      .command('add')
      .summary('add an account, or replace it')
      .description(
        textBlock`
          Add an account, or put it in the place of the one with the same context and carrier. On a terminal it asks for
          the settings that the carrier needs; elsewhere they are one JSON object of texts on standard input. Secrets
          are stored encrypted, and never shown.
        `,
      )
      .requiredOption('--context <name>', 'name of the account in the paths of the interface')
      .requiredOption('--carrier <name>', 'such as sandbox or mondialrelay; docs/carriers has a page for each')
      .requiredOption('--activity <code>', 'activity whose clients may ship with it')
      .option('--set <name=value...>', 'setting of the carrier that is no secret; may be given several times')
      .option(
        '--sender <field=value...>',
        'what a label request may leave out, such as expAddr1="Acme Home"; may be given several times',
      )
      .option('--daily-limit <number>', 'most labels from midnight to midnight in UTC (default: any number)')
      .option(...jsonOption)
      .action(async (options: AddOptions) =>
        done(
          await (await import('../carrier-account.ts')).addAccount(environment, {
            context: options.context,
            carrier: options.carrier,
            activity: options.activity,
            settings: options.set ?? [],
            sender: options.sender ?? [],
            dailyLimit: options.dailyLimit ?? null,
            json: options.json === true,
          }),
        ),
      ),
    {
      examples: [
        textBlock`
          carrier-account add --context demo --carrier sandbox --activity ACM --sender expAddr1="Acme Home" expZip=59810
          expCity=Lesquin expCountry=FR
        `,
        textBlock`
          carrier-account add --context paris --carrier mondialrelay --activity ACM --set enseigne=BDTEST13
          --daily-limit 500 < secrets.json
        `,
      ],
      settings: [...storageSettings, 'secretKey'],
    },
  );
}

function addSimulator(program: Command, { environment, done }: Line): void {
  describe(
    program
      .command('carrier-standin')
      .summary('run a local simulator of a carrier')
      .description(
        "Run a local server that speaks a carrier's protocol, with its rules and its traps, until it is told to stop (Ctrl-C or SIGTERM). It prints the line that connects an account to it.",
      )
      .argument('<carrier>', 'mondialrelay, laposte, colissimo, chronopost, dpd, gls, ups, dhl or karrio')
      .option('--port <number>', 'port on 127.0.0.1 (default: any free one)')
      .option('--context <name>', 'context in the line that it prints', 'standin')
      .option('--activity <code>', 'activity in the line that it prints', 'ACM')
      .option(...jsonOption)
      .action(async (name: string, options: SimulatorOptions) =>
        done(
          await (await import('../carrier-standin.ts')).runSimulator(environment, {
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
        'carrier-standin chronopost --port 4080 --context paris --activity BIO',
      ],
      settings: ['logLevel'],
    },
  );
}
