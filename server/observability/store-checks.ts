import { setTimeout as sleep } from 'node:timers/promises';
import type { HealthCheck } from './health-check.ts';

interface CheckedStore {
  health(timeoutMs: number): Promise<unknown>;
}

/**
 * The health checks of the stores that some resources have of their own: `etcd-override-0` and so on. They are no matter of
 * readiness: without one of them everything else is served as before, and no other replica does better.
 */
export function storeChecks(stores: readonly CheckedStore[], timeoutMs: number): HealthCheck[] {
  return stores.map((store, i) => {
    let asked: Promise<string | undefined> | undefined;
    const ask = (): Promise<string | undefined> =>
      Promise.race([
        store.health(timeoutMs).then(
          () => undefined,
          () => 'etcd does not answer',
        ),
        sleep(timeoutMs, 'etcd does not answer in time', { ref: false }),
      ]);
    return {
      name: `etcd-override-${i}`,
      paths: ['healthz'],
      // all who ask meanwhile get one answer
      check: () =>
        (asked ??= ask().finally(() => {
          asked = undefined;
        })),
    };
  });
}
