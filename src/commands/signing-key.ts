// The commands `signing-key …`: the keys that sign tokens, and the rotation of those for tokens, cookies and forms.
import type { Command } from 'commander';
import { createCipher } from '../auth/cipher.ts';
import { createKeyRing, encryptStoredKeys, rotateKeys as rotate, verifiesAfterRetirementMs } from '../auth/keys.ts';
import { encryptStoredSecrets, rotateSignInSecrets } from '../auth/sign-in-secrets.ts';
import type { StoredSigningKey } from '../store/signing-keys.ts';
import { commandEntry } from './audited.ts';
import { type Environment, type ExitCode, exitCodes, instantText, writeJson } from './environment.ts';
import { describeCommand, storageSettings } from './help.ts';
import { type CommandLine, type JsonOption, jsonOption } from './command-line.ts';
import { withStore } from './storage.ts';
import { minuteText, writeTable } from './table.ts';

export function declareSigningKey(program: Command, { environment, done }: CommandLine): void {
  const group = describeCommand(
    program
      .command('signing-key')
      .description('Keys that sign tokens. Those of programs on the warehouse side are: key.'),
    { examples: ['signing-key list', 'signing-key rotate'] },
  );
  declareCommands(group, 'signing-key', { environment, done });
}

/** The former name: easily mistaken for `key`, and therefore no longer shown. */
export function declareKeys(program: Command, { environment, done }: CommandLine): void {
  const group = describeCommand(
    program.command('keys', { hidden: true }).description('The name of before of signing-key, which see.'),
    { examples: ['signing-key rotate'] },
  );
  group.hook('preAction', () => {
    environment.stderr.write('logistics-connect: keys is called signing-key now; the name keys will go.\n');
  });
  declareCommands(group, 'keys', { environment, done });
}

function declareCommands(group: Command, name: string, { environment, done }: CommandLine): void {
  describeCommand(
    group
      .command('list')
      .description('List the signing keys, with their state and how they are stored; never the keys themselves.')
      .option(...jsonOption)
      .action(async (options: JsonOption) => done(await listKeys(environment, options.json === true))),
    { examples: [`${name} list`], settings: [...storageSettings, 'secretKey', 'secretKeyPrevious'] },
  );
  describeCommand(
    group
      .command('rotate')
      .description('Make new keys. Running servers sign with them after two minutes; tokens in hand stay valid.')
      .option(...jsonOption)
      .action(async (options: JsonOption) => done(await rotateKeys(environment, { json: options.json === true }))),
    { examples: [`${name} rotate`], settings: [...storageSettings, 'secretKey', 'secretKeyPrevious'] },
  );
}

/** Lists the signing keys, oldest first, including those that no longer verify anything. */
async function listKeys(environment: Environment, json: boolean): Promise<ExitCode> {
  const keys = await withStore(environment, async (store, config) => {
    const cipher = createCipher(config.secretKey, 'The keys', config.secretKeyPrevious);
    const stored = await store.signingKeys.list();
    const signsFrom = (key: StoredSigningKey): number => startOf(key, stored);
    const inOrder = stored.toSorted((a, b) => signsFrom(a) - signsFrom(b) || (a.alg < b.alg ? -1 : 1));
    return Promise.all(
      inOrder.map(async (key) => ({
        kid: key.kid,
        alg: key.alg,
        state: stateOf(key, signsFrom(key), environment.now()),
        createdAt: key.createdAt,
        signsFrom: signsFrom(key),
        signsUntil: key.retiredAt,
        verifiesUntil: key.retiredAt === null ? null : key.retiredAt + verifiesAfterRetirementMs,
        stored: key.privateJwk.startsWith('{')
          ? 'readable'
          : (await cipher.isCurrent(key.privateJwk))
            ? 'under SECRET_KEY'
            : 'under another secret',
      })),
    );
  });
  if (json)
    writeJson(
      environment.stdout,
      keys.map((key) => ({
        ...key,
        createdAt: instantText(key.createdAt),
        signsFrom: instantText(key.signsFrom),
        signsUntil: instantText(key.signsUntil),
        verifiesUntil: instantText(key.verifiesUntil),
      })),
    );
  else
    writeTable(
      environment.stdout,
      ['KEY', 'ALGORITHM', 'STATE', 'SIGNS FROM', 'SIGNS UNTIL', 'VERIFIES UNTIL', 'STORED'],
      keys.map(({ kid, alg, state, signsFrom, signsUntil, verifiesUntil, stored }) => [
        kid,
        alg,
        state,
        minuteText(signsFrom),
        minuteText(signsUntil),
        minuteText(verifiesUntil),
        stored,
      ]),
    );
  return exitCodes.done;
}

/** A key signs from the moment when its predecessor of the same kind no longer does. */
function startOf({ alg, generation, createdAt }: StoredSigningKey, all: readonly StoredSigningKey[]): number {
  const before = all.filter((key) => key.alg === alg && key.generation < generation);
  return before.toSorted((a, b) => b.generation - a.generation)[0]?.retiredAt ?? createdAt;
}

function stateOf({ retiredAt }: StoredSigningKey, signsFrom: number, now: number): string {
  if (signsFrom > now) return 'next';
  if (retiredAt === null || retiredAt > now) return 'signs';
  return now - retiredAt < verifiesAfterRetirementMs ? 'verifies' : 'ended';
}

/**
 * Creates the next signing keys, and the next secret of cookies and forms. Running servers publish them within a minute
 * and sign with them after two.
 * @throws OperatorError when SECRET_KEY is not the one of this database, or another rotation is under way
 */
async function rotateKeys(environment: Environment, { json }: { readonly json: boolean }): Promise<ExitCode> {
  const { kids, signsFrom } = await withStore(environment, async (store, config) => {
    const cipher = createCipher(config.secretKey, 'The keys', config.secretKeyPrevious);
    const options = { store, cipher, now: environment.now };
    await encryptStoredKeys(store, options.cipher);
    await encryptStoredSecrets(store, options.cipher);
    // Decrypts the existing keys first: keys under another secret than that of the running servers would stop them.
    await createKeyRing(options).privateKeys();
    await rotateSignInSecrets(options);
    return rotate(options, (made) =>
      commandEntry(environment, { action: 'signing-key.rotate', target: null, details: { kids: made } }),
    );
  });
  if (json) writeJson(environment.stdout, { kids, signsFrom: instantText(signsFrom) });
  else
    environment.stdout.write(
      `New keys: ${kids.join(', ')}\nThey sign from ${instantText(signsFrom)} on, in every running server, with a ` +
        'new secret for cookies and forms; tokens in hand stay valid, and whoever is signed in stays so.\n',
    );
  return exitCodes.done;
}
