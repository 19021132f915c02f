import type { Logger } from 'pino';
import { ConfigError } from '#base/errors/config-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { DataStore } from '#storage/data-store.ts';
import { StoreUnavailableError } from '#storage/object-store.ts';
import type { EtcdOptions } from '../config/options.ts';
import { openEtcdStore } from './open-etcd-store.ts';
import { checkProfile } from './profile-marker.ts';

/**
 * Opens the store of an endpoint, and ensures that its data has this naming profile.
 * @throws ConfigError with advice
 */
export function openStore(etcd: EtcdOptions, naming: Naming, log: Pick<Logger, 'warn' | 'error'>): Promise<DataStore> {
  const { endpoint } = etcd;
  if (endpoint.kind === 'etcd') return openEtcdStore(etcd, endpoint.servers, naming, log);
  return openEmbedded(endpoint.kind === 'file' ? endpoint.file : undefined, etcd, naming, log);
}

async function openEmbedded(
  file: string | undefined,
  { prefix, leaseReuseSeconds, compactionIntervalMs }: EtcdOptions,
  naming: Naming,
  log: Pick<Logger, 'error'>,
): Promise<DataStore> {
  // This is loaded only when it is needed, because it needs modules that Node.js has only since version 24.
  const { openEmbeddedStore } = await import('#storage-embedded/embedded-store.ts');
  const onTrouble = (message: string) => log.error({ file }, message);
  const store = await openEmbeddedStore({
    file,
    leaseWindowSeconds: leaseReuseSeconds,
    // If another program drops the history, this store drops none.
    ...(compactionIntervalMs === 0 && { historyBytes: 0 }),
    onTrouble,
  });
  try {
    await checkProfile(store, prefix, naming.profile);
    return store;
  } catch (error) {
    await store.close();
    throw error instanceof StoreUnavailableError ? new ConfigError(error.message) : error;
  }
}
