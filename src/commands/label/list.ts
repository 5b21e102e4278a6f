// The command `label list`: the outcome of requested labels.
import type { Command } from 'commander';
import { existingActivities } from '../../auth/activity-access.ts';
import { textBlock } from '../../model/text-block.ts';
import type { StoredLabel } from '../../store/labels.ts';
import { type CommandLine, type JsonOption, jsonOption } from '../command-line.ts';
import { type Environment, type ExitCode, exitCodes, instantText, writeJson } from '../environment.ts';
import { UsageError } from '../failure.ts';
import { describeCommand, storageSettings } from '../help.ts';
import { withStore } from '../storage.ts';
import { minuteText, writeTable } from '../table.ts';

interface ListOptions extends JsonOption {
  activity?: string;
  context?: string;
  unknown?: true;
  limit: string;
}

export function declareListLabels(label: Command, { environment, done }: CommandLine): void {
  describeCommand(
    label
      .command('list')
      .summary('list labels')
      .description(
        textBlock`
          List labels, newest first. STATE is made, past (made, and its data removed after LABEL_RETENTION_DAYS),
          refused, voided, asked (the carrier is being asked, or was when the server was killed), unknown (it did not
          answer as it should), or fetched (not made here).
        `,
      )
      .option('--activity <code>', 'labels of this activity')
      .option('--context <name>', 'labels of this context')
      .option('--unknown', 'only those of which nobody knows whether the carrier made them: unknown and asked')
      .option('--limit <number>', 'most labels', '100')
      .option(...jsonOption)
      .action(async (options: ListOptions) =>
        done(
          await showLabels(environment, {
            activity: options.activity ?? null,
            context: options.context ?? null,
            unknown: options.unknown === true,
            limit: options.limit,
            json: options.json === true,
          }),
        ),
      ),
    {
      examples: ['label list', 'label list --unknown --activity ACM', 'label list --context paris --limit 1000 --json'],
      settings: storageSettings,
    },
  );
}

const maxShown = 100_000;

interface LabelsOptions {
  readonly activity: string | null;
  readonly context: string | null;
  readonly unknown: boolean;
  readonly limit: string;
  readonly json: boolean;
}

/**
 * Lists labels, newest first, without senders and recipients.
 * @throws UsageError for an invalid limit
 * @throws OperatorError when there is no such activity
 */
async function showLabels(
  environment: Environment,
  { activity, context, unknown, limit, json }: LabelsOptions,
): Promise<ExitCode> {
  const max = /^\d{1,6}$/.test(limit) ? Number(limit) : 0;
  if (max < 1 || max > maxShown) throw new UsageError(`--limit takes a number from 1 to ${maxShown}`);
  const labels = await withStore(environment, async (store) => {
    if (activity !== null) await existingActivities(store, [activity]);
    return store.labels.list({ activity, context, unknown, limit: max });
  });
  if (json) writeJson(environment.stdout, labels.map(described));
  else {
    writeTable(
      environment.stdout,
      ['AT', 'ACTIVITY', 'CONTEXT', 'CARRIER', 'STATE', 'NUMBER', 'NDOSSIER', 'LABEL'],
      labels.map((label) => [
        minuteText(label.createdAt),
        label.activity,
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

function described({
  id,
  activity,
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
    activity,
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
