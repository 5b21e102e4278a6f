// The command `key add`: makes a key for a program on the warehouse side.
import type { Command } from 'commander';
import { addPlatformKey, platformKeyFaults, standardRoles } from '../../auth/platform-keys.ts';
import { addressesAt, type Config } from '../../config.ts';
import { OperatorError } from '../../model/operator-error.ts';
import { textBlock } from '../../model/text-block.ts';
import { commandEntry } from '../audited.ts';
import { activitiesOption, type CommandLine, type JsonOption, jsonOption } from '../command-line.ts';
import { type Environment, type ExitCode, exitCodes } from '../environment.ts';
import { UsageError } from '../failure.ts';
import { describeCommand, storageSettings } from '../help.ts';
import { showOnce } from '../shown-once.ts';
import { withStore } from '../storage.ts';
import { describedKey } from './display.ts';

export function declareAddKey(key: Command, { environment, done }: CommandLine): void {
  describeCommand(
    key
      .command('add')
      .description(
        textBlock`
          Make a key for a program on the warehouse side. It is shown this once, with the address of the platform
          interface: PLATFORM_URL, by default /platform at the host of BASE_URL. The reference of that interface is at
          /docs below it.
        `,
      )
      .argument('<name>', 'what lists and the audit trail call it, 1 to 60 characters')
      .option(...activitiesOption)
      .option('--all', 'every activity, also those to come')
      .option(
        '--role <role...>',
        textBlock`
          what it may do: outbox (take what clients wrote, with the documents), feed (send records in), stock (reconcile
          it), shipping (look at labels and void them, pick-up points, carrier accounts and tests of them, dry runs,
          handovers), audit (read the audit trail), operations (watch the service), administration (activities, users,
          clients, keys, and changes to carrier accounts); may be given several times; by default outbox alone. The last
          one only with --all
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
    const added = await addPlatformKey(store, wanted, environment.now(), (made) =>
      commandEntry(environment, {
        action: 'key.add',
        target: made.id,
        activityCodes: made.activityCodes ?? [],
        details: { name: made.name, all, roles: made.roles },
      }),
    );
    return { ...added, url: platformUrlOf(config) };
  });
  const show = (shown: string): Promise<void> =>
    showOnce(
      environment,
      `${shown}\n`,
      `Nobody has seen the key ${key.id}: run key revoke ${key.id}, and add another one.`,
    );
  if (json) await show(JSON.stringify({ ...describedKey(key), key: text, platformUrl: url }));
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
    await show(lines.join('\n'));
  }
  return exitCodes.done;
}

/** Address of the platform interface; null when only the running server knows its port. */
function platformUrlOf(config: Config): string | null {
  return config.port === 0 && config.baseUrl === null && config.platformUrl === null
    ? null
    : addressesAt(config, config.port).platformUrl;
}
