// Summarizes the metrics of a server for people: requests, problems, carriers, background work, disks.
import { isProbe } from '../http/metrics.ts';
import type { MetricValue } from '../http/metric-values.ts';
import { formatInstant } from '../model/instant.ts';

/** The most problems, hosts and the like that one answer lists: the most frequent ones. */
const maxRows = 20;

/** Counts start with the processes; for a rate, take the difference of two answers. */
interface ServiceHealth {
  readonly startedAt: string | null;
  readonly processes: number;
  /** Requests that are being processed, and that wait for their turn. */
  readonly running: number;
  readonly waiting: number;
  /** By class of status, such as `2xx`. */
  readonly requests: readonly { readonly status: string; readonly count: number; readonly seconds: number }[];
  /** When a request last failed by a fault of the service; null: none has since the start. */
  readonly lastFailureAt: string | null;
  readonly problems: readonly { readonly problem: string; readonly count: number }[];
  /** Requests and connections that were refused to protect the service from overload. */
  readonly shed: number;
  readonly taskFailures: readonly {
    readonly failure: string;
    readonly count: number;
    readonly lastAt: string | null;
  }[];
  readonly carrierCalls: readonly {
    readonly host: string;
    readonly calls: number;
    readonly failed: number;
    readonly lastFailureAt: string | null;
    readonly seconds: number;
  }[];
  readonly disks: readonly { readonly place: string; readonly freeBytes: number; readonly sizeBytes: number }[];
}

export function serviceHealth(metrics: readonly MetricValue[]): ServiceHealth {
  const named = Map.groupBy(metrics, ({ name }) => name);
  const valuesOf = (name: string): readonly MetricValue[] => named.get(name) ?? [];
  const lastFailure = (of: string, labels: Readonly<Record<string, string>>): string | null => {
    const series = valuesOf(`${of}_last_failure_timestamp_seconds`);
    const own = series.find((each) => Object.entries(labels).every(([name, value]) => each.labels[name] === value));
    return own === undefined ? null : formatInstant(Math.round(own.value * 1000));
  };
  const sum = (name: string): number => valuesOf(name).reduce((total, { value }) => total + value, 0);
  const started = valuesOf('process_start_time_seconds')[0]?.value ?? 0;
  return {
    startedAt: started > 0 ? formatInstant(Math.round(started * 1000)) : null,
    processes: sum('logistics_workers'),
    running: sum('http_requests_running'),
    waiting: sum('http_requests_waiting'),
    requests: requestsOf(
      valuesOf('http_request_duration_seconds_count'),
      valuesOf('http_request_duration_seconds_sum'),
    ),
    lastFailureAt: lastFailure('http_requests', {}),
    problems: counted(valuesOf('http_problems_total'), 'problem').map(([problem, count]) => ({ problem, count })),
    shed: sum('http_shed_total'),
    taskFailures: counted(valuesOf('logistics_task_failures_total'), 'failure').map(([failure, count]) => ({
      failure,
      count,
      lastAt: lastFailure('logistics_tasks', { failure }),
    })),
    carrierCalls: carrierCallsOf(
      valuesOf('logistics_carrier_call_duration_seconds_count'),
      valuesOf('logistics_carrier_call_duration_seconds_sum'),
    ).map((calls) => ({ ...calls, lastFailureAt: lastFailure('logistics_carrier_calls', { host: calls.host }) })),
    disks: valuesOf('logistics_disk_free_bytes').map(({ labels, value }) => ({
      place: String(labels.place),
      freeBytes: value,
      sizeBytes: valuesOf('logistics_disk_size_bytes').find((size) => size.labels.place === labels.place)?.value ?? 0,
    })),
  };
}

function requestsOf(counts: readonly MetricValue[], sums: readonly MetricValue[]): ServiceHealth['requests'] {
  const asked = ({ labels }: MetricValue): boolean => !isProbe(String(labels.route));
  const seconds = totals(sums.filter(asked), 'status');
  return [...totals(counts.filter(asked), 'status')]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([status, count]) => ({ status, count, seconds: rounded(seconds.get(status) ?? 0) }));
}

function carrierCallsOf(
  counts: readonly MetricValue[],
  sums: readonly MetricValue[],
): readonly Omit<ServiceHealth['carrierCalls'][number], 'lastFailureAt'>[] {
  const failed = totals(
    counts.filter(({ labels }) => labels.outcome === 'none' || labels.outcome === '5xx'),
    'host',
  );
  const seconds = totals(sums, 'host');
  return counted(counts, 'host').map(([host, calls]) => ({
    ...{ host, calls },
    failed: failed.get(host) ?? 0,
    seconds: rounded(seconds.get(host) ?? 0),
  }));
}

/** The most frequent ones, by the value of a label. */
function counted(values: readonly MetricValue[], label: string): readonly (readonly [string, number])[] {
  return [...totals(values, label)].toSorted(([, a], [, b]) => b - a).slice(0, maxRows);
}

function totals(values: readonly MetricValue[], label: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const { labels, value } of values)
    found.set(String(labels[label]), (found.get(String(labels[label])) ?? 0) + value);
  return found;
}

function rounded(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
