// All background tasks: what each does, how often, and what the log says when it fails.
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { DocumentStorage } from '../documents/storage.ts';
import { sweepDocuments } from '../documents/sweep.ts';
import { dayMs, formatInstant } from '../model/instant.ts';
import { resources } from '../resources/index.ts';
import type { Store } from '../store/store.ts';
import type { FeedTurns } from '../feeds/feed-turns.ts';
import { createDiskMetrics, watchedFolders } from './disk-metrics.ts';
import { type FeedFolderSettings, feedFolderTasks } from './feed-folder.ts';
import { heldUpEntries } from './held-up-entries.ts';
import { createRetentionMetrics, createStateMetrics } from './metrics.ts';
import { retainRecords } from './record-retention.ts';
import { type RetentionPolicy, type RetentionSettings, retentionPolicy } from './retention-policy.ts';
import { removeAcknowledgedEntries, removeOldAuditEntries, removeOldStockImages } from './retention.ts';
import type { Task } from './scheduler.ts';

const hourMs = 3_600_000;

/** Name of the task that removes old records: a manual removal takes the same lease. */
export const retentionTask = 'records';

/** Retention periods in days, and the watched folder. */
interface TaskSettings extends RetentionSettings, FeedFolderSettings {
  readonly auditRetentionDays: number;
  readonly requestLogDays: number;
  readonly outboxRetentionDays: number;
  readonly labelRetentionDays: number;
  /** How long a truncated message waits to be continued. */
  readonly feedOpenHours: number;
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  readonly documentsUrl: string | null;
}

/** What the tasks work on. */
interface TaskParts {
  readonly store: Store;
  readonly documents: DocumentStorage;
  readonly logger: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly registry: Registry;
  /** Aborted when the process ends: long rounds stop. */
  readonly stopping: AbortSignal;
  /** Turns shared by all feeds of this process. */
  readonly turns: FeedTurns;
}

/** All tasks, for the scheduler. */
export function backgroundTasks(settings: TaskSettings, parts: TaskParts): readonly Task[] {
  return [
    ...metricsTasks(settings, parts),
    ...recordTasks(settings, parts),
    ...accessTasks(parts),
    ...auditAndOutboxTasks(settings, parts),
    documentTask(parts),
    ...labelTasks(settings, parts),
    feedMessageTask(settings, parts),
    ...feedFolderTasks(settings, parts),
  ];
}

function feedMessageTask({ feedOpenHours }: TaskSettings, { store, logger }: TaskParts): Task {
  return {
    name: 'feed-messages',
    failure: 'messages of feeds that nobody goes on with could not be ended',
    everyMs: hourMs / 12,
    run: async () => {
      const ended = await store.feeds.endAbandoned(feedOpenHours * hourMs);
      if (ended > 0) logger.warn({ ended }, 'messages of feeds ended before their lines did: see `feed messages`');
    },
  };
}

function metricsTasks(settings: TaskSettings, { registry, store, now }: TaskParts): readonly Task[] {
  const state = createStateMetrics(registry, store);
  const disks = createDiskMetrics(registry, watchedFolders(settings));
  return [
    {
      name: null,
      failure: 'the metrics of what is stored could not be read',
      everyMs: hourMs / 120,
      run: () => state.refresh(now()),
    },
    {
      name: null,
      failure: 'the room on the disks could not be asked for',
      everyMs: hourMs / 120,
      run: () => disks.refresh(),
    },
  ];
}

function recordTasks(settings: TaskSettings, { store, logger, now, registry, stopping }: TaskParts): readonly Task[] {
  const images = resources.filter((resource) => resource.storage === 'images');
  const countRemoved = createRetentionMetrics(registry);
  const policy = async (): Promise<RetentionPolicy> => retentionPolicy(settings, await store.retentionRules.list());
  return [
    {
      name: 'stock-images',
      failure: 'old stock images could not be removed',
      everyMs: 6 * hourMs,
      run: async () => {
        const kept = await policy();
        return removeOldStockImages(store, images, (activity) => kept(activity, 'stock').days, now());
      },
    },
    {
      name: retentionTask,
      failure: 'old records could not be removed',
      everyMs: 6 * hourMs,
      run: async () =>
        retainRecords(store, {
          policy: await policy(),
          activities: (await store.activities.list()).map(({ code }) => code),
          now: now(),
          dryRun: false,
          stop: stopping,
          onResult: (result) => {
            countRemoved(result);
            const { before, ...counts } = result;
            if (result.removed > 0 || result.heldBack > 0)
              logger.info({ ...counts, before: formatInstant(before) }, 'old records are removed');
          },
        }),
    },
  ];
}

/** Temporary data of sign-ins, quotas and repeated requests. */
function accessTasks({ store, now }: TaskParts): readonly Task[] {
  return [
    {
      name: 'sign-ins',
      failure: 'ended sign-ins could not be removed',
      everyMs: hourMs / 6,
      run: () => store.oidcPayloads.removeExpired(now()),
    },
    {
      name: 'rates',
      failure: 'rates whose minute is over could not be removed',
      everyMs: hourMs / 60,
      run: () => store.quotas.removeEnded(),
    },
    {
      name: 'answers',
      failure: 'expired answers could not be removed',
      everyMs: hourMs / 6,
      run: () => store.idempotency.removeExpired(),
    },
  ];
}

function auditAndOutboxTasks(settings: TaskSettings, { store, logger, now }: TaskParts): readonly Task[] {
  return [
    {
      name: 'audit',
      failure: 'old entries of the audit trail could not be removed',
      everyMs: 6 * hourMs,
      run: () => removeOldAuditEntries(store, settings.auditRetentionDays, now()),
    },
    {
      name: 'request-log',
      failure: 'old requests could not be removed',
      everyMs: hourMs,
      run: () => store.requestLog.removeBefore(now() - settings.requestLogDays * dayMs),
    },
    {
      name: 'audit-order',
      failure: 'entries of the audit trail could not be put in order',
      everyMs: hourMs / 60,
      run: () => store.audit.number(),
    },
    {
      name: 'outbox',
      failure: 'old entries of the outbox could not be removed',
      everyMs: hourMs,
      run: () => removeAcknowledgedEntries(store, settings.outboxRetentionDays, now()),
    },
    {
      name: 'outbox-waiting',
      failure: 'what has waited long in the outbox could not be looked for',
      everyMs: 24 * hourMs,
      run: () => tellHeldUp(store, logger, now()),
    },
  ];
}

function documentTask({ store, documents, now }: TaskParts): Task {
  return {
    name: 'documents',
    failure: 'document files that nothing refers to could not be removed',
    everyMs: hourMs,
    run: () => sweepDocuments({ storage: documents, known: referredFiles(store), now: now() }),
  };
}

function labelTasks(settings: TaskSettings, { store, now }: TaskParts): readonly Task[] {
  return [
    {
      name: 'label-files',
      failure: 'expired files of labels could not be forgotten',
      everyMs: hourMs,
      run: () => store.labels.forgetFiles(now()),
    },
    {
      name: 'labels',
      failure: 'personal data of old labels could not be removed',
      everyMs: hourMs,
      run: () => store.labels.forget(now() - settings.labelRetentionDays * dayMs),
    },
    {
      name: 'tracking',
      failure: 'old tracking of parcels could not be forgotten',
      everyMs: 6 * hourMs,
      run: () => store.tracking.forget(now() - settings.labelRetentionDays * dayMs),
    },
  ];
}

/** Nobody else notices a consumer that has disappeared. */
async function tellHeldUp({ outbox, activities }: Store, logger: Logger, now: number): Promise<void> {
  const found = await heldUpEntries(
    outbox,
    (await activities.list()).map(({ code }) => code),
    now,
  );
  for (const { since, ...entries } of found)
    logger.warn(
      { ...entries, since: new Date(since).toISOString() },
      'entries of the outbox are not taken: see `outbox list`',
    );
}

/** Of the given names in the document storage, those that something refers to. */
function referredFiles(store: Store): (names: readonly string[]) => Promise<ReadonlySet<string>> {
  return async (names) => (await store.documents.known(names)).union(await store.labels.knownFiles(names));
}
