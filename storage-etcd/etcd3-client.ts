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
 * A client of one member, with a connection of its own, that does every call once: no retries, no circuit breaker. For
 * what is done every few minutes; it takes twice the processor time of `grpc-channel.ts`, and 0.15 s to be loaded.
 * One member per client, because etcd3 picks members at random and this store picks them itself.
 */
export function createClient(endpoint: string, settings: Settings): Etcd3 {
  const options: IOptions = {
    hosts: endpoint,
    faultHandling: { global: noop, host: () => noop },
    defaultCallOptions: () => ({ deadline: Date.now() + settings.readTimeoutMs }),
    grpcOptions: { 'grpc.use_local_subchannel_pool': 1, 'grpc.enable_http_proxy': 0 },
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
