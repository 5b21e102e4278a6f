// Reads metrics as numbers, for displays other than Prometheus.
import type { Registry } from 'prom-client';
import type { WorkerLink } from '../model/worker-link.ts';
import { shareResult } from './memoize.ts';
import { metricsOfAll } from './metrics.ts';

/** The value of one series of a metric. */
export interface MetricValue {
  /** For a histogram `…_count`, `…_sum` and `…_bucket`. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/**
 * Makes the function that reads the metrics of a server, for all of its workers together.
 * @param link if this process is one of several workers
 */
export function metricReader(registry: Registry, link: WorkerLink | null): () => Promise<readonly MetricValue[]> {
  return shareResult(async () => {
    const all = link === null ? registry : metricsOfAll(await link.collectMetrics());
    return (await all.getMetricsAsJSON()).flatMap((metric) => metric.values.map((each) => seriesOf(metric.name, each)));
  });
}

function seriesOf(
  metric: string,
  given: { readonly value: number; readonly labels: Partial<Record<string, string | number>>; metricName?: string },
): MetricValue {
  const labels = Object.entries(given.labels).filter(
    (pair): pair is [string, string | number] => pair[1] !== undefined,
  );
  return { name: given.metricName ?? metric, labels: Object.fromEntries(labels), value: given.value };
}
