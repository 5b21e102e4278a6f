// The command `feed withdraw`: withdraws a record, or a stock image, that was sent by mistake.
import { Argument, type Command } from 'commander';
import { Readable } from 'node:stream';
import { importRecords } from '../../feeds/import.ts';
import type { RefusedLines } from '../../feeds/refused-file.ts';
import { formatInstant, parseInstant } from '../../model/instant.ts';
import { OperatorError } from '../../model/operator-error.ts';
import type { Resource } from '../../model/resource.ts';
import { textBlock } from '../../model/text-block.ts';
import { withdrawalReader } from '../../model/withdrawal.ts';
import { resources } from '../../resources/index.ts';
import type { Activity } from '../../store/activities.ts';
import type { NewAuditEntry } from '../../store/audit-contract.ts';
import type { FeedMessage } from '../../store/feed-contract.ts';
import type { Store } from '../../store/store.ts';
import { commandEntry } from '../audited.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from '../environment.ts';
import { UsageError } from '../failure.ts';
import { describeCommand, storageSettings } from '../help.ts';
import { type JsonOption, jsonOption, type CommandLine } from '../command-line.ts';
import { withStore } from '../storage.ts';

interface WithdrawOptions extends JsonOption {
  readonly activity: string;
  readonly key?: readonly string[];
  readonly id?: string;
  readonly image?: string;
  readonly reason?: string;
}

export function declareWithdraw(feed: Command, { environment, done }: CommandLine): void {
  describeCommand(
    feed
      .command('withdraw')
      .summary('take back a record that was sent by mistake')
      .description(
        textBlock`
          Withdraw a record: it is in no list that begins, and clients that follow a cursor are given it once more,
          emptied. Sent again, it is a record again. A stock image is withdrawn whole; the one before it takes its
          place.
        `,
      )
      .addArgument(new Argument('<resource>', 'what it is a record of').choices(resources.map(({ name }) => name)))
      .requiredOption('--activity <code>', 'activity of the record')
      .option('--key <value...>', 'its key: the value, or name=value for each field where it has several')
      .option('--id <id>', 'its id; of orders, and of movements, which have no key')
      .option('--image <instant>', 'of stock: the stockImageExtractionDate of the image')
      .option('--reason <text>', 'why, for the audit trail')
      .option(...jsonOption)
      .action(async (name: string, options: WithdrawOptions) => done(await withdraw(environment, name, options))),
    {
      examples: [
        'feed withdraw orders --activity ACM --key WEB-4711 --reason "a test order"',
        'feed withdraw order-reports --activity ACM --key orderUniqueID=W1 firstPackageCreationDate=2026-03-02',
        'feed withdraw movements --activity ACM --id 1000000000042',
        'feed withdraw stock --activity ACM --image 2026-03-02T04:00:00Z',
      ],
      codes: { [exitCodes.failed]: 'there is no such record, or it is withdrawn already' },
      settings: storageSettings,
    },
  );
}

/**
 * Withdraws it, and records that in the audit trail.
 * @throws UsageError when no record is named
 * @throws OperatorError when there is no such activity
 */
async function withdraw(environment: Environment, name: string, options: WithdrawOptions): Promise<ExitCode> {
  const resource = resources.find((one) => one.name === name);
  if (resource === undefined) throw new UsageError(`There is no resource "${name}".`);
  const named = namedBy(resource, options);
  const isDone = await withStore(environment, async (store) => {
    const [activity] = await store.activities.named([options.activity]);
    if (activity === undefined)
      throw new OperatorError(`There is no activity "${options.activity}".`, 'See `activity list`.');
    return withdrawNamed(environment, store, resource, activity, named, options.reason ?? null);
  });
  if (options.json === true) writeJson(environment.stdout, { resource: name, ...named.told, withdrawn: isDone });
  else if (isDone) environment.stdout.write('It is withdrawn.\n');
  else environment.stderr.write('Nothing was withdrawn: there is no such record, or it is withdrawn already.\n');
  return isDone ? exitCodes.done : exitCodes.failed;
}

/** What is to be withdrawn, as a feed names it, and how it is displayed. */
interface WithdrawalTarget {
  readonly record: Readonly<Record<string, unknown>>;
  readonly told: Readonly<Record<string, unknown>>;
}

function namedBy(resource: Resource, { key, id, image }: WithdrawOptions): WithdrawalTarget {
  if ([key, id, image].filter((one) => one !== undefined).length !== 1)
    throw new UsageError('Say what to withdraw: one of --key, --id and --image.');
  if (resource.imageField !== null) {
    const at = image === undefined ? null : parseInstant(image);
    if (at === null) throw new UsageError('Stock is withdrawn by its image: --image 2026-03-02T04:00:00Z.');
    return { record: { [resource.imageField]: formatInstant(at) }, told: { image: formatInstant(at) } };
  }
  if (image !== undefined) throw new UsageError(`--image is for stock; ${resource.name} has no image.`);
  const record = id === undefined ? keyOf(resource, key ?? []) : { id: idOf(resource, id) };
  const read = withdrawalReader(resource)(record, { activity: '', activityName: '' });
  if (!read.ok) throw new UsageError(read.reasons.map(({ detail }) => detail).join(' '));
  return { record, told: id === undefined ? { key: record } : record };
}

function idOf({ fields }: Resource, id: string): string | number {
  return fields.id?.kind === 'integer' && /^\d{1,16}$/.test(id) ? Number(id) : id;
}

function keyOf({ name, key }: Resource, values: readonly string[]): Readonly<Record<string, unknown>> {
  const [field] = key;
  if (field === undefined) throw new UsageError(`${name} have no key: name the record by --id.`);
  const [value = ''] = values;
  if (key.length === 1 && values.length === 1 && !value.startsWith(`${field}=`)) return { [field]: value };
  const given: Record<string, unknown> = {};
  for (const part of values) {
    const at = part.indexOf('=');
    const property = part.slice(0, Math.max(at, 0));
    if (!key.includes(property))
      throw new UsageError(`--key takes NAME=VALUE for each of ${key.join(', ')}, not "${part}".`);
    const value = part.slice(at + 1) === '' ? null : part.slice(at + 1);
    if (Object.hasOwn(given, property) && given[property] !== value)
      throw new UsageError(`--key has ${property} twice, with different values.`);
    given[property] = value;
  }
  return given;
}

/**
 * Sends a message of one line, as for every record. The audit entry is written in the transaction of the withdrawal:
 * for a record, the message's only batch; for an image, the message's end.
 * @returns whether there was anything to withdraw
 */
async function withdrawNamed(
  environment: Environment,
  store: Store,
  resource: Resource,
  { code, name }: Activity,
  { record, told }: WithdrawalTarget,
  reason: string | null,
): Promise<boolean> {
  const line = Buffer.from(`${JSON.stringify({ withdraw: record })}\n`);
  const audit = (row: FeedMessage): NewAuditEntry | null =>
    row.withdrawn === 0
      ? null
      : commandEntry(environment, {
          action: 'feed.withdraw',
          target: resource.name,
          activityCodes: [code],
          details: { ...told, reason, message: `${code}:${row.id}` },
        });
  const summary = await importRecords({
    store,
    resource,
    activity: code,
    activityName: name,
    source: { kind: 'stream', bytes: Readable.from([line]) },
    actor: environment.user,
    refusedLines: nowhere,
    ...(resource.storage === 'images' ? { audit } : { auditOfBatch: audit }),
  });
  if (summary.refused > 0) throw new OperatorError('The withdrawal was refused.', `See feed lines ${summary.message}.`);
  return summary.changed > 0;
}

/** Refusals are reported, and kept with the message. */
const nowhere: RefusedLines = {
  add: () => undefined,
  flush: async () => undefined,
  finish: async () => null,
  discard: async () => undefined,
};
