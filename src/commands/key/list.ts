// The command `key list`: the keys with their activities and roles.
import type { Command } from 'commander';
import { listPlatformKeys } from '../../auth/platform-keys.ts';
import { inActivity } from '../activity-filter.ts';
import { activityFilter, type CommandLine, type JsonOption, jsonOption } from '../command-line.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from '../environment.ts';
import { describeCommand, storageSettings } from '../help.ts';
import { withStore } from '../storage.ts';
import { minuteText, writeTable } from '../table.ts';
import { describedKey } from './display.ts';

export function declareListKeys(key: Command, { environment, done }: CommandLine): void {
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
  if (json) writeJson(environment.stdout, keys.map(describedKey));
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
