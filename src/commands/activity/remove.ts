// The command `activity remove`: shows what belongs to an activity, asks for confirmation, and removes it all.
import type { Command } from 'commander';
import { OperatorError } from '../../model/operator-error.ts';
import { textBlock } from '../../model/text-block.ts';
import { type ActivityContents, maxCountedRows } from '../../store/activity-removal.ts';
import type { Store } from '../../store/store.ts';
import { prompt } from '../prompts.ts';
import { archiveProgress } from '../archive-progress.ts';
import { commandEntry } from '../audited.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from '../environment.ts';
import { Interrupted } from '../failure.ts';
import { describeCommand, storageSettings } from '../help.ts';
import { type CommandLine, type JsonOption, jsonOption } from '../command-line.ts';
import { withStore } from '../storage.ts';
import { aloneAtActivity } from './alone.ts';

interface Options extends JsonOption {
  readonly yes?: true;
}

export function declareActivityRemove(activity: Command, { environment, done }: CommandLine): void {
  describeCommand(
    activity
      .command('remove')
      .description(
        textBlock`
          Remove an activity with all that is stored of it: records, stock images, what waits in the outbox, documents,
          labels, carrier accounts. Says first what that is, and removes nothing until the code is typed or --yes is
          given. Users, clients and keys lose the activity and stay; the audit trail stays. Running servers close it
          within a minute; the records go bit by bit, while servers run. What was interrupted is completed by the same
          command. Rows that others hold are waited for, for a minute where no others are left. Refused while somebody
          else removes the activity, or imports it from an export. Nothing brings the records back but a backup. Stop
          imports of records first.
        `,
      )
      .argument('<code>', 'see activity list')
      .option('--yes', 'do not ask')
      .option(...jsonOption)
      .action(async (code: string, options: Options) => done(await removeActivity(environment, code, options))),
    {
      examples: ['activity remove ACM', 'activity remove ACM --yes --json'],
      codes: { [exitCodes.interrupted]: 'interrupted; the activity is closed: run it again to remove the rest' },
      settings: storageSettings,
    },
  );
}

/**
 * @throws OperatorError when there is no such activity, somebody else is importing or removing it, the removal was not
 *   confirmed, or others hold rows for too long
 */
async function removeActivity(environment: Environment, code: string, { yes, json }: Options): Promise<ExitCode> {
  const { rows, contents } = await withStore(environment, async (store, config) => {
    const found = await store.activityRemoval.contents(code);
    if (found === null) throw new OperatorError(`There is no activity "${code}".`, 'See `activity list`.');
    return aloneAtActivity(config, code, async () => {
      if (json !== true) environment.stderr.write(meaning(code, found));
      if (yes !== true) await confirm(environment, code);
      return { rows: await remove(environment, store, { code, json: json === true }), contents: found };
    });
  });
  if (json === true) writeJson(environment.stdout, { code, name: contents.name, rows });
  else
    environment.stdout.write(
      [
        `Activity ${code} is removed, with ${rows} rows; running servers close it within a minute.`,
        'Files of documents and labels go with the next sweep of a server.\n',
      ].join('\n'),
    );
  return exitCodes.done;
}

async function remove(
  environment: Environment,
  store: Store,
  { code, json }: { readonly code: string; readonly json: boolean },
): Promise<number> {
  const left = `${code} is closed, and not all of its rows are removed. Run it again.`;
  const stopped = environment.interruption();
  let isTold = json;
  const removed = await store.activityRemoval.remove(code, environment.now(), {
    audit: commandEntry(environment, { action: 'activity.remove', target: code, activityCodes: [code] }),
    onRows: archiveProgress(environment, { does: 'remove', json, left }),
    onHeld: (tables) => {
      if (stopped.aborted) throw new Interrupted(`Interrupted: ${left}`);
      if (isTold) return;
      isTold = true;
      const names = tables.map((table) => table.replaceAll('_', ' ')).join(', ');
      environment.stderr.write(`remove: waiting for rows that others hold: ${names}\n`);
    },
  });
  return removed ?? 0;
}

/** What will be removed, line by line. */
function meaning(code: string, { name, isRemoved, rows, users, clients, platformKeys }: ActivityContents): string {
  const counted = Object.entries(rows).map(
    ([table, count]) =>
      `  ${count > maxCountedRows ? `more than ${maxCountedRows}` : count}  ${table.replaceAll('_', ' ')}`,
  );
  return [
    isRemoved
      ? `Activity ${code} (${name}) was removed before. What is left of it, by table:`
      : `Activity ${code} (${name}) is going to be removed for good, with all rows of it, by table:`,
    ...(counted.length === 0 ? ['  none'] : counted),
    `It is taken from ${users} users, ${clients} clients and ${platformKeys} platform keys, which stay.\n`,
  ].join('\n');
}

async function confirm(environment: Environment, code: string): Promise<void> {
  const remedy = 'Nothing was removed.';
  if (environment.stdin.isTTY !== true)
    throw new OperatorError('Nobody confirmed the removal.', `${remedy} Run it in a terminal, or with --yes.`);
  await prompt(environment, [{ text: `Type ${code} to remove it`, secret: false }], (answer) => {
    if (answer !== code) throw new OperatorError(`"${answer}" is not ${code}.`, remedy);
  });
}
