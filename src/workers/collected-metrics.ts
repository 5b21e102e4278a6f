// The metrics of a server with several workers: queries all of them, and keeps the counts of those that have ended, so
// that no counter decreases.
import { isLastFailure } from '../model/last-failure.ts';
import type { ReportedMetrics } from '../model/worker-link.ts';
import { createWorkerRequests } from './worker-requests.ts';

/** A worker that does not respond within this time counts as it did when it last responded. */
const timeoutMs = 2000;

interface CollectedMetrics {
  /**
   * Queries workers for their metrics.
   * @returns those of each that responded, the counts that each of the others had last, and those of workers that have
   *   ended
   */
  collect(workers: readonly number[]): Promise<readonly ReportedMetrics[]>;
  /** A worker responded. */
  reported(worker: number, id: number, metrics: ReportedMetrics): void;
  /** Keeps the counts that a worker had when it was last queried. */
  ended(worker: number): Promise<void>;
}

/** @param ask asks a worker for its metrics, with the id of the request */
export function createCollectedMetrics(ask: (worker: number, id: number) => void): CollectedMetrics {
  const requests = createWorkerRequests<ReportedMetrics>(timeoutMs);
  const latest = new Map<number, ReportedMetrics>();
  /** The sum of those that have ended; one is added after the other, since several may end at once. */
  let departed: Promise<ReportedMetrics | null> = Promise.resolve(null);
  const add = async (counted: ReportedMetrics): Promise<ReportedMetrics> => {
    const before = await departed;
    return before === null ? counted : sumOf([before, counted]);
  };
  return {
    collect: async (workers) => {
      const before = new Map(latest);
      await requests.ask(workers, ask);
      // At the same instant as `departed`: a worker that ends is in one of them.
      const present = workers.flatMap((worker) => {
        const now = latest.get(worker);
        return now === undefined ? [] : [now === before.get(worker) ? now.filter(isCount) : now];
      });
      const sum = await departed;
      return sum === null ? present : [...present, sum];
    },
    reported: (worker, id, metrics) => {
      latest.set(worker, metrics);
      requests.answered(worker, id, metrics);
    },
    ended: async (worker) => {
      requests.ended(worker);
      const last = latest.get(worker);
      latest.delete(worker);
      if (last === undefined) return;
      departed = add(last.filter(isCount));
      await departed;
    },
  };
}

/** Other gauges describe a current state, which is not that of a process that has ended or does not respond. */
function isCount(metric: unknown): boolean {
  return (
    typeof metric === 'object' &&
    metric !== null &&
    'type' in metric &&
    (metric.type === 'counter' || metric.type === 'histogram' || ('name' in metric && isLastFailure(metric.name)))
  );
}

async function sumOf(metrics: readonly ReportedMetrics[]): Promise<ReportedMetrics> {
  // Loaded on demand: few servers ever need it.
  const { AggregatorRegistry } = await import('prom-client');
  return AggregatorRegistry.aggregate(metrics.map((each) => [...each].map(toObject))).getMetricsAsJSON();
}

function toObject(metric: unknown): object {
  return typeof metric === 'object' && metric !== null ? metric : {};
}
