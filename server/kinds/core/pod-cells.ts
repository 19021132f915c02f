import type { JsonObject } from '#base/json/json-value.ts';
import type { ContainerState, ContainerStatus, Pod } from '#schema/generated/core.v1.ts';
import { age } from '#schema/validation/human-duration.ts';
import type { Cell } from '../../api/resource-definition.ts';

const NONE = '<none>';
/** The reason why a pod with gates is not scheduled. */
const GATED = 'SchedulingGated';

/**
 * The row of a pod: name, ready containers, state, restarts, age. The wide form also has address, node, nominated node
 * and readiness gates.
 */
export function podCells(pod: Pod, now: number): Cell[] {
  const { metadata, spec, status } = pod;
  const initializing = describeInit(pod);
  const running = initializing ?? describeContainers(pod);
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always').length;
  return [
    metadata.name ?? '',
    `${running.ready}/${(spec?.containers?.length ?? 0) + sidecars}`,
    deletionReason(pod) ?? running.reason,
    restartsText(running.restarts, lastEnd(pod, initializing !== undefined), now),
    age(metadata.creationTimestamp, now),
    status?.podIPs?.[0]?.ip || status?.podIP || NONE,
    spec?.nodeName || NONE,
    status?.nominatedNodeName || NONE,
    readinessGates(pod),
  ];
}

interface Description {
  readonly reason: string;
  readonly ready: number;
  readonly restarts: number;
}

function endReason({ terminated }: ContainerState): string {
  if (terminated?.reason) return terminated.reason;
  return terminated?.signal ? `Signal:${terminated.signal}` : `ExitCode:${terminated?.exitCode ?? 0}`;
}

/** The state of a pod whose init containers have not all finished; undefined for other pods. */
function describeInit({ spec, status }: Pod): Description | undefined {
  const statuses = status?.initContainerStatuses ?? [];
  const at = statuses.findIndex(({ state }) => state?.terminated?.exitCode !== 0);
  const current = statuses[at];
  if (current === undefined) return undefined;
  const { state = {} } = current;
  const waiting = state.waiting?.reason ?? '';
  let reason = `${at}/${spec?.initContainers?.length ?? 0}`;
  if (state.terminated != null) reason = endReason(state);
  else if (waiting !== '' && waiting !== 'PodInitializing') reason = waiting;
  const restarts = statuses.slice(0, at + 1).reduce((sum, { restartCount = 0 }) => sum + restartCount, 0);
  return { reason: `Init:${reason}`, ready: 0, restarts };
}

function describeContainers({ status }: Pod): Description {
  const scheduled = (status?.conditions ?? []).find(({ type }) => type === 'PodScheduled');
  let reason = scheduled?.reason === GATED ? GATED : status?.reason || status?.phase || '';
  let ready = 0;
  let restarts = 0;
  for (const container of [...(status?.containerStatuses ?? [])].reverse()) {
    const { state = {} } = container;
    restarts += container.restartCount ?? 0;
    if (state.waiting?.reason) reason = state.waiting.reason;
    else if (state.terminated != null) reason = endReason(state);
    else if (container.ready && state.running != null) ready++;
  }
  if (reason === 'Completed' && ready > 0) {
    const isReady = (status?.conditions ?? []).some(({ type, status: value }) => type === 'Ready' && value === 'True');
    reason = isReady ? 'Running' : 'NotReady';
  }
  return { reason, ready, restarts };
}

function deletionReason({ metadata, status }: Pod): string | undefined {
  if (metadata.deletionTimestamp == null) return undefined;
  return status?.reason === 'NodeLost' ? 'Unknown' : 'Terminating';
}

/** When a container last ended before a restart; undefined if none did. */
function lastEnd({ status }: Pod, initializing: boolean): string | undefined {
  const lists: (readonly ContainerStatus[] | null | undefined)[] = [status?.initContainerStatuses];
  if (!initializing) lists.push(status?.containerStatuses);
  const ends = lists.flatMap((list) => (list ?? []).map(({ lastState }) => lastState?.terminated?.finishedAt ?? ''));
  return ends.sort().pop() || undefined;
}

function restartsText(restarts: number, since: string | undefined, now: number): string {
  return since === undefined ? String(restarts) : `${restarts} (${age(since, now)} ago)`;
}

function readinessGates({ spec, status }: Pod): string {
  const gates = spec?.readinessGates ?? [];
  if (gates.length === 0) return NONE;
  const met = new Set((status?.conditions ?? []).filter((one) => one.status === 'True').map(({ type }) => type));
  const open = gates.filter(({ conditionType }) => met.has(conditionType));
  return `${open.length}/${gates.length}`;
}

/** The conditions of a table row for a pod that has ended. */
export function podRowConditions({ status }: Pod): JsonObject[] | undefined {
  const message = { Succeeded: 'The pod has completed successfully.', Failed: 'The pod failed.' }[status?.phase ?? ''];
  if (message === undefined) return undefined;
  return [{ type: 'Completed', status: 'True', reason: status?.phase ?? '', message }];
}
