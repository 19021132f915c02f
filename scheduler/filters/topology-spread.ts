import { selects } from '#client/label-selector.ts';
import { allowsNode } from '#client/node-selector.ts';
import type { Pod, TopologySpreadConstraint } from '#schema/generated/core.v1.ts';
import type { LabelSelector } from '#schema/generated/meta.v1.ts';
import type { NodeInfo } from '../state/node-info.ts';
import type { PodInfo } from '../state/pod-info.ts';
import { untolerated } from '../state/tolerations.ts';
import type { View } from '../state/view.ts';
import { withKeys } from './affinity-terms.ts';
import { type Filter, refuse, refuseFinally } from './filter.ts';

/** A constraint in the form in which pods are counted. */
export interface Constraint {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly minDomains: number;
  readonly selector: LabelSelector | undefined;
  /** Whether the pods of a node count. */
  readonly counts: (node: NodeInfo) => boolean;
}

/** The constraints of a pod that have one kind: `DoNotSchedule` or `ScheduleAnyway`. */
export function constraintsOf(info: PodInfo, whenUnsatisfiable: string): readonly Constraint[] {
  return info.spread
    .filter((constraint) => constraint.whenUnsatisfiable === whenUnsatisfiable)
    .map((constraint) => readConstraint(constraint, info));
}

function readConstraint(constraint: TopologySpreadConstraint, { pod, labels }: PodInfo): Constraint {
  const { topologyKey, maxSkew, minDomains = 1, nodeAffinityPolicy, nodeTaintsPolicy } = constraint;
  return {
    topologyKey,
    maxSkew,
    minDomains,
    selector: withKeys(constraint.labelSelector, labels, constraint.matchLabelKeys),
    counts: (node) =>
      (nodeAffinityPolicy === 'Ignore' || allowsNode(pod, node)) &&
      (nodeTaintsPolicy !== 'Honor' || isTolerated(pod, node)),
  };
}

function isTolerated({ spec }: Pod, { taints }: NodeInfo): boolean {
  return untolerated(taints, spec?.tolerations, ['NoSchedule', 'NoExecute']) === undefined;
}

/**
 * Counts the pods of a namespace on a node that a selector selects. Pods that are being deleted do not count. The
 * counts are remembered: pods of one owner need the same counts for all nodes, and in between only one node has
 * changed.
 */
export function podCounter(namespace: string, selector: LabelSelector | undefined): (node: NodeInfo) => number {
  const what = JSON.stringify([namespace, selector]);
  const count = (pods: Iterable<PodInfo>) => {
    let sum = 0;
    for (const other of pods)
      if (
        other.namespace === namespace &&
        (other.pod.metadata.deletionTimestamp ?? null) === null &&
        selects(selector, other.labels)
      )
        sum++;
    return sum;
  };
  return (node) => node.counted(what, count);
}

/** Refuses nodes on which the pod would make the spread of its pods too uneven. */
export const topologySpread: Filter = {
  name: 'PodTopologySpread',
  prepare(info, view) {
    const constraints = constraintsOf(info, 'DoNotSchedule');
    if (constraints.length === 0) return undefined;
    const counted = constraints.map((constraint) => ({
      ...constraint,
      ...countDomains(constraint, constraints, info, view),
      isOwn: selects(constraint.selector, info.labels) ? 1 : 0,
    }));
    return (node) => {
      for (const { topologyKey, maxSkew, pods, least, isOwn } of counted) {
        if (!Object.hasOwn(node.labels, topologyKey))
          return refuseFinally("node(s) didn't match pod topology spread constraints (missing required label)");
        const here = pods.get(node.labels[topologyKey]!) ?? 0;
        if (here + isOwn - least > maxSkew) return refuse("node(s) didn't match pod topology spread constraints");
      }
      return undefined;
    };
  },
};

/** The number of pods in each domain of a constraint, and the number in the emptiest domain. */
function countDomains(
  { topologyKey, selector, minDomains, counts }: Constraint,
  all: readonly Constraint[],
  { namespace }: PodInfo,
  view: View,
): { readonly pods: ReadonlyMap<string, number>; readonly least: number } {
  const pods = new Map<string, number>();
  const countPods = podCounter(namespace, selector);
  for (const node of view.nodes.values()) {
    if (!all.every((constraint) => Object.hasOwn(node.labels, constraint.topologyKey)) || !counts(node)) continue;
    const domain = node.labels[topologyKey]!;
    pods.set(domain, (pods.get(domain) ?? 0) + countPods(node));
  }
  let least = pods.size === 0 || pods.size < minDomains ? 0 : Number.POSITIVE_INFINITY;
  for (const count of pods.values()) least = Math.min(least, count);
  return { pods, least };
}
