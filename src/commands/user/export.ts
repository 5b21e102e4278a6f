// The command `user export`: the users as CSV, without their passwords.
import type { Command } from 'commander';
import { listUsers } from '../../auth/users.ts';
import { textBlock } from '../../model/text-block.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from '../environment.ts';
import { describeCommand, storageSettings } from '../help.ts';
import { activityFilter, type CommandLine, type JsonOption, jsonOption } from '../command-line.ts';
import { inActivity } from '../activity-filter.ts';
import { withStore } from '../storage.ts';
import { csvOf } from './csv.ts';
import { describedUser } from './display.ts';

export function declareUserExport(user: Command, { environment, done }: CommandLine): void {
  describeCommand(
    user
      .command('export')
      .description(
        textBlock`
          Write the users to standard output as CSV: login, activities with blanks between them, operator, disabled,
          second_factor (optional or required), second_factor_set_up, created, roles of an operator
          with blanks between them. user import takes it back.
          Passwords are never written.
        `,
      )
      .option(...activityFilter)
      .option(...jsonOption)
      .action(async ({ activity, json }: JsonOption & { activity?: string }) =>
        done(await exportUsers(environment, { activity: activity ?? null, json: json === true })),
      ),
    { examples: ['user export > users.csv', 'user export --activity ACM > acme.csv'], settings: storageSettings },
  );
}

/** @throws OperatorError when there is no such activity */
async function exportUsers(
  environment: Environment,
  { activity, json }: { readonly activity: string | null; readonly json: boolean },
): Promise<ExitCode> {
  const users = await withStore(environment, async (store) => inActivity(store, await listUsers(store), activity));
  if (json) writeJson(environment.stdout, users.map(describedUser));
  else environment.stdout.write(csvOf(users));
  return exitCodes.done;
}
