// The commands `dictionary …`: check the file that explains the codes of a warehouse, and show one.
import type { Command } from 'commander';
import { SettingFault, dictionary as dictionaryFile } from '../config/setting-kinds.ts';
import { demoDictionary } from '../demo/dictionary.ts';
import { OperatorError } from '../model/operator-error.ts';
import { warehouseLists } from '../resources/code-lists.ts';
import type { Dictionary } from '../resources/dictionary.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from './environment.ts';
import { describeCommand } from './help.ts';
import { type CommandLine, type JsonOption, jsonOption } from './command-line.ts';

export function declareDictionary(program: Command, { environment, done }: CommandLine): void {
  const dictionary = describeCommand(
    program
      .command('dictionary')
      .description('What the codes and units of the warehouse mean: the file that DICTIONARY_FILE names.'),
    { examples: ['dictionary example', 'dictionary check dictionary.json'] },
  );
  describeCommand(
    dictionary
      .command('check')
      .description('Check a dictionary before the server is started with it.')
      .argument('<file>', 'JSON; see docs/dictionary.md')
      .option(...jsonOption)
      .action(async (file: string, options: JsonOption) =>
        done(checkDictionary(environment, { file, json: options.json === true })),
      ),
    { examples: ['dictionary check dictionary.json'], settings: ['dictionary'] },
  );
  describeCommand(
    dictionary
      .command('example')
      .description('Print the dictionary of the demonstration warehouse, to begin with; it is JSON either way.')
      .option(...jsonOption)
      .action(async () => {
        writeJson(environment.stdout, demoDictionary);
        done(exitCodes.done);
      }),
    { examples: ['dictionary example > dictionary.json'], settings: ['dictionary'] },
  );
}

/** @throws OperatorError that lists all faults of the file */
function checkDictionary(
  { folder, stdout }: Environment,
  { file, json }: { readonly file: string; readonly json: boolean },
): ExitCode {
  const { lists = [], units = {} } = read(file, folder);
  const empty = Object.keys(warehouseLists).filter((name) => !lists.some((list) => list.name === name));
  const codes = lists.reduce((sum, list) => sum + list.codes.length, 0);
  if (json) writeJson(stdout, { units, lists: lists.map(({ name }) => name), codes, empty });
  else
    stdout.write(
      `${file} is right: ${lists.length} lists with ${codes} codes.\n` +
        (empty.length === 0 ? '' : `Nothing is said of: ${empty.join(', ')}.\n`),
    );
  return exitCodes.done;
}

function read(file: string, folder: string): Dictionary {
  try {
    return dictionaryFile.parse(file, folder);
  } catch (error) {
    if (!(error instanceof SettingFault)) throw error;
    throw new OperatorError(
      `The dictionary in ${file}: ${error.message}.`,
      'For a right one: ./logistics-connect dictionary example',
    );
  }
}
