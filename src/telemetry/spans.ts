// Creates traces through the OpenTelemetry interface. No span is looked up in an ambient context: the caller that
// begins a part names the span that it belongs to.
import {
  type Context,
  type Span as OpenSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { Span, SpanAttributes, Tracing } from '../model/tracing.ts';

type Headers = Parameters<Tracing['serve']>[1];

/** @param follows whether traces of callers are continued */
export function tracingBy(tracer: Tracer, { follows }: { readonly follows: boolean }): Tracing {
  const propagator = new W3CTraceContextPropagator();
  return {
    serve: (name, headers, attributes) => {
      const around = follows ? propagator.extract(ROOT_CONTEXT, headers, single) : ROOT_CONTEXT;
      return spanOf(tracer, tracer.startSpan(name, { kind: SpanKind.SERVER, attributes: { ...attributes } }, around));
    },
    begin: (name, attributes) =>
      spanOf(tracer, tracer.startSpan(name, { attributes: { ...attributes }, root: true }, ROOT_CONTEXT)),
  };
}

/** A header that occurs twice is ignored. */
const single: TextMapGetter<Headers> = {
  keys: (headers) => Object.keys(headers),
  get: (headers, name) => {
    const value = headers[name.toLowerCase()];
    return typeof value === 'string' ? value : undefined;
  },
};

const kinds = { client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

function spanOf(tracer: Tracer, span: OpenSpan): Span {
  const { traceId, spanId, traceFlags } = span.spanContext();
  const isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
  const around: Context = trace.setSpan(ROOT_CONTEXT, span);
  const own: Span = {
    traceId,
    isSampled,
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    child: (name, kind, attributes) =>
      isSampled
        ? spanOf(tracer, tracer.startSpan(name, { kind: kinds[kind], attributes: { ...attributes } }, around))
        : own,
    rename: (name) => void span.updateName(name),
    end: (attributes = {}, failure = null) => {
      span.setAttributes(withFailure(attributes, failure));
      if (failure !== null) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
  return own;
}

function withFailure(attributes: SpanAttributes, failure: string | null): Record<string, SpanAttributes[string]> {
  return { ...attributes, ...(failure !== null && { 'error.type': failure }) };
}
