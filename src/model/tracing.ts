// What traces are to the program, whichever library makes and sends them.

export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** One piece of work in a trace, from when it was made until its end. */
export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The header (W3C Trace Context, level 1) by which somebody else goes on with the trace. */
  readonly traceparent: string;
  /** False: nobody will see it, nor what belongs to it. */
  readonly isSampled: boolean;
  readonly child: (name: string, kind: 'client' | 'internal', attributes: SpanAttributes) => Span;
  /** To be called once. @param failure what went wrong, in a word; null: nothing did */
  readonly end: (attributes?: SpanAttributes, failure?: string | null) => void;
  readonly rename: (name: string) => void;
}

/** Headers of a request by which a trace can go on, by lower-case name. */
type TraceHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Who makes traces. */
export interface Tracing {
  /** Begins what others asked for: it belongs to the trace that they name in their headers, where they name one. */
  readonly serve: (name: string, headers: TraceHeaders, attributes: SpanAttributes) => Span;
  /** Begins what the program does by itself: a trace of its own. */
  readonly begin: (name: string, attributes: SpanAttributes) => Span;
}
