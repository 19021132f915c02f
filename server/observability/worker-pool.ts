import type { FamilyValues } from '#program/metrics/family-definition.ts';
import type { HealthCheck, HealthPath } from './health-check.ts';

/** The other processes of this replica, when it runs as several workers (`--workers`). */
export interface WorkerPool {
  /** The number of workers, including this one. */
  readonly count: number;
  /** The problems of the other workers, by the checks of a path; empty if there are none. */
  trouble(path: HealthPath): Promise<readonly string[]>;
  /** The metrics of all workers, including this one. Rejects if the supervisor does not answer. */
  metrics(): Promise<readonly FamilyValues[]>;
}

/** The name of the check that asks the other workers, which therefore must not run it themselves. */
export const WORKERS_CHECK = 'workers';

/** Each worker answers for all: a health path fails when it fails in any of them. */
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
