import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from '#schema/generated/apps.v1.ts';
import { timeToMilliseconds } from '#schema/values/time.ts';
import { counts, timeText, type WantedCondition, withoutCondition } from '../pods/conditions.ts';
import { leewayOf, wantedBy } from './amounts.ts';
import { type SetState, sumOf } from './sizes.ts';

/** A deadline of this length means no deadline. */
const NO_DEADLINE = 2 ** 31 - 1;
const PROGRESSING = 'Progressing';
const REPLICA_FAILURE = 'ReplicaFailure';

/** The facts that determine a deployment's status. */
export interface Deployed {
  readonly deployment: Deployment;
  readonly fresh: SetState | undefined;
  readonly old: readonly SetState[];
  readonly collisions: number;
  /**
   * The condition that one of its sets could not create or delete pods. The condition of the current set comes first.
   */
  readonly failure: WantedCondition | undefined;
  /** The condition that reports this step's work on the present set. */
  readonly progress?: WantedCondition | undefined;
  /** Whether only the counts are updated: the deployment is paused, scaled or being deleted. */
  readonly countsOnly: boolean;
  /** The time in milliseconds since 1970. */
  readonly now: number;
}

/** A status, and the number of milliseconds until the deployment exceeds its deadline without progress. */
export interface NextStatus {
  readonly status: DeploymentStatus;
  readonly nextInMs: number | undefined;
}

/** Whether a deployment has a deadline for progress. */
function hasDeadline({ spec }: Deployment): boolean {
  return spec?.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== NO_DEADLINE;
}

/** The condition for a deployment that was paused or resumed; undefined if the condition does not change. */
export function pauseOf(deployment: Deployment): WantedCondition | undefined {
  if (!hasDeadline(deployment)) return undefined;
  const reason = conditionOf(deployment.status?.conditions, PROGRESSING)?.reason;
  if (reason === 'ProgressDeadlineExceeded') return undefined;
  const paused = deployment.spec?.paused === true;
  if (paused === (reason === 'DeploymentPaused')) return undefined;
  return {
    type: PROGRESSING,
    status: 'Unknown',
    reason: paused ? 'DeploymentPaused' : 'DeploymentResumed',
    message: paused ? 'Deployment is paused' : 'Deployment is resumed',
  };
}

/** Whether a deployment has reached its wanted state. */
export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const wanted = wantedBy(deployment);
  return (
    (status.updatedReplicas ?? 0) === wanted &&
    (status.replicas ?? 0) === wanted &&
    (status.availableReplicas ?? 0) === wanted &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

/** The counts of a deployment's status, with unchanged conditions. */
export function countedStatus({ deployment, fresh, old, collisions }: Deployed): DeploymentStatus {
  const all = [...(fresh === undefined ? [] : [fresh]), ...old];
  const available = sumOf(all, 'available');
  const { conditions = [] } = deployment.status ?? {};
  const terminating = all.map((set) => set.terminating);
  const known = terminating.every((count) => count !== undefined) && all.length > 0;
  return {
    ...counts({
      observedGeneration: deployment.metadata.generation ?? 0,
      replicas: sumOf(all, 'pods'),
      updatedReplicas: fresh?.pods ?? 0,
      readyReplicas: sumOf(all, 'ready'),
      availableReplicas: available,
      unavailableReplicas: Math.max(0, sumOf(all, 'size') - available),
    }),
    ...(known ? { terminatingReplicas: terminating.reduce((sum: number, count) => sum + (count ?? 0), 0) } : {}),
    ...(collisions === 0 ? {} : { collisionCount: collisions }),
    conditions,
  };
}

/** The status of a deployment after a step. */
export function deploymentStatus(deployed: Deployed): NextStatus {
  const { deployment, failure, progress, countsOnly, now } = deployed;
  const status = countedStatus(deployed);
  const { unavailable } = leewayOf(deployment);
  const enough = (status.availableReplicas ?? 0) >= wantedBy(deployment) - unavailable;
  let conditions: readonly DeploymentCondition[] = status.conditions ?? [];
  conditions = withCondition(conditions, enough ? AVAILABLE : UNAVAILABLE, now);
  if (progress !== undefined && hasDeadline(deployment)) conditions = withCondition(conditions, progress, now);
  if (!countsOnly) {
    conditions = withProgress(deployed, status, conditions);
    conditions =
      failure === undefined ? withoutCondition(conditions, REPLICA_FAILURE) : withCondition(conditions, failure, now);
  }
  const { conditions: _, ...counted } = status;
  const next = { ...counted, ...(conditions.length === 0 ? {} : { conditions: [...conditions] }) };
  return { status: next, nextInMs: countsOnly ? undefined : timeLeft(deployment, next, now) };
}

const AVAILABLE: WantedCondition = {
  type: 'Available',
  status: 'True',
  reason: 'MinimumReplicasAvailable',
  message: 'Deployment has minimum availability.',
};
const UNAVAILABLE: WantedCondition = {
  type: 'Available',
  status: 'False',
  reason: 'MinimumReplicasUnavailable',
  message: 'Deployment does not have minimum availability.',
};

function withProgress(
  { deployment, fresh, now }: Deployed,
  status: DeploymentStatus,
  conditions: readonly DeploymentCondition[],
): readonly DeploymentCondition[] {
  if (!hasDeadline(deployment)) return withoutCondition(conditions, PROGRESSING);
  const current = conditionOf(conditions, PROGRESSING);
  const settled =
    (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && current?.reason === 'NewReplicaSetAvailable';
  if (settled) return conditions;
  const what = fresh === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${fresh.name}"`;
  if (isComplete(deployment, status))
    return withCondition(
      conditions,
      {
        type: PROGRESSING,
        status: 'True',
        reason: 'NewReplicaSetAvailable',
        message: `${what} has successfully progressed.`,
      },
      now,
    );
  if (hasProgressed(deployment.status ?? {}, status)) {
    const wanted: WantedCondition = {
      type: PROGRESSING,
      status: 'True',
      reason: 'ReplicaSetUpdated',
      message: `${what} is progressing.`,
    };
    // The condition's time of update changes with each step, because the deadline counts from it.
    const others = withoutCondition(conditions, PROGRESSING);
    const lastTransitionTime = current?.status === 'True' ? current.lastTransitionTime : timeText(now);
    return [
      ...others,
      { ...wanted, lastUpdateTime: timeText(now), lastTransitionTime: lastTransitionTime ?? timeText(now) },
    ];
  }
  if (isOutOfTime(deployment, status, current, now))
    return withCondition(
      conditions,
      {
        type: PROGRESSING,
        status: 'False',
        reason: 'ProgressDeadlineExceeded',
        message: `${what} has timed out progressing.`,
      },
      now,
    );
  return conditions;
}

/** Whether pods were updated or removed, or became ready or available since the earlier status. */
function hasProgressed(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const old = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus) => replicas - updatedReplicas;
  return (
    (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(after) < old(before) ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

function isOutOfTime(
  deployment: Deployment,
  status: DeploymentStatus,
  progress: DeploymentCondition | undefined,
  now: number,
): boolean {
  if (progress?.reason === 'ProgressDeadlineExceeded') return true;
  const left = timeLeft(deployment, { ...status, conditions: progress === undefined ? [] : [progress] }, now);
  return left !== undefined && left <= 0;
}

/** Milliseconds until a deployment without progress exceeds its deadline; undefined if it cannot exceed it. */
function timeLeft(deployment: Deployment, status: DeploymentStatus, now: number): number | undefined {
  const progress = conditionOf(status.conditions, PROGRESSING);
  if (!hasDeadline(deployment) || progress?.lastUpdateTime == null) return undefined;
  if (progress.reason === 'ProgressDeadlineExceeded' || progress.reason === 'NewReplicaSetAvailable') return undefined;
  if (isComplete(deployment, status)) return undefined;
  const end = timeToMilliseconds(progress.lastUpdateTime) + deployment.spec!.progressDeadlineSeconds! * 1000;
  return end - now;
}

/** Sets a condition. A condition with the same status and reason does not change. */
function withCondition(
  conditions: readonly DeploymentCondition[],
  wanted: WantedCondition,
  now: number,
): readonly DeploymentCondition[] {
  const before = conditionOf(conditions, wanted.type);
  if (before?.status === wanted.status && before.reason === wanted.reason) return conditions;
  const lastTransitionTime = before?.status === wanted.status ? (before.lastTransitionTime ?? null) : timeText(now);
  return [
    ...conditions.filter((condition) => condition !== before),
    { ...wanted, lastUpdateTime: timeText(now), lastTransitionTime },
  ];
}

/** A condition by its type. */
function conditionOf<C extends { readonly type: string }>(
  conditions: readonly C[] | null | undefined,
  type: string,
): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** The failure because of which a deployment's sets lack pods. A failure of the present set comes first. */
export function failureOf(fresh: ReplicaSet | undefined, old: readonly ReplicaSet[]): WantedCondition | undefined {
  for (const set of [...(fresh === undefined ? [] : [fresh]), ...old]) {
    const { type, status, reason = '', message = '' } = conditionOf(set.status?.conditions, REPLICA_FAILURE) ?? {};
    if (type !== undefined && status === 'True') return { type, status, reason, message };
  }
  return undefined;
}
