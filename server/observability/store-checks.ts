import { type AskedStore, askStore } from './ask-store.ts';
import type { HealthCheck } from './health-check.ts';

/**
 * The health checks of the separate stores of some resources: `etcd-override-0` and so on. They do not affect
 * readiness: without such a store everything else is served, and no other replica could serve its resources.
 */
export function storeChecks(stores: readonly AskedStore[], timeoutMs: number): HealthCheck[] {
  return stores.map((store, i) => {
    let asked: Promise<string | undefined> | undefined;
    return {
      name: `etcd-override-${i}`,
      paths: ['healthz'],
      // requests that arrive during a check share its result
      check: () =>
        (asked ??= askStore(store, timeoutMs).finally(() => {
          asked = undefined;
        })),
    };
  });
}
