// The commands `user …` on the command line.
import { textBlock } from '../../model/text-block.ts';
import type { Command } from 'commander';
import { describe, storageSettings } from '../help.ts';
import { activitiesOption, type Json, jsonOption, type Line } from './line.ts';

export function addUserCommands(program: Command, { environment, done }: Line): void {
  const user = describe(program.command('user').description('People who sign in.'), {
    examples: ['user add --help', 'user list'],
  });
  describe(
    user
      .command('add')
      .description(
        'Add a user. The password is asked for on a terminal; elsewhere it is the first line of standard input.',
      )
      .argument('<login>', 'a name or an e-mail address')
      .option(activitiesOption[0], `${activitiesOption[1]}; only an operator may have none`)
      .option('--operator', 'may administer the service')
      .option(...jsonOption)
      .action(async (login: string, options: Json & { activity?: string[]; operator?: true }) =>
        done(
          await (await import('../user.ts')).addUser(environment, {
            login,
            activityCodes: options.activity ?? [],
            operator: options.operator === true,
            json: options.json === true,
          }),
        ),
      ),
    {
      examples: ['user add mia@shop.example --activity ACM', 'user add ops --operator < password.txt'],
      settings: storageSettings,
    },
  );
  describe(
    user
      .command('list')
      .description('List the users, disabled ones too.')
      .option(...jsonOption)
      .action(async (options: Json) =>
        done(await (await import('../user.ts')).listUsers(environment, { json: options.json === true })),
      ),
    { examples: ['user list'], settings: storageSettings },
  );
  describe(
    user
      .command('disable')
      .description('Disable a user: no more sign-in, and tokens in hand stop within a minute.')
      .argument('<login>', 'see user list')
      .option(...jsonOption)
      .action(async (login: string, options: Json) =>
        done(await (await import('../user.ts')).disableUser(environment, { login, json: options.json === true })),
      ),
    { examples: ['user disable mia@shop.example'], settings: storageSettings },
  );
  describe(
    user
      .command('enable')
      .description('Let a disabled user sign in again, with the password of before.')
      .argument('<login>', 'see user list')
      .option(...jsonOption)
      .action(async (login: string, options: Json) =>
        done(await (await import('../user.ts')).enableUser(environment, { login, json: options.json === true })),
      ),
    { examples: ['user enable mia@shop.example'], settings: storageSettings },
  );
  describe(
    user
      .command('password')
      .description(
        textBlock`
          Give a user a new password, asked for or read as for user add. What was signed in with the old one ends:
          browsers at once, access tokens within an hour.
        `,
      )
      .argument('<login>', 'see user list')
      .option(...jsonOption)
      .action(async (login: string, options: Json) =>
        done(
          await (await import('../user.ts')).changeUserPassword(environment, { login, json: options.json === true }),
        ),
      ),
    { examples: ['user password mia@shop.example', 'user password ops < password.txt'], settings: storageSettings },
  );
}
