// The command `restored`: tells the database that it was restored from a backup.
import type { Command } from 'commander';
import { textBlock } from '../model/text-block.ts';
import { commandEntry } from './audited.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from './environment.ts';
import { describeCommand, storageSettings } from './help.ts';
import { type JsonOption, jsonOption, type CommandLine } from './command-line.ts';
import { withStore } from './storage.ts';

export function declareRestored(program: Command, { environment, done }: CommandLine): void {
  describeCommand(
    program
      .command('restored')
      .summary('after a restore from a backup')
      .description(
        textBlock`
          Tell the database that it was restored from a backup, before the server is started: clients and the warehouse
          may have seen changes that it has lost. Clients read again from the start, and no number is given out twice.
          See docs/operation.md.
        `,
      )
      .option(...jsonOption)
      .action(async (options: JsonOption) => done(await beginAgain(environment, { json: options.json === true }))),
    { examples: ['restored'], settings: storageSettings },
  );
}

/**
 * Begins a new history of changes.
 * @throws OperatorError when storage cannot be used
 */
async function beginAgain(environment: Environment, { json }: { readonly json: boolean }): Promise<ExitCode> {
  const activities = await withStore(environment, (store) =>
    store.beginHistory(() => commandEntry(environment, { action: 'restored', target: null })),
  );
  if (json) writeJson(environment.stdout, { activities });
  else {
    for (const sentences of [clientsBeginAnew, connected, undone]) environment.stdout.write(`${sentences}\n`);
  }
  return exitCodes.done;
}

const clientsBeginAnew = textBlock`
  Start the server now, again if it runs. Clients that come with a cursor of before are told to read from the start
  (410 cursor-expired).
`;
const connected = textBlock`
  Programs stay connected: the refresh tokens that they hold go on. A program that was let in since the backup was made
  has to ask its person again.
`;
const undone = textBlock`
  Who was disabled, and which keys and sign-ins were ended, since the backup was made is so no longer: do it again.
`;
