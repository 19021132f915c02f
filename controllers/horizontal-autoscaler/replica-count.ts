import type { Pod } from '#schema/generated/core.v1.ts';
import { conditionOf } from '../pods/pod-state.ts';

/** How much of a resource a pod used, in thousandths, in a period that ended at `at`. */
export interface PodMetric {
  readonly milli: number;
  /** The time in milliseconds since 1970. */
  readonly at: number;
  readonly windowMs: number;
}

/**
 * The allowed difference between usage and target. Within it, the number does not change. 0.1 means a tenth above and
 * below.
 */
export interface Tolerance {
  readonly up: number;
  readonly down: number;
}

/** The times after a start during which pods may not count. */
export interface StartTimes {
  /** During this time after its start, the processor time of a pod counts only while the pod is ready. */
  readonly cpuInitializationMs: number;
  /** A pod that became unready within this time after its start counts as a pod that was never ready. */
  readonly initialReadinessMs: number;
}

/** Pods, grouped by whether their metrics count. */
interface Groups {
  readonly ready: number;
  readonly unready: readonly string[];
  readonly missing: readonly string[];
  readonly ignored: readonly string[];
}

/** The target for each pod: a percentage of its request, or an amount in thousandths. */
export type PodTarget =
  | { readonly utilization: number; readonly requests: ReadonlyMap<string, number> }
  | { readonly average: number };

/** A number of replicas, and the measured usage of the present ones. */
export interface Counted {
  readonly replicas: number;
  /** The usage in percent of the request; only if the target is a percentage. */
  readonly utilization?: number;
  /** The mean usage of a pod, in thousandths. */
  readonly average: number;
}

/** Whether the ratio of usage to target is so close to one that no change is needed. */
export function isWithin(ratio: number, { up, down }: Tolerance): boolean {
  return 1 - down <= ratio && ratio <= 1 + up;
}

function group(
  pods: readonly Pod[],
  metrics: ReadonlyMap<string, PodMetric>,
  isCpu: boolean,
  { cpuInitializationMs, initialReadinessMs }: StartTimes,
  now: number,
): Groups {
  const [unready, missing, ignored]: [string[], string[], string[]] = [[], [], []];
  let ready = 0;
  for (const pod of pods) {
    const { metadata, status } = pod;
    const name = metadata.name ?? '';
    const metric = metrics.get(name);
    if (metadata.deletionTimestamp || status?.phase === 'Failed') ignored.push(name);
    else if (status?.phase === 'Pending') unready.push(name);
    else if (metric === undefined) missing.push(name);
    else if (isCpu && !countsAsReady(pod, metric)) unready.push(name);
    else ready++;
  }
  return { ready, unready, missing, ignored };

  function countsAsReady(pod: Pod, { at, windowMs }: PodMetric): boolean {
    const condition = conditionOf(pod, 'Ready');
    const start = Date.parse(pod.status?.startTime ?? '');
    if (condition === undefined || Number.isNaN(start)) return false;
    const since = Date.parse(condition.lastTransitionTime ?? '') || 0;
    if (start + cpuInitializationMs > now) return condition.status !== 'False' && at >= since + windowMs;
    return condition.status !== 'False' || start + initialReadinessMs <= since;
  }
}

/**
 * The number of replicas that brings the usage of pods to a target. Each pod without metrics counts with the value that
 * leads to the smallest change. If fewer replicas would be wanted, it counts as if it used its target, or at least its
 * whole request. If more would be wanted, it counts as zero.
 *
 * @throws Error with a message about what is missing
 */
export function replicasFor(
  current: number,
  target: PodTarget,
  {
    pods,
    metrics,
    isCpu,
    times,
    tolerance,
    now,
  }: {
    readonly pods: readonly Pod[];
    readonly metrics: ReadonlyMap<string, PodMetric>;
    readonly isCpu: boolean;
    readonly times: StartTimes;
    readonly tolerance: Tolerance;
    readonly now: number;
  },
): Counted {
  if (pods.length === 0) throw new Error('no pods returned by selector while calculating replica count');
  const { ready, unready, missing, ignored } = group(pods, metrics, isCpu, times, now);
  const used = new Map([...metrics].map(([name, { milli }]) => [name, milli]));
  for (const name of [...ignored, ...unready]) used.delete(name);
  if (used.size === 0) throw new Error('did not receive metrics for targeted pods (pods might be unready)');
  const found = ratioOf(used, target);
  const counted = (replicas: number): Counted => {
    const { ratio: _, ...rest } = found;
    return { replicas, ...rest };
  };
  const { ratio } = found;
  const startsMore = unready.length > 0 && ratio > 1;
  if (!startsMore && missing.length === 0)
    return counted(isWithin(ratio, tolerance) ? current : Math.ceil(ratio * ready));
  for (const name of missing)
    if (ratio < 1) used.set(name, assumed(name, target));
    else if (ratio > 1) used.set(name, 0);
  if (startsMore) for (const name of unready) used.set(name, 0);
  const { ratio: cautious } = ratioOf(used, target);
  if (isWithin(cautious, tolerance) || (ratio < 1 && cautious > 1) || (ratio > 1 && cautious < 1))
    return counted(current);
  const replicas = Math.ceil(cautious * used.size);
  const isContrary = (cautious < 1 && replicas > current) || (cautious > 1 && replicas < current);
  return counted(isContrary ? current : replicas);
}

/** The assumed usage of a pod without metrics, if fewer replicas would be wanted. */
function assumed(name: string, target: PodTarget): number {
  if ('average' in target) return target.average;
  return ((target.requests.get(name) ?? 0) * Math.max(100, target.utilization)) / 100;
}

function ratioOf(used: ReadonlyMap<string, number>, target: PodTarget): Omit<Counted, 'replicas'> & { ratio: number } {
  if ('average' in target) {
    const average = Math.trunc(sum(used.values()) / used.size);
    return { ratio: average / target.average, average };
  }
  const known = [...used].filter(([name]) => target.requests.has(name));
  const requested = sum(known.map(([name]) => target.requests.get(name)!));
  if (requested === 0) throw new Error('no metrics returned matched known pods');
  const total = sum(known.map(([, milli]) => milli));
  const utilization = Math.trunc((total * 100) / requested);
  return { ratio: utilization / target.utilization, utilization, average: Math.trunc(total / known.length) };
}

/**
 * The number of replicas that brings a number for all pods together to its target.
 *
 * @param ready the number of ready pods
 */
export function replicasForRatio(current: number, ratio: number, ready: number, tolerance: Tolerance): number {
  if (current === 0) return Math.ceil(ratio);
  return isWithin(ratio, tolerance) ? current : Math.ceil(ratio * ready);
}

function sum(numbers: Iterable<number>): number {
  let all = 0;
  for (const number of numbers) all += number;
  return all;
}
