// Business metrics for Prometheus: what is waiting, how old the newest data is, how carriers respond, which background
// work fails.
import { textBlock } from '../model/text-block.ts';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { CallRecord } from '../carriers/host.ts';
import { lastFailureGauge } from '../model/last-failure-gauge.ts';
import type { Activity } from '../store/activities.ts';
import type { ConsumerProgress } from '../store/outbox-contract.ts';
import type { Store } from '../store/store.ts';
import { feedGauges, readFeedState } from './feed-metrics.ts';

/** Gauges of what storage holds: for the whole database, so that each process of a cluster shows the same. */
interface StateMetrics {
  /**
   * Reads storage and sets the gauges; scrapes in between do not access it.
   * @throws what storage throws; the gauges are empty then, because old values would look like valid ones
   */
  refresh(now: number): Promise<void>;
}

/** The gauges of one database. When nothing waits, or nothing was ever written, there is no instant to show. */
export function createStateMetrics(
  registry: Registry,
  store: Pick<Store, 'activities' | 'feeds' | 'feedLines' | 'images' | 'labels' | 'outbox'>,
): StateMetrics {
  const registers = [registry];
  const perConsumer = { labelNames: ['consumer', 'activity'] as const, registers };
  const perActivity = { labelNames: ['activity'] as const, registers };
  const waiting = new Gauge({
    name: 'logistics_outbox_waiting_entries',
    help: textBlock`
      Entries of the outbox that a consumer has not acknowledged, 10000 for any more; consumer is empty where nobody
      takes them.
    `,
    ...perConsumer,
  });
  const waitingSince = new Gauge({
    name: 'logistics_outbox_oldest_waiting_timestamp_seconds',
    help: 'When the oldest of these entries was written.',
    ...perConsumer,
  });
  const consumers = new Gauge({
    name: 'logistics_outbox_consumers',
    help: 'Consumers of the outbox; those that are furthest behind have series of their own.',
    ...perActivity,
  });
  const images = new Gauge({
    name: 'logistics_stock_image_timestamp_seconds',
    help: 'Of when the latest stock image of an activity is.',
    ...perActivity,
  });
  const writes = new Gauge({
    name: 'logistics_last_write_timestamp_seconds',
    help: 'When anything of an activity was last written.',
    ...perActivity,
  });
  const ofFeeds = feedGauges(registers);
  const labels = new Gauge({
    name: 'logistics_labels_unknown',
    help: 'Shipping labels of which nobody knows whether the carrier made them.',
    registers,
  });
  const clear = (): void => {
    for (const gauge of [waiting, waitingSince, consumers, images, writes]) gauge.reset();
    ofFeeds.clear();
    // A gauge without labels starts at zero, which would suggest that all is well.
    labels.remove();
  };
  clear();
  return {
    refresh: async (now) => {
      try {
        const activities = await store.activities.list();
        const backlog = shownBacklog(await waitingEntries(store.outbox, activities));
        const [extracted, unknown] = [await store.images.newest(), await store.labels.countUnknown(now)];
        const feeds = await readFeedState(
          store,
          activities.map(({ code }) => code),
          now,
        );
        // Set all at once, so that a scrape never sees half of it.
        clear();
        ofFeeds.set(feeds);
        for (const [activity, count] of backlog.consumers) consumers.set({ activity }, count);
        for (const { consumer, activity, waiting: entries, waitingSince: since } of backlog.shown) {
          waiting.set({ consumer, activity }, entries);
          if (since !== null) waitingSince.set({ consumer, activity }, since / 1000);
        }
        for (const [activity, at] of extracted) images.set({ activity }, at / 1000);
        for (const { code, lastWriteAt } of activities)
          if (lastWriteAt !== null) writes.set({ activity: code }, lastWriteAt / 1000);
        labels.set(unknown);
      } catch (error) {
        clear();
        throw error;
      }
    },
  };
}

/** Progress of every consumer; for an activity without one, what would wait for a consumer, under no name. */
async function waitingEntries(
  outbox: Store['outbox'],
  activities: readonly Activity[],
): Promise<readonly ConsumerProgress[]> {
  const consumers = await outbox.consumers();
  const taken = new Set(consumers.map(({ activity }) => activity));
  const others = activities.map(({ code }) => code).filter((code) => !taken.has(code));
  return [...consumers, ...(await outbox.progress('', others))];
}

/** State of this process's long reads, which may have to scan many rows, queried at each scrape. */
export function createLongReadMetrics(registry: Registry, longReads: Store['longReads']): void {
  const registers = [registry];
  new Gauge({
    name: 'logistics_long_reads_running',
    help: 'Queries without an index that are being worked on.',
    registers,
    collect() {
      this.set(longReads().running);
    },
  });
  new Gauge({
    name: 'logistics_long_reads_waiting',
    help: 'Queries without an index that wait for their turn.',
    registers,
    collect() {
      this.set(longReads().waiting);
    },
  });
  const ended = new Counter({
    name: 'logistics_long_reads_ended_total',
    help: 'Queries without an index that were ended because they took too long.',
    registers,
    collect() {
      ended.reset();
      ended.inc(longReads().ended);
    },
  });
}

/** Connections that a PostgreSQL server refused to this process, queried at each scrape; none without a server. */
export function createConnectionMetrics(registry: Registry, refused: Store['refusedConnections']): void {
  const refusals = new Counter({
    name: 'logistics_database_connections_refused_total',
    help: 'Connections that PostgreSQL refused because it allows no more: requests wait for each other.',
    registers: [registry],
    collect() {
      refusals.reset();
      refusals.inc(refused?.() ?? 0);
    },
  });
}

/**
 * The most consumers of one activity that have series of their own: the names come from outside, and scrapers keep each
 * series for ever.
 */
const maxShown = 20;

/** The consumers of each activity that are furthest behind, and the number of all. */
function shownBacklog(progress: readonly ConsumerProgress[]): {
  readonly shown: readonly ConsumerProgress[];
  readonly consumers: ReadonlyMap<string, number>;
} {
  const byActivity = Map.groupBy(progress, ({ activity }) => activity);
  const since = ({ waitingSince }: ConsumerProgress): number => waitingSince ?? Number.POSITIVE_INFINITY;
  return {
    // Ties are broken by name, so that the same ones are shown every time.
    shown: [...byActivity.values()].flatMap((each) =>
      each.toSorted((a, b) => (since(a) === since(b) ? b.waiting - a.waiting : since(a) - since(b))).slice(0, maxShown),
    ),
    consumers: new Map(
      [...byActivity].map(([activity, each]) => [activity, each.filter(({ consumer }) => consumer !== '').length]),
    ),
  };
}

/**
 * Counts calls to carriers. The host is one that operators entered; an outcome is the class of the status, `none`
 * without a response.
 */
export function createCarrierMetrics(registry: Registry): (call: CallRecord) => void {
  const duration = new Histogram({
    name: 'logistics_carrier_call_duration_seconds',
    help: 'Time until a carrier answered or was given up.',
    labelNames: ['host', 'outcome'],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 90],
    registers: [registry],
  });
  const failed = lastFailureGauge(registry, {
    prefix: 'logistics_carrier_calls',
    help: 'When a carrier last gave no answer, or one of 500 and above.',
    labelNames: ['host'],
  });
  return ({ host, status, milliseconds }) => {
    duration.observe(
      { host, outcome: status === null ? 'none' : `${Math.trunc(status / 100)}xx` },
      milliseconds / 1000,
    );
    if (status === null || status >= 500) failed({ host });
  };
}

/** Counts failed rounds of background work, by their text in the log. */
export function createTaskMetrics(registry: Registry): (failure: string) => void {
  const failures = new Counter({
    name: 'logistics_task_failures_total',
    help: 'Rounds of background work that failed, by the message in the log.',
    labelNames: ['failure'],
    registers: [registry],
  });
  const failed = lastFailureGauge(registry, {
    prefix: 'logistics_tasks',
    help: 'When a round of background work last failed, by the message in the log.',
    labelNames: ['failure'],
  });
  return (failure) => {
    failures.inc({ failure });
    failed({ failure });
  };
}

/** Counts what retention removes, by activity and subject: records, messages of feeds. */
export function createRetentionMetrics(
  registry: Registry,
): (removed: { readonly activity: string; readonly subject: string; readonly removed: number }) => void {
  const removals = new Counter({
    name: 'logistics_retention_removed_total',
    help: textBlock`
      Records that were removed because they had had their time, and messages of feeds of which the counts alone are
      left.
    `,
    labelNames: ['activity', 'subject'],
    registers: [registry],
  });
  return ({ activity, subject, removed }) => removals.inc({ activity, subject }, removed);
}
