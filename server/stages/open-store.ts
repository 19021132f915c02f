import { createEtcdStore, type EtcdStore } from '../../storage-etcd/etcd-store.ts';
import { StoreUnavailableError } from '../../storage-etcd/object-store.ts';
import type { EtcdOptions } from '../config/options.ts';
import { ConfigError } from '../errors/config-error.ts';
import { readCertificate, readKeyPair } from '../flags/key-pair.ts';
import type { Naming } from '../naming/naming.ts';
import { adviceAboutEtcd } from './etcd-trouble.ts';
import { checkProfile } from './profile-marker.ts';

/**
 * Connects to etcd and makes sure that the data there is of this naming profile.
 * Throws a ConfigError that names the flag to look at: what TLS would tell about a wrong file is that nobody answers.
 */
export async function openStore(etcd: EtcdOptions, naming: Naming): Promise<EtcdStore> {
  const { servers, prefix, leaseReuseSeconds } = etcd;
  const tls = readTls(etcd);
  const store = createEtcdStore({
    endpoints: servers,
    prefix,
    leases: { windowSeconds: leaseReuseSeconds },
    ...(Object.keys(tls).length > 0 ? { tls } : {}),
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

function readTls({ caFile, certFile, keyFile }: EtcdOptions): { ca?: Buffer; cert?: Buffer; key?: Buffer } {
  const ca = caFile === undefined ? {} : { ca: readCertificate('--etcd-cafile', caFile).pem };
  if (certFile === undefined || keyFile === undefined) return ca;
  const flags = { cert: '--etcd-certfile', key: '--etcd-keyfile' };
  return { ...ca, ...readKeyPair({ certFile, keyFile, flags }) };
}
