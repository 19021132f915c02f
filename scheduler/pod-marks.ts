import type { StrategicPatch } from '#client/changes.ts';
import type { Client } from '#client/client.ts';
import { coreV1 } from '#client/generated/resources.ts';
import type { Pod, PodCondition, PodStatus } from '#schema/generated/core.v1.ts';

/**
 * Writes two facts into the status of a pod: why it has no node, and for which node it waits. Writes nothing if they
 * are already there.
 */
export async function markUnschedulable(
  client: Client,
  pod: Pod,
  message: string,
  nominatedNodeName: string | undefined,
): Promise<void> {
  const wanted = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message };
  const { conditions, nominatedNodeName: known = '' } = pod.status ?? {};
  const isSame = (conditions ?? []).some(
    ({ type, status, reason, message }) =>
      type === wanted.type && status === wanted.status && reason === wanted.reason && message === wanted.message,
  );
  const nominated = nominatedNodeName === undefined ? {} : { nominatedNodeName };
  if (isSame && (nominatedNodeName === undefined || nominatedNodeName === known)) return;
  await patchStatus(client, pod, { ...nominated, conditions: [withTime(pod, wanted)] });
}

/**
 * Writes into the status of a pod that it must end for a more important pod. This happens before the pod is deleted.
 */
export async function markPreempted(client: Client, pod: Pod, schedulerName: string): Promise<void> {
  const message = `${schedulerName}: preempting to accommodate a higher priority pod`;
  const wanted = { type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler', message };
  await patchStatus(client, pod, { conditions: [withTime(pod, wanted)] });
}

async function patchStatus(
  client: Client,
  { metadata }: Pod,
  status: Pick<PodStatus, 'conditions' | 'nominatedNodeName'>,
): Promise<void> {
  const { name = '', namespace, uid = '' } = metadata;
  const pods = client.resource(coreV1.pods).in(namespace);
  await pods.patch(
    name,
    'strategic',
    { metadata: { uid }, status: status as StrategicPatch<PodStatus> },
    { subresource: 'status' },
  );
}

/** The condition with the time of its last change. */
function withTime({ status }: Pod, condition: PodCondition): PodCondition {
  const before = (status?.conditions ?? []).find(({ type }) => type === condition.type);
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const lastTransitionTime = before?.status === condition.status ? (before.lastTransitionTime ?? now) : now;
  return { ...condition, lastTransitionTime };
}
