// The command `user import`: adds and changes users from a CSV file, all or none.
import { rmSync } from 'node:fs';
import type { Command } from 'commander';
import { carryOutPlan, passwordsFor, planUsers, type UserPlan } from '../../auth/user-import.ts';
import { OperatorError } from '../../model/operator-error.ts';
import { textBlock } from '../../model/text-block.ts';
import type { NewAuditEntry } from '../../store/audit-contract.ts';
import { commandEntry } from '../audited.ts';
import { csvBytes, writePrivateFile } from '../csv-file.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from '../environment.ts';
import { describeCommand, storageSettings } from '../help.ts';
import { type CommandLine, type JsonOption, jsonOption } from '../command-line.ts';
import { withStore } from '../storage.ts';
import { passwordCsvOf, usersIn } from './csv.ts';

interface Options extends JsonOption {
  readonly dryRun?: true;
  readonly passwords?: string;
}

export function declareUserImport(user: Command, { environment, done }: CommandLine): void {
  describeCommand(
    user
      .command('import')
      .description(
        textBlock`
          Add and change users as a CSV file lists them: all of them, or none where one line is wrong. The first line
          names the columns: login, activities (codes with blanks between them), operator and disabled (yes or no),
          second_factor (optional or required), second_factor_set_up and created (not read),
          roles (of an operator, with blanks between them). A column that is
          missing changes nothing; users who are not in the file stay as they are. Commas, semicolons and tabs are
          understood. New users get passwords that are made for them, in a file that nobody else may read: hand them
          out, and delete it.
        `,
      )
      .argument('<file>', 'CSV file, - for standard input')
      .option('--dry-run', 'check everything and say what would be changed; change nothing')
      .option('--passwords <file>', 'where the passwords of new users are written; it must not exist')
      .option(...jsonOption)
      .action(async (file: string, options: Options) => done(await importUsers(environment, file, options))),
    {
      examples: ['user import users.csv --dry-run', 'user import users.csv --passwords passwords.csv'],
      settings: storageSettings,
    },
  );
}

/** @throws OperatorError that reports the faults by line; nothing is changed then */
async function importUsers(environment: Environment, file: string, options: Options): Promise<ExitCode> {
  const listed = usersIn(await csvBytes(environment, file));
  const plan = await withStore(environment, async (store) => {
    const planned = await planUsers(store, listed, environment.now());
    if (options.dryRun !== true)
      await carryOut(environment, planned, options.passwords ?? null, (...work) => carryOutPlan(store, ...work));
    return planned;
  });
  report(environment, plan, options);
  return exitCodes.done;
}

type CarryOut = (
  plan: UserPlan,
  passwords: ReadonlyMap<string, string>,
  entries: readonly NewAuditEntry[],
) => Promise<void>;

/** The file of passwords is created before the users: a user whose password cannot be read could never sign in. */
async function carryOut(
  environment: Environment,
  plan: UserPlan,
  passwordFile: string | null,
  work: CarryOut,
): Promise<void> {
  const entries = entriesOf(environment, plan);
  if (plan.added.length === 0) return work(plan, new Map(), entries);
  if (passwordFile === null)
    throw new OperatorError(
      `${plan.added.length} users are new, and their passwords must be written somewhere.`,
      'Add --passwords FILE, or see --dry-run. Nothing was changed.',
    );
  const passwords = passwordsFor(plan);
  const path = writePrivateFile(environment, 'passwords', passwordFile, passwordCsvOf(passwords));
  try {
    await work(plan, passwords, entries);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
}

function entriesOf(environment: Environment, { added, changed }: UserPlan): readonly NewAuditEntry[] {
  return [
    ...added.map(({ id, activityCodes, operator, operatorRoles: roles }) =>
      commandEntry(environment, {
        ...{ action: 'user.add', target: id, activityCodes },
        details: { operator, ...(roles.length > 0 && { roles }), import: true },
      }),
    ),
    ...changed.map(
      ({ before, changes: { activityCodes, operator, operatorRoles, disabledAt, secondFactorRequired } }) =>
        commandEntry(environment, {
          action: 'user.change',
          target: before.id,
          activityCodes: [...new Set([...before.activityCodes, ...(activityCodes ?? [])])].sort(),
          details: {
            import: true,
            ...(activityCodes !== undefined && { activities: { before: before.activityCodes, after: activityCodes } }),
            ...(operator !== undefined && { operator }),
            ...(operatorRoles !== undefined && { roles: { before: before.operatorRoles, after: operatorRoles } }),
            ...(disabledAt !== undefined && { disabled: disabledAt !== null }),
            ...(secondFactorRequired !== undefined && { secondFactor: secondFactorRequired ? 'required' : 'optional' }),
          },
        }),
    ),
  ];
}

function report({ stdout }: Environment, { added, changed, unchanged }: UserPlan, options: Options): void {
  const logins = { added: added.map(({ login }) => login), changed: changed.map(({ before }) => before.login) };
  if (options.json === true) {
    writeJson(stdout, { dryRun: options.dryRun === true, ...logins, unchanged });
    return;
  }
  const counts = `${added.length} new, ${changed.length} changed, ${unchanged} unchanged`;
  if (options.dryRun === true) {
    const lines = [
      ...logins.added.map((login) => `new      ${login}`),
      ...logins.changed.map((login) => `changed  ${login}`),
    ];
    stdout.write([...lines, `It would be: ${counts}. Nothing was changed.\n`].join('\n'));
    return;
  }
  stdout.write(`users: ${counts}\n`);
  if (changed.some(({ changes }) => changes.activityCodes !== undefined || typeof changes.disabledAt === 'number'))
    stdout.write('What was withdrawn is closed within a minute, for tokens in hand too.\n');
  if (changed.some(({ changes }) => changes.secondFactorRequired === true))
    stdout.write('Who has to have a second factor and has none sets it up at the next sign-in.\n');
  if (added.length > 0)
    stdout.write(`The passwords of new users are in ${options.passwords}: hand them out, and delete it.\n`);
}
