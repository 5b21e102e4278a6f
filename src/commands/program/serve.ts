// The command `serve` on the command line.
import { textBlock } from '../../model/text-block.ts';
import type { Command } from 'commander';
import { describe } from '../help.ts';
import { type Json, jsonOption, type Line } from './line.ts';

export function addServe(program: Command, { environment, done }: Line): void {
  describe(
    program
      .command('serve')
      .summary('run the server')
      .description(
        textBlock`
          Run the server until it is told to stop (Ctrl-C or SIGTERM): running requests end first, a second signal ends
          it at once.
        `,
      )
      .option('--demo', 'fill an empty database with a demonstration warehouse, and print a login and a token to try')
      .option(...jsonOption)
      .action(async (options: Json & { demo?: true }) =>
        done(
          await (await import('../serve.ts')).serve(environment, {
            demo: options.demo === true,
            json: options.json === true,
          }),
        ),
      ),
    { examples: ['serve --demo', 'PORT=9000 DATA_DIR=/var/lib/logistics-connect serve'], settings: 'all' },
  );
}
