// The commands `label …` on the command line.
import { textBlock } from '../../model/text-block.ts';
import type { Command } from 'commander';
import { describe, storageSettings } from '../help.ts';
import { type Json, jsonOption, type Line } from './line.ts';

interface ListOptions extends Json {
  context?: string;
  unknown?: true;
  limit: string;
}
interface SettleOptions extends Json {
  made?: string;
  lost?: true;
}

export function addLabelCommands(program: Command, { environment, done }: Line): void {
  const label = describe(
    program
      .command('label')
      .description(
        'Shipping labels: what became of them, and those of which nobody knows whether the carrier made them.',
      ),
    { examples: ['label list --unknown', 'label settle --help'] },
  );
  describe(
    label
      .command('list')
      .summary('list labels')
      .description(
        textBlock`
          List labels, newest first. STATE is made, past (made, and its data removed after LABEL_RETENTION_DAYS),
          refused, asked (the carrier is being asked), unknown (it did not answer as it should), or fetched (not made
          here).
        `,
      )
      .option('--context <name>', 'labels of this context')
      .option('--unknown', 'only those of which nobody knows whether the carrier made them')
      .option('--limit <number>', 'most labels', '100')
      .option(...jsonOption)
      .action(async (options: ListOptions) =>
        done(
          await (await import('../label.ts')).showLabels(environment, {
            context: options.context ?? null,
            unknown: options.unknown === true,
            limit: options.limit,
            json: options.json === true,
          }),
        ),
      ),
    {
      examples: ['label list', 'label list --unknown', 'label list --context paris --limit 1000 --json'],
      settings: storageSettings,
    },
  );
  describe(
    label
      .command('settle')
      .summary('say whether the carrier made a label')
      .description(
        textBlock`
          Say what the carrier knows of a label that it never gave: ask it by the nDossier, or in its portal, then
          settle. With --made a repeated request is answered with the number; with --lost it can be sent again. Until
          then its key is answered 504, so that there is no second parcel.
        `,
      )
      .argument('<label>', 'see label list --unknown')
      .option('--made <number>', 'there is a parcel, with this number')
      .option('--lost', 'there is no parcel')
      .option(...jsonOption)
      .action(async (id: string, options: SettleOptions) =>
        done(
          await (await import('../label.ts')).endDoubt(environment, {
            id,
            made: options.made ?? null,
            lost: options.lost === true,
            json: options.json === true,
          }),
        ),
      ),
    {
      examples: [
        'label settle 019b2f3e-7c1a-7d20-9c55-3a1f0e6b7d42 --made 31236189',
        'label settle 019b2f3e-7c1a-7d20-9c55-3a1f0e6b7d42 --lost',
      ],
      settings: storageSettings,
    },
  );
}
