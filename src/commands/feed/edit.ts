// The command `feed edit`: replaces a refused record by a corrected one.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { checkEditedRecord } from '../../feeds/edited-record.ts';
import { OperatorError } from '../../model/operator-error.ts';
import { textBlock } from '../../model/text-block.ts';
import { messageRef } from '../../platform/feed-ids.ts';
import { editAction } from '../../platform/feed-line-changes.ts';
import { publishedLine } from '../../platform/feed-lines.ts';
import { commandEntry } from '../audited.ts';
import { type Environment, type ExitCode, exitCodes } from '../environment.ts';
import { describeCommand, storageSettings } from '../help.ts';
import { type JsonOption, jsonOption, type CommandLine } from '../command-line.ts';
import { withStore } from '../storage.ts';
import { lineNamed, settled } from './line.ts';

export function declareEditLine(feed: Command, { environment, done }: CommandLine): void {
  describeCommand(
    feed
      .command('edit')
      .summary('mend a refused record')
      .description(
        textBlock`
          Keep a mended record in place of the one that came. It is checked at once, as on its way in, and written when
          the line is replayed.
        `,
      )
      .argument('<line>', 'id of the line, such as ACM:17:4; see feed lines')
      .argument('<file>', 'JSON: the record')
      .option(...jsonOption)
      .action(async (line: string, file: string, options: JsonOption) =>
        done(await editLine(environment, { id: line, file, json: options.json === true })),
      ),
    { examples: ['feed edit ACM:17:4 mended.json'], settings: storageSettings },
  );
}

interface EditRequest {
  readonly id: string;
  readonly file: string;
  readonly json: boolean;
}

/** @throws OperatorError that lists all remaining faults of the record; nothing is changed then */
async function editLine(environment: Environment, { id, file, json }: EditRequest): Promise<ExitCode> {
  const text = readRecord(resolve(environment.folder, file));
  await withStore(environment, async (store) => {
    const line = await lineNamed(store, id);
    const checked = await checkEditedRecord(store, line, text);
    if (!checked.ok) {
      const faults = checked.reasons.map(({ pointer, detail }) => (pointer === '' ? detail : `${pointer}: ${detail}`));
      throw new OperatorError(faults.join(' '), 'Nothing was changed.');
    }
    const audit = commandEntry(environment, {
      action: editAction,
      target: messageRef(line),
      activityCodes: [line.activity],
      details: { record: line.record },
    });
    if (!(await store.feedLines.edit(line, checked.edited, { actor: environment.user, audit }))) throw settled(id);
    if (json) environment.stdout.write(`${publishedLine((await store.feedLines.find(line)) ?? line)}\n`);
    else environment.stdout.write(`Line ${id} has the mended record now. Replay it to write it.\n`);
  });
  return exitCodes.done;
}

function readRecord(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`${path} cannot be read: ${cause}.`, 'Name a file that holds the record as JSON.', {
      cause: error,
    });
  }
}
