// The settings of OpenTelemetry, under the names that its specification gives them.
import { textBlock } from '../model/text-block.ts';
import { choice, integer, list, ratio, type Setting, type SettingKind, secret, text, url } from './setting-kinds.ts';

const exporters = inAnyCase(choice(['otlp', 'console', 'none']));
const protocols = inAnyCase(choice(['http/protobuf', 'http/json']));
const timeout = integer({ min: 1, max: 600_000, unit: 'milliseconds' });
const headers = secret({ pattern: /^[^=,]+=[^,]*(?:,[^=,]+=[^,]*)*$/, expected: 'pairs like key=value,key=value' });
const propagators = ['tracecontext', 'baggage', 'none'];

/** The settings, by the name that the program uses. */
export const telemetrySettings = {
  otelSdkDisabled: {
    name: 'OTEL_SDK_DISABLED',
    kind: inAnyCase(choice(['true', 'false'])),
    default: 'false',
    meaning: 'true: no traces and metrics are sent, whatever else is set.',
  },
  otelServiceName: {
    name: 'OTEL_SERVICE_NAME',
    kind: text,
    default: null,
    meaning: 'What the service is called in traces and metrics; not set: logistics-connect.',
  },
  otelResourceAttributes: {
    name: 'OTEL_RESOURCE_ATTRIBUTES',
    kind: text,
    default: null,
    meaning: 'What else they say of the service, as key=value,key=value.',
  },
  otlpEndpoint: {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    kind: url,
    default: null,
    meaning: textBlock`
        Where a collector takes OpenTelemetry, such as http://127.0.0.1:4318: traces and metrics are sent to /v1/traces
        and /v1/metrics there. Without it nothing is sent, unless another of these settings asks for it.
      `,
  },
  otlpTracesEndpoint: {
    name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    kind: url,
    default: null,
    meaning: 'The whole address that takes traces, instead.',
  },
  otlpMetricsEndpoint: {
    name: 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
    kind: url,
    default: null,
    meaning: 'The whole address that takes metrics, instead.',
  },
  otlpHeaders: {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    kind: headers,
    default: null,
    meaning:
      'Headers that the collector wants, such as a key, as name=value,name=value; values may be percent-encoded.',
  },
  otlpTracesHeaders: {
    name: 'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
    kind: headers,
    default: null,
    meaning: 'The same for traces; of two with one name, this one.',
  },
  otlpMetricsHeaders: {
    name: 'OTEL_EXPORTER_OTLP_METRICS_HEADERS',
    kind: headers,
    default: null,
    meaning: 'The same for metrics.',
  },
  otlpProtocol: {
    name: 'OTEL_EXPORTER_OTLP_PROTOCOL',
    kind: protocols,
    default: 'http/protobuf',
    meaning: 'How they are written; grpc is not spoken.',
  },
  otlpTracesProtocol: {
    name: 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL',
    kind: protocols,
    default: null,
    meaning: 'The same for traces alone.',
  },
  otlpMetricsProtocol: {
    name: 'OTEL_EXPORTER_OTLP_METRICS_PROTOCOL',
    kind: protocols,
    default: null,
    meaning: 'The same for metrics alone.',
  },
  otlpTimeoutMs: {
    name: 'OTEL_EXPORTER_OTLP_TIMEOUT',
    kind: timeout,
    default: '10000',
    meaning: 'Milliseconds that the collector may take for one batch, repeats included.',
  },
  otlpTracesTimeoutMs: {
    name: 'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT',
    kind: timeout,
    default: null,
    meaning: 'The same for traces alone.',
  },
  otlpMetricsTimeoutMs: {
    name: 'OTEL_EXPORTER_OTLP_METRICS_TIMEOUT',
    kind: timeout,
    default: null,
    meaning: 'The same for metrics alone.',
  },
  tracesExporter: {
    name: 'OTEL_TRACES_EXPORTER',
    kind: exporters,
    default: null,
    meaning: textBlock`
        Where traces go: otlp, console (standard output) or none. Not set: otlp where there is an endpoint, else none.
      `,
  },
  metricsExporter: {
    name: 'OTEL_METRICS_EXPORTER',
    kind: exporters,
    default: null,
    meaning: 'The same for metrics. /metrics shows them too, whatever is set here.',
  },
  tracesSampler: {
    name: 'OTEL_TRACES_SAMPLER',
    kind: inAnyCase(
      choice([
        'parentbased_always_on',
        'parentbased_always_off',
        'parentbased_traceidratio',
        'always_on',
        'always_off',
        'traceidratio',
      ]),
    ),
    default: 'parentbased_always_on',
    meaning: 'Which traces are recorded; the parentbased ones follow a caller that sends traceparent.',
  },
  tracesSamplerArgument: {
    name: 'OTEL_TRACES_SAMPLER_ARG',
    kind: ratio,
    default: '1',
    meaning: 'For the samplers with traceidratio: the share of traces that are recorded.',
  },
  propagators: {
    name: 'OTEL_PROPAGATORS',
    kind: inAnyCase(list(`some of ${propagators.join(', ')}`, (item) => propagators.includes(item))),
    default: 'tracecontext,baggage',
    meaning:
      'tracecontext: traces of callers (traceparent) are gone on with. baggage is passed over: nothing is made of it.',
  },
  metricExportIntervalMs: {
    name: 'OTEL_METRIC_EXPORT_INTERVAL',
    kind: integer({ min: 100, max: 3_600_000, unit: 'milliseconds' }),
    default: '60000',
    meaning: 'Milliseconds from one sending of the metrics to the next.',
  },
  metricExportTimeoutMs: {
    name: 'OTEL_METRIC_EXPORT_TIMEOUT',
    kind: timeout,
    default: '30000',
    meaning: 'Milliseconds that one sending of the metrics may take.',
  },
  spanScheduleDelayMs: {
    name: 'OTEL_BSP_SCHEDULE_DELAY',
    kind: integer({ min: 1, max: 600_000, unit: 'milliseconds' }),
    default: '5000',
    meaning: 'Milliseconds for which spans are gathered before they are sent.',
  },
  spanExportTimeoutMs: {
    name: 'OTEL_BSP_EXPORT_TIMEOUT',
    kind: timeout,
    default: '30000',
    meaning: 'Milliseconds that one sending of spans may take.',
  },
  maxSpanQueue: {
    name: 'OTEL_BSP_MAX_QUEUE_SIZE',
    kind: integer({ min: 1, max: 100_000 }),
    default: '2048',
    meaning: 'Spans that wait to be sent at most; more of them are dropped.',
  },
  maxSpanBatch: {
    name: 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE',
    kind: integer({ min: 1, max: 100_000 }),
    default: '512',
    meaning: 'Spans that are sent at a time at most.',
  },
} as const satisfies Record<string, Setting>;

/** Of small letters, and read in any letter case, as the specification has its words. */
function inAnyCase<T>(kind: SettingKind<T>): SettingKind<T> {
  return { ...kind, parse: (given, folder) => kind.parse(given.toLowerCase(), folder) };
}
