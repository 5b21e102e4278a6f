// The commands `shipping …`: the shipping desk's work at the end of a day.
import type { Command } from 'commander';
import type { CommandLine } from './command-line.ts';
import { describeCommand } from './help.ts';
import { declareHandover } from './shipping/handover.ts';

export function declareShipping(program: Command, line: CommandLine): void {
  const shipping = describeCommand(
    program.command('shipping').description('The shipping desk: handing the parcels of a day over to a carrier.'),
    { examples: ['shipping handover --context paris --carrier colissimo --output .', 'shipping handover --help'] },
  );
  declareHandover(shipping, line);
}
