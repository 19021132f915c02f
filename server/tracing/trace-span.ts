/** A part of a request in a trace that is recorded. Times are of `performance.now()`, in milliseconds. */
export interface TraceSpan {
  /** What others are told to continue the trace below this span (W3C Trace Context, 3.2: `traceparent`). */
  readonly traceparent: string;
  /** A part of this one that begins then. */
  child(name: string, at: number): TraceSpan;
  end(at: number, attributes?: Readonly<Record<string, string | number>>): void;
}
