import type { Deployment } from '#schema/generated/apps.v1.ts';
import { countOf, type IntOrString } from '#schema/values/int-or-string.ts';

/** How many pods a rollout may have above and below the number that a deployment wants. */
export interface Leeway {
  readonly surge: number;
  readonly unavailable: number;
}

/** How many pods a deployment wants. */
export function wantedBy({ spec }: Deployment): number {
  return spec?.replicas ?? 1;
}

/** Whether the old pods of a deployment go before the new ones come. */
export function recreates({ spec }: Deployment): boolean {
  return spec?.strategy?.type === 'Recreate';
}

/**
 * The leeway of a rolling deployment: percentages of surge are rounded up, those of unavailable pods down. If both are
 * zero, one pod may be unavailable, so that a rollout can continue.
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
