// The commands `migrate`, `restored` and `doctor` on the command line.
import { textBlock } from '../../model/text-block.ts';
import type { Command } from 'commander';
import { exitCodes } from '../environment.ts';
import { describe, storageSettings } from '../help.ts';
import { type Json, jsonOption, type Line } from './line.ts';

export function addMaintenance(program: Command, { environment, done }: Line): void {
  describe(
    program
      .command('migrate')
      .summary('bring the database to this version')
      .description('Bring the database to the version of this program. The server does the same when it starts.')
      .option(...jsonOption)
      .action(async (options: Json) =>
        done(await (await import('../migrate.ts')).runMigrations(environment, { json: options.json === true })),
      ),
    { examples: ['migrate'], settings: storageSettings },
  );

  describe(
    program
      .command('restored')
      .summary('after a restore from a backup')
      .description(
        textBlock`
          Tell the database that it was restored from a backup, before the server is started: clients and the warehouse
          may have seen changes that it has lost. Clients read again from the start, and no number is given out twice.
          See docs/operation.md.
        `,
      )
      .option(...jsonOption)
      .action(async (options: Json) =>
        done(await (await import('../restored.ts')).declareRestored(environment, { json: options.json === true })),
      ),
    { examples: ['restored'], settings: storageSettings },
  );

  describe(
    program
      .command('doctor')
      .summary('check settings, storage and keys')
      .description('Check settings, storage, keys, clock and addresses, and say what to do. Changes nothing.')
      .option(...jsonOption)
      .action(async (options: Json) =>
        done(await (await import('../doctor.ts')).runChecks(environment, { json: options.json === true })),
      ),
    {
      examples: ['doctor', 'HOST=0.0.0.0 BASE_URL=https://api.example.com/v1 doctor'],
      codes: { [exitCodes.failed]: 'something is wrong; warnings alone are not' },
      settings: 'all',
    },
  );
}
