import type { DaemonSetStatus } from '#schema/generated/apps.v1.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import { counts } from '../pods/conditions.ts';
import { availableIn, isReady } from '../pods/pod-state.ts';
import type { DaemonNode } from './next-daemons.ts';

/** The facts that determine a daemon set's status. */
export interface DaemonCounts {
  readonly generation: number;
  readonly before: DaemonSetStatus | undefined;
  readonly nodes: readonly DaemonNode[];
  readonly minReadySeconds: number;
  readonly collisions: number;
  readonly isUpdated: (pod: Pod) => boolean;
  /** The time in milliseconds since 1970. */
  readonly now: number;
}

/** A status, and the number of milliseconds after which it may differ without any event. */
export interface NextStatus {
  readonly status: DaemonSetStatus;
  readonly nextInMs: number | undefined;
}

/** The status of a daemon set: how many nodes need a pod, and the states of their pods. */
export function daemonSetStatus(counted: DaemonCounts): NextStatus {
  const { generation, before, nodes, minReadySeconds, collisions, isUpdated, now } = counted;
  let [desired, current, misplaced, ready, available, updated] = [0, 0, 0, 0, 0, 0];
  let nextInMs: number | undefined;
  for (const { starts, pods } of nodes) {
    const [oldest] = pods;
    if (!starts) {
      if (oldest !== undefined) misplaced++;
      continue;
    }
    desired++;
    if (oldest === undefined) continue;
    current++;
    if (isUpdated(oldest)) updated++;
    if (!isReady(oldest)) continue;
    ready++;
    const left = availableIn(oldest, minReadySeconds, now);
    if (left === 0) available++;
    else if (left !== undefined) nextInMs = Math.min(nextInMs ?? left, left);
  }
  const { conditions } = before ?? {};
  return {
    status: {
      currentNumberScheduled: current,
      numberMisscheduled: misplaced,
      desiredNumberScheduled: desired,
      numberReady: ready,
      ...counts({
        observedGeneration: generation,
        updatedNumberScheduled: updated,
        numberAvailable: available,
        numberUnavailable: desired - available,
        collisionCount: collisions,
      }),
      ...(conditions === undefined ? {} : { conditions }),
    },
    nextInMs,
  };
}
