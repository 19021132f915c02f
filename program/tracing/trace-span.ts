/** The attributes of a span, in addition to its name. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

/** A call of another program, with the names that programs of this field give to such spans. */
export interface TracedCall {
  readonly name: string;
  readonly attributes: SpanAttributes;
}

/** A part of a request in a recorded trace. Times are those of `performance.now()`, in milliseconds. */
export interface TraceSpan {
  /** The header with which others continue the trace below this span (W3C Trace Context, 3.2: `traceparent`). */
  readonly traceparent: string;
  /** A part of this span that begins at this time. */
  child(name: string, at: number): TraceSpan;
  /** A part of this span in which another program is called. */
  call(of: TracedCall, at: number): TraceSpan;
  end(at: number, attributes?: SpanAttributes): void;
}

/** Records requests in traces. */
export interface Tracer {
  /**
   * The span of a request that began at this time; undefined if the request is not sampled. `traceparent` names the
   * trace that it continues, if the client may decide this.
   */
  begin(name: string, at: number, traceparent: string | undefined): TraceSpan | undefined;
  /** Sends the remaining spans. */
  stop(): Promise<void>;
}
