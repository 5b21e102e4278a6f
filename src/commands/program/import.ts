// The command `import` on the command line.
import { textBlock } from '../../model/text-block.ts';
import type { Command } from 'commander';
import { exitCodes } from '../environment.ts';
import { describe, storageSettings } from '../help.ts';
import { type Json, jsonOption, type Line } from './line.ts';

export function addImport(program: Command, { environment, done }: Line): void {
  describe(
    program
      .command('import')
      .summary('import a file of records')
      .description(
        textBlock`
          Import records in the shape that the interface publishes. Importing the same file again changes nothing, so an
          import that was interrupted is simply run again.
        `,
      )
      .argument('<resource>', 'articles, stock, movements, orders, order-reports, procurements or procurement-reports')
      .argument('<file>', 'newline-delimited JSON or one JSON array, UTF-8; - for standard input')
      .requiredOption('--activity <code>', 'activity that the records belong to')
      .option('--strict', 'refuse the whole file when one line is refused')
      .option(
        '--rejected <file>',
        textBlock`
          where refused lines go with their reasons (default: FILE.rejected.ndjson; for standard input
          RESOURCE.rejected.ndjson)
        `,
      )
      .option(...jsonOption)
      .action(
        async (
          resource: string,
          file: string,
          options: Json & { activity: string; strict?: true; rejected?: string },
        ) =>
          done(
            await (await import('../import.ts')).runImport(environment, {
              resource,
              file,
              activity: options.activity,
              strict: options.strict === true,
              rejected: options.rejected ?? null,
              json: options.json === true,
            }),
          ),
      ),
    {
      examples: [
        'import articles articles.ndjson --activity ACM',
        'import stock - --activity ACM --json < stock.json',
        'import orders orders.ndjson.rejected.ndjson --activity ACM',
      ],
      codes: {
        [exitCodes.failed]: 'nothing was written, or the import failed half way',
        [exitCodes.linesRefused]: 'done, but lines were refused',
        [exitCodes.interrupted]: 'interrupted; run it again to complete it',
      },
      settings: storageSettings,
    },
  );
}
