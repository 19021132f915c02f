import type { Naming } from '#base/naming/naming.ts';
import type { Node, Taint } from '#schema/generated/core.v1.ts';
import { formatTime } from '#schema/values/time.ts';

/** The taint, by its short form, for each condition of a node with this status. */
const BY_CONDITION: readonly (readonly [condition: string, status: string, taint: string])[] = [
  ['Ready', 'False', 'not-ready'],
  ['Ready', 'Unknown', 'unreachable'],
  ['MemoryPressure', 'True', 'memory-pressure'],
  ['DiskPressure', 'True', 'disk-pressure'],
  ['NetworkUnavailable', 'True', 'network-unavailable'],
  ['PIDPressure', 'True', 'pid-pressure'],
];
const UNSCHEDULABLE = 'unschedulable';

/** Taints to put on a node and to take off it. */
export interface TaintChange {
  readonly add: readonly Taint[];
  readonly remove: readonly Taint[];
}

/** The taint of a node that is not ready, or of a node that no longer reports. */
export function evicting(name: 'not-ready' | 'unreachable', naming: Naming): Taint {
  return { key: naming.key(`node/${name}`), effect: 'NoExecute' };
}

/** The changes of the taints that keep new pods away from a node, according to its conditions. */
export function schedulingTaints({ spec, status }: Node, naming: Naming): TaintChange {
  const effect = 'NoSchedule';
  const taintOf = (name: string): Taint => ({ key: naming.key(`node/${name}`), effect });
  const wanted = BY_CONDITION.filter(([type, value]) =>
    status?.conditions?.some((condition) => condition.type === type && condition.status === value),
  ).map(([, , name]) => taintOf(name));
  if (spec?.unschedulable === true) wanted.push(taintOf(UNSCHEDULABLE));
  const managed = [...BY_CONDITION.map(([, , name]) => taintOf(name)), taintOf(UNSCHEDULABLE)];
  return {
    add: wanted.filter((taint) => !hasTaint(spec?.taints, taint)),
    remove: managed.filter((taint) => hasTaint(spec?.taints, taint) && !hasTaint(wanted, taint)),
  };
}

/** Key and effect identify a taint. */
export function hasTaint(taints: readonly Taint[] | undefined, { key, effect }: Taint): boolean {
  return taints?.some((taint) => taint.key === key && taint.effect === effect) === true;
}

/** The taints after a change; undefined if nothing changes. Added taints get the time of the change. */
export function changedTaints(taints: readonly Taint[] = [], change: TaintChange, now: number): Taint[] | undefined {
  const added = change.add.filter((taint) => !hasTaint(taints, taint));
  const kept = taints.filter((taint) => !hasTaint(change.remove, taint));
  if (added.length === 0 && kept.length === taints.length) return undefined;
  return [...kept, ...added.map((taint) => ({ ...taint, timeAdded: formatTime(now) }))];
}
