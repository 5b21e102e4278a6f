// The health of the service for the people who run it: storage, feeds, background work, carriers, requests.
import type { Answer, Call } from '../http/route.ts';
import type { MetricValue } from '../http/metric-values.ts';
import { dayMs, formatInstant } from '../model/instant.ts';
import { singleParameters } from '../model/parameters.ts';
import type { UnfinishedMessages } from '../store/feed-contract.ts';
import type { Store } from '../store/store.ts';
import { json } from './feed-lines.ts';
import { serviceHealth } from './service-health.ts';

export interface HealthDependencies {
  readonly store: Store;
  /** The metrics of all workers of this server. */
  readonly readMetrics: () => Promise<readonly MetricValue[]>;
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Number of days for which messages that ended before their lines did are reported. */
const unfinishedDays = 7;
/** The most feeds with unfinished messages in one answer. */
const maxUnfinishedFeeds = 1000;

/**
 * `GET /platform/health`: for the caller's activities; data that concerns no activity, such as background work and
 * requests, is only for callers with every activity. Data that cannot be read now is reported as a problem:
 * `unavailable` when storage cannot be reached.
 */
export function readHealth(dependencies: HealthDependencies): (call: Call) => Promise<Answer> {
  const { store, now } = dependencies;
  const leases = store.jobLeases();
  return async (call) => {
    singleParameters(call.query, []);
    const { activityCodes, everything = false } = call.principal;
    const started = performance.now();
    await store.ping();
    const milliseconds = Math.round(performance.now() - started);
    const open = new Set(activityCodes);
    const at = now();
    const [named, refused, images] = [
      await store.activities.named(activityCodes),
      await store.feedLines.waiting(activityCodes),
      await store.images.newest(),
    ];
    const unfinished = (await store.feeds.unfinished(at - unfinishedDays * dayMs)).filter(({ activity }) =>
      open.has(activity),
    );
    return json({
      at: formatInstant(at),
      version: dependencies.version,
      storage: { engine: store.engine.dialect === 'postgres' ? 'postgresql' : 'sqlite', milliseconds },
      activities: named.map(({ code, name, lastWriteAt }) => ({
        activityCode: code,
        activityName: name,
        lastWriteAt: instantOrNull(lastWriteAt),
        stockImageAt: instantOrNull(images.get(code) ?? null),
        refusedLines: refused.get(code) ?? 0,
      })),
      unfinished: unfinished.slice(0, maxUnfinishedFeeds).map(publishedUnfinished),
      labelsUnknown: everything ? await store.labels.countUnknown(at) : null,
      tasks: everything
        ? (await leases.list()).map(({ name, doneAt, isRunning }) => ({
            name,
            doneAt: instantOrNull(doneAt),
            isRunning,
          }))
        : null,
      service: everything ? serviceHealth(await dependencies.readMetrics()) : null,
    });
  };
}

function publishedUnfinished({ activity, resource, feed, state, count, oldest }: UnfinishedMessages): object {
  return { activityCode: activity, resource, feed, state, messages: count, oldest: formatInstant(oldest) };
}

/** @param at milliseconds since 1970 */
function instantOrNull(at: number | null): string | null {
  return at === null ? null : formatInstant(at);
}
