// The commands `outbox …` on the command line.
import { textBlock } from '../../model/text-block.ts';
import type { Command } from 'commander';
import { exitCodes } from '../environment.ts';
import { describe, storageSettings } from '../help.ts';
import { type Json, jsonOption, type Line } from './line.ts';

export function addOutboxCommands(program: Command, line: Line): void {
  const { environment, done } = line;
  const outbox = describe(
    program
      .command('outbox')
      .description('What clients wrote and the warehouse takes: articles, and documents of orders.'),
    { examples: ['outbox list', 'outbox export --to /srv/wms/in'] },
  );
  describe(
    outbox
      .command('list')
      .description('List the consumers with what they were given, what they acknowledged, and what waits for them.')
      .option(...jsonOption)
      .action(async (options: Json) =>
        done(await (await import('../outbox.ts')).listConsumers(environment, { json: options.json === true })),
      ),
    { examples: ['outbox list'], settings: storageSettings },
  );
  describe(
    outbox
      .command('forget')
      .description(
        'Forget a consumer: what it did not take is no longer kept for it. Under the same name it begins anew.',
      )
      .argument('<consumer>', 'see outbox list')
      .option(...jsonOption)
      .action(async (consumer: string, options: Json) =>
        done(
          await (await import('../outbox.ts')).forgetConsumer(environment, { consumer, json: options.json === true }),
        ),
      ),
    { examples: ['outbox forget old-wms'], settings: storageSettings },
  );
  addExport(outbox, line);
}

interface ExportOptions extends Json {
  to: string;
  consumer: string;
  activity?: string[];
  every?: string;
  resend?: true;
}

function addExport(outbox: Command, { environment, done }: Line): void {
  describe(
    outbox
      .command('export')
      .summary('write what waits as files')
      .description(
        textBlock`
          Write what waits for a consumer into files of newline-delimited JSON, each entry exactly once, whatever
          interrupts it. A file appears under its name when it is complete, and may be taken away at once; documents lie
          in the folder "documents" before that.
        `,
      )
      .requiredOption('--to <folder>', 'where files appear; the folder must be there')
      .option('--consumer <name>', 'who takes the files', 'files')
      .option('--activity <code...>', 'activity to export; may be given several times (default: all)')
      .option('--every <seconds>', 'keep running, and export again after so many seconds')
      .option(
        '--resend',
        'after an interruption: write the interrupted file again where nobody can tell whether it was taken',
      )
      .option(...jsonOption)
      .action(async (options: ExportOptions) =>
        done(
          await (await import('../outbox/export.ts')).runExport(environment, {
            folder: options.to,
            consumer: options.consumer,
            activityCodes: options.activity ?? null,
            every: options.every ?? null,
            resend: options.resend === true,
            json: options.json === true,
          }),
        ),
      ),
    {
      examples: ['outbox export --to /srv/wms/in', 'outbox export --to /srv/wms/in --activity ACM --every 30'],
      codes: {
        [exitCodes.done]: 'done',
        [exitCodes.interrupted]: 'interrupted; run it again to go on (with --every it is 0)',
      },
      settings: [...storageSettings, 'documentsUrl', 'awsAccessKeyId', 'awsSecretAccessKey', 'awsSessionToken'],
    },
  );
}
