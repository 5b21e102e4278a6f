// The commands `user …`: the people who sign in.
import type { Command } from 'commander';
import { passwordFault } from '../auth/passwords.ts';
import { addUser as add, listUsers as readUsers, type NewUser, userFaults } from '../auth/users.ts';
import { OperatorError } from '../model/operator-error.ts';
import { commandEntry } from './audited.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from './environment.ts';
import { describeCommand, storageSettings } from './help.ts';
import { readNewPassword } from './password.ts';
import {
  activitiesOption,
  activityFilter,
  type JsonOption,
  jsonOption,
  type CommandLine,
  operatorMeaning,
  roleMeaning,
  secondFactorOption,
  type SecondFactorRule,
} from './command-line.ts';
import { inActivity } from './activity-filter.ts';
import { withStore } from './storage.ts';
import { minuteText, writeTable } from './table.ts';
import { declareUserChange } from './user/change.ts';
import { declareUserExport } from './user/export.ts';
import { declareUserImport } from './user/import.ts';
import { declareUserCommand, userCommands } from './user/single-user.ts';
import { describedUser, mayText, operatorText, secondFactorText } from './user/display.ts';

interface AddOptions extends JsonOption {
  readonly activity?: readonly string[];
  readonly operator?: true;
  readonly role?: readonly string[];
  readonly secondFactor?: SecondFactorRule;
}

export function declareUser(program: Command, line: CommandLine): void {
  const { environment, done } = line;
  const user = describeCommand(program.command('user').description('People who sign in.'), {
    examples: ['user add --help', 'user list'],
  });
  describeCommand(
    user
      .command('add')
      .description(
        'Add a user. The password is asked for on a terminal; elsewhere it is the first line of standard input.',
      )
      .argument('<login>', 'a name or an e-mail address')
      .option(activitiesOption[0], `${activitiesOption[1]}; only an operator may have none`)
      .option('--operator', operatorMeaning)
      .option('--role <role...>', roleMeaning)
      .addOption(secondFactorOption())
      .option(...jsonOption)
      .action(async (login: string, options: AddOptions) =>
        done(
          await addUser(environment, {
            login,
            activityCodes: options.activity ?? [],
            operator: options.operator === true,
            operatorRoles: options.role ?? [],
            secondFactorRequired: options.secondFactor === 'required',
            json: options.json === true,
          }),
        ),
      ),
    {
      examples: [
        'user add mia@shop.example --activity ACM',
        'user add ops --operator --role feed --role audit < password.txt',
      ],
      settings: storageSettings,
    },
  );
  declareUserChange(user, line);
  describeCommand(
    user
      .command('list')
      .description('List the users, disabled ones too.')
      .option(...activityFilter)
      .option(...jsonOption)
      .action(async ({ activity, json }: JsonOption & { activity?: string }) =>
        done(await listUsers(environment, { activity: activity ?? null, json: json === true })),
      ),
    { examples: ['user list', 'user list --activity ACM'], settings: storageSettings },
  );
  for (const command of userCommands) declareUserCommand(user, line, command);
  declareUserExport(user, line);
  declareUserImport(user, line);
}

/**
 * Adds a user, after reading the password.
 * @throws OperatorError that lists all faults
 */
async function addUser(
  environment: Environment,
  wanted: Omit<NewUser, 'password'> & { readonly json: boolean },
): Promise<ExitCode> {
  refuse(userFaults(wanted));
  const password = await readNewPassword(environment, wanted.login, (given) => {
    const fault = passwordFault(given, wanted.login);
    refuse(fault === null ? [] : [fault]);
  });
  const user = await withStore(environment, (store) =>
    add(store, { ...wanted, password }, environment.now(), (added) =>
      commandEntry(environment, {
        action: 'user.add',
        target: added.id,
        activityCodes: added.activityCodes,
        details: { operator: added.operator, ...(added.operatorRoles.length > 0 && { roles: added.operatorRoles }) },
      }),
    ),
  );
  if (wanted.json) writeJson(environment.stdout, describedUser(user));
  else environment.stdout.write(`User ${user.login} ${mayText(user)}.\n`);
  return exitCodes.done;
}

/**
 * Lists the users by login, including disabled ones; never their passwords.
 * @param activity only those that may act in it; null: all
 * @throws OperatorError when there is no such activity
 */
async function listUsers(
  environment: Environment,
  { activity, json }: { readonly activity: string | null; readonly json: boolean },
): Promise<ExitCode> {
  const users = await withStore(environment, async (store) => inActivity(store, await readUsers(store), activity));
  if (json) writeJson(environment.stdout, users.map(describedUser));
  else {
    writeTable(
      environment.stdout,
      ['LOGIN', 'ACTIVITIES', 'OPERATOR', 'SECOND FACTOR', 'CREATED', 'DISABLED'],
      users.map((user) => [
        user.login,
        user.activityCodes.join(' '),
        operatorText(user),
        secondFactorText(user),
        minuteText(user.createdAt),
        minuteText(user.disabledAt),
      ]),
    );
  }
  return exitCodes.done;
}

function refuse(faults: readonly string[]): void {
  if (faults.length > 0) throw new OperatorError(faults.join(' '), 'Nothing was added.');
}
