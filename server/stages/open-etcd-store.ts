import { setTimeout as sleep } from 'node:timers/promises';
import type { SecureContext } from 'node:tls';
import type { Logger } from 'pino';
import { ConfigError } from '#base/errors/config-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import { trustingContext } from '#program/connection/secure-context.ts';
import { readCertificate, readKeyPair } from '#program/flags/key-pair.ts';
import { currentStages } from '#program/tracing/request-stages.ts';
import type { DataStore } from '#storage/data-store.ts';
import { StoreUnavailableError } from '#storage/object-store.ts';
import { createEtcdStore } from '#storage-etcd/etcd-store.ts';
import type { EtcdOptions } from '../config/options.ts';
import { adviceAboutEtcd } from './etcd-trouble.ts';
import { checkProfile } from './profile-marker.ts';

/** How long a start waits before it asks a silent etcd again, in milliseconds. */
const AGAIN_MS = 250;

/** TLS errors about a certificate that one of the two sides refuses. Another attempt would not help. */
const REFUSED_CERTIFICATE = /certificate|alert/i;

/**
 * Connects to etcd and checks that its data has this naming profile. If etcd does not answer yet, because it starts at
 * the same time or its machine is busy, the server tries again for `etcd.startTimeoutMs`.
 * @throws ConfigError that names the flag to check: with a wrong file, TLS often reports only that the connection ended
 */
export async function openEtcdStore(
  etcd: EtcdOptions,
  servers: readonly string[],
  naming: Naming,
  log: Pick<Logger, 'warn'>,
): Promise<DataStore> {
  const { prefix, leaseReuseSeconds } = etcd;
  const tls = freshTls(etcd, log);
  const store = createEtcdStore({
    endpoints: servers,
    prefix,
    leases: { windowSeconds: leaseReuseSeconds },
    ...(tls === undefined ? {} : { tls }),
    metadata: traceOfCall,
  });
  const started = performance.now();
  let isLogged = false;
  for (;;) {
    try {
      await checkProfile(store, prefix, naming.profile);
      return store;
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) {
        await store.close();
        throw error;
      }
      const { advice, isMistake } = await adviceAboutEtcd(servers, error.message);
      const where = `${error.message} (${servers.join(', ')})${advice === '' ? '' : `; ${advice}`}`;
      const isOver = performance.now() - started >= etcd.startTimeoutMs;
      if (isOver || isMistake || REFUSED_CERTIFICATE.test(error.message)) {
        await store.close();
        throw new ConfigError(where);
      }
      if (!isLogged) log.warn(`${where}; asking again for ${etcd.startTimeoutMs / 1000} s (--etcd-start-timeout)`);
      isLogged = true;
      await sleep(AGAIN_MS);
    }
  }
}

/** Calls of recorded requests continue their traces. */
function traceOfCall(): { readonly traceparent: string } | undefined {
  const traceparent = currentStages()?.traceparent;
  return traceparent === undefined ? undefined : { traceparent };
}

/**
 * The keys and authorities for connections to etcd. They are read again for each connection, because certificates are
 * renewed while the server runs. If they cannot be used, for example while the files are replaced, the last valid ones
 * stay in use.
 * @throws ConfigError if the initial ones cannot be used
 */
function freshTls(etcd: EtcdOptions, log: Pick<Logger, 'warn'>): (() => SecureContext) | undefined {
  if (etcd.caFile === undefined && etcd.certFile === undefined) return undefined;
  let last = readTls(etcd);
  return () => {
    try {
      last = readTls(etcd);
    } catch (error) {
      log.warn({ err: error }, 'the new certificates for etcd cannot be used; the earlier ones stay');
    }
    return last;
  };
}

function readTls({ caFile, certFile, keyFile }: EtcdOptions): SecureContext {
  const ca = caFile === undefined ? {} : { ca: readCertificate('--etcd-cafile', caFile).pem };
  if (certFile === undefined || keyFile === undefined) return trustingContext(ca);
  const flags = { cert: '--etcd-certfile', key: '--etcd-keyfile' };
  return trustingContext({ ...ca, ...readKeyPair({ certFile, keyFile, flags }) });
}
