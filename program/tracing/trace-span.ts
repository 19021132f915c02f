/** The attributes of a span, in addition to its name. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

/** A call of another program, named as programs of this field name such spans. */
export interface TracedCall {
  readonly name: string;
  readonly attributes: SpanAttributes;
}

/** A part of a request in a trace that is recorded. Times are of `performance.now()`, in milliseconds. */
export interface TraceSpan {
  /** The header with which others continue the trace below this span (W3C Trace Context, 3.2: `traceparent`). */
  readonly traceparent: string;
  /** A part of this one that begins then. */
  child(name: string, at: number): TraceSpan;
  /** A part of this one in which another program is called. */
  call(of: TracedCall, at: number): TraceSpan;
  end(at: number, attributes?: SpanAttributes): void;
}

/** Records requests in traces. */
export interface Tracer {
  /**
   * The span of a request that began then; undefined for one that is not sampled. `traceparent` says which trace it
   * continues, by the word of a client that may decide it.
   */
  begin(name: string, at: number, traceparent: string | undefined): TraceSpan | undefined;
  /** Sends the remaining spans. */
  stop(): Promise<void>;
}
