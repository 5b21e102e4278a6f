// Reads metrics as numbers, for whoever shows them without Prometheus.
import type { Registry } from 'prom-client';
import type { WorkerLink } from '../model/worker-link.ts';
import { shared } from './memo.ts';
import { metricsOfAll } from './metrics.ts';

/** One series of a metric at a moment. */
export interface MetricValue {
  /** Of a histogram `…_count`, `…_sum` and `…_bucket`. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/**
 * Makes what reads the metrics of a server, all of its workers together.
 * @param link where this process is one of several workers
 */
export function metricReader(registry: Registry, link: WorkerLink | null): () => Promise<readonly MetricValue[]> {
  return shared(async () => {
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
