import { hasLabels } from '#client/label-selector.ts';
import type { ReplicaSetCondition, ReplicaSetStatus } from '#schema/generated/apps.v1.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import { counts, withCondition, withoutCondition } from '../pods/conditions.ts';
import { countReady } from '../pods/pod-state.ts';

const REPLICA_FAILURE = 'ReplicaFailure';

/** The facts that determine a status. */
export interface Replicated {
  readonly generation: number;
  readonly minReadySeconds: number;
  readonly templateLabels: Readonly<Record<string, string>> | undefined;
  readonly before: ReplicaSetStatus | undefined;
  /** The active pods. */
  readonly pods: readonly Pod[];
  /** The number of pods that are being deleted; undefined if the kind or the release does not report it. */
  readonly terminating?: number | undefined;
  /** The failure because of which it lacks pods or has too many. */
  readonly failure: { readonly reason: 'FailedCreate' | 'FailedDelete'; readonly message: string } | undefined;
  /** The time in milliseconds since 1970. */
  readonly now: number;
}

/** A status, and the number of milliseconds after which it may differ without any event. */
export interface NextStatus {
  readonly status: ReplicaSetStatus;
  readonly nextInMs: number | undefined;
}

/** The status of a replica set or replication controller that has these pods. */
export function replicaStatus(replicated: Replicated): NextStatus {
  const { generation, minReadySeconds, templateLabels, before, pods, terminating, failure, now } = replicated;
  const { ready, available, nextInMs } = countReady(pods, minReadySeconds, now);
  const conditions = conditionsOf(before?.conditions ?? [], failure, now);
  const { conditions: _c, observedGeneration, ...others } = before ?? { replicas: 0 };
  const {
    fullyLabeledReplicas: _f,
    readyReplicas: _r,
    availableReplicas: _a,
    terminatingReplicas: _t,
    ...kept
  } = others;
  const observed = Math.max(observedGeneration ?? 0, generation);
  return {
    status: {
      ...kept,
      replicas: pods.length,
      ...counts({
        fullyLabeledReplicas: pods.filter(({ metadata }) => hasLabels(templateLabels, metadata.labels)).length,
        readyReplicas: ready,
        availableReplicas: available,
        observedGeneration: observed,
      }),
      ...(terminating === undefined ? {} : { terminatingReplicas: terminating }),
      ...(conditions.length === 0 ? {} : { conditions: [...conditions] }),
    },
    nextInMs,
  };
}

function conditionsOf(
  before: readonly ReplicaSetCondition[],
  failure: Replicated['failure'],
  now: number,
): readonly ReplicaSetCondition[] {
  if (failure === undefined) return withoutCondition(before, REPLICA_FAILURE);
  // The first failure stays, because its message would change with each attempt.
  if (before.some(({ type }) => type === REPLICA_FAILURE)) return before;
  return withCondition(before, { type: REPLICA_FAILURE, status: 'True', ...failure }, now);
}
