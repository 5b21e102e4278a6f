// In charge of the metrics of a server of several workers: asks all of them, and keeps what those had counted that have
// ended, so that no count goes back.
import type { ReportedMetrics } from '../model/worker-link.ts';
import { createInquiries } from './inquiries.ts';

/** Those of a worker that does not answer in time are left out. */
const patienceMs = 2000;

interface CollectedMetrics {
  /**
   * Asks workers for their metrics.
   * @returns those of each that answered, and those of workers that have ended
   */
  collect(workers: readonly number[]): Promise<readonly ReportedMetrics[]>;
  /** A worker answered. */
  reported(worker: number, id: number, metrics: ReportedMetrics): void;
  /** What a worker had counted when it was last asked counts on. */
  ended(worker: number): Promise<void>;
}

/** @param ask asks a worker for its metrics, by the id of the question */
export function createCollectedMetrics(ask: (worker: number, id: number) => void): CollectedMetrics {
  const inquiries = createInquiries<ReportedMetrics>(patienceMs);
  const latest = new Map<number, ReportedMetrics>();
  let departed: ReportedMetrics | null = null;
  return {
    collect: async (workers) => {
      const answers = await inquiries.ask(workers, ask);
      return departed === null ? answers : [...answers, departed];
    },
    reported: (worker, id, metrics) => {
      latest.set(worker, metrics);
      inquiries.answered(worker, id, metrics);
    },
    ended: async (worker) => {
      inquiries.ended(worker);
      const last = latest.get(worker);
      latest.delete(worker);
      if (last === undefined) return;
      const counted = last.filter(isCount);
      departed = departed === null ? counted : await sumOf([departed, counted]);
    },
  };
}

/** A gauge says how something is now, which nobody can say of a process that is no more. */
function isCount(metric: unknown): boolean {
  return (
    typeof metric === 'object' &&
    metric !== null &&
    'type' in metric &&
    (metric.type === 'counter' || metric.type === 'histogram')
  );
}

async function sumOf(metrics: readonly ReportedMetrics[]): Promise<ReportedMetrics> {
  // Few servers ever need it.
  const { AggregatorRegistry } = await import('prom-client');
  return AggregatorRegistry.aggregate(metrics.map((each) => [...each].map(toObject))).getMetricsAsJSON();
}

function toObject(metric: unknown): object {
  return typeof metric === 'object' && metric !== null ? metric : {};
}
