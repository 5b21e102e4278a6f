// The command `outbox export`: writes what waits for a consumer to files, once or repeatedly.
import { basename, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { existingActivities } from '../../auth/activity-access.ts';
import type { Config } from '../../config.ts';
import { openDocumentStorage } from '../../documents/open.ts';
import { textBlock } from '../../model/text-block.ts';
import { exportOutbox, ConcurrentExport, type OutboxExport } from '../../platform/export.ts';
import type { ExportedFile } from '../../platform/export-files.ts';
import { takeProcessLock } from '../../store/process-lock.ts';
import type { Store } from '../../store/store.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from '../environment.ts';
import { Interrupted, reportFailure, UsageError } from '../failure.ts';
import { describeCommand, documentSettings, storageSettings } from '../help.ts';
import { type JsonOption, jsonOption, type CommandLine } from '../command-line.ts';
import { withStore } from '../storage.ts';
import { checkConsumer, exportLock } from './consumer.ts';

/** Adds `outbox export` to the commands of the outbox. */
export function declareOutboxExport(outbox: Command, { environment, done }: CommandLine): void {
  describeCommand(
    outbox
      .command('export')
      .summary('write what waits as files')
      .description(
        textBlock`
          Write what waits for a consumer into files of newline-delimited JSON, each entry exactly once, whatever
          interrupts it. A file appears under its name when it is complete, and may be taken away at once; documents lie
          in the folder "documents" before that.
        `,
      )
      .requiredOption('--to <folder>', 'where files appear; the folder must be there')
      .option('--consumer <name>', 'who takes the files', 'files')
      .option('--activity <code...>', 'activity to export; may be given several times (default: all)')
      .option('--every <seconds>', 'keep running, and export again after so many seconds')
      .option(
        '--resend',
        'after an interruption: write the interrupted file again where nobody can tell whether it was taken',
      )
      .option(...jsonOption)
      .action(async (options: ExportOptions) =>
        done(
          await runExport(environment, {
            folder: options.to,
            consumer: options.consumer,
            activityCodes: options.activity ?? null,
            every: options.every ?? null,
            resend: options.resend === true,
            json: options.json === true,
          }),
        ),
      ),
    {
      examples: ['outbox export --to /srv/wms/in', 'outbox export --to /srv/wms/in --activity ACM --every 30'],
      codes: {
        [exitCodes.done]: 'done',
        [exitCodes.interrupted]: 'interrupted; run it again to go on (with --every it is 0)',
      },
      settings: [...storageSettings, ...documentSettings],
    },
  );
}

interface ExportOptions extends JsonOption {
  to: string;
  consumer: string;
  activity?: string[];
  every?: string;
  resend?: true;
}

interface ExportRequest {
  readonly folder: string;
  readonly consumer: string;
  /** Null: all, including those added while it runs. */
  readonly activityCodes: readonly string[] | null;
  /** Seconds, as given; null: export once. */
  readonly every: string | null;
  readonly resend: boolean;
  readonly json: boolean;
}

/** A request in executable form. */
type Task = Omit<ExportRequest, 'every'>;
interface Round extends Omit<OutboxExport, 'activityCodes' | 'observe'> {
  readonly store: Store /** One of many: it says nothing where it had nothing to do. */;
  readonly repeated: boolean;
}

const maxPauseSeconds = 86_400;

/**
 * Exports once, or repeatedly until interrupted. When a round after the first one fails, the failure is reported and
 * the next round tries again.
 * @throws UsageError for a malformed consumer name or number
 * @throws OperatorError when the folder or storage cannot be used, or another export for this consumer is running
 * @throws Interrupted when a single export is stopped before it is done
 */
async function runExport(environment: Environment, { every, ...request }: ExportRequest): Promise<ExitCode> {
  checkConsumer(request.consumer);
  const seconds = every === null ? null : Number(/^\d{1,5}$/.test(every) ? every : Number.NaN);
  if (seconds !== null && !(seconds >= 1 && seconds <= maxPauseSeconds))
    throw new UsageError(`--every takes seconds, from 1 to ${maxPauseSeconds}`);
  const task: Task = { ...request, folder: resolve(environment.folder, request.folder) };
  return withStore(environment, async (store, config) => {
    const stopped = environment.interruption();
    const lock = await takeProcessLock(config, exportLock(task.consumer));
    if (lock === null) throw new ConcurrentExport(task.consumer);
    try {
      const source = await documentsOf(environment, store, config);
      const round = (repeated: boolean): Promise<void> =>
        exportRound(environment, task, {
          store,
          source,
          folder: task.folder,
          consumer: task.consumer,
          user: environment.user,
          resend: task.resend && !repeated,
          stopped,
          alone: () => lock.held(),
          repeated,
        });
      await round(false);
      if (seconds === null && stopped.aborted)
        throw new Interrupted('Interrupted: what was exported until then stays. Run it again to go on.');
      if (seconds !== null) await repeat(environment, task, stopped, seconds * 1000, () => round(true));
      return exitCodes.done;
    } finally {
      await lock.release();
    }
  });
}

/** Exports repeatedly, with a pause between rounds. */
async function repeat(
  environment: Environment,
  { json }: Task,
  stopped: AbortSignal,
  pauseMs: number,
  round: () => Promise<void>,
): Promise<void> {
  for (;;) {
    await pause(pauseMs, undefined, { signal: stopped }).catch(() => undefined);
    if (stopped.aborted) return;
    try {
      await round();
    } catch (error) {
      if (error instanceof ConcurrentExport) throw error;
      reportFailure(error, environment, 'outbox export', json);
    }
  }
}

/** Exports every activity once, with progress on a terminal and a summary. */
async function exportRound(environment: Environment, task: Task, round: Round): Promise<void> {
  const files: ExportedFile[] = [];
  const activityCodes =
    task.activityCodes === null
      ? (await round.store.activities.list()).map(({ code }) => code)
      : await existingActivities(round.store, task.activityCodes);
  const terminal = environment.stderr.isTTY === true;
  let failure: unknown = null;
  try {
    await exportOutbox({
      ...round,
      activityCodes,
      observe: ({ done, file }) => {
        if (done === 'cleared') files.push(file);
        if (terminal)
          environment.stderr.write(
            `\r\u001b[K${file.activityCode}: ${counted(files.length, 'file')}, ` +
              `${counted(total(files, 'entries'), 'entry', 'entries')}`,
          );
      },
    });
  } catch (error) {
    failure = error;
  }
  if (terminal) environment.stderr.write('\r\u001b[K');
  if (files.length > 0 || (failure === null && !round.repeated)) tell(environment, task, files);
  if (failure !== null) throw failure;
}

function tell({ stdout }: Environment, { consumer, folder, json }: Task, files: readonly ExportedFile[]): void {
  const [entries, documents] = [total(files, 'entries'), total(files, 'documents')];
  if (json)
    writeJson(stdout, {
      consumer,
      folder,
      entries,
      documents,
      files: files.map((file) => ({ ...file, file: basename(file.file) })),
    });
  else if (files.length === 0) stdout.write(`Nothing waits for ${consumer}.\n`);
  else {
    const completed = files.filter((file) => file.entries === null).length;
    stdout.write(
      `${counted(files.length, 'file')} with ${counted(entries, 'entry', 'entries')} and ` +
        `${counted(documents, 'document')} in ${folder} for ${consumer}.\n`,
    );
    if (completed > 0)
      stdout.write(
        `${counted(completed, 'file')} of an interrupted export came first: ${files
          .filter((file) => file.entries === null)
          .map(({ file }) => file)
          .join(', ')}\n`,
      );
  }
}

function documentsOf({ stderr }: Environment, store: Store, config: Config): ReturnType<typeof openDocumentStorage> {
  return openDocumentStorage(config, {
    database: store.epoch,
    failed: (error) =>
      stderr.write(
        'logistics-connect: the document storage does not work: ' +
          `${error instanceof Error ? error.message : String(error)}\n`,
      ),
  });
}

function total(files: readonly ExportedFile[], what: 'entries' | 'documents'): number {
  return files.reduce((sum, file) => sum + (file[what] ?? 0), 0);
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-GB')} ${count === 1 ? one : many}`;
}
