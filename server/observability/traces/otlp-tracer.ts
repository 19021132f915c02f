import {
  type Context,
  ROOT_CONTEXT,
  type Tracer as SdkTracer,
  type Span,
  type SpanContext,
  SpanKind,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import type { SpanAttributes, TracedCall, Tracer, TraceSpan } from '#program/tracing/trace-span.ts';
import type { TracingOptions } from '../../config/tracing-options.ts';
import { DeliveryLog } from './delivery-log.ts';

/** How long spans wait, so that several are sent together, in milliseconds. */
const SEND_EVERY_MS = 1_000;

/** How long the last spans may take when the server ends, in milliseconds. */
const LAST_MS = 3_000;

/** The name of the server for trace collectors of this field. */
const SERVICE = 'apiserver';

const MILLION = 1_000_000;

const NOTHING = /^0+$/;

/** The trace that a request continues (W3C Trace Context, 3.2); undefined if the header is missing or invalid. */
export function parseTraceparent(text: string | undefined): SpanContext | undefined {
  const [, version, traceId, spanId, flags] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/.exec(text ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined || version === 'ff') return undefined;
  if (NOTHING.test(traceId) || NOTHING.test(spanId) || (version === '00' && text!.length !== 55)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
}

/** Converts a time of `performance.now()` to the time of the calendar. */
const onCalendar = (at: number): number => performance.timeOrigin + at;

class OtlpSpan implements TraceSpan {
  readonly #tracer: SdkTracer;
  readonly #span: Span;
  readonly #context: Context;
  readonly traceparent: string;

  constructor(tracer: SdkTracer, span: Span) {
    this.#tracer = tracer;
    this.#span = span;
    this.#context = trace.setSpan(ROOT_CONTEXT, span);
    const { traceId, spanId } = span.spanContext();
    this.traceparent = `00-${traceId}-${spanId}-01`;
  }

  child(name: string, at: number): TraceSpan {
    return new OtlpSpan(this.#tracer, this.#tracer.startSpan(name, { startTime: onCalendar(at) }, this.#context));
  }

  call({ name, attributes }: TracedCall, at: number): TraceSpan {
    const options = { kind: SpanKind.CLIENT, startTime: onCalendar(at), attributes: { ...attributes } };
    return new OtlpSpan(this.#tracer, this.#tracer.startSpan(name, options, this.#context));
  }

  end(at: number, attributes?: SpanAttributes): void {
    if (attributes !== undefined) this.#span.setAttributes({ ...attributes });
    this.#span.end(onCalendar(at));
  }
}

/** Sends with another exporter, and logs failures. */
function saying(exporter: SpanExporter, delivery: DeliveryLog): SpanExporter {
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        // 0 means success.
        delivery.sent(spans.length, result.code === 0 ? undefined : (result.error?.message ?? 'unknown'));
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

/**
 * Sends spans to a collector over OTLP (gRPC). Spans that the collector cannot accept in time are dropped. The server
 * never waits for it.
 */
export function otlpTracer(
  { endpoint, samplingRatePerMillion }: TracingOptions,
  instance: string,
  log: Logger,
): Tracer {
  const url = /^[a-z]+:\/\//.test(endpoint) ? endpoint : `http://${endpoint}`;
  const exporter = saying(new OTLPTraceExporter({ url }), new DeliveryLog(log));
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': SERVICE, 'service.instance.id': instance }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(samplingRatePerMillion / MILLION) }),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: SEND_EVERY_MS })],
  });
  const tracer = provider.getTracer(SERVICE);
  return {
    begin(name, at, traceparent) {
      const parent = parseTraceparent(traceparent);
      const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, startTime: onCalendar(at) }, context);
      return span.isRecording() ? new OtlpSpan(tracer, span) : undefined;
    },
    async stop() {
      const late = new Promise<void>((resolve) => setTimeout(resolve, LAST_MS).unref());
      await Promise.race([provider.shutdown().catch(() => {}), late]);
    },
  };
}
