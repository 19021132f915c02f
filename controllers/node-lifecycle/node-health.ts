import type { Node, NodeCondition } from '#schema/generated/core.v1.ts';
import { formatTime, timeToMilliseconds } from '#schema/values/time.ts';

/** The last sign of life of a node. */
export interface NodeHealth {
  /** When this instance saw it, in milliseconds since 1970. The clocks of nodes are not trusted. */
  readonly seenAt: number;
  readonly heartbeat: string | undefined;
  readonly renewed: string | undefined;
}

export interface GracePeriods {
  /** How long a node may be silent. */
  readonly runningMs: number;
  /** How long a new node may be silent before its first status. */
  readonly startingMs: number;
}

/** The conditions that become unknown when a node no longer reports. */
const CONDITIONS = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

export function conditionOf({ status }: Node, type: string): NodeCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

/**
 * The health of a node after a check.
 *
 * @param before its health before the check; undefined at the first check
 * @param renewed when its lease was renewed, according to the lease
 */
export function observe(
  before: NodeHealth | undefined,
  node: Node,
  renewed: string | undefined,
  now: number,
): NodeHealth {
  const ready = conditionOf(node, 'Ready');
  const heartbeat = ready === undefined ? undefined : (ready.lastHeartbeatTime ?? '');
  if (before === undefined) {
    const { creationTimestamp } = node.metadata;
    // A node that has never reported its status is silent since its creation, unless its lease is new.
    const seenAt =
      ready === undefined && renewed === undefined && creationTimestamp ? timeToMilliseconds(creationTimestamp) : now;
    return { seenAt, heartbeat, renewed };
  }
  const isRenewed = isNewer(renewed, before.renewed);
  const alive = isRenewed || heartbeat !== before.heartbeat;
  return { seenAt: alive ? now : before.seenAt, heartbeat, renewed: isRenewed ? renewed : before.renewed };
}

function isNewer(time: string | undefined, than: string | undefined): boolean {
  // Usually the time has not changed since the last check, so it is not parsed again.
  if (time === undefined || time === than) return false;
  return than === undefined || timeToMilliseconds(time) > timeToMilliseconds(than);
}

/** Whether a node has been silent for longer than it may. */
export function isSilent(
  health: NodeHealth,
  node: Node,
  { runningMs, startingMs }: GracePeriods,
  now: number,
): boolean {
  return now > health.seenAt + (conditionOf(node, 'Ready') === undefined ? startingMs : runningMs);
}

/** The conditions that become unknown when a node is silent, for a strategic patch. Often there are none. */
export function unknownConditions(node: Node, now: number): NodeCondition[] {
  const lastTransitionTime = formatTime(now);
  return CONDITIONS.flatMap((type) => {
    const known = conditionOf(node, type);
    const unknown = { type, status: 'Unknown', lastTransitionTime };
    if (known === undefined) {
      const { creationTimestamp } = node.metadata;
      const message = 'Kubelet never posted node status.';
      return [
        {
          ...unknown,
          reason: 'NodeStatusNeverUpdated',
          message,
          lastHeartbeatTime: creationTimestamp ?? lastTransitionTime,
        },
      ];
    }
    if (known.status === 'Unknown') return [];
    return [{ ...unknown, reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' }];
  });
}
