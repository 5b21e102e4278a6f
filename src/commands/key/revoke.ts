// The command `key revoke`: revokes a key, and says what it leaves in the outbox.
import type { Command } from 'commander';
import { revokePlatformKey } from '../../auth/platform-keys.ts';
import { commandEntry } from '../audited.ts';
import { type CommandLine, type JsonOption, jsonOption } from '../command-line.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from '../environment.ts';
import { describeCommand, storageSettings } from '../help.ts';
import { withStore } from '../storage.ts';
import { minuteText } from '../table.ts';
import { describedKey } from './display.ts';

export function declareRevokeKey(key: Command, { environment, done }: CommandLine): void {
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

/** @throws OperatorError when there is no such key */
async function revokeKey(
  environment: Environment,
  { id, json }: { readonly id: string; readonly json: boolean },
): Promise<ExitCode> {
  const { key, isConsumer } = await withStore(environment, async (store) => {
    const revoked = await revokePlatformKey(store, id, environment.now(), ({ activityCodes }) =>
      commandEntry(environment, { action: 'key.revoke', target: id, activityCodes: activityCodes ?? [] }),
    );
    return { key: revoked, isConsumer: (await store.outbox.consumers()).some(({ consumer }) => consumer === id) };
  });
  if (json) writeJson(environment.stdout, describedKey(key));
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
