import { type AskedStore, askStore } from './ask-store.ts';
import type { HealthCheck } from './health-check.ts';

/**
 * The health checks of the separate stores of some resources: `etcd-override-0` and so on. They do not affect
 * readiness. Without such a store all other resources are served, and no other replica could serve the resources of
 * this store.
 */
export function storeChecks(stores: readonly AskedStore[], timeoutMs: number): HealthCheck[] {
  return stores.map((store, i) => {
    let asked: Promise<string | undefined> | undefined;
    return {
      name: `etcd-override-${i}`,
      paths: ['healthz'],
      // Requests that arrive during a check share its result.
      check: () =>
        (asked ??= askStore(store, timeoutMs).finally(() => {
          asked = undefined;
        })),
    };
  });
}
