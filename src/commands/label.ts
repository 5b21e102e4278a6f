// The command `label`: what became of the labels that were asked for, and the end of the doubt about those of which
// nobody knows.
import { textBlock } from '../model/text-block.ts';
import { OperatorError } from '../model/operator-error.ts';
import { labelById, listLabels, settleLabel } from '../store/label-outcomes.ts';
import type { StoredLabel } from '../store/labels.ts';
import { recordCommand } from './audited.ts';
import { type Environment, type ExitCode, exitCodes, instantText, writeJson } from './environment.ts';
import { UsageError } from './failure.ts';
import { withStore } from './storage.ts';
import { minuteText, writeTable } from './table.ts';

const mostShown = 100_000;

export interface WantedLabels {
  readonly context: string | null;
  readonly unknown: boolean;
  readonly limit: string;
  readonly json: boolean;
}

/**
 * Lists labels, newest first; neither senders nor recipients.
 * @throws UsageError for a limit that is none
 */
export async function showLabels(
  environment: Environment,
  { context, unknown, limit, json }: WantedLabels,
): Promise<ExitCode> {
  const most = /^\d{1,6}$/.test(limit) ? Number(limit) : 0;
  if (most < 1 || most > mostShown) throw new UsageError(`--limit takes a number from 1 to ${mostShown}`);
  const labels = await withStore(environment, (store) =>
    listLabels(store.db, { context, unknown, limit: most, now: environment.now() }),
  );
  if (json) writeJson(environment.stdout, labels.map(described));
  else {
    writeTable(
      environment.stdout,
      ['AT', 'ACTIVITY', 'CONTEXT', 'CARRIER', 'STATE', 'NUMBER', 'NDOSSIER', 'LABEL'],
      labels.map((label) => [
        minuteText(label.createdAt),
        label.owner,
        label.context,
        label.carrier,
        label.state,
        label.expeditionNumber,
        label.nDossier,
        label.id,
      ]),
    );
  }
  return exitCodes.done;
}

export interface WantedSettlement {
  readonly id: string;
  /** Expedition number of the parcel that there is; null: none was told. */
  readonly made: string | null;
  /** There is no parcel. */
  readonly lost: boolean;
  readonly json: boolean;
}

/**
 * Ends the doubt about a label, after somebody has asked the carrier.
 * @throws UsageError unless the command line says either what was made, or that nothing was
 * @throws OperatorError when there is no such label, its end is known already, or the number is that of another parcel
 */
export async function endDoubt(
  environment: Environment,
  { id, made, lost, json }: WantedSettlement,
): Promise<ExitCode> {
  if ((made === null) !== lost)
    throw new UsageError('label settle takes either --made with the number of the parcel, or --lost');
  if (made !== null && !/^[\x21-\x7e]{1,64}$/.test(made))
    throw new UsageError('--made takes the number of a parcel: 1 to 64 visible characters');
  const label = await withStore(environment, async (store) => {
    const found = await labelById(store.db, id);
    if (found === null)
      throw new OperatorError(`There is no label ${id}.`, 'See: ./logistics-connect label list --unknown');
    const settled = await settleLabel(store.db, found, made, environment.now());
    if (settled === 'no-doubt')
      throw new OperatorError(
        `The label ${id} is not one of which nobody knows whether the carrier made it: its state is ${found.state}.`,
        textBlock`
          One that was asked for less than ten minutes ago may still be answered. See: ./logistics-connect label list
          --unknown
        `,
      );
    if (settled === 'number-taken')
      throw new OperatorError(
        `${made} is the number of another parcel at ${found.carrier}.`,
        'Ask the carrier once more for the number of this one.',
      );
    await recordCommand(environment, store, {
      action: 'label.settle',
      target: `${found.context}/${found.carrier}`,
      activityCodes: [found.owner],
      details: { labelId: id, expeditionNumber: made },
    });
    return found;
  });
  if (json)
    writeJson(environment.stdout, {
      label: id,
      context: label.context,
      carrier: label.carrier,
      state: made === null ? 'refused' : 'made',
      expeditionNumber: made,
    });
  else if (made === null)
    environment.stdout.write('There is no parcel: the client can send the request again, under its old key too.\n');
  else
    environment.stdout.write(
      `The parcel is ${made}: the client that sends the request again under its key is told so, and can fetch and ` +
        'track it.\n',
    );
  return exitCodes.done;
}

function described({
  id,
  owner,
  context,
  carrier,
  state,
  expeditionNumber,
  nDossier,
  orderId,
  clientId,
  operationId,
  createdAt,
}: StoredLabel): Readonly<Record<string, unknown>> {
  return {
    label: id,
    activity: owner,
    context,
    carrier,
    state,
    expeditionNumber,
    nDossier,
    orderId,
    clientId,
    operationId,
    createdAt: instantText(createdAt),
  };
}
