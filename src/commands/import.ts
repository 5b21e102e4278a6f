// The command `import`: imports records from a file or standard input.
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { importRecords, type ImportSource, type ImportSummary } from '../feeds/import.ts';
import { type ProgressReport, reportProgress, summaryJson, summaryText } from '../feeds/progress.ts';
import { refusedFile } from '../feeds/refused-file.ts';
import { dayMs, formatInstant, parseInstant } from '../model/instant.ts';
import { OperatorError } from '../model/operator-error.ts';
import type { Resource } from '../model/resource.ts';
import { textBlock } from '../model/text-block.ts';
import { resources } from '../resources/index.ts';
import type { AuditOfMessage } from '../store/feed-contract.ts';
import type { Store } from '../store/store.ts';
import { commandEntry, recordCommand } from './audited.ts';
import { type Environment, type ExitCode, exitCodes } from './environment.ts';
import { Interrupted, UsageError } from './failure.ts';
import { describeCommand, documentSettings, storageSettings } from './help.ts';
import { type JsonOption, jsonOption, type CommandLine } from './command-line.ts';
import { runActivityImport } from './import/activity.ts';
import { withStore } from './storage.ts';

/** Given instead of a resource: imports the folder of an export. */
const wholeActivity = 'activity';
const names = [...resources.map(({ name }) => name), wholeActivity];

export function declareImport(program: Command, { environment, done }: CommandLine): void {
  describeCommand(
    program
      .command('import')
      .summary('import a file of records')
      .description(
        textBlock`
          Import records in the shape that the interface publishes. Importing the same file again changes nothing, so an
          import that was interrupted is simply run again. import activity FOLDER reads back what export wrote, into a
          database that has not got the activity: with its ids, dates, order of changes, documents and labels.
        `,
      )
      .argument('<resource>', new Intl.ListFormat('en', { type: 'disjunction' }).format(names).replace(', or ', ' or '))
      .argument('<file>', 'newline-delimited JSON or one JSON array, UTF-8; - for standard input; of activity a folder')
      .requiredOption('--activity <code>', 'activity that the records belong to')
      .option(
        '--extraction-date <instant>',
        textBlock`
          for stock: the stockImageExtractionDate of the image that the file holds, also where it holds no row (an empty
          file, or []), which says that the activity had no stock
        `,
      )
      .option('--strict', 'refuse the whole file when one line is refused, or would be taken with a warning')
      .option(
        '--refused <file>',
        textBlock`
          where refused lines go with their reasons (default: FILE.refused.ndjson; for standard input
          RESOURCE.refused.ndjson)
        `,
      )
      // The name of before.
      .addOption(new Option('--rejected <file>').hideHelp())
      .option(...jsonOption)
      .action(async (resource: string, file: string, options: ImportFlags) =>
        done(
          resource === wholeActivity
            ? await runActivityImport(environment, {
                folder: file,
                activity: options.activity,
                json: options.json === true,
              })
            : await runImport(environment, {
                resource,
                file,
                activity: options.activity,
                extractionDate: options.extractionDate ?? null,
                strict: options.strict === true,
                refusedFile: options.refused ?? options.rejected ?? null,
                json: options.json === true,
              }),
        ),
      ),
    {
      examples: [
        'import articles articles.ndjson --activity ACM',
        'import stock - --activity ACM --json < stock.json',
        'import stock empty.json --activity ACM --extraction-date 2026-03-02T04:00:00Z',
        'import orders orders.ndjson.refused.ndjson --activity ACM',
        'import activity ./acm --activity ACM',
      ],
      codes: {
        [exitCodes.failed]: 'nothing was written, or the import failed half way',
        [exitCodes.linesRefused]: 'done, but lines were refused',
        [exitCodes.interrupted]: 'interrupted; run it again to complete it',
      },
      settings: [...storageSettings, ...documentSettings, 'gtinLengths'],
    },
  );
}

interface ImportFlags extends JsonOption {
  readonly activity: string;
  readonly extractionDate?: string;
  readonly strict?: true;
  readonly refused?: string;
  readonly rejected?: string;
}

interface ImportRequest {
  readonly resource: string;
  /** A path, or `-` for standard input. */
  readonly file: string;
  readonly activity: string;
  /** As given. */
  readonly extractionDate: string | null;
  readonly strict: boolean;
  /**
   * File for refused lines; null: `FILE.refused.ndjson`, for standard input `RESOURCE.refused.ndjson` in the current
   * folder.
   */
  readonly refusedFile: string | null;
  readonly json: boolean;
}

/** From this number of written records on, the query planner's statistics are updated. */
const largeLoad = 10_000;

/**
 * Imports the records, with progress on standard error and the summary on standard output.
 * @throws UsageError for an unknown resource, or when the refused lines would overwrite the file itself
 * @throws OperatorError when the file or storage cannot be used
 * @throws Interrupted when it was stopped; records written until then remain, a stock image does not
 */
async function runImport(environment: Environment, request: ImportRequest): Promise<ExitCode> {
  const resource = resources.find(({ name }) => name === request.resource);
  if (resource === undefined)
    throw new UsageError(
      `There is no resource "${request.resource}"; there are ${resources.map(({ name }) => name).join(', ')}.`,
    );
  const extractionDate = imageInstant(resource, request.extractionDate, environment.now());
  const refusedPath = resolve(
    environment.folder,
    request.refusedFile ?? `${request.file === '-' ? request.resource : request.file}.refused.ndjson`,
  );
  const path = request.file === '-' ? null : resolve(environment.folder, request.file);
  if (path !== null) await checkFiles(path, refusedPath);

  const summary = await withStore(environment, (store, { gtinLengths }) =>
    recorded(environment, store, request, (audit) =>
      importInto(environment, store, { request, resource, extractionDate, path, refusedPath, gtinLengths }, audit),
    ),
  );
  environment.stdout.write(request.json ? summaryJson(summary) : summaryText(summary));
  return exitCodeOf(summary);
}

/** @throws UsageError for a resource without images, and for an invalid or future date */
function imageInstant(resource: Resource, given: string | null, now: number): string | undefined {
  if (given === null) return undefined;
  if (resource.imageField === null)
    throw new UsageError(`--extraction-date is for stock; ${resource.name} has no image.`);
  const instant = parseInstant(given);
  if (instant === null || instant > now + dayMs)
    throw new UsageError(
      '--extraction-date takes a date-time that is not in the future, such as 2026-03-02T04:00:00Z.',
    );
  return formatInstant(instant);
}

interface Task {
  readonly request: ImportRequest;
  readonly resource: Resource;
  /** RFC 3339. */
  readonly extractionDate: string | undefined;
  /** Null: standard input. */
  readonly path: string | null;
  readonly refusedPath: string;
  readonly gtinLengths: readonly number[];
}

async function importInto(
  environment: Environment,
  store: Store,
  { request, resource, extractionDate, path, refusedPath, gtinLengths }: Task,
  audit: AuditOfMessage,
): Promise<ImportSummary> {
  const activityName = await nameOf(store, request.activity);
  const stopped = environment.interruption();
  const source: ImportSource = path === null ? { kind: 'stream', bytes: environment.stdin } : { kind: 'file', path };
  const report = progressOf(environment, request);
  // Code that waits for standard input is woken by the end of the stream.
  const wake = (): void => void environment.stdin.destroy(interrupted(resource));
  if (path === null) {
    stopped.addEventListener('abort', wake, { once: true });
    // The error may occur before anybody reads; a later reader still gets it.
    environment.stdin.on('error', () => undefined);
  }
  try {
    const imported = await importRecords({
      store,
      resource,
      activity: request.activity,
      activityName,
      source,
      actor: environment.user,
      audit,
      strict: request.strict,
      gtinLengths,
      ...(extractionDate === undefined ? {} : { extractionDate }),
      refusedLines: refusedFile(refusedPath),
      onProgress(progress) {
        if (stopped.aborted) throw interrupted(resource);
        report.update(progress);
      },
    });
    if (imported.new + imported.changed >= largeLoad) await store.optimize();
    return imported;
  } finally {
    stopped.removeEventListener('abort', wake);
    report.stop();
  }
}

/**
 * Records the outcome of an import in the audit trail, also when it fails midway. That it was carried out is written
 * together with the end of its message.
 */
async function recorded(
  environment: Environment,
  store: Store,
  { resource, activity, file }: ImportRequest,
  work: (audit: AuditOfMessage) => Promise<ImportSummary>,
): Promise<ImportSummary> {
  const action = { action: 'import', target: resource, activityCodes: [activity] };
  const audit: AuditOfMessage = ({ state, read, added, changed, unchanged, refused, warned }) =>
    state === 'done'
      ? commandEntry(environment, {
          ...action,
          outcome: refused > 0 ? 'partly' : 'accepted',
          details: { file, read, new: added, changed, unchanged, refused, warned },
        })
      : null;
  let summary: ImportSummary;
  try {
    summary = await work(audit);
  } catch (error) {
    // The command reports the reason. When storage is unavailable, there is no trail to write to.
    await recordCommand(environment, store, { ...action, outcome: 'failed', details: { file } }).catch(() => undefined);
    throw error;
  }
  if (summary.written) return summary;
  const { read, new: added, changed, unchanged, refused, warned } = summary;
  const details = { file, read, new: added, changed, unchanged, refused, warned };
  await recordCommand(environment, store, { ...action, outcome: 'refused', details });
  return summary;
}

function exitCodeOf(summary: ImportSummary): ExitCode {
  if (!summary.written) return exitCodes.failed;
  return summary.refused > 0 ? exitCodes.linesRefused : exitCodes.done;
}

/** Plain lines would get in the way of a program that expects JSON on standard error. */
function progressOf(environment: Environment, { resource, activity, json }: ImportRequest): ProgressReport {
  if (json && environment.stderr.isTTY !== true) return { update: () => undefined, stop: () => undefined };
  return reportProgress(environment.stderr, `${resource} of ${activity}`, environment.now);
}

async function checkFiles(path: string, refusedPath: string): Promise<void> {
  const [source, refused] = await Promise.all([stat(path).catch(() => null), stat(refusedPath).catch(() => null)]);
  if (source === null || refused === null || !refused.isFile()) return;
  if (source.ino === refused.ino && source.dev === refused.dev)
    throw new UsageError(`The refused lines would replace ${path} itself: name another file with --refused.`);
}

async function nameOf(store: Store, code: string): Promise<string> {
  const known = await store.activities.list();
  const found = known.find((activity) => activity.code === code);
  if (found !== undefined) return found.name;
  const others = known.length === 0 ? '' : ` There are ${known.map((activity) => activity.code).join(', ')}.`;
  throw new OperatorError(
    `There is no activity ${code}.${others}`,
    `Add it: ./logistics-connect activity add ${code} "Its name"`,
  );
}

/** What an interruption leaves behind. */
function interrupted({ storage }: Resource): Interrupted {
  return new Interrupted(
    storage === 'images'
      ? 'Interrupted: the stock image does not appear, and the one before stays. Import the file again.'
      : 'Interrupted: what was written until then stays. Import the file again to complete it.',
  );
}
