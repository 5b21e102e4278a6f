// A collector that others wrote, for tests: it takes OTLP over HTTP as protobuf and as JSON, and gives what it read.
import { createRequire } from 'node:module';
import type { TestContext } from 'node:test';

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status: { readonly code?: string };
}

interface ReceivedMetric {
  readonly name: string;
  readonly unit?: string;
  readonly sum?: { readonly isMonotonic: boolean; readonly dataPoints: readonly ReceivedPoint[] };
  readonly gauge?: { readonly dataPoints: readonly ReceivedPoint[] };
  readonly histogram?: { readonly dataPoints: readonly ReceivedPoint[] };
}

interface ReceivedPoint {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly asDouble?: number;
  readonly count?: string | number;
  readonly sum?: number;
  readonly bucketCounts?: readonly (string | number)[];
  readonly explicitBounds?: readonly number[];
}

type Resource = { readonly attributes: Readonly<Record<string, unknown>> };

export interface Receiver {
  readonly url: string;
  readonly spans: () => readonly ReceivedSpan[];
  readonly metrics: () => readonly ReceivedMetric[];
  readonly resources: () => readonly Resource[];
  /** Path and content type of every request. */
  readonly requests: () => readonly { readonly path: string; readonly headers: Readonly<Record<string, string>> }[];
}

interface Traces {
  readonly resourceSpans: readonly {
    readonly resource: Resource;
    readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[];
  }[];
}
interface Metrics {
  readonly resourceMetrics: readonly {
    readonly resource: Resource;
    readonly scopeMetrics: readonly { readonly metrics: readonly ReceivedMetric[] }[];
  }[];
}

/** The package has no types of its own. */
interface Package {
  readonly MockOtlpServer: new (
    options: Readonly<Record<string, unknown>>,
  ) => { readonly httpUrl: URL | string; readonly start: () => Promise<void>; readonly close: () => Promise<void> };
  readonly normalizeTrace: (raw: unknown) => Traces;
  readonly normalizeMetrics: (raw: unknown) => Metrics;
}

/** Starts it on a free port of this machine; it is gone when the test ends. */
export async function receiver(t: Pick<TestContext, 'after'>): Promise<Receiver> {
  const { MockOtlpServer, normalizeTrace, normalizeMetrics }: Package = createRequire(import.meta.url)(
    '@elastic/mockotlpserver',
  );
  const traces: Traces[] = [];
  const metrics: Metrics[] = [];
  const requests: { path: string; headers: Record<string, string> }[] = [];
  const server = new MockOtlpServer({
    logLevel: 'error',
    services: ['http'],
    httpHostname: '127.0.0.1',
    httpPort: 0,
    onTrace: (raw: unknown) => traces.push(normalizeTrace(raw)),
    onMetrics: (raw: unknown) => metrics.push(normalizeMetrics(raw)),
    onRequest: (request: { path: string; headers: Record<string, string> }) => requests.push(request),
  });
  await server.start();
  t.after(() => server.close());
  return {
    url: String(server.httpUrl).replace(/\/$/, ''),
    requests: () => requests,
    spans: () =>
      traces.flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
    metrics: () =>
      metrics.flatMap(({ resourceMetrics }) =>
        resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((each) => each.metrics)),
      ),
    resources: () => [
      ...traces.flatMap(({ resourceSpans }) => resourceSpans.map(({ resource }) => resource)),
      ...metrics.flatMap(({ resourceMetrics }) => resourceMetrics.map(({ resource }) => resource)),
    ],
  };
}
