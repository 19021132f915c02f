import type { PodAffinityTerm, WeightedPodAffinityTerm } from '#schema/generated/core.v1.ts';
import { readTerm } from '../filters/affinity-terms.ts';
import type { NodeInfo } from '../state/node-info.ts';
import type { PodInfo } from '../state/pod-info.ts';
import type { View } from '../state/view.ts';
import { between, type Score } from './score.ts';

/** The weight of a required affinity of another pod to this pod. */
const REQUIRED_WEIGHT = 1;

/** Weights by the key of a topology and its value. */
type Weights = Map<string, Map<string, number>>;

function add(weights: Weights, key: string, { labels }: NodeInfo, weight: number): void {
  if (!Object.hasOwn(labels, key)) return;
  const values = weights.get(key) ?? new Map<string, number>();
  weights.set(key, values);
  values.set(labels[key]!, (values.get(labels[key]!) ?? 0) + weight);
}

interface Wish {
  readonly term: PodAffinityTerm;
  readonly weight: number;
}

function wishesOf({ pod, affinity }: PodInfo, withRequired: boolean): readonly Wish[] {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  const read = (terms: readonly WeightedPodAffinityTerm[] | undefined, sign: 1 | -1): Wish[] =>
    (terms ?? []).map(({ podAffinityTerm, weight }) => ({ term: podAffinityTerm, weight: sign * weight }));
  return [
    ...(withRequired ? affinity.map((term) => ({ term, weight: REQUIRED_WEIGHT })) : []),
    ...read(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution, 1),
    ...read(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution, -1),
  ];
}

/** Prefers nodes near pods to which the pod has affinity, and near pods that have affinity to it. */
export const preferredPods: Score = {
  name: 'InterPodAffinity',
  weight: 2,
  prepare(pod, view) {
    const weights: Weights = new Map();
    const own = wishesOf(pod, false).map(({ term, weight }) => ({ ...readTerm(term, pod, view), weight }));
    for (const node of view.nodes.values()) {
      if (own.length > 0)
        for (const other of node.pods.values())
          for (const { matches, topologyKey, weight } of own)
            if (matches(other)) add(weights, topologyKey, node, weight);
      for (const other of node.withAffinity.values()) addWishesOf(other, node, pod, view, weights);
    }
    if (weights.size === 0) return undefined;
    return {
      of: ({ labels }) => {
        let sum = 0;
        for (const [key, values] of weights) if (Object.hasOwn(labels, key)) sum += values.get(labels[key]!) ?? 0;
        return sum;
      },
      level: between,
    };
  },
};

function addWishesOf(other: PodInfo, node: NodeInfo, pod: PodInfo, view: View, weights: Weights): void {
  for (const { term, weight } of wishesOf(other, true)) {
    const { matches, topologyKey } = readTerm(term, other, view);
    if (matches(pod)) add(weights, topologyKey, node, weight);
  }
}
