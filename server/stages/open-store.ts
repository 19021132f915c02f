import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createEtcdStore, type EtcdStore } from '../../storage-etcd/etcd-store.ts';
import { StoreUnavailableError } from '../../storage-etcd/object-store.ts';
import type { EtcdOptions } from '../config/options.ts';
import { ConfigError } from '../errors/config-error.ts';
import type { Naming } from '../naming/naming.ts';
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
    const secure = servers.some((server) => server.startsWith('https:'));
    const hint = secure ? '; check --etcd-servers, --etcd-cafile, --etcd-certfile and --etcd-keyfile' : '';
    throw new ConfigError(`${error.message} (${servers.join(', ')})${hint}`);
  }
}

function readTls({ caFile, certFile, keyFile }: EtcdOptions): { ca?: Buffer; cert?: Buffer; key?: Buffer } {
  const ca = read('etcd-cafile', caFile, (pem) => new X509Certificate(pem));
  const cert = read('etcd-certfile', certFile, (pem) => new X509Certificate(pem));
  const key = read('etcd-keyfile', keyFile, (pem) => createPrivateKey(pem));
  if (cert && key && !cert.value.checkPrivateKey(key.value))
    throw new ConfigError(`flag --etcd-keyfile: ${keyFile} is not the key of the certificate in ${certFile}`);
  return { ...(ca && { ca: ca.pem }), ...(cert && { cert: cert.pem }), ...(key && { key: key.pem }) };
}

/** A file of a flag, as it is and as what it must be. */
function read<T>(flag: string, file: string | undefined, parse: (pem: Buffer) => T) {
  if (file === undefined) return undefined;
  try {
    const pem = readFileSync(file);
    return { pem, value: parse(pem) };
  } catch (error) {
    throw new ConfigError(`flag --${flag}: ${file} cannot be used: ${(error as Error).message}`);
  }
}
