// The command `label settle`: settles a label of which it is unknown whether the carrier made it.
import type { Command } from 'commander';
import { loadCarrier } from '../../carriers/index.ts';
import { OperatorError } from '../../model/operator-error.ts';
import { textBlock } from '../../model/text-block.ts';
import { commandEntry } from '../audited.ts';
import { type CommandLine, type JsonOption, jsonOption } from '../command-line.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from '../environment.ts';
import { UsageError } from '../failure.ts';
import { describeCommand, storageSettings } from '../help.ts';
import { withStore } from '../storage.ts';

interface SettleOptions extends JsonOption {
  made?: string;
  lost?: true;
}

export function declareSettleLabel(label: Command, { environment, done }: CommandLine): void {
  describeCommand(
    label
      .command('settle')
      .summary('say whether the carrier made a label')
      .description(
        textBlock`
          Say what the carrier knows of a label that it never gave: ask it by the nDossier, or in its portal, then
          settle. One that is asked for at this moment is not interrupted: what the carrier answers counts. With --made
          a repeated request is answered with the number; with --lost it can be sent again. Until then its key is
          answered 504, so that there is no second parcel.
        `,
      )
      .argument('<label>', 'see label list --unknown')
      .option('--made <number>', 'there is a parcel, with this number')
      .option('--lost', 'there is no parcel')
      .option(...jsonOption)
      .action(async (id: string, options: SettleOptions) =>
        done(
          await endDoubt(environment, {
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

interface SettlementOptions {
  readonly id: string;
  /** Expedition number of the existing parcel; null: none was given. */
  readonly made: string | null;
  /** There is no parcel. */
  readonly lost: boolean;
  readonly json: boolean;
}

/**
 * Settles a label whose outcome is unknown, after somebody has asked the carrier.
 * @throws UsageError unless the command line says either what was made, or that nothing was
 * @throws OperatorError when there is no such label, its outcome is already known, or the number belongs to another
 *   parcel
 */
async function endDoubt(environment: Environment, { id, made, lost, json }: SettlementOptions): Promise<ExitCode> {
  if ((made === null) !== lost)
    throw new UsageError('label settle takes either --made with the number of the parcel, or --lost');
  if (made !== null && !/^[\x21-\x7e]{1,64}$/.test(made))
    throw new UsageError('--made takes the number of a parcel: 1 to 64 visible characters');
  const { label, number } = await withStore(environment, async (store) => {
    const found = await store.labels.byId(id);
    if (found === null)
      throw new OperatorError(`There is no label ${id}.`, 'See: ./logistics-connect label list --unknown');
    const carrier = await loadCarrier(found.carrier);
    // Another spelling of a number that the carrier had given leaves that one.
    const others = made === null ? [] : carrier?.otherNumbers?.(made);
    const settled = await store.labels.settle(found, made, others, ({ expeditionNumber }) =>
      commandEntry(environment, {
        action: 'label.settle',
        target: `${found.context}/${found.carrier}`,
        activityCodes: [found.activity],
        details: { labelId: id, expeditionNumber: made === null ? null : (expeditionNumber ?? made) },
      }),
    );
    if (settled === 'no-doubt')
      throw new OperatorError(
        `The label ${id} is not one of which nobody knows whether the carrier made it: its state is ${found.state}.`,
        'See: ./logistics-connect label list --unknown',
      );
    if (settled === 'number-taken')
      throw new OperatorError(
        `${made} is the number of another parcel at ${found.carrier}.`,
        'Ask the carrier once more for the number of this one.',
      );
    return { label: found, number: made === null ? null : ((await store.labels.byId(id))?.expeditionNumber ?? made) };
  });
  if (json)
    writeJson(environment.stdout, {
      label: id,
      context: label.context,
      carrier: label.carrier,
      state: number === null ? 'refused' : 'made',
      expeditionNumber: number,
    });
  else if (number === null)
    environment.stdout.write('There is no parcel: the client can send the request again, under its old key too.\n');
  else
    environment.stdout.write(
      `The parcel is ${number}: the client that sends the request again under its key is told so, and can fetch and ` +
        'track it.\n',
    );
  return exitCodes.done;
}
