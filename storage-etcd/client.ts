import { rootCertificates } from 'node:tls';
import type { InterceptingCall, Interceptor } from '@grpc/grpc-js';
import { noop } from 'cockatiel';
import { Etcd3, type IOptions } from 'etcd3';
import type { Settings } from './options.ts';

/** Asks a member that has no leader to refuse at once instead of waiting for one. etcd reads it from the metadata. */
const requireLeader: Interceptor = (options, nextCall) => {
  const call = nextCall(options);
  const start = call.start.bind(call);
  call.start = (metadata, listener) => {
    metadata.set('hasleader', 'true');
    start(metadata, listener);
  };
  return call as InterceptingCall;
};

const interceptors = [requireLeader];

/** Options of a unary call that ends after so many milliseconds. */
export function within(timeoutMs: number): { deadline: number; interceptors: Interceptor[] } {
  return { deadline: Date.now() + timeoutMs, interceptors };
}

function pem(text: string | Buffer): Buffer {
  return typeof text === 'string' ? Buffer.from(text) : text;
}

/**
 * A client of one member, with connections of its own, that does every call once: no retries, no circuit breaker.
 * One member per client, because etcd3 picks members at random and this store picks them itself.
 */
export function createClient(endpoint: string, settings: Settings): Etcd3 {
  const options: IOptions = {
    hosts: endpoint,
    faultHandling: { global: noop, host: () => noop },
    defaultCallOptions: () => ({ deadline: Date.now() + settings.readTimeoutMs }),
    grpcOptions: {
      'grpc.max_receive_message_length': -1,
      'grpc.max_send_message_length': -1,
      // etcd refuses pings more frequent than every 5 s; a frozen peer is found in 8 s.
      'grpc.keepalive_time_ms': 6_000,
      'grpc.keepalive_timeout_ms': 2_000,
      'grpc.use_local_subchannel_pool': 1,
      'grpc.enable_http_proxy': 0,
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 1_000,
      // Node's 64 KiB would stop the sender many times in every large page.
      'grpc-node.flow_control_window': 1 << 20,
    },
  };
  const { tls, auth } = settings;
  if (tls && !endpoint.startsWith('http://')) {
    options.credentials = {
      rootCertificate: tls.ca === undefined ? Buffer.from(rootCertificates.join('\n')) : pem(tls.ca),
      ...(tls.key === undefined ? {} : { privateKey: pem(tls.key) }),
      ...(tls.cert === undefined ? {} : { certChain: pem(tls.cert) }),
    };
  }
  if (auth) {
    options.auth = { username: auth.user, password: auth.password };
  }
  return new Etcd3(options);
}
