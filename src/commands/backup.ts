// The command `backup`: copies the database and its document files while servers run.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { makeBackup } from '../backup/backup.ts';
import type { Manifest } from '../backup/manifest.ts';
import { throwStorageFailure } from '../backup/storage-failure.ts';
import { readConfig } from '../config.ts';
import { versionText } from '../config/program-version.ts';
import { openDocumentStorage } from '../documents/open.ts';
import { OperatorError } from '../model/operator-error.ts';
import { textBlock } from '../model/text-block.ts';
import { createAuditTrail } from '../store/audit.ts';
import { createSecrets } from '../store/secrets.ts';
import { archiveProgress, reportMissingDocuments, reportUnfinishedArchives } from './archive-progress.ts';
import { recordCommand } from './audited.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from './environment.ts';
import { describeCommand, documentSettings, storageSettings } from './help.ts';
import { type CommandLine, type JsonOption, jsonOption } from './command-line.ts';

interface Options extends JsonOption {
  readonly to: string;
  /** False with --no-documents. */
  readonly documents: boolean;
}

export function declareBackup(program: Command, { environment, done }: CommandLine): void {
  describeCommand(
    program
      .command('backup')
      .summary('copy the database and its document files')
      .description(
        textBlock`
          Write a backup into a folder of its own: all tables as they were at one instant, while servers run and write,
          and the document files that they name. restore reads it, also into the other engine: so it is the way from the
          embedded database to PostgreSQL, and back. SECRET_KEY and the file secret.key are not in it: without them
          nothing that is encrypted can be read, so keep them elsewhere.
        `,
      )
      .requiredOption('--to <folder>', 'made by the command; it must not be there')
      .option('--no-documents', 'leave document files out, where their storage has a backup of its own')
      .option(...jsonOption)
      .action(async (options: Options) => done(await runBackup(environment, options))),
    {
      examples: [
        'backup --to /backup/logistics-connect-$(date +%F)',
        'backup --to /backup/today --no-documents --json',
      ],
      codes: { [exitCodes.interrupted]: 'interrupted; nothing is left' },
      settings: [...storageSettings, ...documentSettings],
    },
  );
}

/** @throws OperatorError when there is no database, or the folder exists or cannot be written */
async function runBackup(environment: Environment, { to, documents, json }: Options): Promise<ExitCode> {
  const config = readConfig(environment.variables, environment.folder);
  const folder = resolve(environment.folder, to);
  const { databaseFile, openEngine } = await import('../store/open.ts');
  if (config.databaseUrl === null && !existsSync(databaseFile(config))) throw noDatabase(config.dataDir);
  // Opened without migration, whatever its version: a backup has to be possible before a new version changes anything.
  const engine = await openEngine(config, environment.now);
  try {
    const epoch = await createSecrets(engine)
      .read('epoch')
      .catch(() => null);
    if (epoch === null) throw noDatabase(config.databaseUrl === null ? config.dataDir : 'DATABASE_URL');
    const storage = documents
      ? await openDocumentStorage(config, { database: epoch, failed: throwStorageFailure })
      : null;
    const manifest = await makeBackup(
      {
        ...{ engine, epoch, storage, program: versionText() },
        onRows: archiveProgress(environment, { does: 'backup', json: json === true, left: 'no backup was made.' }),
      },
      folder,
    );
    // `doctor` uses it to tell the age of the last backup. A database of an earlier version may not accept it.
    await recordCommand(
      environment,
      { audit: createAuditTrail(engine) },
      {
        action: 'backup',
        target: null,
        details: { to: folder },
      },
    ).catch(() => undefined);
    report(environment, { folder, manifest, json: json === true });
    await reportUnfinishedArchives(environment, folder);
    return exitCodes.done;
  } finally {
    await engine.close();
  }
}

function report(
  { stdout, stderr }: Environment,
  { folder, manifest, json }: { readonly folder: string; readonly manifest: Manifest; readonly json: boolean },
): void {
  const { createdAt, tables, documents, missingDocuments } = manifest;
  const rows = tables.reduce((sum, { lines }) => sum + lines, 0);
  const bytes = tables.reduce((sum, table) => sum + table.bytes, 0);
  if (json)
    writeJson(stdout, { folder, createdAt, rows, bytes, documents: documents?.lines ?? null, missingDocuments });
  else {
    const files = documents === null ? 'without document files' : `${documents.lines} document files`;
    stdout.write(
      `Backup of ${createdAt} in ${folder}: ${rows} rows of ${tables.length} tables, ${files}.\n` +
        'SECRET_KEY and secret.key are not in it: keep them elsewhere.\n',
    );
    reportMissingDocuments({ stderr }, manifest);
  }
}

function noDatabase(place: string): OperatorError {
  return new OperatorError(
    `There is no database in ${place}.`,
    'Set DATA_DIR or DATABASE_URL to what the server uses.',
  );
}
