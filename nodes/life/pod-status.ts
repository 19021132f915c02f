import type { ContainerStatus, Pod, PodCondition, PodStatus } from '#schema/generated/core.v1.ts';
import { timeText } from './times.ts';

/** Sets conditions. A condition that does not change keeps its time. */
function withConditions(
  before: readonly PodCondition[] | null | undefined,
  wanted: readonly PodCondition[],
  now: number,
): PodCondition[] {
  const types = new Set(wanted.map(({ type }) => type));
  const kept = (before ?? []).filter(({ type }) => !types.has(type));
  const set = wanted.map((condition) => {
    const old = before?.find(({ type }) => type === condition.type);
    const isSame = old?.status === condition.status;
    return { ...condition, lastTransitionTime: isSame ? (old.lastTransitionTime ?? timeText(now)) : timeText(now) };
  });
  return [...kept, ...set];
}

/** The states of a pod's containers. */
export interface Containers {
  readonly init: readonly ContainerStatus[];
  readonly main: readonly ContainerStatus[];
}

/** The phase that follows from the states of containers. */
function phaseOf({ spec }: Pod, { init, main }: Containers): 'Pending' | 'Running' | 'Succeeded' | 'Failed' {
  const policy = spec?.restartPolicy ?? 'Always';
  const sidecars = sidecarsOf(spec);
  const failedFirst = init.some(
    ({ name, state }) => !sidecars.has(name) && state?.terminated !== undefined && state.terminated.exitCode !== 0,
  );
  if (failedFirst && policy === 'Never') return 'Failed';
  if (main.length === 0 || main.every(({ state }) => state?.waiting !== undefined && state.terminated === undefined)) {
    const hasRun = main.some(({ restartCount }) => restartCount > 0);
    if (!hasRun) return 'Pending';
  }
  const ended = main.filter(({ state }) => state?.terminated !== undefined);
  if (main.length === 0 || ended.length < main.length) return 'Running';
  const failed = ended.some(({ state }) => state!.terminated!.exitCode !== 0);
  if (policy === 'Always' || (policy === 'OnFailure' && failed)) return 'Running';
  return failed ? 'Failed' : 'Succeeded';
}

/** Names of the containers that start before the others and then run beside them. */
export function sidecarsOf(spec: Pod['spec']): ReadonlySet<string> {
  return new Set(
    (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name),
  );
}

/** Whether the init containers of a pod have finished. */
function isInitialized({ spec }: Pod, { init }: Containers): boolean {
  const sidecars = sidecarsOf(spec);
  return (spec?.initContainers ?? []).every(({ name }) => {
    const status = init.find((one) => one.name === name);
    if (sidecars.has(name)) return status?.started === true;
    return status?.state?.terminated?.exitCode === 0;
  });
}

/** The conditions that follow from the states of containers. */
function conditionsOf(pod: Pod, containers: Containers, phase: string): readonly PodCondition[] {
  const over = phase === 'Succeeded' || phase === 'Failed';
  const initialized = phase === 'Succeeded' || isInitialized(pod, containers);
  const all = [...containers.main, ...containers.init.filter(({ name }) => sidecarsOf(pod.spec).has(name))];
  const unready = all.filter(({ ready }) => !ready).map(({ name }) => name);
  const reason = phase === 'Succeeded' ? 'PodCompleted' : phase === 'Failed' ? 'PodFailed' : 'ContainersNotReady';
  const message = over ? {} : { message: `containers with unready status: [${unready.join(' ')}]` };
  const isReady = !over && initialized && unready.length === 0;
  const gates = (pod.spec?.readinessGates ?? []).map(({ conditionType }) => conditionType);
  const missing = gates.filter(
    (gate) => !(pod.status?.conditions ?? []).some(({ type, status }) => type === gate && status === 'True'),
  );
  const waiting = (pod.spec?.initContainers ?? [])
    .map(({ name }) => name)
    .filter((name) => containers.init.find((one) => one.name === name)?.state?.terminated?.exitCode !== 0);
  const ready = (type: string): PodCondition =>
    isReady ? { type, status: 'True' } : { type, status: 'False', reason, ...message };
  return [
    initialized
      ? { type: 'Initialized', status: 'True', ...(over ? { reason } : {}) }
      : {
          ...{ type: 'Initialized', status: 'False', reason: 'ContainersNotInitialized' },
          message: `containers with incomplete status: [${waiting.join(' ')}]`,
        },
    isReady && missing.length > 0
      ? {
          ...{ type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady' },
          message: missing
            .map((gate) => `corresponding condition of pod readiness gate "${gate}" does not exist.`)
            .join(' '),
        }
      : ready('Ready'),
    ready('ContainersReady'),
    { type: 'PodScheduled', status: 'True' },
  ];
}

/**
 * The status of a pod with these states of its containers.
 *
 * @param others more conditions, besides those that depend on the containers
 */
export function statusOf(
  pod: Pod,
  containers: Containers,
  { ip, hostIp, now }: { readonly ip: string; readonly hostIp: string; readonly now: number },
  others: readonly PodCondition[] = [],
): PodStatus {
  const phase = phaseOf(pod, containers);
  return {
    phase,
    startTime: pod.status?.startTime ?? timeText(now),
    hostIP: hostIp,
    podIP: ip,
    podIPs: [{ ip }],
    conditions: withConditions(pod.status?.conditions, [...conditionsOf(pod, containers, phase), ...others], now),
    containerStatuses: [...containers.main],
    ...(containers.init.length === 0 ? {} : { initContainerStatuses: [...containers.init] }),
  };
}
