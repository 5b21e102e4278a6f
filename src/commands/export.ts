// The command `export`: writes the data of one activity as files of records that can be imported again to the same
// state.
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { exportActivity } from '../backup/activity-export.ts';
import { throwStorageFailure } from '../backup/storage-failure.ts';
import { versionText } from '../config/program-version.ts';
import { openDocumentStorage } from '../documents/open.ts';
import { textBlock } from '../model/text-block.ts';
import { resources } from '../resources/index.ts';
import { archiveProgress, reportMissingDocuments, reportUnfinishedArchives } from './archive-progress.ts';
import { recordCommand } from './audited.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from './environment.ts';
import { UsageError } from './failure.ts';
import { describeCommand, documentSettings, storageSettings } from './help.ts';
import { type CommandLine, type JsonOption, jsonOption } from './command-line.ts';
import { withStore } from './storage.ts';
import { writeTable } from './table.ts';

interface Options extends JsonOption {
  readonly activity: string;
  readonly to: string;
  readonly resource?: readonly string[];
  readonly gzip?: true;
  /** False with --no-documents. */
  readonly documents: boolean;
}

const names = resources.map(({ name }) => name);

export function declareExport(program: Command, { environment, done }: CommandLine): void {
  describeCommand(
    program
      .command('export')
      .summary('write the data of an activity to files')
      .description(
        textBlock`
          Write all records of an activity as they were at one instant, while servers run: one file of newline-delimited
          JSON for each resource, as the interface publishes them, with what is unpublished. Each file can be imported
          by itself, as a feed; import activity FOLDER reads all of them back with their ids and dates, order of
          changes, documents and labels. Users, clients and keys, the secrets of carrier accounts and the audit trail
          belong to backup.
        `,
      )
      .requiredOption('--activity <code>', 'see activity list')
      .requiredOption('--to <folder>', 'made by the command; it must not be there')
      .option('--resource <name...>', `only these records, nothing else: ${names.join(', ')}`)
      .option('--gzip', 'compress the files')
      .option('--no-documents', 'leave document files out')
      .option(...jsonOption)
      .action(async (options: Options) => done(await runExport(environment, options))),
    {
      examples: [
        'export --activity ACM --to ./acm',
        'export --activity ACM --resource orders order-reports --gzip --to ./orders',
      ],
      codes: { [exitCodes.interrupted]: 'interrupted; nothing is left' },
      settings: [...storageSettings, ...documentSettings],
    },
  );
}

/**
 * @throws UsageError for an unknown resource
 * @throws OperatorError when there is no such activity, or the folder exists or cannot be written
 */
async function runExport(environment: Environment, options: Options): Promise<ExitCode> {
  const { activity, resource: wanted = null, json } = options;
  const unknown = wanted?.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new UsageError(`There is no resource "${unknown}"; there are ${names.join(', ')}.`);
  const folder = resolve(environment.folder, options.to);
  const manifest = await withStore(environment, async (store, config) => {
    const storage = options.documents
      ? await openDocumentStorage(config, { database: store.epoch, failed: throwStorageFailure })
      : null;
    const made = await exportActivity(
      {
        ...{ engine: store.engine, epoch: store.epoch, storage, program: versionText() },
        onRows: archiveProgress(environment, { does: 'export', json: json === true, left: 'nothing was exported.' }),
      },
      folder,
      { activity, resources, wanted, compress: options.gzip === true },
    );
    await recordCommand(environment, store, {
      action: 'export',
      target: null,
      activityCodes: [activity],
      details: { to: folder, resources: wanted },
    });
    return made;
  });
  const { createdAt, records, documents, missingDocuments } = manifest;
  const counts = records.map(({ resource, path, lines }) => ({ resource, file: path, records: lines }));
  if (json === true)
    writeJson(environment.stdout, {
      folder,
      createdAt,
      files: counts,
      documents: documents?.lines ?? null,
      missingDocuments,
    });
  else {
    writeTable(
      environment.stdout,
      ['RESOURCE', 'RECORDS', 'FILE'],
      counts.map(({ resource, file, records: count }) => [resource, String(count), `${folder}/${file}`]),
    );
    if (documents !== null) environment.stdout.write(`${documents.lines} document files\n`);
    reportMissingDocuments(environment, manifest);
  }
  await reportUnfinishedArchives(environment, folder);
  return exitCodes.done;
}
