import type { SecureContext } from 'node:tls';
import type { Logger } from 'pino';
import { ConfigError } from '#base/errors/config-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import { trustingContext } from '#program/connection/secure-context.ts';
import { readCertificate, readKeyPair } from '#program/flags/key-pair.ts';
import { currentStages } from '#program/tracing/request-stages.ts';
import { createEtcdStore, type EtcdStore } from '#storage-etcd/etcd-store.ts';
import { StoreUnavailableError } from '#storage-etcd/object-store.ts';
import type { EtcdOptions } from '../config/options.ts';
import { adviceAboutEtcd } from './etcd-trouble.ts';
import { checkProfile } from './profile-marker.ts';

/**
 * Connects to etcd and makes sure that the data there is of this naming profile.
 * Throws a ConfigError that names the flag to look at: what TLS would tell about a wrong file is that nobody answers.
 */
export async function openStore(etcd: EtcdOptions, naming: Naming, log: Pick<Logger, 'warn'>): Promise<EtcdStore> {
  const { servers, prefix, leaseReuseSeconds } = etcd;
  const tls = freshTls(etcd, log);
  const store = createEtcdStore({
    endpoints: servers,
    prefix,
    leases: { windowSeconds: leaseReuseSeconds },
    ...(tls === undefined ? {} : { tls }),
    metadata: traceOfCall,
  });
  try {
    await checkProfile(store, prefix, naming.profile);
    return store;
  } catch (error) {
    await store.close();
    if (!(error instanceof StoreUnavailableError)) throw error;
    const advice = await adviceAboutEtcd(servers, error.message);
    throw new ConfigError(`${error.message} (${servers.join(', ')})${advice === '' ? '' : `; ${advice}`}`);
  }
}

/** Calls of requests that are recorded continue their traces. */
function traceOfCall(): { readonly traceparent: string } | undefined {
  const traceparent = currentStages()?.traceparent;
  return traceparent === undefined ? undefined : { traceparent };
}

/**
 * What to show etcd and to trust, read anew for each connection: certificates are renewed while this runs. What cannot
 * be used, as files that are just being replaced, leaves the last that could. Throws a ConfigError at first.
 */
function freshTls(etcd: EtcdOptions, log: Pick<Logger, 'warn'>): (() => SecureContext) | undefined {
  if (etcd.caFile === undefined && etcd.certFile === undefined) return undefined;
  let last = readTls(etcd);
  return () => {
    try {
      last = readTls(etcd);
    } catch (error) {
      log.warn({ err: error }, 'the certificates for etcd cannot be used; the ones before stay');
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
