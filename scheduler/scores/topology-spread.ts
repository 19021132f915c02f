import type { LabelSelector } from '#schema/generated/meta.v1.ts';
import { type Constraint, constraintsOf, podCounter } from '../filters/topology-spread.ts';
import type { PodInfo } from '../state/pod-info.ts';
import type { View } from '../state/view.ts';
import { BEST, type Score } from './score.ts';

/** The labels by which pods without constraints are spread, and the allowed difference. */
const BY_DEFAULT = [
  { label: 'hostname', maxSkew: 3 },
  { label: 'topology/zone', maxSkew: 5 },
] as const;

/**
 * The soft spread constraints of a pod. A pod without any gets those of the cluster. Their selector is that of the
 * objects to which the pod belongs.
 */
function wished(info: PodInfo, view: View): { readonly constraints: readonly Constraint[]; readonly isOwn: boolean } {
  if (info.spread.length > 0) return { constraints: constraintsOf(info, 'ScheduleAnyway'), isOwn: true };
  const selectors = view.selectorsFor(info.pod);
  if (selectors.length === 0) return { constraints: [], isOwn: false };
  const selector = allOf(selectors);
  const constraints = BY_DEFAULT.map(({ label, maxSkew }) => ({
    ...{ topologyKey: view.key(label), maxSkew, minDomains: 1, selector },
    counts: () => true,
  }));
  return { constraints, isOwn: false };
}

/** Selects the objects that every given selector selects. */
function allOf(selectors: readonly LabelSelector[]): LabelSelector {
  return {
    matchExpressions: selectors.flatMap(({ matchLabels, matchExpressions }) => [
      ...Object.entries(matchLabels ?? {}).map(([key, value]) => ({ key, operator: 'In', values: [value] })),
      ...(matchExpressions ?? []),
    ]),
  };
}

/** Prefers nodes in domains with fewer pods of the same group. */
export const preferredSpread: Score = {
  name: 'PodTopologySpread',
  weight: 2,
  prepare(info, view, nodes) {
    const { constraints, isOwn } = wished(info, view);
    if (constraints.length === 0) return undefined;
    const { namespace } = info;
    const host = view.key('hostname');
    // Nodes without a label that the pod itself names come last.
    const counted = (labels: Readonly<Record<string, string>>) =>
      !isOwn || constraints.every(({ topologyKey }) => Object.hasOwn(labels, topologyKey));
    const known = nodes.filter(({ labels }) => counted(labels));
    const sums = constraints.map(({ topologyKey, selector, counts, maxSkew }) => {
      const domains = new Set(known.map(({ labels }) => labels[topologyKey]).filter((value) => value !== undefined));
      const pods = new Map<string, number>();
      const countPods = podCounter(namespace, selector);
      if (topologyKey !== host)
        for (const node of view.nodes.values()) {
          const domain = Object.hasOwn(node.labels, topologyKey) ? node.labels[topologyKey]! : undefined;
          if (domain === undefined || !domains.has(domain) || !counts(node)) continue;
          pods.set(domain, (pods.get(domain) ?? 0) + countPods(node));
        }
      const size = topologyKey === host ? known.length : domains.size;
      return { topologyKey, maxSkew, pods, countPods, weight: Math.log(size + 2) };
    });
    return {
      of: (node) => {
        if (!counted(node.labels)) return Number.POSITIVE_INFINITY;
        let sum = 0;
        for (const { topologyKey, maxSkew, pods, countPods, weight } of sums) {
          if (!Object.hasOwn(node.labels, topologyKey)) continue;
          const count = topologyKey === host ? countPods(node) : (pods.get(node.labels[topologyKey]!) ?? 0);
          sum += count * weight + (maxSkew - 1);
        }
        return Math.round(sum);
      },
      level: fewestIsBest,
    };
  },
};

function fewestIsBest(numbers: readonly number[]): readonly number[] {
  const finite = numbers.filter(Number.isFinite);
  const [least, most] = [Math.min(...finite), Math.max(...finite)];
  return numbers.map((number) => {
    if (!Number.isFinite(number)) return 0;
    return most === 0 ? BEST : Math.trunc((BEST * (most + least - number)) / most);
  });
}
