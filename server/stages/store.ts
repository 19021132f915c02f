import type { Logger } from 'pino';
import { Encryption } from '#program/encryption/encryption.ts';
import type { MetricSet } from '#program/metrics/metric-set.ts';
import { startCompactor } from '#storage/compactor.ts';
import type { DataStore } from '#storage/data-store.ts';
import { decoratedStore } from '#storage/decorated-store.ts';
import type { DatastoreEndpoint } from '#storage/endpoint.ts';
import type { ServerOptions } from '../config/options.ts';
import type { BuiltInKinds } from './built-in-kinds.ts';
import { encryptedStore } from './encrypted-store.ts';
import { observedStore } from './observed-store.ts';
import { openStore } from './open-store.ts';
import { overriddenStorages } from './overridden-storages.ts';
import { checkProfile } from './profile-marker.ts';
import { markRelease } from './release-marker.ts';
import { routedStore } from './routed-store.ts';
import { type StorageOf, storagesOf } from './storages.ts';

/** The first stage: the store, from which old revisions are removed. */
export interface StoreStage {
  /** All stores as one, with plain values. */
  readonly store: DataStore;
  /** The main store, and the separate stores of some resources, by storage identity. */
  readonly main: DataStore;
  readonly elsewhere: ReadonlyMap<string, DataStore>;
  /** The encryption of some resources; undefined if nothing is encrypted. */
  readonly encryption: Encryption | undefined;
  /** Resolves when compaction has ended, which `until` requests, and the connections are closed. */
  stop(): Promise<void>;
}

/** The inputs for opening the store. */
export interface StoreParts {
  readonly kinds: BuiltInKinds;
  readonly metrics: MetricSet;
  /** A store that replaces the endpoint of the flags. */
  readonly given?: DataStore | undefined;
}

/**
 * Opens the store, and compacts it until the signal aborts.
 * @throws ConfigError that names the wrong flag
 */
export async function startStore(
  options: ServerOptions,
  parts: StoreParts,
  log: Logger,
  until: AbortSignal,
): Promise<StoreStage> {
  const { etcd, naming } = options;
  const { prefix } = etcd;
  const storageOf = storagesOf(parts.kinds);
  const overridden = overriddenStorages(etcd.overrides, storageOf);
  const encryption = encryptionOf(options, parts.metrics, storageOf, log);
  const open: DataStore[] = [];
  const openAt = async (endpoint: DatastoreEndpoint): Promise<DataStore> => {
    if (parts.given === undefined || endpoint !== etcd.endpoint) return openStore({ ...etcd, endpoint }, naming, log);
    await checkProfile(parts.given, prefix, naming.profile);
    return decoratedStore(parts.given, { close: async () => {} });
  };
  const connect = async (endpoint: DatastoreEndpoint): Promise<DataStore> => {
    const opened = await openAt(endpoint);
    const plain = observedStore(opened, parts.metrics, parts.kinds.schema, prefix);
    const store = encryption === undefined ? plain : encryptedStore(plain, { prefix, encryption, log });
    open.push(store);
    return store;
  };
  const elsewhere = new Map<string, DataStore>();
  try {
    await markRelease(await connect(etcd.endpoint), prefix, options.release);
    const known = new Map<string, DataStore>();
    for (const [id, servers] of overridden) {
      const addresses = servers.join(';');
      const store = known.get(addresses) ?? (await connect({ kind: 'etcd', servers }));
      known.set(addresses, store);
      elsewhere.set(id, store);
    }
  } catch (error) {
    encryption?.close();
    await Promise.all(open.map((store) => store.close()));
    throw error;
  }
  const compactors = open.map((store) =>
    startCompactor(store, {
      intervalMs: etcd.compactionIntervalMs,
      key: `${prefix}/store:compaction`,
      signal: until,
      onError: (error) => log.warn({ err: error }, 'compaction failed; the next interval tries again'),
    }),
  );
  const main = open[0]!;
  return {
    store: elsewhere.size === 0 ? main : routedStore(main, elsewhere, prefix),
    main,
    elsewhere,
    encryption,
    async stop() {
      await Promise.all(compactors);
      await Promise.all(open.map((store) => store.close()));
      encryption?.close();
    },
  };
}

/**
 * The content of `--encryption-provider-config`.
 * @throws ConfigError that names the wrong line
 */
function encryptionOf(
  { etcd, naming, gates }: ServerOptions,
  metrics: MetricSet,
  storageOf: StorageOf,
  log: Logger,
): Encryption | undefined {
  if (etcd.encryption === undefined) return undefined;
  const { file, reloads } = etcd.encryption;
  const context = { naming, allowsKmsV2: gates.enabled('KMSv2'), storageOf };
  return new Encryption({ file, reloads, context, metrics, log });
}
