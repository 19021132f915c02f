import type { Logger } from 'pino';
import { startCompactor } from '../../storage-etcd/compactor.ts';
import type { EtcdStore } from '../../storage-etcd/etcd-store.ts';
import { storageId } from '../api/resource-set.ts';
import type { ServerOptions } from '../config/options.ts';
import type { EncryptionContext } from '../encryption/configuration.ts';
import { encryptedStore } from '../encryption/encrypted-store.ts';
import { Encryption } from '../encryption/encryption.ts';
import type { MetricSet } from '../metrics/metric-set.ts';
import type { BuiltInKinds } from './built-in-kinds.ts';
import { observedStore } from './observed-store.ts';
import { openStore } from './open-store.ts';

/** The first stage: etcd, from which old revisions are removed. */
export interface StoreStage {
  /** Gives and takes plain values. */
  readonly store: EtcdStore;
  /** How some of them are encrypted; undefined where none is. */
  readonly encryption: Encryption | undefined;
  /** Resolves when compaction has ended, which `until` asks for, and the connections are closed. */
  stop(): Promise<void>;
}

/** What the store is made with. */
export interface StoreParts {
  readonly kinds: BuiltInKinds;
  readonly metrics: MetricSet;
}

/** Connects to etcd, and compacts it until the signal. @throws ConfigError that names the flag to look at */
export async function startStore(
  options: ServerOptions,
  parts: StoreParts,
  log: Logger,
  until: AbortSignal,
): Promise<StoreStage> {
  const { etcd, naming } = options;
  const encryption = encryptionOf(options, parts, log);
  const opened = await openStore(etcd, naming, log).catch((error: unknown) => {
    encryption?.close();
    throw error;
  });
  const plain = observedStore(opened, parts.metrics, parts.kinds.schema, etcd.prefix);
  const store = encryption === undefined ? plain : encryptedStore(plain, { prefix: etcd.prefix, encryption, log });
  const compactor = startCompactor(store, {
    intervalMs: etcd.compactionIntervalMs,
    key: `${etcd.prefix}/store:compaction`,
    signal: until,
    onError: (error) => log.warn({ err: error }, 'compaction failed; the next interval tries again'),
  });
  return {
    store,
    encryption,
    async stop() {
      await compactor;
      await store.close();
      encryption?.close();
    },
  };
}

/** What `--encryption-provider-config` says. @throws ConfigError that names the line to change */
function encryptionOf(
  { etcd, naming, gates }: ServerOptions,
  { kinds, metrics }: StoreParts,
  log: Logger,
): Encryption | undefined {
  if (etcd.encryption === undefined) return undefined;
  const { file, reloads } = etcd.encryption;
  const context = { naming, allowsKmsV2: gates.enabled('KMSv2'), storageOf: storageIn(kinds) };
  return new Encryption({ file, reloads, context, metrics, log });
}

/** Where the objects of built-in resources are stored. */
function storageIn({ schema }: BuiltInKinds): EncryptionContext['storageOf'] {
  const storages = new Map(
    schema.groupVersions.flatMap(({ group, resources }) =>
      resources.map(({ plural, storage }) => [storageId(group, plural), storage] as const),
    ),
  );
  return (group, plural) => storages.get(storageId(group, plural));
}
