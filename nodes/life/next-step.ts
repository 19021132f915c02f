import { jsonEqual } from '#base/json/json-equal.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Container, ContainerStatus, Pod, PodCondition, PodStatus } from '#schema/generated/core.v1.ts';
import type { Rejection } from './admission.ts';
import { ASKED_TO_END, advance, endedContainer, type Happening, type Moment, waitingContainer } from './container.ts';
import { isImageName, type NoImage } from './image-pull.ts';
import { type Containers, sidecarsOf, statusOf } from './pod-status.ts';
import { timeOf, timeText } from './times.ts';
import { Wishes } from './wishes.ts';

/** The knowledge of a node about a pod that is not in the pod itself. */
export interface Memory {
  /** The address that the pod has or will get. */
  readonly ip: string;
  readonly hostIp: string;
  /** The time at which this node first saw the pod. */
  readonly since: number;
  /** The time at which this node first saw that the pod must end. */
  readonly endingSince: number | undefined;
  /** How long the first start and the end take, in milliseconds. */
  readonly startMs: number;
  readonly endMs: number;
  /** The times at which containers began to run, by their name. */
  readonly startedAt: ReadonlyMap<string, number>;
  /** The wishes that stages have for the pod, see `wishes.ts`. */
  readonly wishes?: ReadonlyMap<string, string>;
  /** Whether the node cannot pull an image of this name. By default it can pull all images. */
  readonly isUnpullable?: (image: string) => boolean;
}

/** The next step of a node for a pod. */
export interface Step {
  /** The status to write, if it differs from that of the pod. */
  readonly status?: PodStatus;
  /** Whether the pod has ended, so that its object can be deleted. */
  readonly remove?: true;
  readonly happened: readonly (Happening & { readonly container: string })[];
  /** The time of the next look, in milliseconds since 1970. */
  readonly nextAt: number | undefined;
}

const NOTHING: Step = { happened: [], nextAt: undefined };

/**
 * The next step in the life of a pod on a simulated node. It depends only on the pod, the time and the memory of the
 * node. So a restarted node continues at the same point.
 */
export function nextStep(pod: Pod, memory: Memory, now: number, naming: Pick<Naming, 'key'>): Step {
  const { metadata, status = {} } = pod;
  if ((metadata.deletionTimestamp ?? null) !== null) return ending(pod, memory, now, naming);
  if (status.phase === 'Succeeded' || status.phase === 'Failed') return NOTHING;
  const startAt = memory.since + memory.startMs;
  const isNew = (status.containerStatuses ?? []).length === 0;
  const slow = (pod.spec?.containers ?? []).some((one) => {
    const wishes = new Wishes(pod, one.name, naming, memory.wishes);
    return noImageOf(one, wishes, memory) !== undefined || (wishes.ms('start-seconds') ?? 0) > 0;
  });
  if (isNew && !slow && now < startAt) return { happened: [], nextAt: startAt };
  const late = pastDeadline(pod, now);
  if (late !== undefined && late <= now) return failed(pod, memory, now, TOO_LATE);
  const evictedAt = evictionOf(pod, memory, now, naming);
  if (evictedAt !== undefined && evictedAt <= now) return failed(pod, memory, now, EVICTED);
  const moved = moveContainers(pod, memory, now, naming);
  const next = statusOf(pod, moved.containers, { ...memory, now });
  const times = [...moved.times, late, evictedAt].filter((at) => at !== undefined);
  return {
    ...(isSameStatus(status, next) ? {} : { status: next }),
    happened: moved.happened,
    nextAt: times.length === 0 ? undefined : Math.min(...times),
  };
}

function noImageOf({ image = '' }: Container, wishes: Wishes, { isUnpullable }: Memory): NoImage | undefined {
  if (!isImageName(image)) return 'invalid';
  return wishes.is('pull-error') || isUnpullable?.(image) === true ? 'unpullable' : undefined;
}

/** The time at which a pod exceeds its deadline; undefined if it has none. */
function pastDeadline({ spec, status }: Pod, now: number): number | undefined {
  const { activeDeadlineSeconds } = spec ?? {};
  if (activeDeadlineSeconds === undefined || activeDeadlineSeconds === null) return undefined;
  return (timeOf(status?.startTime) ?? now) + activeDeadlineSeconds * 1000;
}

/** The time at which a node evicts a pod, as a node without space would. Undefined if no container has this wish. */
function evictionOf(pod: Pod, memory: Memory, now: number, naming: Pick<Naming, 'key'>): number | undefined {
  const wished = (pod.spec?.containers ?? [])
    .map(({ name }) => new Wishes(pod, name, naming, memory.wishes).ms('evict-seconds'))
    .filter((ms) => ms !== undefined);
  return wished.length === 0 ? undefined : (timeOf(pod.status?.startTime) ?? now) + Math.min(...wished);
}

const TOO_LATE: Happening = {
  type: 'Normal',
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
};
const EVICTED: Happening = { type: 'Warning', reason: 'Evicted', message: 'The node was low on resources: simulated' };

function failed(pod: Pod, memory: Memory, now: number, why: Happening): Step {
  const { reason, message } = why;
  const status = statusOf(
    pod,
    endAll(pod, now),
    { ...memory, now },
    reason === 'Evicted' ? [disruptedBy(message)] : [],
  );
  return {
    status: { ...status, phase: 'Failed', reason, message },
    happened: [{ ...why, container: '' }],
    nextAt: undefined,
  };
}

/** The condition of a pod that its node ends. */
function disruptedBy(message: string): PodCondition {
  return { type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', message };
}

/** The status of a pod that its node rejects. */
export function rejectedStatus({ status }: Pod, { reason, message }: Rejection, now: number): PodStatus {
  return { phase: 'Failed', reason, message, startTime: status?.startTime ?? timeText(now) };
}

/** Ends all running containers of a pod, with one exit code. The next step restarts them if their policy wants it. */
export function endContainers(pod: Pod, exitCode: number, reason: string, now: number): PodStatus {
  const end = (one: ContainerStatus) =>
    one.state?.running === undefined ? one : endedContainer(one, exitCode, reason, now);
  return { containerStatuses: (pod.status?.containerStatuses ?? []).map(end) };
}

/** Ends a pod that is being deleted: its containers first, then its object. */
function ending(pod: Pod, memory: Memory, now: number, naming: Pick<Naming, 'key'>): Step {
  const { metadata, spec, status } = pod;
  const graceMs = (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  const containers = spec?.containers ?? [];
  const wished = containers.map(
    ({ name }) => new Wishes(pod, name, naming, memory.wishes).ms('termination-seconds') ?? memory.endMs,
  );
  const since = memory.endingSince ?? now;
  const endAt = since + Math.min(graceMs, Math.max(0, ...wished));
  const over = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  const isRunning = (status?.containerStatuses ?? []).some(({ state }) => state?.running !== undefined);
  const happened =
    memory.endingSince === undefined && isRunning
      ? containers.map(({ name }) => ({
          ...{ type: 'Normal' as const, reason: 'Killing', message: `Stopping container ${name}`, container: name },
        }))
      : [];
  if (now < endAt) return { happened, nextAt: endAt };
  // Controllers that count pods must first see that the pod has ended.
  const isCounted = (metadata.finalizers ?? []).length > 0;
  if (!over && isCounted) {
    const ended = endAll(pod, now);
    const final = statusOf(pod, ended, { ...memory, now });
    const phase = final.phase === 'Succeeded' ? 'Succeeded' : 'Failed';
    return { status: { ...final, phase }, happened, nextAt: now };
  }
  // Without a grace period, an object disappears together with its last finalizer.
  if (isCounted && graceMs === 0) return { ...NOTHING, happened };
  return { remove: true, happened, nextAt: undefined };
}

function endAll({ status }: Pod, now: number): Containers {
  const end = (one: ContainerStatus) =>
    one.state?.running === undefined ? one : endedContainer(one, ASKED_TO_END, 'Error', now);
  return {
    init: (status?.initContainerStatuses ?? []).map(end),
    main: (status?.containerStatuses ?? []).map(end),
  };
}

/** Advances all containers: the init containers one after another, and the others after them. */
function moveContainers(pod: Pod, memory: Memory, now: number, naming: Pick<Naming, 'key'>) {
  const { spec, status } = pod;
  const sidecars = sidecarsOf(spec);
  const policy = spec?.restartPolicy ?? 'Always';
  const happened: (Happening & { readonly container: string })[] = [];
  const times: (number | undefined)[] = [];
  const isOfJob = (pod.metadata.ownerReferences ?? []).some(
    ({ kind, controller }) => kind === 'Job' && controller === true,
  );
  const move = (container: Container, before: ContainerStatus, isFirst: boolean): ContainerStatus => {
    const isSidecar = sidecars.has(container.name);
    const wishes = new Wishes(pod, container.name, naming, memory.wishes);
    const moment: Moment = advance(before, {
      ...{ pod, container, now, wishes, noImage: noImageOf(container, wishes, memory) },
      startedAt: memory.startedAt.get(container.name),
      endsByItself: !isSidecar && (isFirst || isOfJob),
      restartPolicy: isSidecar ? 'Always' : isFirst && policy === 'Always' ? 'OnFailure' : policy,
    });
    happened.push(...moment.happened.map((one) => ({ ...one, container: container.name })));
    times.push(moment.nextAt);
    return moment.status;
  };
  const init: ContainerStatus[] = [];
  let blocked = false;
  for (const container of spec?.initContainers ?? []) {
    const known = status?.initContainerStatuses?.find(({ name }) => name === container.name);
    const before = known ?? waitingContainer(container, 'PodInitializing');
    const after: ContainerStatus = blocked ? before : move(container, before, true);
    init.push(after);
    blocked ||= sidecars.has(container.name) ? after.started !== true : after.state?.terminated?.exitCode !== 0;
  }
  const main = (spec?.containers ?? []).map((container) => {
    const known = status?.containerStatuses?.find(({ name }) => name === container.name);
    const reason = (spec?.initContainers ?? []).length > 0 ? 'PodInitializing' : 'ContainerCreating';
    const before = known ?? waitingContainer(container, reason);
    return blocked ? before : move(container, before, false);
  });
  return { containers: { init, main }, happened, times };
}

/** Whether two statuses are equal. */
function isSameStatus(before: PodStatus, after: PodStatus): boolean {
  const { conditions: had, ...rest } = before;
  const { conditions: has, ...others } = after;
  return (
    jsonEqual(timeless(had), timeless(has)) &&
    Object.entries(others).every(([name, value]) => jsonEqual((rest as Record<string, unknown>)[name], value))
  );
}

/** Conditions in one order and without times. Statuses that differ only in these are equal. */
function timeless(conditions: readonly PodCondition[] | null | undefined): unknown {
  return (conditions ?? [])
    .map(({ lastProbeTime: _probe, lastTransitionTime: _time, ...rest }) => rest)
    .toSorted((a, b) => (a.type < b.type ? -1 : 1));
}
