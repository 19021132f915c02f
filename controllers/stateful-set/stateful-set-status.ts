import type { StatefulSetStatus } from '#schema/generated/apps.v1.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import { counts } from '../pods/conditions.ts';
import { countReady } from '../pods/pod-state.ts';
import { REVISION_HASH } from '../pods/template-hash.ts';
import { isRunning } from './next-steps.ts';

/** The facts that determine a stateful set's status. */
export interface SetCounts {
  readonly generation: number;
  readonly before: StatefulSetStatus | undefined;
  readonly pods: Iterable<Pod>;
  readonly replicas: number;
  readonly minReadySeconds: number;
  /** The names of two revisions: that of its pods before the update, and that of its pods after the update. */
  readonly current: string;
  readonly update: string;
  readonly collisions: number;
  readonly rolling: boolean;
  /** The time in milliseconds since 1970. */
  readonly now: number;
}

/** A status, and the number of milliseconds after which it may differ without any event. */
export interface NextStatus {
  readonly status: StatefulSetStatus;
  readonly nextInMs: number | undefined;
}

/** The status of a stateful set that has these pods. */
export function statefulSetStatus(counted: SetCounts): NextStatus {
  const { generation, before, replicas, minReadySeconds, update, collisions, rolling, now } = counted;
  let { current } = counted;
  const pods = [...counted.pods];
  const { ready, available, nextInMs } = countReady(pods.filter(isRunning), minReadySeconds, now);
  const staying = pods.filter(({ metadata }) => !metadata.deletionTimestamp);
  const of = (revision: string) =>
    staying.filter(({ metadata }) => metadata.labels?.[REVISION_HASH] === revision).length;
  const updated = of(update);
  // The rolling update is complete: its revision becomes the current one.
  if (rolling && updated === replicas && pods.length === replicas && ready === replicas) current = update;
  const { conditions } = before ?? {};
  return {
    status: {
      ...counts({
        observedGeneration: generation,
        readyReplicas: ready,
        currentReplicas: of(current),
        updatedReplicas: updated,
      }),
      replicas: pods.length,
      availableReplicas: available,
      currentRevision: current,
      updateRevision: update,
      collisionCount: collisions,
      ...(conditions === undefined ? {} : { conditions }),
    },
    nextInMs,
  };
}
