// The command `key export`: the platform keys as CSV, without the secrets.
import type { Command } from 'commander';
import { listPlatformKeys } from '../../auth/platform-keys.ts';
import { textBlock } from '../../model/text-block.ts';
import { exitCodes } from '../environment.ts';
import { describeCommand, storageSettings } from '../help.ts';
import { activityFilter, type CommandLine } from '../command-line.ts';
import { inActivity } from '../activity-filter.ts';
import { withStore } from '../storage.ts';
import { keyCsvOf } from './csv.ts';

export function declareKeyExport(key: Command, { environment, done }: CommandLine): void {
  describeCommand(
    key
      .command('export')
      .description(
        textBlock`
          Write the keys to standard output as CSV, revoked ones too: id, name, activities with blanks between them (*
          for every activity), roles, created, last_used, revoked. The keys themselves are never written. key import
          takes it.
        `,
      )
      .option(...activityFilter)
      .action(async ({ activity }: { activity?: string }) => {
        const keys = await withStore(environment, async (store) =>
          inActivity(store, await listPlatformKeys(store), activity ?? null),
        );
        environment.stdout.write(keyCsvOf(keys));
        done(exitCodes.done);
      }),
    { examples: ['key export > keys.csv'], settings: storageSettings },
  );
}
