// The command `secret-key rotate`: re-encrypts everything that is encrypted under SECRET_KEY with another one.
import type { Command } from 'commander';
import { encryptAnew, encryptedPlaces } from '../auth/encrypted-places.ts';
import { OperatorError } from '../model/operator-error.ts';
import { textBlock } from '../model/text-block.ts';
import { recordCommand } from './audited.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from './environment.ts';
import { describeCommand, storageSettings } from './help.ts';
import { type CommandLine, type JsonOption, jsonOption } from './command-line.ts';
import { withStore } from './storage.ts';

export function declareSecretKey(program: Command, { environment, done }: CommandLine): void {
  const secretKey = describeCommand(
    program.command('secret-key').description('SECRET_KEY, the passphrase that encrypts secrets in the database.'),
    { examples: ['secret-key rotate'] },
  );
  describeCommand(
    secretKey
      .command('rotate')
      .description(
        textBlock`
          Encrypt everything in the database under SECRET_KEY that is under SECRET_KEY_PREVIOUS, in the clear, or under
          the key file in DATA_DIR: signing keys, secrets of sign-ins and refresh tokens, second factors, secrets of
          carrier accounts. Servers may run while it does, once all of them were started with both settings. Run it
          again whenever it was interrupted; the second time changes nothing. Tokens, cursors, sessions and label links
          stay as they are.
        `,
      )
      .option(...jsonOption)
      .action(async (options: JsonOption) => done(await rotate(environment, options.json === true))),
    {
      examples: ['SECRET_KEY=NEW SECRET_KEY_PREVIOUS=OLD secret-key rotate'],
      settings: [...storageSettings, 'secretKey', 'secretKeyPrevious'],
    },
  );
}

/** @throws OperatorError when SECRET_KEY is missing, or something cannot be decrypted; nothing is changed then */
async function rotate(environment: Environment, json: boolean): Promise<ExitCode> {
  const counts = await withStore(environment, async (store, config) => {
    if (config.secretKey === null)
      throw new OperatorError('SECRET_KEY is not set.', 'Set it to the passphrase from now on. Nothing was changed.');
    const done = await encryptAnew(encryptedPlaces(store, config));
    if (done.some(({ other }) => other > 0))
      await recordCommand(environment, store, { action: 'secret-key.rotate', target: null, details: done });
    return done;
  });
  if (json)
    writeJson(
      environment.stdout,
      counts.map(({ what, all, other }) => ({ what, all, encrypted: other })),
    );
  else
    environment.stdout.write(
      [
        ...counts.map(({ what, all, other }) => `${what}: ${other} of ${all} encrypted anew`),
        'Everything is under SECRET_KEY. Start the servers without SECRET_KEY_PREVIOUS, and keep the old passphrase',
        'as long as you keep backups from before.\n',
      ].join('\n'),
    );
  return exitCodes.done;
}
