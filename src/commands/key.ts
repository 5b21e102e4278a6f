// The commands `key …`: keys of programs on the warehouse side.
import type { Command } from 'commander';
import {
  addPlatformKey,
  listPlatformKeys,
  type PlatformKey,
  platformKeyFaults,
  revokePlatformKey,
  standardRoles,
} from '../auth/platform-keys.ts';
import { addressesAt, type Config } from '../config.ts';
import { OperatorError } from '../model/operator-error.ts';
import { textBlock } from '../model/text-block.ts';
import { recordCommand } from './audited.ts';
import { type Environment, type ExitCode, exitCodes, instantText, writeJson } from './environment.ts';
import { UsageError } from './failure.ts';
import { describeCommand, storageSettings } from './help.ts';
import { activitiesOption, activityFilter, type JsonOption, jsonOption, type CommandLine } from './command-line.ts';
import { declareKeyExport } from './key/export.ts';
import { inActivity } from './activity-filter.ts';
import { withStore } from './storage.ts';
import { minuteText, writeTable } from './table.ts';

export function declareKey(program: Command, { environment, done }: CommandLine): void {
  const key = describeCommand(
    program
      .command('key')
      .description('Keys of programs on the WMS side: they open the platform interface and nothing else.'),
    { examples: ['key add --help', 'key list'] },
  );
  describeCommand(
    key
      .command('add')
      .description(
        textBlock`
          Make a key for a program on the WMS side. It is shown this once, with the address of the platform interface:
          PLATFORM_URL, by default /platform at the host of BASE_URL. The reference of that interface is at /docs below
          it.
        `,
      )
      .argument('<name>', 'what lists and the audit trail call it, 1 to 60 characters')
      .option(...activitiesOption)
      .option('--all', 'every activity, also those to come')
      .option(
        '--role <role...>',
        textBlock`
          what it may do: outbox (take what clients wrote, with the documents), feed (send records in), stock (reconcile
          it), shipping (labels after they were made), audit (read the audit trail), operations (watch the service),
          administration (activities, users, clients, keys); may be given several times; by default outbox alone. The
          last one only with --all
        `,
      )
      .option(...jsonOption)
      .action(async (name: string, options: JsonOption & { activity?: string[]; all?: true; role?: string[] }) =>
        done(
          await addKey(environment, {
            name,
            activityCodes: options.activity ?? null,
            all: options.all === true,
            roles: options.role ?? null,
            json: options.json === true,
          }),
        ),
      ),
    {
      examples: [
        'key add "WMS Lyon" --activity ACM --activity BLU',
        'key add WMS --all',
        'key add SIEM --all --role audit',
      ],
      settings: [...storageSettings, 'port', 'baseUrl', 'platformUrl'],
    },
  );
  describeCommand(
    key
      .command('list')
      .description('List the keys with their activities and roles, revoked ones too; never the keys themselves.')
      .option(...activityFilter)
      .option(...jsonOption)
      .action(async ({ activity, json }: JsonOption & { activity?: string }) =>
        done(await listKeys(environment, { activity: activity ?? null, json: json === true })),
      ),
    { examples: ['key list', 'key list --activity ACM --json'], settings: storageSettings },
  );
  declareKeyExport(key, { environment, done });
  describeCommand(
    key
      .command('revoke')
      .description('Revoke a key: within a minute it opens nothing any more.')
      .argument('<id>', 'see key list')
      .option(...jsonOption)
      .action(async (id: string, options: JsonOption) =>
        done(await revokeKey(environment, { id, json: options.json === true })),
      ),
    { examples: ['key revoke 7x0k2m9qpe3d'], settings: storageSettings },
  );
}

interface KeyOptions {
  readonly name: string;
  /** Null: none were named. */
  readonly activityCodes: readonly string[] | null;
  /** Every activity, including future ones. */
  readonly all: boolean;
  /** Null: none were named. */
  readonly roles: readonly string[] | null;
  readonly json: boolean;
}

/**
 * Creates a key, and shows it only this once.
 * @throws UsageError unless either activities are named or all are requested
 * @throws OperatorError that lists all faults
 */
async function addKey(
  environment: Environment,
  { name, activityCodes, all, roles, json }: KeyOptions,
): Promise<ExitCode> {
  if (all === (activityCodes !== null))
    throw new UsageError('Say what the key opens: either --activity CODE, once or several times, or --all.');
  const wanted = { name, activityCodes, roles: roles ?? standardRoles };
  const faults = platformKeyFaults(wanted);
  if (faults.length > 0) throw new OperatorError(faults.join(' '), 'Nothing was added.');
  const { key, text, url } = await withStore(environment, async (store, config) => {
    const added = await addPlatformKey(store, wanted, environment.now());
    await recordCommand(environment, store, {
      action: 'key.add',
      target: added.key.id,
      activityCodes: added.key.activityCodes ?? [],
      details: { name: added.key.name, all, roles: added.key.roles },
    });
    return { ...added, url: platformUrlOf(config) };
  });
  if (json) writeJson(environment.stdout, { ...described(key), key: text, platformUrl: url });
  else {
    const lines = [
      `key id: ${key.id}`,
      `roles:  ${key.roles.join(' ')}`,
      `key:    ${text}`,
      'The key is shown this once and kept nowhere: copy it now.',
    ];
    if (url !== null) lines.push(`Platform URL: ${url}`);
    const trial = key.roles.includes('audit')
      ? '/audit?limit=2'
      : key.roles.includes('outbox')
        ? '/outbox?limit=2'
        : null;
    if (url !== null && trial !== null)
      lines.push(`To try it out: curl -sS -H 'Authorization: Bearer ${text}' '${url}${trial}'`);
    environment.stdout.write(`${lines.join('\n')}\n`);
  }
  return exitCodes.done;
}

/**
 * Lists the keys, including revoked ones, oldest first; never the keys themselves.
 * @param activity only keys for it, including those for all activities; null: all
 * @throws OperatorError when there is no such activity
 */
async function listKeys(
  environment: Environment,
  { activity, json }: { readonly activity: string | null; readonly json: boolean },
): Promise<ExitCode> {
  const keys = await withStore(environment, async (store) =>
    inActivity(store, await listPlatformKeys(store), activity),
  );
  if (json) writeJson(environment.stdout, keys.map(described));
  else {
    writeTable(
      environment.stdout,
      ['ID', 'NAME', 'ACTIVITIES', 'ROLES', 'CREATED', 'LAST USED', 'REVOKED'],
      keys.map((key) => [
        key.id,
        key.name,
        key.activityCodes?.join(' ') ?? 'all',
        key.roles.join(' '),
        minuteText(key.createdAt),
        minuteText(key.lastUsedAt),
        minuteText(key.revokedAt),
      ]),
    );
  }
  return exitCodes.done;
}

/** @throws OperatorError when there is no such key */
async function revokeKey(
  environment: Environment,
  { id, json }: { readonly id: string; readonly json: boolean },
): Promise<ExitCode> {
  const { key, isConsumer } = await withStore(environment, async (store) => {
    const revoked = await revokePlatformKey(store, id, environment.now());
    await recordCommand(environment, store, {
      action: 'key.revoke',
      target: id,
      activityCodes: revoked.activityCodes ?? [],
    });
    return { key: revoked, isConsumer: (await store.outbox.consumers()).some(({ consumer }) => consumer === id) };
  });
  if (json) writeJson(environment.stdout, described(key));
  else {
    environment.stdout.write(
      `Key ${key.id} (${key.name}) is revoked since ${minuteText(key.revokedAt)}; it opens nothing any more.\n`,
    );
    if (isConsumer)
      environment.stdout.write(
        `The outbox still keeps what it did not take. Another key goes on there with consumer=${id}; if none shall,` +
          ` run after that minute: ./logistics-connect outbox forget ${id}\n`,
      );
  }
  return exitCodes.done;
}

/** A key in the JSON form of the command line; `activityCodes` null: all. */
function described(key: PlatformKey): Readonly<Record<string, unknown>> {
  return {
    ...key,
    createdAt: instantText(key.createdAt),
    lastUsedAt: instantText(key.lastUsedAt),
    revokedAt: instantText(key.revokedAt),
  };
}

/** Address of the platform interface; null when only the running server knows its port. */
function platformUrlOf(config: Config): string | null {
  return config.port === 0 && config.baseUrl === null && config.platformUrl === null
    ? null
    : addressesAt(config, config.port).platformUrl;
}
