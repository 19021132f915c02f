import type { TracedCall } from './trace-span.ts';

/**
 * A POST of a question, with the names that instrumented clients of this field use (OpenTelemetry's conventions before
 * 1.20).
 */
export const tracedPost: TracedCall = {
  name: 'HTTP POST',
  attributes: { 'http.method': 'POST', 'http.scheme': 'https' },
};

const service = 'etcdserverpb.KV';

function tracedKv(method: string): TracedCall {
  return {
    name: `${service}/${method}`,
    attributes: { 'rpc.system': 'grpc', 'rpc.service': service, 'rpc.method': method },
  };
}

/** Traced calls of etcd: reads and conditional writes. */
export const tracedRange = tracedKv('Range');
export const tracedTxn = tracedKv('Txn');
