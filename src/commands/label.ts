// The commands `label …`: what became of labels.
import type { Command } from 'commander';
import type { CommandLine } from './command-line.ts';
import { describeCommand } from './help.ts';
import { declareListLabels } from './label/list.ts';
import { declareSettleLabel } from './label/settle.ts';
import { declareLabelVoid } from './label/void.ts';

export function declareLabel(program: Command, line: CommandLine): void {
  const label = describeCommand(
    program
      .command('label')
      .description(
        'Shipping labels: what became of them, and those of which nobody knows whether the carrier made them.',
      ),
    { examples: ['label list --unknown', 'label settle --help'] },
  );
  declareListLabels(label, line);
  declareSettleLabel(label, line);
  declareLabelVoid(label, line);
}
