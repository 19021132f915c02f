import { selects } from '#client/label-selector.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import type { Condition } from '#schema/generated/meta.v1.ts';
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '#schema/generated/policy.v1.ts';
import type { Expected } from './expected-pods.ts';

/** How long an allowed eviction counts if it does not happen. */
const EVICTION_MS = 120_000;
const ALLOWED = 'DisruptionAllowed';

/** The next status of a budget. */
export interface NextStatus {
  readonly status: PodDisruptionBudgetStatus;
  /** The time at which the next allowed eviction no longer counts, in milliseconds since 1970. */
  readonly lookAgainAt: number | undefined;
}

/** The pods that a budget covers, among all pods of its namespace. */
export function coveredBy({ spec }: PodDisruptionBudget, pods: readonly Pod[]): Pod[] {
  return pods.filter(({ metadata }) => selects(spec?.selector, metadata.labels));
}

/** Whether the status of a budget depends on the expected number of pods, not only on the existing pods. */
export function needsExpected({ spec }: PodDisruptionBudget): boolean {
  if (spec?.maxUnavailable !== undefined) return true;
  return typeof spec?.minAvailable === 'string' && percentOf(spec.minAvailable) !== undefined;
}

/** The status of a budget that covers these pods. */
export function statusOf(
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  expected: Expected,
  now: number,
): NextStatus {
  const { metadata, spec } = budget;
  const before = budget.status;
  if ('unknown' in expected) {
    const kept = before ?? { currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
    const failed = { status: 'False', reason: 'SyncFailed', message: expected.unknown };
    // The observed generation does not change, because this generation was not observed.
    const status = { ...kept, disruptionsAllowed: 0 };
    return { status: withCondition(status, failed, now), lookAgainAt: undefined };
  }
  const { disrupted, lookAgainAt } = disruptedPods(budget, pods, now);
  const currentHealthy = pods.filter(
    (pod) => !pod.metadata.deletionTimestamp && !Object.hasOwn(disrupted, pod.metadata.name!) && isReady(pod),
  ).length;
  const expectedPods = expected.count;
  const desiredHealthy = Math.max(
    0,
    spec?.maxUnavailable !== undefined
      ? expectedPods - scaled(spec.maxUnavailable, expectedPods)
      : scaled(spec?.minAvailable ?? 0, expectedPods),
  );
  // If no pods are expected, none may be evicted. So the first new pods are safe until they are counted.
  const disruptionsAllowed = expectedPods <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  const { conditions } = before ?? {};
  const status: PodDisruptionBudgetStatus = {
    ...(conditions === undefined ? {} : { conditions }),
    ...(Object.keys(disrupted).length === 0 ? {} : { disruptedPods: disrupted }),
    observedGeneration: metadata.generation ?? 0,
    currentHealthy,
    desiredHealthy,
    expectedPods,
    disruptionsAllowed,
  };
  const condition =
    disruptionsAllowed > 0
      ? { status: 'True', reason: 'SufficientPods', message: '' }
      : { status: 'False', reason: 'InsufficientPods', message: '' };
  return { status: withCondition(status, condition, now), lookAgainAt };
}

/** Evictions that were allowed and that the copy does not show yet. */
function disruptedPods({ status }: PodDisruptionBudget, pods: readonly Pod[], now: number) {
  const disrupted: Record<string, string> = {};
  let lookAgainAt: number | undefined;
  for (const { metadata } of pods) {
    const name = metadata.name!;
    const given = status?.disruptedPods;
    const since = given !== undefined && Object.hasOwn(given, name) ? given[name] : undefined;
    if (metadata.deletionTimestamp || !since) continue;
    const end = Date.parse(since) + EVICTION_MS;
    if (!(end > now)) continue;
    disrupted[name] = since;
    lookAgainAt = Math.min(lookAgainAt ?? end, end);
  }
  return { disrupted, lookAgainAt };
}

function withCondition(
  status: PodDisruptionBudgetStatus,
  wanted: Pick<Condition, 'status' | 'reason' | 'message'>,
  now: number,
): PodDisruptionBudgetStatus {
  const all = status.conditions ?? [];
  const before = all.find(({ type }) => type === ALLOWED);
  const lastTransitionTime =
    before?.status === wanted.status ? before.lastTransitionTime : new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
  const { observedGeneration } = status;
  const observed = observedGeneration === undefined ? {} : { observedGeneration };
  const next = { ...wanted, type: ALLOWED, ...observed, lastTransitionTime };
  return { ...status, conditions: [...all.filter((condition) => condition !== before), next] };
}

/** A number of pods, or a share of the expected pods, rounded up. */
function scaled(value: number | string, expected: number): number {
  if (typeof value === 'number') return value;
  const percent = percentOf(value);
  return percent === undefined ? 0 : Math.ceil((percent * expected) / 100);
}

function percentOf(value: string): number | undefined {
  const [, digits] = /^(\d+)%$/.exec(value) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
}
