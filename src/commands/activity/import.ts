// The command `activity import`: adds and renames activities from a CSV file, all or none.
import type { Command } from 'commander';
import { refuseFaults } from '../../auth/user-import.ts';
import { OperatorError } from '../../model/operator-error.ts';
import { textBlock } from '../../model/text-block.ts';
import { type Activity, type ActivityEdit, checkActivity } from '../../store/activities.ts';
import { commandEntry } from '../audited.ts';
import { csvBytes, type ListLine, csvLines } from '../csv-file.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from '../environment.ts';
import { describeCommand, storageSettings } from '../help.ts';
import { type CommandLine, type JsonOption, jsonOption } from '../command-line.ts';
import { withNewStore } from '../storage.ts';

/** The last two are ignored on import. */
export const activityColumns = ['code', 'name', 'created', 'last_write'] as const;

interface Options extends JsonOption {
  readonly dryRun?: true;
}

export function declareActivityImport(activity: Command, { environment, done }: CommandLine): void {
  describeCommand(
    activity
      .command('import')
      .description(
        textBlock`
          Add activities, and give others another name, as a CSV file lists them: all of them, or none where one line is
          wrong. The first line names the columns: code, name; created and last_write are not read. Activities that are
          not in the file stay as they are.
        `,
      )
      .argument('<file>', 'CSV file, - for standard input')
      .option('--dry-run', 'check everything and say what would be changed; change nothing')
      .option(...jsonOption)
      .action(async (file: string, options: Options) => done(await importActivities(environment, file, options))),
    { examples: ['activity import activities.csv --dry-run'], settings: storageSettings },
  );
}

/** @throws OperatorError that reports the faults by line; nothing is changed then */
async function importActivities(environment: Environment, file: string, options: Options): Promise<ExitCode> {
  const lines = csvLines(await csvBytes(environment, file), activityColumns, 'code');
  const edits = await withNewStore(environment, async ({ activities }) => {
    const planned = plannedEdits(lines, await activities.list());
    const entries = planned.map(({ code, before, name }) =>
      commandEntry(environment, {
        ...{ action: before === null ? 'activity.add' : 'activity.change', target: code, activityCodes: [code] },
        details: { import: true, ...(before !== null && { name: { before, after: name } }) },
      }),
    );
    if (options.dryRun !== true && planned.length > 0 && !(await activities.edit(planned, entries)))
      throw new OperatorError(
        'An activity of the list was changed by somebody else meanwhile.',
        'Nothing was changed. Run the command again.',
      );
    return planned;
  });
  report(environment, edits, lines.length - edits.length, options);
  return exitCodes.done;
}

function plannedEdits(
  lines: readonly ListLine<(typeof activityColumns)[number]>[],
  known: readonly Activity[],
): readonly ActivityEdit[] {
  const nameOf = new Map(known.map(({ code, name }) => [code, name]));
  const lineOf = new Map<string, number>();
  const faults: string[] = [];
  const edits: ActivityEdit[] = [];
  for (const { line, at, faults: own } of lines) {
    const code = (at('code') ?? '').toUpperCase();
    const before = nameOf.get(code) ?? null;
    const { name, fault } = storedName(code, at('name') || before || '', before);
    const first = lineOf.get(code);
    const found = [
      ...own,
      ...(first === undefined ? [] : [`The activity "${code}" is on line ${first} already.`]),
      ...(fault === null ? [] : [fault]),
    ];
    lineOf.set(code, first ?? line);
    if (found.length > 0) faults.push(`Line ${line}: ${found.join(' ')}`);
    else if (name !== before) edits.push({ code, before, name });
  }
  refuseFaults(faults);
  return edits;
}

/** The name as it is stored, or why it cannot be; an activity that exists keeps the name that it has. */
function storedName(
  code: string,
  given: string,
  before: string | null,
): { readonly name: string; readonly fault: string | null } {
  if (given === before) return { name: given, fault: null };
  try {
    return { name: checkActivity(code, given), fault: null };
  } catch (error) {
    if (error instanceof OperatorError) return { name: given, fault: error.message };
    throw error;
  }
}

function report({ stdout }: Environment, edits: readonly ActivityEdit[], unchanged: number, options: Options): void {
  const codes = (isNew: boolean) => edits.filter(({ before }) => (before === null) === isNew).map(({ code }) => code);
  const [added, changed] = [codes(true), codes(false)];
  if (options.json === true) {
    writeJson(stdout, { dryRun: options.dryRun === true, added, changed, unchanged });
    return;
  }
  const counts = `${added.length} new, ${changed.length} changed, ${unchanged} unchanged`;
  if (options.dryRun === true) {
    const lines = [...added.map((code) => `new      ${code}`), ...changed.map((code) => `changed  ${code}`)];
    stdout.write([...lines, `It would be: ${counts}. Nothing was changed.\n`].join('\n'));
  } else stdout.write(`activities: ${counts}\n`);
}
