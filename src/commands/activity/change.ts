// The command `activity change`: renames an activity, or changes its retention; its code stays.
import type { Command } from 'commander';
import { formatRetention, parseRetention, type RetentionChanges } from '../../jobs/retention-text.ts';
import { retentionSubjects } from '../../jobs/retention-policy.ts';
import { OperatorError } from '../../model/operator-error.ts';
import { textBlock } from '../../model/text-block.ts';
import { checkActivity } from '../../store/activities.ts';
import type { NewAuditEntry } from '../../store/audit-contract.ts';
import type { Store } from '../../store/store.ts';
import { commandEntry } from '../audited.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from '../environment.ts';
import { UsageError } from '../failure.ts';
import { describeCommand, storageSettings } from '../help.ts';
import { type CommandLine, type JsonOption, jsonOption } from '../command-line.ts';
import { withStore } from '../storage.ts';

interface Options extends JsonOption {
  readonly name?: string;
  readonly retention?: string;
}

export function declareActivityChange(activity: Command, { environment, done }: CommandLine): void {
  describeCommand(
    activity
      .command('change')
      .description(
        textBlock`
          Give an activity another name, or say for how long it keeps its records. The code stays for ever: records,
          cursors, tokens and what clients have stored name the activity by it. Records carry the name (activityName)
          that they were written with: the next import brings the new one, and to clients such a record is changed.
        `,
      )
      .argument('<code>', 'see activity list')
      .option('--name <name>', '1 to 30 characters')
      .option(
        '--retention <list>',
        textBlock`
          days after their last write for which records are kept, such as orders=400,movements=730,stock=never; "never"
          removes none, "default" is what the settings say. There are ${retentionSubjects.join(', ')}. See retention
          --dry-run, for all but stock images
        `,
      )
      .option(...jsonOption)
      .action(async (code: string, options: Options) => done(await changeActivity(environment, code, options))),
    {
      examples: [
        'activity change ACM --name "Acme Home & Garden"',
        'activity change ACM --retention orders=400,movements=730',
      ],
      settings: storageSettings,
    },
  );
}

/**
 * @throws UsageError when nothing is to be changed, or the retention cannot be parsed
 * @throws OperatorError when there is no such activity, or the name is malformed
 */
async function changeActivity(
  environment: Environment,
  code: string,
  { name, retention, json }: Options,
): Promise<ExitCode> {
  if (name === undefined && retention === undefined)
    throw new UsageError('Say what is to be changed: --name, --retention, or both.');
  const days: RetentionChanges = retention === undefined ? new Map() : readRetention(retention);
  const sentences = await withStore(environment, async (store) => {
    if ((await store.activities.named([code])).length === 0)
      throw new OperatorError(`There is no activity "${code}".`, 'See `activity list`.');
    return [
      ...(name === undefined ? [] : [await rename(environment, store, code, name)]),
      ...(days.size === 0 ? [] : [await changeRetention(environment, store, code, days)]),
    ];
  });
  if (json === true)
    writeJson(environment.stdout, {
      code,
      ...(name !== undefined && { name }),
      ...(days.size > 0 && {
        retention: Object.fromEntries([...days].map(([subject, kept]) => [subject, kept ?? null])),
      }),
    });
  else environment.stdout.write(sentences.map((sentence) => `${sentence}\n`).join(''));
  return exitCodes.done;
}

function readRetention(text: string): RetentionChanges {
  const read = parseRetention(text);
  if (typeof read === 'string') throw new UsageError(read);
  return read;
}

async function rename(environment: Environment, store: Store, code: string, given: string): Promise<string> {
  const before = await store.activities.rename(code, given, (names) => changeEntry(environment, code, { name: names }));
  if (before === null) throw new OperatorError(`There is no activity "${code}".`, 'See `activity list`.');
  const name = before === given ? given : checkActivity(code, given);
  if (before === name) return `Activity ${code} is called "${name}" already.`;
  return textBlock`
    Activity ${code} is called "${name}" now; it was "${before}". Records carry the new name once they are written
    again.
  `;
}

function changeEntry(environment: Environment, code: string, details: object): NewAuditEntry {
  return commandEntry(environment, { action: 'activity.change', target: code, activityCodes: [code], details });
}

async function changeRetention(
  environment: Environment,
  store: Store,
  code: string,
  days: RetentionChanges,
): Promise<string> {
  const text = formatRetention(days);
  await store.retentionRules.set(code, days, () => changeEntry(environment, code, { retention: text }));
  return textBlock`
    Activity ${code} has the retention ${text} now. A running server acts on it within six hours; see what will go,
    stock images excepted, with retention --activity ${code} --dry-run.
  `;
}
