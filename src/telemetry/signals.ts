// Interprets the OpenTelemetry settings together: for each signal, where and how it is sent, and with which headers.

/** The settings, with the names and meanings of the OpenTelemetry specification. */
export interface TelemetrySettings {
  readonly otelSdkDisabled: 'true' | 'false';
  readonly otelServiceName: string | null;
  readonly otelResourceAttributes: string | null;
  readonly otlpEndpoint: string | null;
  readonly otlpTracesEndpoint: string | null;
  readonly otlpMetricsEndpoint: string | null;
  readonly otlpHeaders: string | null;
  readonly otlpTracesHeaders: string | null;
  readonly otlpMetricsHeaders: string | null;
  readonly otlpProtocol: Protocol;
  readonly otlpTracesProtocol: Protocol | null;
  readonly otlpMetricsProtocol: Protocol | null;
  readonly otlpTimeoutMs: number;
  readonly otlpTracesTimeoutMs: number | null;
  readonly otlpMetricsTimeoutMs: number | null;
  readonly tracesExporter: Exporter | null;
  readonly metricsExporter: Exporter | null;
  readonly tracesSampler: SamplerName;
  readonly tracesSamplerArgument: number;
  readonly propagators: readonly string[];
  readonly metricExportIntervalMs: number;
  readonly metricExportTimeoutMs: number;
  readonly spanScheduleDelayMs: number;
  readonly spanExportTimeoutMs: number;
  readonly maxSpanQueue: number;
  readonly maxSpanBatch: number;
}

export type Signal = 'traces' | 'metrics';
export type Exporter = 'otlp' | 'console' | 'none';
type Protocol = 'http/protobuf' | 'http/json';
type SamplerName =
  | 'parentbased_always_on'
  | 'parentbased_always_off'
  | 'parentbased_traceidratio'
  | 'always_on'
  | 'always_off'
  | 'traceidratio';

/** How one signal is sent by OTLP over HTTP. */
interface Collector {
  readonly protocol: Protocol;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** By default, the specification sends to a collector on the same machine; this program then sends nothing. */
export function exporterOf(settings: TelemetrySettings, signal: Signal): Exporter {
  if (settings.otelSdkDisabled === 'true') return 'none';
  const { exporter, endpoint } = ofSignal(settings, signal);
  return exporter ?? (endpoint === null && settings.otlpEndpoint === null ? 'none' : 'otlp');
}

export function collectorOf(settings: TelemetrySettings, signal: Signal): Collector {
  const own = ofSignal(settings, signal);
  return {
    protocol: own.protocol ?? settings.otlpProtocol,
    url: own.endpoint ?? `${settings.otlpEndpoint ?? 'http://localhost:4318'}/v1/${signal}`,
    headers: { ...pairsOf(settings.otlpHeaders), ...pairsOf(own.headers) },
    timeoutMs: own.timeoutMs ?? settings.otlpTimeoutMs,
  };
}

/**
 * Key-value pairs, both percent-encoded, as in W3C Baggage; a pair without a key or with an invalid encoding is left
 * out.
 */
export function pairsOf(text: string | null): Readonly<Record<string, string>> {
  const pairs = (text ?? '').split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    const key = at === -1 ? null : decoded(pair.slice(0, at).trim());
    const value = at === -1 ? null : decoded(pair.slice(at + 1).trim());
    return key === null || value === null || key === '' ? [] : [[key, value] as const];
  });
  return Object.fromEntries(pairs);
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function ofSignal(
  settings: TelemetrySettings,
  signal: Signal,
): {
  readonly exporter: Exporter | null;
  readonly endpoint: string | null;
  readonly headers: string | null;
  readonly protocol: Protocol | null;
  readonly timeoutMs: number | null;
} {
  return signal === 'traces'
    ? {
        exporter: settings.tracesExporter,
        endpoint: settings.otlpTracesEndpoint,
        headers: settings.otlpTracesHeaders,
        protocol: settings.otlpTracesProtocol,
        timeoutMs: settings.otlpTracesTimeoutMs,
      }
    : {
        exporter: settings.metricsExporter,
        endpoint: settings.otlpMetricsEndpoint,
        headers: settings.otlpMetricsHeaders,
        protocol: settings.otlpMetricsProtocol,
        timeoutMs: settings.otlpMetricsTimeoutMs,
      };
}
