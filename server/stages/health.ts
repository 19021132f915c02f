import type { EtcdStore } from '../../storage-etcd/etcd-store.ts';
import type { WatchCache } from '../cache/watch-cache.ts';
import type { ServerOptions } from '../config/options.ts';
import { Health } from '../observability/health.ts';
import { serverChecks } from '../observability/server-checks.ts';
import { type WorkerPool, workersCheck } from '../observability/worker-pool.ts';

/** What the checks look at. */
export interface HealthSubjects {
  readonly store: EtcdStore;
  readonly cache: WatchCache;
  readonly workerPool: WorkerPool | undefined;
  draining(): boolean;
  hasPolicy(): boolean;
}

/** The health paths with all their checks. Holds nothing that must be stopped. */
export function createHealth({ flags, authorizationModes }: ServerOptions, subjects: HealthSubjects): Health {
  const { store, cache, workerPool } = subjects;
  const health = new Health();
  const healthTimeoutMs = flags.get('etcd-healthcheck-timeout');
  health.add(
    ...serverChecks({
      store,
      cache,
      draining: subjects.draining,
      hooks: authorizationModes.includes('RBAC') ? { 'rbac/bootstrap-roles': subjects.hasPolicy } : {},
      graceMs: flags.get('livez-grace-period'),
      storeTimeoutMs: {
        healthz: healthTimeoutMs,
        livez: healthTimeoutMs,
        readyz: flags.get('etcd-readycheck-timeout'),
      },
    }),
  );
  if (workerPool !== undefined) health.add(workersCheck(workerPool));
  return health;
}
