import type { Deployment } from '#schema/generated/apps.v1.ts';
import { countOf, type IntOrString } from '#schema/values/int-or-string.ts';

/** How many pods a rollout may have above and below the wanted number of a deployment. */
export interface Leeway {
  readonly surge: number;
  readonly unavailable: number;
}

/** The number of pods that a deployment wants. */
export function wantedBy({ spec }: Deployment): number {
  return spec?.replicas ?? 1;
}

/** Whether the old pods of a deployment end before the new ones start. */
export function recreates({ spec }: Deployment): boolean {
  return spec?.strategy?.type === 'Recreate';
}

/**
 * The limits of a rolling deployment. A percentage of surge is rounded up, and a percentage of unavailable pods is
 * rounded down. If both numbers are zero, one pod may be unavailable, so that a rollout can continue.
 */
export function leewayOf(deployment: Deployment): Leeway {
  if (recreates(deployment)) return { surge: 0, unavailable: 0 };
  const wanted = wantedBy(deployment);
  const { maxSurge = '25%', maxUnavailable = '25%' } = deployment.spec?.strategy?.rollingUpdate ?? {};
  const surge = amount(maxSurge, wanted, 'up');
  const unavailable = amount(maxUnavailable, wanted, 'down');
  if (wanted === 0) return { surge, unavailable: 0 };
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : Math.min(unavailable, wanted) };
}

function amount(value: IntOrString | null, wanted: number, round: 'up' | 'down'): number {
  return value === null ? 0 : Math.max(0, countOf(value, wanted, round));
}
