// The command `user remove`: a person who shall not be known any more.
import type { Command } from 'commander';
import { removeUser as remove } from '../../auth/user-changes.ts';
import { textBlock } from '../../model/text-block.ts';
import { recordCommand } from '../audited.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from '../environment.ts';
import { describeCommand, storageSettings } from '../help.ts';
import { type CommandLine, type JsonOption, jsonOption } from '../line.ts';
import { withStore } from '../storage.ts';
import { describedUser } from './shown.ts';

export function declareUserRemove(user: Command, { environment, done }: CommandLine): void {
  describeCommand(
    user
      .command('remove')
      .description(
        textBlock`
          Remove a user for good, with sessions and what programs were allowed: no more sign-in, and tokens in hand stop
          within a minute. What the user did stays, and the audit trail names it by the user's id, which is printed. To
          lock somebody out for a while, use user disable.
        `,
      )
      .argument('<login>', 'see user list')
      .option(...jsonOption)
      .action(async (login: string, options: JsonOption) =>
        done(await removeUser(environment, login, options.json === true)),
      ),
    { examples: ['user remove mia@shop.example'], settings: storageSettings },
  );
}

/** @throws OperatorError when there is no such user */
async function removeUser(environment: Environment, login: string, json: boolean): Promise<ExitCode> {
  const user = await withStore(environment, async (store) => {
    const removed = await remove(store, login);
    await recordCommand(environment, store, {
      action: 'user.remove',
      target: removed.id,
      activityCodes: removed.activityCodes,
    });
    return removed;
  });
  if (json) writeJson(environment.stdout, describedUser(user));
  else
    environment.stdout.write(
      `User ${user.login} is removed; tokens in hand stop within a minute. The audit trail has it as ${user.id}.\n`,
    );
  return exitCodes.done;
}
