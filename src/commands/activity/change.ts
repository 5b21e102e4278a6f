// The command `activity change`: another name for an activity; its code stays.
import type { Command } from 'commander';
import { OperatorError } from '../../model/operator-error.ts';
import { textBlock } from '../../model/text-block.ts';
import { recordCommand } from '../audited.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from '../environment.ts';
import { describe, storageSettings } from '../help.ts';
import { type CommandLine, type JsonOption, jsonOption } from '../line.ts';
import { withStore } from '../storage.ts';

export function declareActivityChange(activity: Command, { environment, done }: CommandLine): void {
  describe(
    activity
      .command('change')
      .description(
        textBlock`
          Give an activity another name. The code stays for ever: records, cursors, tokens and what clients have stored
          name the activity by it. Records carry the name (activityName) that they were written with: the next import
          brings the new one, and to clients such a record is changed.
        `,
      )
      .argument('<code>', 'see activity list')
      .requiredOption('--name <name>', '1 to 30 characters')
      .option(...jsonOption)
      .action(async (code: string, { name, json }: JsonOption & { name: string }) =>
        done(await changeActivity(environment, { code, name, json: json === true })),
      ),
    { examples: ['activity change ACM --name "Acme Home & Garden"'], settings: storageSettings },
  );
}

/** @throws OperatorError when there is no such activity, or the name is not of its form */
async function changeActivity(
  environment: Environment,
  { code, name, json }: { readonly code: string; readonly name: string; readonly json: boolean },
): Promise<ExitCode> {
  const before = await withStore(environment, async (store) => {
    const known = await store.activities.rename(code, name);
    if (known === null) throw new OperatorError(`There is no activity "${code}".`, 'See `activity list`.');
    if (known !== name)
      await recordCommand(environment, store, {
        action: 'activity.change',
        target: code,
        activityCodes: [code],
        details: { name: { before: known, after: name } },
      });
    return known;
  });
  if (json) writeJson(environment.stdout, { code, name });
  else if (before === name) environment.stdout.write(`Activity ${code} is called "${name}" already.\n`);
  else
    environment.stdout.write(
      textBlock`
        Activity ${code} is called "${name}" now; it was "${before}". Records carry the new name once they are written
        again.
      `.concat('\n'),
    );
  return exitCodes.done;
}
