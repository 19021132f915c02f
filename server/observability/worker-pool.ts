import type { FamilyValues } from '#program/metrics/family-definition.ts';
import type { HealthCheck, HealthPath } from './health-check.ts';

/** The other processes of this replica, if it runs as several workers (`--workers`). */
export interface WorkerPool {
  /** The number of workers, including this one. */
  readonly count: number;
  /** The problems of the other workers, by the checks of a path; empty if there are none. */
  trouble(path: HealthPath): Promise<readonly string[]>;
  /** The metrics of all workers, including this one. Rejects if the supervisor does not answer. */
  metrics(): Promise<readonly FamilyValues[]>;
}

/** The name of the check that asks the other workers. When another worker asks, a worker must not run this check. */
export const WORKERS_CHECK = 'workers';

/** The check by which each worker answers for all. A health path fails if it fails in any of them. */
export function workersCheck(workerPool: WorkerPool): HealthCheck {
  return {
    name: WORKERS_CHECK,
    paths: ['healthz', 'livez', 'readyz'],
    async check(path) {
      const trouble = await workerPool.trouble(path);
      return trouble.length === 0 ? undefined : trouble.join(', ');
    },
  };
}
