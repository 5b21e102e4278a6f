// The outbox as files: writes what a consumer has not received yet into a folder, each entry exactly once despite any
// interruption.
import { textBlock } from '../model/text-block.ts';
import { basename, dirname, join } from 'node:path';
import { OperatorError } from '../model/operator-error.ts';
import type { ConsumerProgress } from '../store/outbox-contract.ts';
import type { NewAuditEntry } from '../store/audit-contract.ts';
import type { Store } from '../store/store.ts';
import type { DocumentSource } from './documents.ts';
import { type ExportedFile, writeNext, type WrittenFile } from './export-files.ts';
import { claimFolder, exists, type FolderIdentity, isFolderOf, mustBeFree, partName, show } from './export-folder.ts';
import { positionText } from './positions.ts';

/** Name of an exported file in the audit trail. */
const exportAction = 'outbox.export';

export interface OutboxExport {
  readonly store: Pick<Store, 'activities' | 'outbox' | 'documents' | 'epoch'>;
  readonly source: DocumentSource;
  /** Absolute; must exist. */
  readonly folder: string;
  readonly consumer: string;
  readonly activityCodes: readonly string[];
  /** Login of the person who runs the export, for the audit trail. */
  readonly user: string;
  /** Write an interrupted file again when it is unknown whether it was collected. */
  readonly resend: boolean;
  /** Aborting it ends the export before the next file is complete. */
  readonly stopped: AbortSignal;
  /** Called before anything is written; false when another export for this consumer may be running. */
  readonly alone: () => Promise<boolean>;
  /** Called after each step, in order. */
  readonly observe: (step: ExportStep) => void;
}

/** The steps of one file, in order; the process may die between any two of them. */
export interface ExportStep {
  readonly done: 'document' | 'written' | 'delivered' | 'noted' | 'shown' | 'acknowledged' | 'cleared';
  readonly file: ExportedFile;
}

/** Another export for the same consumer may be running, so this one must not continue. */
export class ConcurrentExport extends OperatorError {
  constructor(consumer: string) {
    super(
      `Another export for the consumer ${consumer} is running.`,
      'Let it end or stop it, or export under another name with --consumer.',
    );
  }
}

/**
 * Exports what waits for the consumer, activity by activity; a file whose export was interrupted earlier is completed
 * first. A failure in one activity does not hold up the others; an earlier export that cannot be completed holds up all
 * of them.
 *
 * A file is complete under its temporary name before `noteExport`, and acknowledged after it got its final name. So if
 * the process died after the note, the file was either still hidden, and is now made visible, or visible, and possibly
 * already collected. If it died before the note, nobody saw the file, and it is written again.
 * @throws OperatorError for the first activity that failed, after all others are done
 * @throws ConcurrentExport at once
 */
export async function exportOutbox(options: OutboxExport): Promise<void> {
  const { folder, consumer, activityCodes, stopped, store } = options;
  await mustBeAlone(options);
  // For all activities, and first: the mark written by a claim would make a folder look unchanged.
  const interrupted = (await progressOf(options)).filter((progress) => progress.export !== null);
  for (const progress of interrupted) await completeInterrupted(options, progress);
  await claimFolder(folder, { consumer, database: store.epoch });
  const failures: OperatorError[] = [];
  for (const progress of await progressOf(options)) {
    if (stopped.aborted) break;
    if (!activityCodes.includes(progress.activity)) continue;
    try {
      await exportActivity(options, progress);
    } catch (error) {
      if (!(error instanceof OperatorError) || error instanceof ConcurrentExport) throw error;
      failures.push(error);
    }
  }
  const [first] = failures;
  if (first !== undefined) throw first;
}

async function mustBeAlone({ alone, consumer }: OutboxExport): Promise<void> {
  if (!(await alone())) throw new ConcurrentExport(consumer);
}

async function progressOf({ store, consumer }: OutboxExport): Promise<readonly ConsumerProgress[]> {
  return store.outbox.progress(
    consumer,
    (await store.activities.list()).map(({ code }) => code),
  );
}

async function exportActivity(
  options: OutboxExport,
  { activity, acknowledged, waiting, updatedAt }: ConsumerProgress,
): Promise<void> {
  const {
    consumer,
    stopped,
    store: { outbox },
  } = options;
  // Registers a new consumer: from now on nothing is removed before this consumer has received it.
  if (updatedAt === 0) await outbox.noteDelivered(consumer, { [activity]: acknowledged });
  if (waiting === 0) return;
  for (let after = acknowledged; !stopped.aborted; ) {
    await mustBeAlone(options);
    const written = await writeNext(options, activity, after);
    if (written === null) return;
    await mustBeFree(written.file.file);
    await mustBeAlone(options);
    await outbox.noteDelivered(consumer, { [activity]: written.to });
    options.observe({ done: 'delivered', file: written.file });
    await outbox.noteExport(consumer, activity, { file: written.file.file, to: written.to });
    options.observe({ done: 'noted', file: written.file });
    await complete(options, written, true);
    after = written.to;
  }
}

/** Makes a noted file visible if it is still hidden, and moves the consumer's position past it. */
async function complete(options: OutboxExport, written: WrittenFile, hidden: boolean): Promise<void> {
  const {
    store: { outbox },
    consumer,
    observe,
  } = options;
  const { file, to } = written;
  const { activityCode: activity } = file;
  if (hidden) {
    await show(join(dirname(file.file), partName(activity)), file.file);
    observe({ done: 'shown', file });
  }
  const beyond = await outbox.acknowledge(consumer, { [activity]: to }, auditOf(options, written));
  if (beyond !== null)
    throw new OperatorError(
      `The consumer ${consumer} was changed while its export was running.`,
      'Run the export again.',
    );
  observe({ done: 'acknowledged', file });
  await outbox.noteExport(consumer, activity, null);
  observe({ done: 'cleared', file });
}

/**
 * One entry per file, written with its acknowledgement: an export that dies midway leaves an entry for everything that
 * it delivered.
 */
function auditOf(
  { user, consumer }: OutboxExport,
  { file: { activityCode: activity, file, entries, documents }, to }: WrittenFile,
): NewAuditEntry {
  const counts = entries === null ? {} : { entries, documents };
  return {
    actorKind: 'command',
    actor: user,
    subject: null,
    action: exportAction,
    activityCodes: [activity],
    target: consumer,
    operationId: null,
    outcome: 'accepted',
    address: null,
    details: { folder: dirname(file), file: basename(file), position: positionText({ [activity]: to }), ...counts },
  };
}

/**
 * Completes the file at which an earlier export was interrupted, in the folder of that export.
 * @throws OperatorError when the folder has changed since, so that it is unknown whether the file was collected
 */
async function completeInterrupted(
  options: OutboxExport,
  { activity, acknowledged, export: pending }: ConsumerProgress,
): Promise<void> {
  if (pending === null) return;
  const { file, to } = pending;
  const { store, consumer, resend } = options;
  const written: WrittenFile = { file: { activityCode: activity, file, entries: null, documents: null }, to };
  const identity: FolderIdentity = { consumer, database: store.epoch };
  if (to <= acknowledged) return complete(options, written, false);
  if (await exists(join(dirname(file), partName(activity)))) return complete(options, written, true);
  if ((await exists(file)) || (await isFolderOf(dirname(file), identity))) return complete(options, written, false);
  if (resend) return store.outbox.noteExport(consumer, activity, null);
  throw new OperatorError(
    textBlock`
      The export of ${activity} to ${file} was interrupted, and that folder is not as it was left, so nobody can tell
      whether the file was taken.
    `,
    'Mount the folder as it was and run the export again. If it is lost, --resend writes these entries again.',
  );
}
