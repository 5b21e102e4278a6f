// The command `feed lineage`: shows which message, file and line a record came from.
import type { Command } from 'commander';
import { existingActivities } from '../../auth/activity-access.ts';
import { OperatorError } from '../../model/operator-error.ts';
import { textBlock } from '../../model/text-block.ts';
import { publishedLineage, recordNamed } from '../../platform/lineage.ts';
import { resources } from '../../resources/index.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from '../environment.ts';
import { UsageError } from '../failure.ts';
import { describeCommand, storageSettings } from '../help.ts';
import { type JsonOption, jsonOption, type CommandLine } from '../command-line.ts';
import { withStore } from '../storage.ts';

export function declareLineage(feed: Command, { environment, done }: CommandLine): void {
  describeCommand(
    feed
      .command('lineage')
      .summary('tell where a record came from')
      .description(
        textBlock`
          Tell which message, file and line a record came from that was written last, or that a client wrote it.
        `,
      )
      .argument('<resource>', resources.map(({ name }) => name).join(', '))
      .argument('<names...>', 'property=value: its id, or each property of its key')
      .requiredOption('--activity <code>', 'activity that it belongs to')
      .option(...jsonOption)
      .action(async (resource: string, names: readonly string[], options: JsonOption & { activity: string }) =>
        done(await showLineage(environment, { resource, names, ...options })),
      ),
    {
      examples: [
        'feed lineage orders orderUniqueID=WEB-4711 --activity ACM',
        'feed lineage movements id=10000004711 --activity ACM',
      ],
      settings: storageSettings,
    },
  );
}

interface LineageRequest extends JsonOption {
  readonly resource: string;
  readonly names: readonly string[];
  readonly activity: string;
}

/**
 * @throws UsageError for an unknown resource, or when no record is named
 * @throws OperatorError when there is no such activity or record
 */
async function showLineage(environment: Environment, request: LineageRequest): Promise<ExitCode> {
  const { activity } = request;
  const resource = resources.find(({ name }) => name === request.resource);
  if (resource === undefined) throw new UsageError(`There is no resource "${request.resource}".`);
  const named = recordNamed(resource, activity, namesAndValues(request.names));
  if ('fault' in named) throw new UsageError(named.fault);
  const lineage = await withStore(environment, async (store) => {
    await existingActivities(store, [activity]);
    return store.lineageOf(resource, activity, named, { client: 'operator' });
  });
  if (lineage === null)
    throw new OperatorError(`There is no such record of ${resource.name} of ${activity}.`, 'Check how it is named.');
  const told = publishedLineage(resource, activity, lineage);
  if (request.json === true) writeJson(environment.stdout, told);
  else environment.stdout.write(`${sentence(told, lineage.message?.countsOnly === true)}\n`);
  return exitCodes.done;
}

/** @param isReduced the message has had its time */
function sentence(told: ReturnType<typeof publishedLineage>, isReduced: boolean): string {
  const { message, line, element, source, channel, receivedAt, writtenAt, withdrawnAt } = told;
  const withdrawn = withdrawnAt === null ? '' : ` It is withdrawn since ${withdrawnAt}.`;
  if (message === null) return `Written at ${writtenAt}, by a client: see the audit trail.${withdrawn}`;
  const place = element === null ? `line ${line ?? '?'}` : `element ${element}, on line ${line ?? '?'}`;
  const from = source === null ? '' : ` of ${source}`;
  const left = isReduced ? '; its file and id are no longer kept (FEED_RETENTION_DAYS)' : '';
  const came =
    receivedAt === null ? ', which is no longer kept' : `, ${channel ?? ''}, received at ${receivedAt}${left}`;
  return `Written at ${writtenAt} by ${place}${from}, message ${message}${came}.${withdrawn}`;
}

function namesAndValues(texts: readonly string[]): Readonly<Record<string, string>> {
  const given = new Map<string, string>();
  for (const [name, value] of texts.map(nameAndValue)) {
    if ((given.get(name) ?? value) !== value) throw new UsageError(`The property ${name} is there twice.`);
    given.set(name, value);
  }
  return Object.fromEntries(given);
}

function nameAndValue(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`"${text}" is no property=value, such as orderUniqueID=WEB-4711.`);
  return [text.slice(0, at), text.slice(at + 1)];
}
