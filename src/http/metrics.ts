// Metrics for Prometheus: durations of requests by route, the problems they ended in, and the state of the process.
import { textBlock } from '../model/text-block.ts';
import { AggregatorRegistry, collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { lastFailureGauge } from '../model/last-failure-gauge.ts';
import { shareResult } from './memoize.ts';
import { type Answer, publicRoute, type Route } from './route.ts';
import type { ReportedMetrics, WorkerLink } from '../model/worker-link.ts';
import type { ShedReason } from './load-shedding.ts';

/** The current load of a server. */
interface Load {
  /** Requests that are being processed, and that wait for their turn. */
  readonly running: number;
  readonly waiting: number;
  /** Memory held by bodies and unread responses. */
  readonly bytesInFlight: number;
}

/** What is ended to protect the service: requests that are refused, connections that are closed. */
type Shedding = ShedReason | 'pipelined' | 'unread-answer' | 'connection' | 'address-connection';

export interface Metrics {
  /** Other parts register their own metrics here. */
  readonly registry: Registry;
  /**
   * Counts one answered request.
   * @param route its pattern, or null when the path is unknown
   * @param status status code; the label is its class (`2xx`)
   * @param problem slug of the problem in the response; null: none
   */
  observe(route: string | null, method: string, status: number, seconds: number, problem: string | null): void;
  /** Sets how the current load is determined; called once. */
  watchLoad(load: () => Load): void;
  /**
   * Counts requests or connections that were ended for the sake of the others.
   * @param count default: 1
   */
  shed(reason: Shedding, count?: number): void;
}

/**
 * The metrics of one server: requests, and the process if `process` is true (once per program).
 * @param program version of the program; absent: not disclosed
 */
export function createMetrics({
  process,
  program,
}: {
  readonly process: boolean;
  readonly program?: { readonly version: string; readonly commit: string | null };
}): Metrics {
  const registry = new Registry();
  if (process) collectDefaultMetrics({ register: registry });
  // Gauges with names of counters; others show the same by kind, without `_total`.
  for (const name of misnamed) registry.removeSingleMetric(name);
  if (program !== undefined)
    new Gauge({
      name: 'logistics_build_info',
      help: 'Always 1; the labels say which version of the program runs, and which commit of its source.',
      labelNames: ['version', 'revision'],
      aggregator: 'first',
      registers: [registry],
    }).set({ version: program.version, revision: program.commit ?? 'unknown' }, 1);
  new Gauge({
    name: 'logistics_workers',
    help: 'Processes of this server that answer requests; the other metrics are those of all of them together.',
    registers: [registry],
  }).set(1);
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to its answer.',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const failed = lastFailureGauge(registry, {
    prefix: 'http_requests',
    help: 'When a request other than a probe was last answered with a status of 500 and above.',
    labelNames: [],
  });
  const problems = new Counter({
    name: 'http_problems_total',
    help: 'Requests that ended in a problem, by the last part of its type.',
    labelNames: ['problem'],
    registers: [registry],
  });
  const shed = new Counter({
    name: 'http_shed_total',
    help: 'Requests and connections that were turned away to keep the service alive, by the limit that was reached.',
    labelNames: ['reason'],
    registers: [registry],
  });
  return {
    registry,
    watchLoad: (load) => {
      const gauge = (name: string, help: string, value: (now: Load) => number): Gauge =>
        new Gauge({
          name,
          help,
          registers: [registry],
          collect() {
            this.set(value(load()));
          },
        });
      gauge('http_requests_running', 'Requests that have their turn.', ({ running }) => running);
      gauge('http_requests_waiting', 'Requests that wait for their turn.', ({ waiting }) => waiting);
      gauge(
        'http_bytes_in_flight',
        'What request bodies and answers that were not read yet hold in memory.',
        ({ bytesInFlight }) => bytesInFlight,
      );
    },
    shed: (reason, count = 1) => shed.inc({ reason }, count),
    observe: (route, method, status, seconds, problem) => {
      duration.observe({ route: route ?? 'none', method, status: `${Math.trunc(status / 100)}xx` }, seconds);
      if (status >= 500 && !isProbe(route)) failed({});
      if (problem !== null) problems.inc({ problem });
    },
  };
}

const probes: ReadonlySet<string | null> = new Set(['/healthz', '/readyz', '/metrics']);

/** Whether the polling of monitoring systems asks for this route: not one of the requests that are served. */
export function isProbe(route: string | null): boolean {
  return probes.has(route);
}

/** Names of default metrics that violate the Prometheus conventions. */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/**
 * `GET /metrics`, to be mounted without a prefix.
 * @param link if this process is one of several workers: any of them responds for all
 */
export function metricsRoute({ registry }: Metrics, link: WorkerLink | null = null): Route {
  link?.reportMetrics(() => registry.getMetricsAsJSON());
  const text = shareResult(
    link === null ? () => registry.metrics() : async () => metricsOfAll(await link.collectMetrics()).metrics(),
  );
  return {
    ...publicRoute,
    path: '/metrics',
    operationId: 'getMetrics',
    rate: 'probe',
    summary: 'Metrics for Prometheus',
    description: textBlock`
        Request durations by route, problems, what waits for the warehouse and how old what came in is, calls of
        carriers, and the state of the process, in the text format of Prometheus.
      `,
    produces: ['text/plain'],
    handle: async (): Promise<Answer> => ({
      status: 200,
      headers: { 'cache-control': 'no-store' },
      body: await text(),
      type: registry.contentType,
    }),
  };
}

/** One registry with the metrics of all workers: sums, unless a metric defines another aggregation. */
export function metricsOfAll(workers: readonly ReportedMetrics[]): Registry {
  return AggregatorRegistry.aggregate(workers.map((metrics) => metrics.filter(isObject).map(combinable)));
}

/** The library omits the start times of processes: a server's is that of its first process. */
function combinable(metric: object): object {
  return 'name' in metric && metric.name === 'process_start_time_seconds' ? { ...metric, aggregator: 'min' } : metric;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
