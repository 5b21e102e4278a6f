// The command `restore`: restores a backup into an empty place, checked beforehand and ready for the server afterwards.
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { createAccountCipher } from '../auth/account-cipher.ts';
import { createCipher } from '../auth/cipher.ts';
import type { Manifest } from '../backup/manifest.ts';
import { archivedTexts, checkBackup, restoreBackup } from '../backup/restore.ts';
import { throwStorageFailure } from '../backup/storage-failure.ts';
import { type Config, readConfig } from '../config.ts';
import { openDocumentStorage } from '../documents/open.ts';
import { OperatorError } from '../model/operator-error.ts';
import { textBlock } from '../model/text-block.ts';
import { archiveProgress, reportMissingDocuments } from './archive-progress.ts';
import { recordCommand } from './audited.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from './environment.ts';
import { describeCommand, documentSettings, storageSettings } from './help.ts';
import { type CommandLine, type JsonOption, jsonOption } from './command-line.ts';
import { withStore } from './storage.ts';

interface Options extends JsonOption {
  readonly check?: true;
  readonly keepHistory?: true;
  readonly ignoreSecretKey?: true;
}

export function declareRestore(program: Command, { environment, done }: CommandLine): void {
  describeCommand(
    program
      .command('restore')
      .summary('bring back a backup')
      .description(
        textBlock`
          Bring a backup back into an empty place: DATA_DIR without a database, or an empty database at DATABASE_URL,
          whichever engine the backup is of. It is read and checked whole before anything is written, and written whole
          or not at all. Then it does what restored does: a new history begins, clients read again from the start and
          stay connected. SECRET_KEY, or secret.key in DATA_DIR, must be the one that the database was used with.
        `,
      )
      .argument('<folder>', 'that backup wrote')
      .option('--check', 'only check the backup, SECRET_KEY too')
      .option(
        '--keep-history',
        textBlock`
          nothing was written since the backup was made, because every server and import was stopped before and is not
          started again, as when a database moves to another engine or machine: cursors and ETags go on
        `,
      )
      .option('--ignore-secret-key', 'restore although it does not open what is encrypted')
      .option(...jsonOption)
      .action(async (folder: string, options: Options) => done(await runRestore(environment, folder, options))),
    {
      examples: [
        'restore /backup/logistics-connect-2026-11-22 --check',
        'restore /backup/logistics-connect-2026-11-22',
        'DATABASE_URL=postgres://lc@db/lc restore /backup/move --keep-history',
      ],
      codes: { [exitCodes.interrupted]: 'interrupted; there is no database yet: run it again' },
      settings: [...storageSettings, ...documentSettings, 'secretKey', 'secretKeyPrevious'],
    },
  );
}

/** @throws OperatorError when the backup is damaged, newer than the program or unreadable, or the place is not empty */
async function runRestore(environment: Environment, given: string, options: Options): Promise<ExitCode> {
  const config = readConfig(environment.variables, environment.folder);
  const folder = resolve(environment.folder, given);
  const json = options.json === true;
  const left = 'there is no database yet. Run it again.';
  const manifest = await checkBackup(folder, archiveProgress(environment, { does: 'check', json, left }));
  if (options.ignoreSecretKey !== true) await requireSecretKey(folder, manifest, config);
  if (options.check !== true) {
    const onRows = archiveProgress(environment, { does: 'restore', json, left });
    const keepHistory = options.keepHistory === true;
    await restoreInto(environment, config, { folder, manifest, keepHistory, onRows });
    // Migrates it to the version of the program.
    await withStore(environment, (store) =>
      recordCommand(environment, store, {
        action: 'restored',
        target: null,
        details: { backupOf: manifest.createdAt, keepHistory },
      }),
    );
  }
  report(environment, { manifest, options });
  return exitCodes.done;
}

interface Restoring {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly keepHistory: boolean;
  readonly onRows: (what: string, rows: number) => void;
}

async function restoreInto(
  environment: Environment,
  config: Config,
  { folder, manifest, ...how }: Restoring,
): Promise<void> {
  const { openEngine, wholeTableMs } = await import('../store/open.ts');
  const engine = await openEngine(config, environment.now, null, wholeTableMs);
  try {
    const storage = await openDocumentStorage(config, { database: manifest.epoch, failed: throwStorageFailure });
    await restoreBackup(folder, manifest, { engine, storage, ...how });
    // Planner statistics make reads fast; without them they are still correct.
    await engine.optimize().catch(() => undefined);
  } finally {
    // After a failure the file stays, even if this command made it: another process may use it by now.
    await engine.close();
  }
}

/** The encrypted columns, and the cipher that decrypts each. */
function encryptedColumns(config: Config) {
  const cipher = createCipher(config.secretKey, 'The keys', config.secretKeyPrevious);
  return [
    { table: 'signing_key', column: 'private_jwk', cipher },
    { table: 'user_account', column: 'totp_secret', cipher },
    { table: 'carrier_account', column: 'secrets', cipher: createAccountCipher(config) },
  ] as const;
}

/** @throws OperatorError when a text cannot be decrypted with SECRET_KEY, SECRET_KEY_PREVIOUS or secret.key */
async function requireSecretKey(folder: string, manifest: Manifest, config: Config): Promise<void> {
  try {
    for (const { table, column, cipher } of encryptedColumns(config))
      for await (const text of archivedTexts(folder, manifest, table, column)) await cipher.decrypt(text);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    throw new OperatorError(
      `What is encrypted in the backup cannot be read: ${error.message}`,
      textBlock`
        Nothing was written. Set SECRET_KEY to the passphrase that the database was used with, or put secret.key into
        DATA_DIR. If it is lost, --ignore-secret-key restores everything else.
      `,
      { cause: error },
    );
  }
}

function report(
  { stdout, stderr }: Environment,
  { manifest, options }: { readonly manifest: Manifest; readonly options: Options },
): void {
  const { createdAt, program, engine, tables, documents, missingDocuments, activities } = manifest;
  const rows = tables.reduce((sum, { lines }) => sum + lines, 0);
  if (options.json === true) {
    const restored = options.check !== true;
    const counts = { rows, documents: documents?.lines ?? null, missingDocuments };
    writeJson(stdout, { restored, createdAt, program, engine, ...counts, activities });
    return;
  }
  const files = documents === null ? 'without document files' : `${documents.lines} document files`;
  const what = textBlock`
    the backup of ${createdAt}, made by version ${program}: ${rows} rows of ${activities.length} activities, ${files}.
  `;
  if (options.check === true) stdout.write(`Whole and readable: ${what}\n`);
  else stdout.write(`Restored ${what}\n${options.keepHistory === true ? historyGoesOn : beginAnew}\n`);
  reportMissingDocuments({ stderr }, manifest);
}

const historyGoesOn = textBlock`
  Cursors and ETags go on. Start the server here, and never again the one that the backup is of.
`;
const beginAnew = textBlock`
  Start the server. Clients that come with a cursor of before are told to read from the start (410 cursor-expired);
  programs stay connected. Disable and revoke again what was disabled and revoked since the backup, and import again
  what the warehouse has sent since; see docs/operation.md.
`;
