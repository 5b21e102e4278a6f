// The command `demo reset`: recreates the demonstration as of now.
import type { Command } from 'commander';
import { OperatorError } from '../../model/operator-error.ts';
import { textBlock } from '../../model/text-block.ts';
import { prompt } from '../prompts.ts';
import { recordCommand } from '../audited.ts';
import { withDemonstration } from '../demo.ts';
import { type Environment, type ExitCode, exitCodes, instantText, writeJson } from '../environment.ts';
import { describeCommand, storageSettings } from '../help.ts';
import { type CommandLine, type JsonOption, jsonOption } from '../command-line.ts';

export function declareDemoReset(demo: Command, { environment, done }: CommandLine): void {
  describeCommand(
    demo
      .command('reset')
      .description(
        textBlock`
          Empty the activities of the demonstration, and fill them anew as of now. Whoever may act in them still may; a
          client that keeps what it read begins anew. What was interrupted is completed by the same command.
        `,
      )
      .option('--yes', 'do not ask')
      .option(...jsonOption)
      .action(async (options: JsonOption & { yes?: true }) =>
        done(await reset(environment, { yes: options.yes === true, json: options.json === true })),
      ),
    { examples: ['demo reset', 'demo reset --yes'], settings: storageSettings },
  );
}

async function reset(
  environment: Environment,
  { yes, json }: { readonly yes: boolean; readonly json: boolean },
): Promise<ExitCode> {
  const filledAt = environment.now();
  await withDemonstration(environment, async (store) => {
    if (!yes) await confirm(environment);
    const { resetDemo } = await import('../../demo/reset.ts');
    await resetDemo(store, filledAt, (step) => {
      if (environment.stderr.isTTY === true && !json) environment.stderr.write(`\r\u001b[K${step}`);
    });
    await recordCommand(environment, store, { action: 'demo.reset', target: instantText(filledAt) ?? '' });
  });
  if (json) writeJson(environment.stdout, { filledAt: instantText(filledAt) });
  else environment.stdout.write('\nThe demonstration is new.\n');
  return exitCodes.done;
}

async function confirm(environment: Environment): Promise<void> {
  const remedy = 'Nothing was removed.';
  if (environment.stdin.isTTY !== true)
    throw new OperatorError('Nobody confirmed the reset.', `${remedy} Run it in a terminal, or with --yes.`);
  await prompt(environment, [{ text: 'Type reset to make the demonstration anew', secret: false }], (answer) => {
    if (answer !== 'reset') throw new OperatorError(`"${answer}" is not reset.`, remedy);
  });
}
