// What follows the generated help of a command: examples, exit codes, and the settings that it uses.
import type { Command } from 'commander';
import { settingsHelp } from '../config.ts';
import type { settings } from '../config/settings.ts';
import { exitCodes } from './environment.ts';

type SettingName = keyof typeof settings;

/** The settings of every command that opens storage. */
export const storageSettings: readonly SettingName[] = ['dataDir', 'databaseUrl', 'logLevel'];

/** The settings of every command that reads or writes files of documents and labels. */
export const documentSettings: readonly SettingName[] = [
  'documentsUrl',
  'awsAccessKeyId',
  'awsSecretAccessKey',
  'awsSessionToken',
];

interface Details {
  /** Command lines, without the program's name unless they need surrounding shell code. */
  readonly examples: readonly string[];
  /** Exit codes whose meaning differs from, or adds to, that of every command. */
  readonly codes?: Readonly<Record<number, string>>;
  readonly settings?: readonly SettingName[] | 'all';
}

/** Adds the details to a command's help, and returns the command. */
export function describeCommand(command: Command, details: Details): Command {
  return command.addHelpText('after', () => {
    const codes = Object.entries({ ...commonCodes, ...details.codes });
    const parts = [
      section(
        'Examples',
        details.examples.map((example) => `  ${complete(example)}`),
      ),
      section(
        'Exit codes',
        codes.map(([code, meaning]) => `  ${code.padEnd(5)}${meaning}`),
      ),
    ];
    if (details.settings !== undefined)
      parts.push(
        section('Settings (environment variables, or in the file of --config)', [
          settingsHelp(details.settings === 'all' ? undefined : details.settings),
        ]),
      );
    return parts.join('');
  });
}

const commonCodes: Readonly<Record<number, string>> = {
  [exitCodes.done]: 'done',
  [exitCodes.failed]: 'refused or failed; standard error says why and what to do',
  [exitCodes.usage]: 'the command line is wrong',
};

function section(title: string, lines: readonly string[]): string {
  return `\n${title}:\n${lines.join('\n')}\n`;
}

/** Inserts the program's name before the first word that is not a setting. */
function complete(example: string): string {
  if (example.includes('./logistics-connect')) return example;
  const [, settings = '', words = ''] = /^((?:[A-Z_]+=\S+ )*)(.*)$/.exec(example) ?? [];
  return `${settings}./logistics-connect ${words}`;
}
