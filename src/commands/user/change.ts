// The command `user change`: changes the login, the activities and the operator rights of a user.
import type { Command } from 'commander';
import { type ChangedUser, changeUser as change, type UserChangeRequest } from '../../auth/user-changes.ts';
import { textBlock } from '../../model/text-block.ts';
import { commandEntry } from '../audited.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from '../environment.ts';
import { UsageError } from '../failure.ts';
import { describeCommand, storageSettings } from '../help.ts';
import {
  addedActivitiesOption,
  type CommandLine,
  type JsonOption,
  jsonOption,
  operatorMeaning,
  removedActivitiesOption,
  roleMeaning,
  type SecondFactorRule,
  secondFactorOption,
} from '../command-line.ts';
import { withStore } from '../storage.ts';
import { describedUser, mayText } from './display.ts';

interface Options extends JsonOption {
  readonly login?: string;
  readonly addActivity?: readonly string[];
  readonly removeActivity?: readonly string[];
  readonly operator?: boolean;
  readonly addRole?: readonly string[];
  readonly removeRole?: readonly string[];
  readonly secondFactor?: SecondFactorRule;
  readonly resetSecondFactor?: true;
}

export function declareUserChange(user: Command, { environment, done }: CommandLine): void {
  describeCommand(
    user
      .command('change')
      .description(
        textBlock`
          Change a user. An activity that is withdrawn is closed for tokens in hand too, within a minute; one that is
          granted is open to a program once the person signs in there again and agrees. With another login the user
          stays the same, with password, tokens and audit trail.
        `,
      )
      .argument('<login>', 'see user list')
      .option('--login <login>', 'what the user signs in with from now on')
      .option(...addedActivitiesOption)
      .option(...removedActivitiesOption)
      .option('--operator', operatorMeaning)
      .option('--no-operator', 'no longer one; the roles go too')
      .option('--add-role <role...>', roleMeaning)
      .option('--remove-role <role...>', 'what an operator may no longer do')
      .addOption(secondFactorOption())
      .option('--reset-second-factor', 'take the second factor away, with the recovery codes: the telephone is gone')
      .option(...jsonOption)
      .action(async (login: string, options: Options) => done(await changeUser(environment, login, options))),
    {
      examples: [
        'user change mia@shop.example --add-activity BLU --remove-activity ACM',
        'user change mia --login mia@shop.example',
        'user change ops --operator --add-role feed --add-role audit',
        'user change mia@shop.example --second-factor required --reset-second-factor',
      ],
      settings: storageSettings,
    },
  );
}

/**
 * Changes a user, and records the changes in the audit trail.
 * @throws UsageError when nothing is to be changed
 * @throws OperatorError see `changeUser` of auth
 */
async function changeUser(environment: Environment, login: string, options: Options): Promise<ExitCode> {
  const wanted: UserChangeRequest = {
    ...(options.login !== undefined && { login: options.login }),
    ...(options.operator !== undefined && { operator: options.operator }),
    addedRoles: options.addRole ?? [],
    removedRoles: options.removeRole ?? [],
    ...(options.secondFactor !== undefined && { secondFactorRequired: options.secondFactor === 'required' }),
    resetSecondFactor: options.resetSecondFactor === true,
    addedActivities: options.addActivity ?? [],
    removedActivities: options.removeActivity ?? [],
  };
  const { json: _json, ...given } = options;
  if (Object.values(given).every((one) => one === undefined)) throw new UsageError('Say what is to be changed');
  const changed = await withStore(environment, async (store) => {
    const result = await change(store, login, wanted, (made) => {
      const details = auditDetails(made);
      if (details === null) return null;
      return commandEntry(environment, {
        action: 'user.change',
        target: made.after.id,
        activityCodes: [...new Set([...made.before.activityCodes, ...made.after.activityCodes])].sort(),
        details,
      });
    });
    return { ...result, isChanged: auditDetails(result) !== null };
  });
  if (options.json === true) writeJson(environment.stdout, describedUser(changed.after));
  else environment.stdout.write(resultText(changed));
  return exitCodes.done;
}

/** The changes without the login, which identifies a person. Null: none. */
function auditDetails({ before, after }: ChangedUser): Readonly<Record<string, unknown>> | null {
  const granted = after.activityCodes.filter((code) => !before.activityCodes.includes(code));
  const withdrawn = before.activityCodes.filter((code) => !after.activityCodes.includes(code));
  const details = {
    ...(before.login !== after.login && { login: 'changed' }),
    ...(granted.length > 0 && { granted }),
    ...(withdrawn.length > 0 && { withdrawn }),
    ...(before.operator !== after.operator && { operator: after.operator }),
    ...(before.operatorRoles.join() !== after.operatorRoles.join() && {
      roles: { before: before.operatorRoles, after: after.operatorRoles },
    }),
    ...(before.secondFactorRequired !== after.secondFactorRequired && {
      secondFactor: after.secondFactorRequired ? 'required' : 'optional',
    }),
    ...(before.secondFactor && !after.secondFactor && { secondFactorReset: true }),
  };
  return Object.keys(details).length === 0 ? null : details;
}

function resultText({ before, after, isChanged }: ChangedUser & { readonly isChanged: boolean }): string {
  if (!isChanged) return `User ${after.login} is as it was: ${mayText(after)}.\n`;
  const withdrawn = before.activityCodes.some((code) => !after.activityCodes.includes(code));
  const granted = after.activityCodes.some((code) => !before.activityCodes.includes(code));
  return [
    `User ${after.login} ${mayText(after)}.`,
    ...(before.login === after.login ? [] : [`The login was ${before.login}; the password stays.`]),
    ...(withdrawn ? ['What was withdrawn is closed within a minute, for tokens in hand too.'] : []),
    ...(before.secondFactor && !after.secondFactor
      ? ['The second factor is taken away: the next sign-in is with the password alone, or sets it up anew.']
      : []),
    ...(after.secondFactorRequired && !after.secondFactor
      ? ['A second factor is set up at the next sign-in, before anything else.']
      : []),
    ...(granted ? ['What was granted opens to each program once the user signs in there again.'] : []),
  ]
    .join('\n')
    .concat('\n');
}
