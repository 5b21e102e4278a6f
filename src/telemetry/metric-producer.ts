// Exports the metrics of /metrics to OpenTelemetry unchanged: same names, same labels, counted in one place.
import { type HrTime, ValueType } from '@opentelemetry/api';
import { hrTime } from '@opentelemetry/core';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { MetricObjectWithValues, MetricValue, Registry } from 'prom-client';

type Collected = MetricObjectWithValues<MetricValue<string> & { readonly metricName?: string }>;

export function metricProducer(registry: Registry, version: string): MetricProducer {
  const started = hrTime();
  return {
    collect: async () => {
      const collected: readonly Collected[] = await registry.getMetricsAsJSON();
      const times = { startTime: started, endTime: hrTime() };
      const metrics = collected.flatMap((metric) => metricData(metric, times) ?? []);
      const scopeMetrics = [{ scope: { name: 'logistics-connect', version }, metrics }];
      return { resourceMetrics: { resource: emptyResource(), scopeMetrics }, errors: [] };
    },
  };
}

interface Times {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

/** Null: it has no series, or is a summary, which the program does not use. */
function metricData({ name, help, type, values }: Collected, times: Times): MetricData | null {
  if (values.length === 0) return null;
  const common = {
    descriptor: { name, description: help, unit: unitOf(name), valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const points = (): DataPoint<number>[] =>
    values.map(({ value, labels }) => ({ ...times, attributes: attributesOf(labels), value }));
  // The library returns words where its types promise numbers.
  switch (String(type)) {
    case 'counter':
      return { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points() };
    case 'gauge':
      return { ...common, dataPointType: DataPointType.GAUGE, dataPoints: points() };
    case 'histogram':
      return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: histograms(name, values, times) };
    default:
      return null;
  }
}

/** UCUM units. */
function unitOf(name: string): string {
  const base = name.replace(/_total$/, '');
  return base.endsWith('_seconds') ? 's' : base.endsWith('_bytes') ? 'By' : '';
}

type Labels = Collected['values'][number]['labels'];

function attributesOf(labels: Labels): Record<string, string> {
  return Object.fromEntries(
    Object.entries(labels).flatMap(([label, value]) => (value === undefined ? [] : [[label, String(value)]])),
  );
}

/**
 * A Prometheus bucket includes the counts of the buckets below it; an OpenTelemetry bucket counts only its own values.
 */
function histograms(name: string, values: Collected['values'], times: Times): DataPoint<Histogram>[] {
  const series = Map.groupBy(values, ({ labels }) => JSON.stringify({ ...labels, le: undefined }));
  return [...series.values()].map((each) => {
    const buckets = each.filter(({ metricName }) => metricName === `${name}_bucket`);
    const finite = buckets.filter(({ labels }) => Number.isFinite(Number(labels.le)));
    const ordered = finite.toSorted((a, b) => Number(a.labels.le) - Number(b.labels.le));
    const endOf = (end: string): number => each.find(({ metricName }) => metricName === `${name}_${end}`)?.value ?? 0;
    const count = endOf('count');
    const below = [0, ...ordered.map(({ value }) => value)];
    const { le: _bound, ...labels } = each[0]?.labels ?? {};
    return {
      ...times,
      attributes: attributesOf(labels),
      value: {
        buckets: {
          boundaries: ordered.map((bucket) => Number(bucket.labels.le)),
          counts: [...below.slice(1), count].map((value, index) => value - (below[index] ?? 0)),
        },
        sum: endOf('sum'),
        count,
      },
    };
  });
}
