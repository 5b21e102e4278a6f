// The command `client export`: the clients as CSV, without their secrets.
import type { Command } from 'commander';
import { listClients } from '../../auth/clients.ts';
import { textBlock } from '../../model/text-block.ts';
import { exitCodes } from '../environment.ts';
import { describeCommand, storageSettings } from '../help.ts';
import { activityFilter, type CommandLine } from '../command-line.ts';
import { inActivity } from '../activity-filter.ts';
import { withStore } from '../storage.ts';
import { clientCsvOf } from './csv.ts';

export function declareClientExport(client: Command, { environment, done }: CommandLine): void {
  describeCommand(
    client
      .command('export')
      .description(
        textBlock`
          Write the clients to standard output as CSV: id, name, redirect_addresses and activities with blanks between
          them, confidential, read_only, service, pkce, platform, disabled (yes or no), created. client import takes it
          back, and so does the console. Secrets are never written.
        `,
      )
      .option(...activityFilter)
      .action(async ({ activity }: { activity?: string }) => {
        const clients = await withStore(environment, async (store) =>
          inActivity(store, await listClients(store), activity ?? null),
        );
        environment.stdout.write(clientCsvOf(clients));
        done(exitCodes.done);
      }),
    { examples: ['client export > clients.csv'], settings: storageSettings },
  );
}
