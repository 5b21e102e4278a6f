// What the program needs of tracing, independent of the library that creates and sends traces.

export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** One piece of work in a trace, from its start to its end. */
export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The header (W3C Trace Context, level 1) by which another system continues the trace. */
  readonly traceparent: string;
  /** False: neither this span nor its children are recorded. */
  readonly isSampled: boolean;
  readonly child: (name: string, kind: 'client' | 'internal', attributes: SpanAttributes) => Span;
  /** Must be called once. @param failure what went wrong, in a word; null: nothing */
  readonly end: (attributes?: SpanAttributes, failure?: string | null) => void;
  readonly rename: (name: string) => void;
}

/** Request headers that may name a trace to continue, by lower-case name. */
type TraceHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Creates traces. */
export interface Tracing {
  /** Begins work that others asked for: it joins the trace that their headers name, if any. */
  readonly serve: (name: string, headers: TraceHeaders, attributes: SpanAttributes) => Span;
  /** Begins work that the program does on its own: a new trace. */
  readonly begin: (name: string, attributes: SpanAttributes) => Span;
}
