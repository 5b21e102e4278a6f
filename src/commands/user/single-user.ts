// The commands `user disable`, `enable`, `password` and `remove`: each performs one action on one user.
import type { Command } from 'commander';
import { passwordFault } from '../../auth/passwords.ts';
import { removeUser } from '../../auth/user-changes.ts';
import { changePassword, disableUser, enableUser, knownUser, type User } from '../../auth/users.ts';
import { OperatorError } from '../../model/operator-error.ts';
import { textBlock } from '../../model/text-block.ts';
import type { EntryOf } from '../../store/audit-contract.ts';
import type { Store } from '../../store/store.ts';
import { commandEntry } from '../audited.ts';
import { type Environment, exitCodes, writeJson } from '../environment.ts';
import { describeCommand, storageSettings } from '../help.ts';
import { type CommandLine, type JsonOption, jsonOption } from '../command-line.ts';
import { readNewPassword } from '../password.ts';
import { withStore } from '../storage.ts';
import { minuteText } from '../table.ts';
import { describedUser } from './display.ts';

interface UserCommand {
  readonly name: 'disable' | 'enable' | 'password' | 'remove';
  readonly description: string;
  readonly examples: readonly string[];
  /**
   * @returns the user after the action, or before a removal
   * @throws OperatorError when there is no such user
   */
  readonly act: (store: Store, login: string, environment: Environment, entryOf: EntryOf<User>) => Promise<User>;
  /** The message when it is done. */
  readonly said: (user: User) => string;
}

export const userCommands: readonly UserCommand[] = [
  {
    name: 'disable',
    description: 'Disable a user: no more sign-in, and tokens in hand stop within a minute.',
    examples: ['user disable mia@shop.example'],
    act: (store, login, { now }, entryOf) => disableUser(store, login, now(), entryOf),
    said: ({ login, disabledAt }) =>
      `User ${login} is disabled since ${minuteText(disabledAt)}; tokens in hand stop within a minute.`,
  },
  {
    name: 'enable',
    description: 'Let a disabled user sign in again, with the password of before.',
    examples: ['user enable mia@shop.example'],
    act: (store, login, _environment, entryOf) => enableUser(store, login, entryOf),
    said: ({ login }) => `User ${login} may sign in again, with the password of before.`,
  },
  {
    name: 'password',
    description: textBlock`
      Give a user a new password, asked for or read as for user add. What was signed in with the old one ends,
      browsers and tokens within a minute.
    `,
    examples: ['user password mia@shop.example', 'user password ops < password.txt'],
    act: givePassword,
    said: ({ login }) => `User ${login} has a new password, and must sign in anew everywhere.`,
  },
  {
    name: 'remove',
    description: textBlock`
      Remove a user for good, with sessions and what programs were allowed: no more sign-in, and tokens in hand stop
      within a minute. What the user did stays, and the audit trail names it by the user's id, which is printed. To
      lock somebody out for a while, use user disable.
    `,
    examples: ['user remove mia@shop.example'],
    act: (store, login, _environment, entryOf) => removeUser(store, login, entryOf),
    said: ({ login, id }) =>
      `User ${login} is removed; tokens in hand stop within a minute. The audit trail has it as ${id}.`,
  },
];

/** Declares a command that takes a login, and records its action in the audit trail. */
export function declareUserCommand(
  user: Command,
  { environment, done }: CommandLine,
  { name, description, examples, act, said }: UserCommand,
): void {
  const run = async (login: string, { json }: JsonOption) => {
    const changed = await withStore(environment, (store) =>
      act(store, login, environment, ({ id: target, activityCodes }) =>
        commandEntry(environment, { action: `user.${name}`, target, activityCodes }),
      ),
    );
    if (json === true) writeJson(environment.stdout, describedUser(changed));
    else environment.stdout.write(`${said(changed)}\n`);
    return exitCodes.done;
  };
  describeCommand(
    user
      .command(name)
      .description(description)
      .argument('<login>', 'see user list')
      .option(...jsonOption)
      .action(async (login: string, options: JsonOption) => done(await run(login, options))),
    { examples, settings: storageSettings },
  );
}

/**
 * Sets a user's password, after reading it.
 * @throws OperatorError when there is no such user, or the password is not acceptable
 */
async function givePassword(
  store: Store,
  login: string,
  environment: Environment,
  entryOf: EntryOf<User>,
): Promise<User> {
  const known = await knownUser(store, login);
  const password = await readNewPassword(environment, known.login, (given) => {
    const fault = passwordFault(given, known.login);
    if (fault !== null) throw new OperatorError(fault, 'Nothing was changed.');
  });
  return changePassword(store, login, password, environment.now(), entryOf);
}
