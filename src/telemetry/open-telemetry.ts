// The life of the OpenTelemetry SDK: configured from the settings, started and shut down.
import { randomUUID } from 'node:crypto';
import { DiagLogLevel, diag } from '@opentelemetry/api';
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  ConsoleMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics';
import {
  BatchSpanProcessor,
  ConsoleSpanExporter,
  type SpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { metricProducer } from './metric-producer.ts';
import type { Telemetry, TelemetryParts } from './open.ts';
import { samplerOf } from './sampler.ts';
import { collectorOf, type Exporter, pairsOf, type Signal, type TelemetrySettings } from './signals.ts';
import { tracingBy } from './spans.ts';

/** Time for sending what is left when the program ends; the rest is dropped. */
const closingMs = 5000;
/**
 * The shortest interval between two reports of the same fault: an unavailable collector is retried every few seconds.
 */
const faultsApartMs = 60_000;

export async function startOpenTelemetry(
  settings: TelemetrySettings,
  exporters: Readonly<Record<Signal, Exporter>>,
  parts: TelemetryParts,
): Promise<Telemetry> {
  tellFaults(parts.onFault);
  const resource = resourceOf(settings, parts.version);
  const traces = exporters.traces === 'none' ? null : await tracerProvider(settings, exporters.traces, resource);
  const metrics =
    exporters.metrics === 'none' ? null : await meterProvider(settings, exporters.metrics, resource, parts);
  return {
    tracing:
      traces === null
        ? null
        : tracingBy(traces.getTracer('logistics-connect', parts.version), {
            follows: settings.propagators.includes('tracecontext') && !settings.propagators.includes('none'),
          }),
    close: async () => {
      const shutdown = Promise.allSettled([traces?.shutdown(), metrics?.shutdown()]);
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, closingMs);
      await Promise.race([shutdown, late.promise]);
      clearTimeout(timer);
    },
  };
}

/** The instance is this process, so that several on one machine, or of one service, can be distinguished. */
function resourceOf({ otelServiceName, otelResourceAttributes }: TelemetrySettings, version: string): Resource {
  return resourceFromAttributes({
    'service.name': 'logistics-connect',
    'service.instance.id': randomUUID(),
    'service.version': version,
    ...pairsOf(otelResourceAttributes),
    ...(otelServiceName !== null && { 'service.name': otelServiceName }),
    'telemetry.sdk.name': 'opentelemetry',
    'telemetry.sdk.language': 'nodejs',
  });
}

async function tracerProvider(
  settings: TelemetrySettings,
  exporter: Exporter,
  resource: Resource,
): Promise<TracerProvider> {
  const processor =
    exporter === 'console'
      ? new SimpleSpanProcessor({ exporter: new ConsoleSpanExporter() })
      : new BatchSpanProcessor({
          exporter: await spanExporter(settings),
          maxQueueSize: settings.maxSpanQueue,
          maxExportBatchSize: Math.min(settings.maxSpanBatch, settings.maxSpanQueue),
          scheduledDelayMillis: settings.spanScheduleDelayMs,
          exportTimeoutMillis: settings.spanExportTimeoutMs,
        });
  return new TracerProvider({ resource, sampler: samplerOf(settings), spanProcessors: [processor] });
}

async function spanExporter(settings: TelemetrySettings): Promise<SpanExporter> {
  const { protocol, url, headers, timeoutMs } = collectorOf(settings, 'traces');
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter({ url, headers, timeoutMillis: timeoutMs });
}

async function meterProvider(
  settings: TelemetrySettings,
  exporter: Exporter,
  resource: Resource,
  { registry, version }: TelemetryParts,
): Promise<MeterProvider> {
  const { metricExportIntervalMs, metricExportTimeoutMs } = settings;
  const reader = new PeriodicExportingMetricReader({
    exporter: exporter === 'console' ? new ConsoleMetricExporter() : await metricExporter(settings),
    exportIntervalMillis: metricExportIntervalMs,
    exportTimeoutMillis: Math.min(metricExportTimeoutMs, metricExportIntervalMs),
    metricProducers: [metricProducer(registry, version)],
  });
  return new MeterProvider({ resource, readers: [reader] });
}

async function metricExporter(settings: TelemetrySettings): Promise<PushMetricExporter> {
  const { protocol, url, headers, timeoutMs } = collectorOf(settings, 'metrics');
  const { OTLPMetricExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-metrics-otlp-http')
      : await import('@opentelemetry/exporter-metrics-otlp-proto');
  return new OTLPMetricExporter({ url, headers, timeoutMillis: timeoutMs });
}

/** The SDK reports its faults only to this listener, of which a process has one. */
function tellFaults(onFault: (fault: string) => void): void {
  const told = new Map<string, number>();
  const tell = (message: string): void => {
    const fault = message.slice(0, 500);
    const now = performance.now();
    for (const [known, at] of told) if (now - at >= faultsApartMs) told.delete(known);
    if (told.has(fault) || told.size >= 10) return;
    told.set(fault, now);
    onFault(fault);
  };
  const nothing = (): void => undefined;
  diag.setLogger(
    { error: tell, warn: tell, info: nothing, debug: nothing, verbose: nothing },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}
