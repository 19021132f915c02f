import type { Logger } from 'pino';
import { startCompactor } from '../../storage-etcd/compactor.ts';
import type { EtcdStore } from '../../storage-etcd/etcd-store.ts';
import type { ServerOptions } from '../config/options.ts';
import { openStore } from './open-store.ts';

/** The first stage: etcd, from which old revisions are removed. */
export interface StoreStage {
  readonly store: EtcdStore;
  /** Resolves when compaction has ended, which `until` asks for, and the connections are closed. */
  stop(): Promise<void>;
}

/** Connects to etcd, and compacts it until the signal. @throws ConfigError that names the flag to look at */
export async function startStore(
  { etcd, naming }: ServerOptions,
  log: Logger,
  until: AbortSignal,
): Promise<StoreStage> {
  const store = await openStore(etcd, naming, log);
  const compactor = startCompactor(store, {
    intervalMs: etcd.compactionIntervalMs,
    key: `${etcd.prefix}/store:compaction`,
    signal: until,
    onError: (error) => log.warn({ err: error }, 'compaction failed; the next interval tries again'),
  });
  return {
    store,
    async stop() {
      await compactor;
      await store.close();
    },
  };
}
