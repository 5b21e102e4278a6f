// The command `keys rotate`: new keys for tokens, cookies and forms, without a restart and without breaking what is in
// hand.
import type { Command } from 'commander';
import { createCipher } from '../auth/cipher.ts';
import { createKeyRing, encryptStoredKeys, rotateKeys as rotate } from '../auth/keys.ts';
import { encryptStoredSecrets, rotateSignInSecrets } from '../auth/sign-in-secrets.ts';
import { recordCommand } from './audited.ts';
import { type Environment, type ExitCode, exitCodes, instantText, writeJson } from './environment.ts';
import { describe, storageSettings } from './help.ts';
import { type JsonOption, jsonOption, type CommandLine } from './line.ts';
import { withStore } from './storage.ts';

export function declareKeys(program: Command, { environment, done }: CommandLine): void {
  const keys = describe(program.command('keys').description('Keys that sign tokens.'), { examples: ['keys rotate'] });
  describe(
    keys
      .command('rotate')
      .description('Make new keys. Running servers sign with them after two minutes; tokens in hand stay valid.')
      .option(...jsonOption)
      .action(async (options: JsonOption) => done(await rotateKeys(environment, { json: options.json === true }))),
    { examples: ['keys rotate'], settings: [...storageSettings, 'secretKey'] },
  );
}

/**
 * Makes the next signing keys, and the next secret of cookies and forms. Running servers publish them within a minute
 * and sign with them after two.
 * @throws OperatorError when SECRET_KEY is not the one of this database, or another rotation is under way
 */
async function rotateKeys(environment: Environment, { json }: { readonly json: boolean }): Promise<ExitCode> {
  const { kids, signsFrom } = await withStore(environment, async (store, config) => {
    const options = { store, cipher: createCipher(config.secretKey), now: environment.now };
    await encryptStoredKeys(store, options.cipher);
    await encryptStoredSecrets(store, options.cipher);
    // Opens what is there: keys under another secret than that of the running servers would stop them.
    await createKeyRing(options).privateKeys();
    await rotateSignInSecrets(options);
    const rotated = await rotate(options);
    await recordCommand(environment, store, { action: 'keys.rotate', target: null, details: { kids: rotated.kids } });
    return rotated;
  });
  if (json) writeJson(environment.stdout, { kids, signsFrom: instantText(signsFrom) });
  else
    environment.stdout.write(
      `New keys: ${kids.join(', ')}\nThey sign from ${instantText(signsFrom)} on, in every running server, with a ` +
        'new secret for cookies and forms; tokens in hand stay valid, and whoever is signed in stays so.\n',
    );
  return exitCodes.done;
}
