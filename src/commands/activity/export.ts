// The command `activity export`: the activities as CSV.
import type { Command } from 'commander';
import { csvText } from '../csv-file.ts';
import { exitCodes, instantText } from '../environment.ts';
import { describeCommand, storageSettings } from '../help.ts';
import type { CommandLine } from '../command-line.ts';
import { withStore } from '../storage.ts';
import { activityColumns } from './import.ts';

export function declareActivityExport(activity: Command, { environment, done }: CommandLine): void {
  describeCommand(
    activity
      .command('export')
      .description('Write the activities as CSV: code, name, created, last_write. activity import takes it back.')
      .action(async () => {
        const activities = await withStore(environment, (store) => store.activities.list());
        const lines = activities.map(({ code, name, createdAt, lastWriteAt }) => [
          ...[code, name, instantText(createdAt), instantText(lastWriteAt)],
        ]);
        environment.stdout.write(csvText([activityColumns, ...lines]));
        done(exitCodes.done);
      }),
    { examples: ['activity export > activities.csv'], settings: storageSettings },
  );
}
