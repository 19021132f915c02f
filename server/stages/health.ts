import type { Logger } from 'pino';
import type { Encryption } from '#program/encryption/encryption.ts';
import type { DataStore } from '#storage/data-store.ts';
import type { WatchCache } from '../cache/watch-cache.ts';
import type { ServerOptions } from '../config/options.ts';
import { Health } from '../observability/health.ts';
import { pluginChecks } from '../observability/plugin-checks.ts';
import { serverChecks } from '../observability/server-checks.ts';
import type { StartHooks } from '../observability/start-hooks.ts';
import { storeChecks } from '../observability/store-checks.ts';
import { type WorkerPool, workersCheck } from '../observability/worker-pool.ts';

/** The parts of the server that are checked. */
export interface HealthSubjects {
  readonly store: DataStore;
  readonly cache: WatchCache;
  /** The separate stores of some resources. */
  readonly elsewhere: ReadonlyMap<string, DataStore>;
  readonly encryption: Encryption | undefined;
  readonly workerPool: WorkerPool | undefined;
  readonly hooks: StartHooks;
  readonly log: Logger;
  draining(): boolean;
}

/** The health paths with all their checks. Nothing in it needs to be stopped. */
export function createHealth(options: ServerOptions, subjects: HealthSubjects): Health {
  const { store, cache, encryption, workerPool, hooks, log } = subjects;
  const health = new Health(log);
  health.add(
    ...serverChecks({
      store,
      cache,
      draining: subjects.draining,
      hooks,
      ...options.health,
    }),
  );
  const others = [...new Set(subjects.elsewhere.values())];
  health.add(...storeChecks(others, options.health.storeTimeoutMs.health));
  if (encryption !== undefined) health.add(...pluginChecks(encryption));
  if (workerPool !== undefined) health.add(workersCheck(workerPool));
  return health;
}
