import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js';
import protobuf from 'protobufjs';

/**
 * The parts of the OTLP messages that tests read: github.com/open-telemetry/opentelemetry-proto, trace/v1/trace.proto.
 */
const { root } = protobuf.parse(`syntax = "proto3";
message Value { string string_value = 1; int64 int_value = 3; double double_value = 4; }
message KeyValue { string key = 1; Value value = 2; }
message Span { bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5;
  fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9; }
message ScopeSpans { repeated Span spans = 2; }
message ResourceSpans { repeated ScopeSpans scope_spans = 2; }
message Export { repeated ResourceSpans resource_spans = 1; }`);

/** A span that was sent. Ids are in hexadecimal, times in milliseconds since the epoch. */
export interface CollectedSpan {
  readonly trace: string;
  readonly id: string;
  readonly parent: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly attributes: Readonly<Record<string, unknown>>;
}

interface SpanMessage {
  traceId: Buffer;
  spanId: Buffer;
  parentSpanId: Buffer;
  name: string;
  startTimeUnixNano: number;
  endTimeUnixNano: number;
  attributes: { key: string; value: Record<string, unknown> }[];
}

function spansOf(request: Buffer): CollectedSpan[] {
  const type = root.lookupType('Export');
  const { resourceSpans = [] } = type.toObject(type.decode(request), { longs: Number, bytes: Buffer }) as {
    resourceSpans?: { scopeSpans?: { spans?: SpanMessage[] }[] }[];
  };
  const spans = resourceSpans.flatMap(({ scopeSpans = [] }) => scopeSpans.flatMap(({ spans: some = [] }) => some));
  return spans.map((span) => ({
    trace: span.traceId.toString('hex'),
    id: span.spanId.toString('hex'),
    parent: span.parentSpanId?.toString('hex') ?? '',
    name: span.name,
    start: span.startTimeUnixNano / 1e6,
    end: span.endTimeUnixNano / 1e6,
    attributes: Object.fromEntries((span.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]])),
  }));
}

/** A collector of traces on loopback that supports OTLP over gRPC. */
export class TraceCollector {
  readonly spans: CollectedSpan[] = [];
  readonly #server = new Server();
  port = 0;

  async start(): Promise<this> {
    const bytes = { serialize: (value: Buffer) => value, deserialize: (value: Buffer) => value };
    const definition = {
      Export: {
        path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
        requestStream: false as const,
        responseStream: false as const,
        requestSerialize: bytes.serialize,
        requestDeserialize: bytes.deserialize,
        responseSerialize: bytes.serialize,
        responseDeserialize: bytes.deserialize,
      },
    };
    this.#server.addService(definition, {
      Export: (call: ServerUnaryCall<Buffer, Buffer>, done: sendUnaryData<Buffer>) => {
        this.spans.push(...spansOf(call.request));
        done(null, Buffer.alloc(0));
      },
    });
    this.port = await new Promise<number>((resolve, reject) =>
      this.#server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
        error === null ? resolve(port) : reject(error),
      ),
    );
    return this;
  }

  stop(): void {
    this.#server.forceShutdown();
  }
}
