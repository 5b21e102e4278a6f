// The commands `activity …` on the command line.
import type { Command } from 'commander';
import { describe, storageSettings } from '../help.ts';
import { type Json, jsonOption, type Line } from './line.ts';

export function addActivityCommands(program: Command, { environment, done }: Line): void {
  const activity = describe(
    program.command('activity').description("Client companies' accounts: every record belongs to one."),
    { examples: ['activity add ACM "Acme Home"', 'activity list'] },
  );
  describe(
    activity
      .command('add')
      .description('Add an activity; the same again changes nothing.')
      .argument('<code>', '1 to 3 letters A to Z or digits')
      .argument('<name>', '1 to 30 characters')
      .option(...jsonOption)
      .action(async (code: string, name: string, options: Json) =>
        done(
          await (await import('../activity.ts')).addActivity(environment, { code, name, json: options.json === true }),
        ),
      ),
    { examples: ['activity add ACM "Acme Home"'], settings: storageSettings },
  );
  describe(
    activity
      .command('list')
      .description('List the activities.')
      .option(...jsonOption)
      .action(async (options: Json) =>
        done(await (await import('../activity.ts')).listActivities(environment, { json: options.json === true })),
      ),
    { examples: ['activity list'], settings: storageSettings },
  );
}
